/**
 * Sends groups as they come, a few at a time. A group that continues the one before waits until that is done. After a
 * failure nothing more is begun; what is under way is waited for.
 */
export async function sendInOrder<Group extends { readonly isContinuation: boolean }>(
  groups: AsyncIterable<Group>,
  requestsMax: number,
  send: (group: Group) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const throwFailure = () => {
    if (failure !== undefined) throw failure.error;
  };
  const begin = async (group: Group) => {
    try {
      await send(group);
    } catch (error) {
      failure ??= { error };
    }
  };
  try {
    for await (const group of groups) {
      const othersMax = group.isContinuation ? 0 : requestsMax - 1;
      while (underWay.size > othersMax) await Promise.race(underWay);
      throwFailure();
      const request = begin(group).finally(() => underWay.delete(request));
      underWay.add(request);
    }
  } finally {
    await Promise.all(underWay);
  }
  throwFailure();
}

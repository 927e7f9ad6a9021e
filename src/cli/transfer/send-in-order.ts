/**
 * Sends batches as they are produced, at most `requestsMax` at a time, and stops reading while that
 * many are in flight. A batch that continues the previous one waits until all earlier ones are
 * done. After a failure no further batch is started; in-flight ones are awaited, so that their
 * results are counted, and then the first error is thrown.
 */
export async function sendInOrder<Batch extends { readonly isContinuation: boolean }>(
  batches: AsyncIterable<Batch>,
  requestsMax: number,
  send: (batch: Batch) => Promise<void>,
): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const throwFailure = () => {
    if (failure !== undefined) throw failure.error;
  };
  const start = async (batch: Batch) => {
    try {
      await send(batch);
    } catch (error) {
      failure ??= { error };
    }
  };
  try {
    for await (const batch of batches) {
      const othersMax = batch.isContinuation ? 0 : requestsMax - 1;
      while (inFlight.size > othersMax) await Promise.race(inFlight);
      throwFailure();
      const request = start(batch).finally(() => inFlight.delete(request));
      inFlight.add(request);
    }
  } finally {
    await Promise.all(inFlight);
  }
  throwFailure();
}

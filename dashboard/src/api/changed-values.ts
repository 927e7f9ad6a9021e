/** The values that changed, as the body of a PATCH; undefined if none did. */
export function changedValues<T extends object>(before: T, after: T): Partial<T> | undefined {
  const changed = Object.entries(after).filter(([name, value]) => value !== Reflect.get(before, name));
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as Partial<T>);
}

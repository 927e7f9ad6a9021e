/**
 * Header names and values, alternating, as Node's `writeHead` and undici accept them. Concatenating
 * lists costs a fraction of merging objects, and every call does it twice.
 */
export type HeaderList = readonly (string | number | string[])[];

/** For output that people read, such as dry runs. Of repeated names, the last wins. */
export function toHeaderObject(list: HeaderList): Record<string, string> {
  const pairs = Array.from({ length: list.length / 2 }, (_, index) => [
    String(list[2 * index]),
    String(list[2 * index + 1]),
  ]);
  return Object.fromEntries(pairs);
}

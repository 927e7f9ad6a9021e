export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value that came as JSON is an object: neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Copies fields of any name, `__proto__` too, into an object of our own. Spreading does the same, and takes several times as
 * long where it is not the first to fill the object.
 */
export function copyFields(
  from: JsonObject,
  to: Record<string, unknown>,
  isWanted: (name: string) => boolean = () => true,
): void {
  for (const name of Object.keys(from)) {
    if (!isWanted(name)) continue;
    if (name === '__proto__') Object.defineProperty(to, name, { ...own, value: from[name] });
    else to[name] = from[name];
  }
}

const own = { enumerable: true, configurable: true, writable: true };

/** Whether two values that came as JSON are equal; the order of the fields of an object does not count. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSameJson(item, other[index]))
    );
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
}

/** Only the fields that have a value. */
export function omitNullish(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** As `given`; undefined where no field has a value. */
export function nonEmptyObject(fields: JsonObject): JsonObject | undefined {
  const rest = omitNullish(fields);
  return Object.keys(rest).length === 0 ? undefined : rest;
}

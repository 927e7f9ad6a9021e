export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object, which excludes arrays and null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Copies the selected fields. Safe for any name, including `__proto__`. Spreading does the same but
 * takes several times as long when the target already has properties.
 */
export function copyFields(
  from: JsonObject,
  to: Record<string, unknown>,
  isSelected: (name: string) => boolean = () => true,
): void {
  for (const name of Object.keys(from)) {
    if (!isSelected(name)) continue;
    if (name === '__proto__') Object.defineProperty(to, name, { ...ownProperty, value: from[name] });
    else to[name] = from[name];
  }
}

const ownProperty = { enumerable: true, configurable: true, writable: true };

/** Whether two JSON values are equal, regardless of the order of object fields. */
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

/** The fields that are neither undefined nor null. */
export function omitNullish(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Like `omitNullish`, but undefined if no field is left. */
export function nonEmptyObject(fields: JsonObject): JsonObject | undefined {
  const rest = omitNullish(fields);
  return Object.keys(rest).length === 0 ? undefined : rest;
}

import type { CapturedPreset } from '../core/preset.ts';

/** For every field that a dialect knows: whether a preset keeps it. */
export type FieldTable = Readonly<Record<string, 'kept' | 'dropped'>>;

/**
 * Sorts the fields of a body into those that a preset keeps and those that the dialect does not know.
 * Names come from outside and may be `__proto__` or `constructor`, so only the table's own names count and
 * nothing is ever assigned under another one. An explicit null means the same as an absent field.
 */
export function capturedFields(
  body: object,
  table: FieldTable,
): Pick<CapturedPreset, 'config' | 'ignoredFields'> {
  const config: Record<string, unknown> = {};
  const ignoredFields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(table, name)) ignoredFields.push(name);
    else if (table[name] === 'kept' && value !== null) config[name] = value;
  }
  return { config, ignoredFields };
}

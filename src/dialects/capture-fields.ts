import type { CapturedPreset } from '../core/preset.ts';

/**
 * Why a preset does not keep a field that its dialect knows: it belongs to the conversation, goes into the system prompt,
 * says who calls, says how the answer is sent or recorded, holds for one call, or refers to a preset.
 */
export type ExclusionReason = 'conversation' | 'system_prompt' | 'identity' | 'delivery' | 'call' | 'preset';

/** For every field that a dialect knows: whether a preset keeps it, else why not. */
export type FieldTable = Readonly<Record<string, 'kept' | ExclusionReason>>;

/**
 * Sorts the fields of a body into those that a preset keeps and those that the dialect does not know.
 * Names come from outside and may be `__proto__` or `constructor`, so only the table's own names count and
 * nothing is ever assigned under another one. An explicit null means the same as an absent field.
 */
export function captureFields(
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

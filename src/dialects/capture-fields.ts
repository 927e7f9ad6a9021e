import type { CapturedPreset } from '../core/presets/preset.ts';
import type { ExtensionRequest } from './extension/schema.ts';

/**
 * Why a capture excludes a known field from the config: it belongs to the conversation, becomes the
 * system prompt, identifies the caller, controls how the response is delivered or stored, applies
 * to a single call, or refers to a preset.
 */
export type ExclusionReason = 'conversation' | 'system_prompt' | 'identity' | 'delivery' | 'call' | 'preset';

/** `extension` is the `presetd` object, which a capture saves beside the config. */
export type FieldKind = 'captured' | 'extension' | ExclusionReason;

/** For every field of a dialect, whether a capture saves it in the config, or why not. */
export type FieldTable = Readonly<Record<string, FieldKind>>;

/**
 * Splits a request into the config that a preset saves and the names of fields that the dialect
 * does not know. Names are untrusted and may be `__proto__` or `constructor`: only own properties
 * of the table count, and nothing is assigned under any other name. A null counts as an absent
 * field.
 */
export function captureFields(
  body: object,
  table: FieldTable,
): Pick<CapturedPreset, 'config' | 'ignoredFields'> {
  const config: Record<string, unknown> = {};
  const ignoredFields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(table, name)) ignoredFields.push(name);
    else if (table[name] === 'captured' && value !== null) config[name] = value;
  }
  return { config, ignoredFields };
}

/** Splits the `presetd` object of a capture into what a version saves and whether it goes live. */
export function captureExtension(
  presetd: ExtensionRequest | null | undefined,
): Pick<CapturedPreset, 'extension' | 'designate'> {
  const { designate = true, ...extension } = presetd ?? {};
  return { designate, extension: Object.keys(extension).length === 0 ? null : extension };
}

import type { CapturedPreset, Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import type { FieldTable } from '../model/capture-fields.ts';
import type { ExtensionRequest } from './extension/schema.ts';

/** Extracts the preset from a request, which must have passed validation. */
export function capturePreset(request: object, dialect: Dialect): CapturedPreset {
  const { presetd, ...fields } = request as { readonly presetd?: ExtensionRequest | null };
  const { request: format, conversation } = dialectOf[dialect];
  return {
    ...captureFields(fields, format.fields),
    ...captureExtension(presetd),
    systemPrompt: conversation.findSystemPrompt(fields),
  };
}

/**
 * Splits a request into the config that a preset saves and the names of fields that the dialect
 * does not know. Names are untrusted and may be `__proto__` or `constructor`: only own properties
 * of the table count, and nothing is assigned under any other name. A null counts as an absent
 * field.
 */
function captureFields(body: object, table: FieldTable): Pick<CapturedPreset, 'config' | 'ignoredFields'> {
  const config: Record<string, unknown> = {};
  const ignoredFields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(table, name)) ignoredFields.push(name);
    else if (table[name] === 'captured' && value !== null) config[name] = value;
  }
  return { config, ignoredFields };
}

/** Splits the `presetd` object of a capture into what a version saves and whether it goes live. */
function captureExtension(
  presetd: ExtensionRequest | null | undefined,
): Pick<CapturedPreset, 'extension' | 'designate'> {
  const { designate = true, ...extension } = presetd ?? {};
  return { designate, extension: Object.keys(extension).length === 0 ? null : extension };
}

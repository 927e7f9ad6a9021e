import type { JsonObject } from '../../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { parseExactJson } from '../../../api/exact-json.ts';
import type { ComparedVersion } from '../../../features/comparison/version-diff.tsx';
import { checkRequestText } from '../../../features/request/check-request.ts';
import { readPrompt, writePrompt } from '../../../features/request/prompt-field.ts';

/**
 * A draft in the shape in which versions are compared: its prompt apart, and everything else by
 * field. Undefined while the text is not a JSON object. It may be invalid, so the server is not
 * asked.
 */
export function draftAsVersion(text: string, dialect: Dialect): ComparedVersion | undefined {
  const checked = checkRequestText(text);
  if (checked.kind !== 'valid') return undefined;
  const prompt = readPrompt(checked.body, dialect);
  const others = writePrompt(text, checked.body, dialect, '');
  return {
    dialect,
    system_prompt: prompt,
    config: parseExactJson(others) as JsonObject,
    presetd: null,
  };
}

import { isJsonObject, isSameJson, type JsonObject } from '../../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { capturePreset } from '../../../../../src/dialects/presets/capture-preset.ts';
import { checkRequestText } from '../../../features/request/check-request.ts';

/**
 * Whether two drafts become the same version. Formatting, the order of fields, the note and what a
 * capture does not save make no difference: a draft that was just saved is on screen as the version
 * that the server made of it.
 */
export function isSameVersion(one: string, other: string, dialect: Dialect): boolean {
  if (one === other) return true;
  const content = contentOf(one, dialect);
  return content !== undefined && isSameJson(content, contentOf(other, dialect));
}

/** Every cell of a table asks for the same few texts on every keystroke. */
const recentMax = 8;
const recent = new Map<string, JsonObject | undefined>();

/** Undefined for a text that no version can be made of. */
function contentOf(text: string, dialect: Dialect): JsonObject | undefined {
  const key = `${dialect}\n${text}`;
  if (recent.has(key)) return recent.get(key);
  const content = readContent(text, dialect);
  recent.set(key, content);
  const [oldest = ''] = recent.keys();
  if (recent.size > recentMax) recent.delete(oldest);
  return content;
}

function readContent(text: string, dialect: Dialect): JsonObject | undefined {
  const checked = checkRequestText(text);
  if (checked.kind !== 'valid') return undefined;
  try {
    const { config, systemPrompt, extension } = capturePreset(checked.body, dialect);
    const { note: _, ...parts } = isJsonObject(extension) ? extension : {};
    return { config, systemPrompt, parts };
  } catch {
    return undefined;
  }
}

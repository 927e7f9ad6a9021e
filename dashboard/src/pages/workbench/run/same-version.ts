import type { CapturedPreset, Dialect } from '../../../../../src/core/presets/preset.ts';
import { capturePreset as fromChat } from '../../../../../src/dialects/chat-completions/capture-preset.ts';
import { isJsonObject, isSameJson, type JsonObject } from '../../../../../src/dialects/json-object.ts';
import { capturePreset as fromMessages } from '../../../../../src/dialects/messages/capture-preset.ts';
import { capturePreset as fromResponses } from '../../../../../src/dialects/responses/capture-preset.ts';
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

/** Requests that the user is still typing may not have the types that these read. */
const captures = {
  'chat-completions': fromChat as Capture,
  messages: fromMessages as Capture,
  responses: fromResponses as Capture,
} satisfies Record<Dialect, Capture>;

type Capture = (body: JsonObject) => CapturedPreset;

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
    const { config, systemPrompt, extension } = captures[dialect](checked.body);
    const { note: _, ...parts } = isJsonObject(extension) ? extension : {};
    return { config, systemPrompt, parts };
  } catch {
    return undefined;
  }
}

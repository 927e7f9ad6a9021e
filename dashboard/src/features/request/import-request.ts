/** Requests that people paste, as JSON or as a curl line. */

import { PresetdError } from '../../../../src/core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { dialectOf } from '../../../../src/dialects/dialects.ts';
import { findCacheWarnings } from '../../../../src/dialects/presets/cached-prompt.ts';
import { recognizeDialect } from '../../../../src/dialects/recognize-dialect.ts';
import { translateUnfitted } from '../../../../src/dialects/translate/translate-request.ts';
import { parseExactJson } from '../../api/exact-json.ts';
import type { Message } from '../runs/message.ts';
import { bodyOfCommand } from './curl-command.ts';
import { isListRequired, readPrompt, writePrompt } from './prompt-field.ts';
import { removeField, setField } from './request-text.ts';

/** A pasted request, split into what a version stores and what a run sends. */
interface ImportedRequest {
  /** The request without its conversation. */
  readonly text: string;
  readonly dialect: Dialect;
  /** The conversation, as chat completions. */
  readonly messages: readonly Message[];
  /** Whether the prompt had `cache_control`, which its text cannot keep. */
  readonly hasLostCache: boolean;
}

/**
 * Undefined unless the text is a whole request: a prompt may contain JSON, and pasting that must
 * not replace the draft. Without a known dialect, it is recognized.
 */
export function importRequest(pasted: string, known?: Dialect): ImportedRequest | undefined {
  const json = bodyOfCommand(pasted) ?? (/^\s*\{/.test(pasted) ? pasted : undefined);
  const body = json === undefined ? undefined : parseObject(json);
  if (json === undefined || body === undefined || typeof body.model !== 'string') return undefined;
  const dialect = known ?? recognizeDialect(body);
  if (dialect === undefined) return undefined;
  const indented = JSON.stringify(body, null, 2);
  return {
    text: withoutConversation(indented, body, dialect),
    dialect,
    messages: conversationOf(body, dialect),
    hasLostCache: findCacheWarnings(body).length > 0,
  };
}

function parseObject(json: string): JsonObject | undefined {
  try {
    const body = parseExactJson(json);
    return isJsonObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The system prompt stays. */
function withoutConversation(text: string, body: JsonObject, dialect: Dialect): string {
  const prompt = readPrompt(body, dialect);
  const { list } = dialectOf[dialect].conversation;
  const cleared = isListRequired(dialect) ? setField(text, [list], []) : removeField(text, [list]);
  const rest = parseObject(cleared) ?? {};
  return writePrompt(cleared, rest, dialect, prompt);
}

/** Empty if chat completions cannot express it, such as a reference to a stored message. */
function conversationOf(body: JsonObject, dialect: Dialect): readonly Message[] {
  const { list } = dialectOf[dialect].conversation;
  const { messages } = asChat({ model: body.model, [list]: body[list] }, dialect);
  const all = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  return all.filter(({ role }) => role !== 'system' && role !== 'developer');
}

function asChat(request: JsonObject, dialect: Dialect): JsonObject {
  try {
    return translateUnfitted(request, dialect, 'chat-completions').body;
  } catch (error) {
    if (error instanceof PresetdError) return {};
    throw error;
  }
}

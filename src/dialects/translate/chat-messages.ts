import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asList, asObjects, textOf } from '../../core/json/loose-json.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { isReasoning, isText, type Turn } from '../model/turns.ts';

/**
 * The conversation of a request as messages of chat completions, the system prompt first. Accepts
 * any value; what chat completions cannot express is left out.
 */
export function chatMessagesOf(request: JsonObject, dialect: Dialect): readonly unknown[] {
  return writeMessages(dialectOf[dialect].conversation.parseTurns(request));
}

/** The values and messages of a request, as a test case has them. */
interface RequestAsCase {
  readonly variables: JsonObject;
  readonly messages: readonly JsonObject[];
}

/**
 * The test case in a request: its variables, and its messages without system prompts, which are
 * those of the preset. Reasoning is left out, because it is valid for one model only.
 */
export function requestAsCase(request: JsonObject, dialect: Dialect): RequestAsCase {
  const { prompt } = request;
  const variables = isJsonObject(prompt) && isJsonObject(prompt.variables) ? prompt.variables : {};
  const turns = dialectOf[dialect].conversation
    .parseTurns(request)
    .filter(({ role }) => role === 'user' || role === 'assistant');
  const messages = asObjects(writeMessages(turns.map(withoutReasoning)));
  return { variables, messages: messages.filter(({ role }) => caseRoles.has(String(role))) };
}

const caseRoles = new Set(['user', 'assistant', 'tool']);

function withoutReasoning(turn: Turn): Turn {
  if (typeof turn.content === 'string') return turn;
  return { ...turn, content: turn.content.filter((block) => !isReasoning(block)) };
}

function writeMessages(turns: readonly Turn[]): readonly unknown[] {
  return asList(dialectOf['chat-completions'].conversation.writeTurns(turns).fields.messages);
}

/** The text and the reasoning of a response. Null if it has none. */
interface ResponseTexts {
  readonly completion: string | null;
  readonly reasoning: string | null;
}

/** Accepts the body of any response. Without a dialect, it is that of another endpoint. */
export function textsOf(response: JsonObject, dialect: Dialect | undefined): ResponseTexts {
  if (dialect === undefined) {
    const texts = [response.text, ...asObjects(response.choices).map(({ text }) => text)].map(textOf);
    return { completion: texts.join('') || null, reasoning: null };
  }
  const { content } = dialectOf[dialect].completion.parse(response).completion;
  const said = content.filter((block) => isText(block) || block.kind === 'refusal');
  const thought = content.filter(isReasoning);
  return {
    completion: said.map(({ text }) => text).join('') || null,
    reasoning: thought.map(({ text }) => text).join('\n\n') || null,
  };
}

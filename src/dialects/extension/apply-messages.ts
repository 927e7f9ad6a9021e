import type { Dialect } from '../../core/presets/preset.ts';
import { continuesConversation, countLeadingInstructions } from '../conversation-start.ts';
import type { JsonObject } from '../json-object.ts';
import type { Content, Role } from '../translate/content.ts';
import { contentFormats } from '../translate/content-formats.ts';
import type { PresetMessage } from './messages.ts';
import { parseMessageContent } from './template-texts.ts';

export interface TranslatedMessages {
  readonly turns: readonly TranslatedTurn[];
  /** Paths in the dialect of the preset, such as `presetd.messages.0.content.1.cache_control`. */
  readonly droppedFields: readonly string[];
}

export interface TranslatedTurn {
  readonly role: Role;
  /** Its path in the preset. */
  readonly path: string;
  /** The source of the message. */
  readonly content: Content;
  readonly message: JsonObject & { readonly content: string | readonly unknown[] };
  /** Paths of what the dialect cannot express. */
  readonly dropped: readonly string[];
}

/**
 * Translates the messages of a preset into the dialect of a call. OpenAI's input items are written
 * in the form of that dialect, even if it is the dialect of the preset.
 *
 * If nothing is left of a turn, the whole exchange is dropped: an answer without its question, or
 * the reverse, would be a wrong example.
 */
export function translateMessages(
  messages: readonly PresetMessage[],
  from: Dialect,
  to: Dialect,
): TranslatedMessages {
  const turns = messages.map((message, index) => translateTurn(message, index, from, to));
  const exchanges = splitExchanges(turns);
  const usable = exchanges.filter((exchange) => isUsable(exchange, to));
  return {
    turns: usable.flat(),
    droppedFields: exchanges.flatMap((exchange) =>
      usable.includes(exchange)
        ? exchange.flatMap(({ dropped }) => dropped)
        : exchange.map(({ path }) => path),
    ),
  };
}

function translateTurn(saved: PresetMessage, index: number, from: Dialect, to: Dialect): TranslatedTurn {
  const path = `${messagesPath}.${index}`;
  const { role } = saved;
  const content = parseMessageContent(saved.content, from);
  const written = contentFormats[to].writeContent(content, role);
  return {
    role,
    path,
    content,
    message: { ...(to === 'responses' && { type: 'message' }), role, content: written.content },
    dropped: written.dropped.map((part) => `${path}.content.${part}`),
  };
}

const messagesPath = 'presetd.messages';

/** Each exchange consists of user turns and the assistant turns that answer them. */
function splitExchanges(turns: readonly TranslatedTurn[]): readonly (readonly TranslatedTurn[])[] {
  const exchanges: TranslatedTurn[][] = [];
  for (const [index, turn] of turns.entries()) {
    const isFirst = index === 0 || (turn.role === 'user' && turns[index - 1]?.role === 'assistant');
    if (isFirst) exchanges.push([]);
    exchanges.at(-1)?.push(turn);
  }
  return exchanges;
}

/** Anthropic also rejects a conversation that starts with the assistant. */
function isUsable(exchange: readonly TranslatedTurn[], dialect: Dialect): boolean {
  if (dialect === 'messages' && exchange[0]?.role === 'assistant') return false;
  return exchange.every(({ message }) => message.content.length > 0);
}

export interface RequestWithMessages {
  /** The same object that came in if nothing was inserted. */
  readonly body: JsonObject;
  readonly droppedFields: readonly string[];
}

/**
 * Inserts translated messages into a request, after the system and developer messages it starts
 * with and before all others. A request without messages gets these alone.
 *
 * Requests are not validated. One that has something else in place of a list stays as it is, and
 * rejecting it is up to the upstream.
 */
export function insertMessages(
  request: JsonObject,
  messages: readonly JsonObject[],
  dialect: Dialect,
): RequestWithMessages {
  if (messages.length === 0) return { body: request, droppedFields: [] };
  const own = ownMessages[dialect](request);
  if (own === undefined) return { body: request, droppedFields: [messagesPath] };
  const merged = own.toSpliced(countLeadingInstructions(own, dialect), 0, ...messages);
  return {
    body: { ...request, [dialect === 'responses' ? 'input' : 'messages']: merged },
    droppedFields: [],
  };
}

/** The messages that a request has itself; undefined if none can be added to them. */
const ownMessages: Readonly<Record<Dialect, (request: JsonObject) => readonly unknown[] | undefined>> = {
  // OpenRouter accepts `prompt` instead of messages and would ignore it if presetd added messages.
  'chat-completions': ({ messages, prompt }) =>
    messages === undefined && prompt === undefined ? [] : listOrNothing(messages),
  messages: ({ messages }) => (messages === undefined ? [] : listOrNothing(messages)),
  responses: ownItems,
};

/**
 * A stored conversation already starts with the messages if its first call used the preset. Added
 * to a later call, they would repeat in the middle of it, and be stored again with every call.
 */
function ownItems(request: JsonObject): readonly unknown[] | undefined {
  const { input } = request;
  if (continuesConversation(request, 'responses')) return undefined;
  if (input === undefined) return [];
  return typeof input === 'string'
    ? [{ type: 'message', role: 'user', content: input }]
    : listOrNothing(input);
}

function listOrNothing(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

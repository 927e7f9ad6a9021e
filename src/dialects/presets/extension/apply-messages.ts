import type { JsonObject } from '../../../core/json/json-object.ts';
import type { Dialect } from '../../../core/presets/preset.ts';
import { dialectOf } from '../../dialects.ts';
import type { Content, Role } from '../../model/content.ts';
import type { ConversationFormat } from '../../model/dialect.ts';
import { countLeadingInstructions } from '../conversation-start.ts';
import type { PresetMessage } from './messages.ts';
import { parseMessageContent } from './template-texts.ts';

interface TranslatedMessages {
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
  const target = dialectOf[to];
  const written = target.content.writeContent(content, role);
  return {
    role,
    path,
    content,
    message: { ...target.conversation.messageFields, role, content: written.content },
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

function isUsable(exchange: readonly TranslatedTurn[], dialect: Dialect): boolean {
  if (dialectOf[dialect].conversation.startsWithUser && exchange[0]?.role === 'assistant') return false;
  return exchange.every(({ message }) => message.content.length > 0);
}

interface RequestWithMessages {
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
  const { conversation } = dialectOf[dialect];
  const own = ownMessages(request, conversation);
  if (own === undefined) return { body: request, droppedFields: [messagesPath] };
  const merged = own.toSpliced(countLeadingInstructions(own, conversation), 0, ...messages);
  return { body: { ...request, [conversation.list]: merged }, droppedFields: [] };
}

/**
 * The messages that a request has itself; undefined if none can be added to them.
 *
 * A stored conversation already starts with the messages if its first call used the preset. Added
 * to a later call, they would repeat in the middle of it, and be stored again with every call. A
 * text instead of messages would be ignored if presetd added messages.
 */
function ownMessages(request: JsonObject, format: ConversationFormat): readonly unknown[] | undefined {
  const { list, textField = '', isTextAllowed, messageFields, continuesStored } = format;
  if (continuesStored?.(request) === true) return undefined;
  const { [list]: given } = request;
  if (given === undefined) return request[textField] === undefined ? [] : undefined;
  if (typeof given === 'string' && isTextAllowed) return [{ ...messageFields, role: 'user', content: given }];
  return Array.isArray(given) ? given : undefined;
}

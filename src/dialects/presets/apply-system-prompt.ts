/**
 * Combines the system prompt of a preset with that of a request.
 *
 * A request has its prompt in a field, in messages at the start of the conversation, or in both. It
 * replaces the preset's, unless a policy says otherwise. System messages within the conversation
 * are not a prompt: only `lock` affects them, and removes them.
 */

import { copyFields, isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { allDialects, dialectOf } from '../dialects.ts';
import type { ConversationFormat } from '../model/dialect.ts';
import { joinSystemPrompt } from '../model/system-prompt.ts';
import { countLeadingInstructions, isPartOfConversation } from './conversation-start.ts';
import type { AppliedRequest } from './merge-preset.ts';
import type { PreparedPreset } from './prepared-preset.ts';

/** A request as the client sent it. A translation of it may have lost that its prompt is empty. */
export interface SourceRequest {
  readonly request: JsonObject;
  readonly dialect: Dialect;
}

/** Adds the preset's system prompt to a merged request, next to or instead of the request's. */
export function applySystemPrompt(
  applied: AppliedRequest,
  { systemPrompt, policy }: Pick<PreparedPreset, 'systemPrompt' | 'policy'>,
  dialect: Dialect,
  source: SourceRequest,
): AppliedRequest {
  const mode = policy?.systemPrompt;
  if (mode === 'lock') return lockSystemPrompt(applied, systemPrompt, dialect, source);
  if (systemPrompt === null) return applied;
  const own = promptContents(source);
  if (own.length === 0) return addSystemPrompt(applied, systemPrompt, 'before', dialect);
  const isRepeated = [own, own.slice(0, 1)].some((contents) => joinSystemPrompt(contents) === systemPrompt);
  if (mode === undefined) {
    const { promptField: field } = dialectOf[dialect].conversation;
    if (field !== undefined && applied.body[field] === null) delete applied.body[field];
    if (isRepeated) return applied;
    return { ...applied, overriddenFields: ['system_prompt', ...applied.overriddenFields] };
  }
  if (isRepeated) return applied;
  const added = addSystemPrompt(applied, systemPrompt, mode === 'append' ? 'after' : 'before', dialect);
  return reportPolicy(added, joinSystemPrompt(own) === null ? 'preset' : 'both');
}

/** The contents of a request's own prompt, of which one may be null. */
function promptContents({ request, dialect }: SourceRequest): readonly unknown[] {
  const { conversation } = dialectOf[dialect];
  const { promptField: field, list, continuesStored } = conversation;
  const { [list]: messages } = request;
  const inField = field === undefined || request[field] === undefined ? [] : [request[field]];
  if (!Array.isArray(messages) || continuesStored?.(request) === true) return inField;
  const leading = messages.slice(0, countLeadingInstructions(messages, conversation));
  return [...inField, ...leading.map(({ content }: JsonObject) => content)];
}

/** Reports the prompt as dropped if the request has no place for it. */
function addSystemPrompt(
  applied: AppliedRequest,
  text: string,
  position: TextPosition,
  dialect: Dialect,
): AppliedRequest {
  if (addText(applied.body, text, position, dialect)) return applied;
  return { ...applied, droppedFields: [...applied.droppedFields, 'system_prompt'] };
}

type TextPosition = 'before' | 'after';

/** Adds a text before or after the prompt of a body. Returns false if there is no place for it. */
function addText(
  body: Record<string, unknown>,
  text: string,
  position: TextPosition,
  dialect: Dialect,
): boolean {
  const { conversation, content } = dialectOf[dialect];
  const { promptField: field, list } = conversation;
  const partType = content.textTypes.user;
  const messages = messagesOf(body, conversation);
  const leading = countLeadingInstructions(messages ?? [], conversation);
  // The field comes before all messages. A text after leading messages has to be among them.
  const isAmongMessages =
    position === 'after' && leading > 0 && joinSystemPrompt([body[field ?? '']]) === null;
  if (field !== undefined && !isAmongMessages) {
    body[field] = joinContent(body[field], text, position, partType);
    return true;
  }
  if (messages === undefined) return false;
  if (field !== undefined) delete body[field];
  body[list] = addInstruction(messages, leading, text, position, partType);
  return true;
}

/**
 * The messages to add a system prompt to; undefined if there can be none. A text instead of
 * messages would be ignored if presetd added messages.
 */
function messagesOf(
  body: JsonObject,
  { list, textField = '' }: ConversationFormat,
): readonly unknown[] | undefined {
  if (body[list] === undefined && body[textField] === undefined) return [];
  return Array.isArray(body[list]) ? body[list] : undefined;
}

/** Two blank lines, because paragraphs within a text are one blank line apart. */
const separator = '\n\n\n';

/**
 * Adds a text to the content of a message or to a system field. A list keeps its parts, with their
 * cache breakpoints, and gets one more.
 */
function joinContent(content: unknown, text: string, position: TextPosition, type: string): unknown {
  if (Array.isArray(content))
    return position === 'before' ? [{ type, text }, ...content] : [...content, { type, text }];
  if (typeof content !== 'string' || content === '') return text;
  return position === 'before' ? text + separator + content : content + separator + text;
}

/**
 * Adds a text before or after the instructions that messages start with. If that is a single one,
 * the text becomes a part of it, because many models accept only one. Several stay as they are, and
 * the text gets a message of its own.
 */
function addInstruction(
  messages: readonly unknown[],
  leading: number,
  text: string,
  position: TextPosition,
  type: string,
): readonly unknown[] {
  if (leading === 1) {
    const only = messages[0] as JsonObject;
    return messages.with(0, { ...only, content: joinContent(only.content, text, position, type) });
  }
  return messages.toSpliced(position === 'before' ? 0 : leading, 0, { role: 'system', content: text });
}

function reportPolicy(applied: AppliedRequest, winner: 'preset' | 'both'): AppliedRequest {
  return {
    ...applied,
    policyFields: [{ name: 'system_prompt', winner }, ...(applied.policyFields ?? [])],
  };
}

/** Sends the preset's system prompt and no other, wherever in the request that may be. */
function lockSystemPrompt(
  applied: AppliedRequest,
  systemPrompt: string | null,
  dialect: Dialect,
  source: SourceRequest,
): AppliedRequest {
  const { removed } = splitSystemText(source.request, source.dialect);
  const rest = { ...applied, body: splitSystemText(applied.body, dialect).rest };
  const locked =
    systemPrompt === null
      ? rest
      : addSystemPrompt(withoutTextPrompt(rest, dialect), systemPrompt, 'before', dialect);
  const isSame = removed.length === 0 || joinSystemPrompt(removed) === systemPrompt;
  return isSame ? locked : reportPolicy(locked, 'preset');
}

/** A system prompt has no effect next to a text instead of messages, so that becomes a message. */
function withoutTextPrompt(applied: AppliedRequest, dialect: Dialect): AppliedRequest {
  const { textField, list } = dialectOf[dialect].conversation;
  if (textField === undefined) return applied;
  const { [textField]: text, ...rest } = applied.body;
  if (text === undefined || text === null) return applied;
  if (typeof text === 'string' && !Array.isArray(rest[list]))
    return { ...applied, body: { ...rest, [list]: [{ role: 'user', content: text }] } };
  return { ...applied, body: rest, droppedFields: [...applied.droppedFields, textField] };
}

/** The request without any system text. */
export function withoutSystemText(request: JsonObject, dialect: Dialect): JsonObject {
  return splitSystemText(request, dialect).rest;
}

interface SplitRequest {
  readonly rest: Record<string, unknown>;
  /** The contents that `rest` lacks. */
  readonly removed: readonly unknown[];
}

/**
 * Includes the fields of other dialects, because an upstream may know more than one dialect, and
 * the fallbacks, which replace fields of the request.
 */
function splitSystemText(request: JsonObject, dialect: Dialect): SplitRequest {
  const { fallbacks } = request;
  const { rest, removed } = splitOwnText(request, dialect);
  if (!Array.isArray(fallbacks)) return { rest, removed };
  const split = fallbacks.map((each) =>
    isJsonObject(each) ? splitOwnText(each, dialect) : { rest: each, removed: [] },
  );
  return {
    rest: { ...rest, fallbacks: split.map((each) => each.rest) },
    removed: [...removed, ...split.flatMap((each) => each.removed)],
  };
}

function splitOwnText(request: JsonObject, dialect: Dialect): SplitRequest {
  const { conversation } = dialectOf[dialect];
  const { list } = conversation;
  const rest: Record<string, unknown> = {};
  copyFields(request, rest, (name) => !promptFields.has(name));
  const inFields = [...promptFields].flatMap((name) => (request[name] === undefined ? [] : [request[name]]));
  const { [list]: messages } = rest;
  if (!Array.isArray(messages)) return { rest, removed: inFields };
  const isPart = (message: unknown) => isPartOfConversation(message, conversation);
  const others = messages.filter((message) => !isPart(message));
  return {
    rest: { ...rest, [list]: messages.filter(isPart) },
    removed: [...inFields, ...others.map(({ content }: JsonObject) => content)],
  };
}

const promptFields: ReadonlySet<string> = new Set(
  allDialects.flatMap(({ conversation }) => conversation.promptField ?? []),
);

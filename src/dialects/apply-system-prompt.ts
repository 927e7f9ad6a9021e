/**
 * How the system prompt of a preset meets the one of a request.
 *
 * A request has its prompt in a field of its own, in messages that the conversation starts with, or
 * in both. It replaces the preset's, unless a policy says otherwise. System messages within the
 * conversation are not a prompt: only `lock` concerns them, and removes them.
 */

import type { Dialect } from '../core/presets/preset.ts';
import {
  continuesConversation,
  countLeadingInstructions,
  isPartOfConversation,
} from './conversation-start.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { AppliedRequest } from './merge-preset.ts';
import type { PreparedPreset } from './prepared-preset.ts';
import { joinSystemPrompt } from './system-prompt.ts';

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
    const { field } = places[dialect];
    if (field !== undefined && applied.body[field] === null) delete applied.body[field];
    if (isRepeated) return applied;
    return { ...applied, overriddenFields: ['system_prompt', ...applied.overriddenFields] };
  }
  if (isRepeated) return applied;
  const added = addSystemPrompt(applied, systemPrompt, mode === 'append' ? 'after' : 'before', dialect);
  return reportPolicy(added, joinSystemPrompt(own) === null ? 'preset' : 'both');
}

/** Where each dialect has system text. */
const places = {
  'chat-completions': { field: undefined, list: 'messages', partType: 'text' },
  messages: { field: 'system', list: 'messages', partType: 'text' },
  responses: { field: 'instructions', list: 'input', partType: 'input_text' },
} as const satisfies Readonly<Record<Dialect, object>>;

/** The contents of a request's own prompt, of which one may be null. */
function promptContents({ request, dialect }: SourceRequest): readonly unknown[] {
  const { field, list } = places[dialect];
  const { [list]: messages } = request;
  const inField = field === undefined || request[field] === undefined ? [] : [request[field]];
  if (!Array.isArray(messages) || continuesConversation(request, dialect)) return inField;
  const leading = messages.slice(0, countLeadingInstructions(messages, dialect));
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
  const { field, list, partType } = places[dialect];
  const messages = messagesOf(body, list);
  const leading = countLeadingInstructions(messages ?? [], dialect);
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
 * The messages to add a system prompt to; undefined if there can be none. OpenRouter accepts
 * `prompt` instead of messages and would ignore it if presetd added messages.
 */
function messagesOf(body: JsonObject, list: 'messages' | 'input'): readonly unknown[] | undefined {
  if (body[list] === undefined && body.prompt === undefined) return [];
  return Array.isArray(body[list]) ? body[list] : undefined;
}

/** Two blank lines, because paragraphs within a text are one blank line apart. */
const separator = '\n\n\n';

/** The types that dialects have for a text among the parts of a message. */
type TextPartType = 'text' | 'input_text';

/**
 * Adds a text to the content of a message or to a system field. A list keeps its parts, with their
 * cache breakpoints, and gets one more.
 */
function joinContent(content: unknown, text: string, position: TextPosition, type: TextPartType): unknown {
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
  type: TextPartType,
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

/** OpenRouter accepts a text instead of messages, next to which a system prompt has no effect. */
function withoutTextPrompt(applied: AppliedRequest, dialect: Dialect): AppliedRequest {
  const { prompt, ...rest } = applied.body;
  if (dialect !== 'chat-completions' || prompt === undefined || prompt === null) return applied;
  if (typeof prompt === 'string' && !Array.isArray(rest.messages))
    return { ...applied, body: { ...rest, messages: [{ role: 'user', content: prompt }] } };
  return { ...applied, body: rest, droppedFields: [...applied.droppedFields, 'prompt'] };
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
 * Includes the fields of other dialects, because an upstream may know more than one dialect, and the
 * fallbacks, which replace fields of the request.
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
  const { list } = places[dialect];
  const { system, instructions, ...rest } = request;
  const { [list]: messages } = rest;
  const inFields = [system, instructions].filter((text) => text !== undefined);
  if (!Array.isArray(messages)) return { rest, removed: inFields };
  const others = messages.filter((message) => !isPartOfConversation(message, dialect));
  if (others.length === 0) return { rest, removed: inFields };
  return {
    rest: { ...rest, [list]: messages.filter((message) => isPartOfConversation(message, dialect)) },
    removed: [...inFields, ...others.map(({ content }: JsonObject) => content)],
  };
}

import { isSameJson, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { assertNoIssues } from '../../core/request-issues.ts';
import { dialectOf } from '../dialects.ts';
import { fieldKind } from '../known-fields.ts';
import type { ToolNames } from '../model/completion.ts';
import type { DialectDefinition, FitLoss } from '../model/dialect.ts';
import { blocksOf, blockType } from '../model/turn-content.ts';
import {
  isContent,
  isReasoning,
  isToolResult,
  type ReasoningBlock,
  type Turn,
  type TurnBlock,
} from '../model/turns.ts';
import { translateCallFields } from './call-fields.ts';
import { customToolsToFunctions } from './custom-tools.ts';
import { fitRequest } from './fit-request.ts';
import { translateConfig } from './translate-config.ts';

export interface TranslatedRequest extends Translation {
  /** The names of tools that were replaced. */
  readonly toolNames: ToolNames;
}

interface Translation {
  readonly body: JsonObject;
  /** Paths in the source, sorted. A star stands for any index. */
  readonly droppedFields: readonly string[];
}

/**
 * Translates a request for an upstream of another dialect, in a form that its provider accepts.
 * Throws `invalid_request` if it refers to something that is stored at a provider, or if nothing is
 * left of what it asks. Anything else that is not valid is left for the upstream to reject.
 */
export function translateRequest(body: JsonObject, from: Dialect, to: Dialect): TranslatedRequest {
  if (from === to) return { body, droppedFields: [], toolNames: new Map() };
  return fitTranslation(translateUnfitted(body, from, to), body, from, to);
}

/**
 * The last step of a translation, when a preset may have been merged with the request: what a
 * provider requires or rejects depends on the whole. `source` is the request in the client's
 * dialect; `tokensMax` bounds a token limit that is added.
 */
export function fitTranslation(
  { body, droppedFields }: Translation,
  source: JsonObject,
  from: Dialect,
  to: Dialect,
  tokensMax?: number,
): TranslatedRequest {
  assertNotEmpty(body, from, to);
  const { losses, ...fitted } = fitRequest(body, to, tokensMax);
  const paths = losses.entries().map(([path, loss]) => sourcePath(path, loss, source, from));
  const dropped = new Set([...droppedFields, ...paths]);
  return { ...fitted, droppedFields: [...dropped].toSorted() };
}

/**
 * Like `translateRequest`, but without adapting the result to what the provider accepts: a preset
 * is merged into it, or a person edits it, before it is sent.
 */
export function translateUnfitted(body: JsonObject, from: Dialect, to: Dialect): Translation {
  if (from === to) return { body, droppedFields: [] };
  assertSelfContained(body, dialectOf[from]);
  const dropped = new Set<string>();
  const drop = (path: string) => {
    dropped.add(path);
  };
  const given = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== null && !isNeutral(name, value, from)),
  );
  const { fields: logprobs, rest } = takeLogprobs(given, from, to);
  const settings = translateSettings(rest, from, to, drop);
  const call = translateCallFields(rest, from, to, drop);
  const { conversation: target, reasoning } = dialectOf[to];
  const turns = dialectOf[from].conversation.parseTurns(body).map((turn) => {
    const usable = withoutForeignReasoning(turn, to, reasoning, drop);
    return target.fitTurn?.(usable, drop) ?? usable;
  });
  assertQuestionSurvives(turns, from, to);
  const conversation = target.writeTurns(turns);
  for (const path of conversation.dropped) dropped.add(path);
  const translated = { ...settings, ...logprobs, ...call, ...conversation.fields };
  return { body: translated, droppedFields: [...dropped].toSorted() };
}

/** Providers verify reasoning, and reject that of others. */
function withoutForeignReasoning(
  turn: Turn,
  to: Dialect,
  { isPart, isReference }: DialectDefinition['reasoning'],
  drop: (path: string) => void,
): Turn {
  if (typeof turn.content === 'string' || !turn.content.some(isReasoning)) return turn;
  const isAccepted = ({ original: { dialect, part } }: ReasoningBlock) =>
    dialect === to && isPart(part) && isReference?.(part) !== true;
  const content = turn.content.filter((block) => {
    const isUsable = !isReasoning(block) || isAccepted(block);
    if (!isUsable) drop(block.path);
    return isUsable;
  });
  return { ...turn, content };
}

/** Without the last message of the user, the model would answer another question. */
function assertQuestionSurvives(turns: readonly Turn[], from: Dialect, to: Dialect): void {
  const question = turns.findLast((turn) => turn.role === 'user' && blocksOf(turn).some(isAsked));
  if (question === undefined || blocksOf(question).some(isAlwaysExpressed)) return;
  if (!isEmpty(dialectOf[to].conversation.writeTurns([question]).fields, to)) return;
  const types = new Set(blocksOf(question).filter(isContent).map(blockType));
  assertNoIssues([
    {
      path: `/${dialectOf[from].conversation.list}`,
      message: `ends with ${[...types].join(', ') || 'content'}, which the API of this model does not support; add a text, or choose another model`,
    },
  ]);
}

/** Items of hosted tools belong to an earlier question. */
function isAsked(block: TurnBlock): boolean {
  return (
    isAlwaysExpressed(block) || (block.kind === 'native' ? block.isItem !== true : block.kind !== 'text')
  );
}

function isAlwaysExpressed(block: TurnBlock): boolean {
  return isToolResult(block) || (block.kind === 'text' && block.text.trim() !== '');
}

function isEmpty(fields: JsonObject, dialect: Dialect): boolean {
  const conversation = fields[dialectOf[dialect].conversation.list];
  return Array.isArray(conversation) && conversation.length === 0;
}

/** Instructions alone can be answered. */
function assertNotEmpty(body: JsonObject, from: Dialect, to: Dialect): void {
  const { promptField } = dialectOf[to].conversation;
  if (!isEmpty(body, to) || (promptField !== undefined && isGiven(body[promptField]))) return;
  assertNoIssues([{ path: `/${dialectOf[from].conversation.list}`, message: 'is empty; add a message' }]);
}

/** Leaving out a conversation that is stored would change what is asked. */
function assertSelfContained(body: JsonObject, { name: dialect, conversation }: DialectDefinition): void {
  const { list, storedFields, findStoredItems } = conversation;
  assertNoIssues([
    ...storedFields
      .filter((name) => isGiven(body[name]))
      .map((name) => ({
        path: `/${name}`,
        message: `needs an upstream that supports ${dialect}; send the whole conversation in ${list} instead`,
      })),
    ...(findStoredItems?.(body) ?? []),
  ]);
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

/** Whether a setting says what other dialects do without it. */
function isNeutral(name: string, value: unknown, dialect: Dialect): boolean {
  const { neutralValues } = dialectOf[dialect].request;
  const values = Object.hasOwn(neutralValues, name) ? neutralValues[name] : undefined;
  return values?.some((each) => isSameJson(each, value)) ?? false;
}

/** Translates a request for token log probabilities, if both dialects have that. */
function takeLogprobs(
  request: JsonObject,
  from: Dialect,
  to: Dialect,
): { readonly fields: JsonObject; readonly rest: JsonObject } {
  const { logprobs: source } = dialectOf[from].call;
  const { logprobs: target } = dialectOf[to].call;
  if (source === undefined || target === undefined) return { fields: {}, rest: request };
  const { isWanted, top, rest } = source.take(request);
  return { fields: isWanted ? target.write(top) : {}, rest };
}

/** Translates what a preset can contain, and what its translation leaves to calls. */
function translateSettings(
  given: JsonObject,
  from: Dialect,
  to: Dialect,
  drop: (path: string) => void,
): JsonObject {
  const { request, tools } = dialectOf[from];
  const isLost = (name: string) => request.isLost?.(name, given[name]) === true;
  for (const name of Object.keys(given)) if (isLost(name)) drop(name);
  const config = Object.fromEntries(
    Object.entries(given).filter(([name]) => isSetting(name, from) && !isLost(name)),
  );
  const flat =
    tools.namespaces === undefined || config.tools === undefined
      ? config
      : { ...config, tools: tools.namespaces.flatten(config.tools, drop) };
  const adapt = dialectOf[to].tools.hasCustomTools ? undefined : customToolsToFunctions;
  const { config: settings, droppedFields } = translateConfig(flat, from, to, adapt);
  for (const path of droppedFields) drop(path);
  return settings;
}

/** Unknown fields are among the settings, whose translation reports them. */
function isSetting(name: string, dialect: Dialect): boolean {
  return (fieldKind(name, dialect) ?? 'captured') === 'captured';
}

/**
 * The name in the source of a field that `fitRequest` dropped. With a preset, the field may be the
 * preset's; the client still gets the name that its own dialect has for it.
 */
function sourcePath(path: string, loss: FitLoss | undefined, request: JsonObject, from: Dialect): string {
  const paths = loss === undefined ? undefined : dialectOf[from].request.lossPaths[loss];
  const isSet = (each: string) => isGiven(request[each.split('.', 1)[0] ?? '']);
  return paths?.findLast(isSet) ?? paths?.[0] ?? path;
}

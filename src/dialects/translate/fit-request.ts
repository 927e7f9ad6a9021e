import type { Dialect } from '../../core/presets/preset.ts';
import { isJsonObject, type JsonObject, nonEmptyObject } from '../json-object.ts';
import { isWebSearch, toolLabel } from '../tool-identity.ts';
import { limitCacheBreakpoints } from './cache-breakpoints.ts';
import { limitStrictTools } from './strict-tools.ts';
import { fitToolNames, type ToolNames } from './tool-names.ts';

export interface FittedRequest {
  readonly body: JsonObject;
  /** Paths in the request. */
  readonly droppedFields: readonly string[];
  readonly toolNames: ToolNames;
}

/**
 * Brings a translated request into a form that the provider of a dialect accepts: adds what it
 * requires and leaves out what it rejects, for example in combination with something else. Only the
 * whole request tells, so this is the last step. Fitting a request again does not change it.
 * `tokensMax` bounds a token limit that is added.
 */
export function fitRequest(body: JsonObject, dialect: Dialect, tokensMax = Infinity): FittedRequest {
  const dropped = new Set<string>();
  const fitted = withoutUselessChoice(rules[dialect](body, drop, tokensMax), drop);
  return { ...fitToolNames(fitted, dialect), droppedFields: [...dropped] };

  function drop(path: string): void {
    dropped.add(path);
  }
}

type Drop = (path: string) => void;

const rules: Readonly<Record<Dialect, (body: JsonObject, drop: Drop, tokensMax: number) => JsonObject>> = {
  'chat-completions': fitChatCompletions,
  messages: fitMessages,
  responses: fitResponses,
};

/** All providers reject a choice between no tools, and of one that is not in the list. */
function withoutUselessChoice(body: JsonObject, drop: Drop): JsonObject {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel, ...rest } = body;
  if (Array.isArray(tools) && tools.length > 0) {
    const fitted = fitChoice(choice, tools);
    if (fitted === choice) return body;
    drop('tool_choice');
    const { tool_choice: _, ...others } = body;
    return fitted === undefined ? others : { ...others, tool_choice: fitted };
  }
  if (choice === undefined && parallel === undefined) return body;
  const type = isJsonObject(choice) ? choice.type : choice;
  if (type !== undefined && type !== 'auto' && type !== 'none') drop('tool_choice');
  return rest;
}

/** The choice without hosted tools that are not in the list; undefined if nothing is left of it. */
function fitChoice(choice: unknown, tools: readonly unknown[]): unknown {
  if (!isJsonObject(choice)) return choice;
  const allowed = isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  if (!Array.isArray(allowed.tools)) return canBeChosen(choice, tools) ? choice : undefined;
  const kept = allowed.tools.filter((tool) => canBeChosen(tool, tools));
  if (kept.length === allowed.tools.length) return choice;
  if (kept.length === 0) return undefined;
  return allowed === choice
    ? { ...choice, tools: kept }
    : { ...choice, allowed_tools: { ...allowed, tools: kept } };
}

/** Whether a choice is not of a hosted tool, or of one in the list. */
function canBeChosen(choice: unknown, tools: readonly unknown[]): boolean {
  if (!isJsonObject(choice) || plainChoices.has(choice.type)) return true;
  return tools.some(
    (tool) => isJsonObject(tool) && (tool.type === choice.type || (isWebSearch(tool) && isWebSearch(choice))),
  );
}

/** The types of choices that are not the types of hosted tools. */
const plainChoices: ReadonlySet<unknown> = new Set(['auto', 'none', 'any', 'tool', 'function', 'custom']);

/**
 * Without `include_usage`, a stream ends without usage. Of the settings for reasoning, OpenAI has
 * only the effort here. The others are OpenRouter's, as are the caching of tools and web search.
 */
function fitChatCompletions(body: JsonObject, drop: Drop): JsonObject {
  const { reasoning, stream_options: options, tools, ...rest } = body;
  const { effort, ...others } = pickReasoning(reasoning, drop);
  for (const name of Object.keys(others)) drop(`reasoning.${name}`);
  const streamOptions = isJsonObject(options) ? options : {};
  return {
    ...rest,
    ...(tools !== undefined && { tools: fitTools(tools, drop) }),
    ...(effort !== undefined && rest.reasoning_effort === undefined && { reasoning_effort: effort }),
    ...(rest.stream === true && { stream_options: { ...streamOptions, include_usage: true } }),
  };
}

function fitTools(tools: unknown, drop: Drop): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.flatMap((tool: unknown) => {
    if (!isJsonObject(tool)) return [tool];
    const { cache_control: cacheControl, ...rest } = tool;
    if (tool.type !== 'function' && tool.type !== 'custom') {
      drop(`tools.${toolLabel(tool) ?? '*'}`);
      return [];
    }
    if (cacheControl !== undefined) drop('tools.*.cache_control');
    return [rest];
  });
}

/** The settings that OpenAI has. That reasoning is on is the default there. */
function pickReasoning(reasoning: unknown, drop: Drop): JsonObject {
  if (!isJsonObject(reasoning)) return {};
  const { max_tokens: budget, exclude, enabled: _, ...rest } = reasoning;
  if (budget !== undefined) drop('reasoning.max_tokens');
  if (exclude !== undefined) drop('reasoning.exclude');
  return rest;
}

/**
 * Responses stores conversations unless told otherwise, which no other dialect does. Its reasoning
 * then has to be sent back, which OpenAI only allows for if it is asked for encrypted reasoning;
 * models without reasoning reject that.
 */
function fitResponses(body: JsonObject, drop: Drop): JsonObject {
  const { reasoning: given, include, ...rest } = withInput(body);
  const { max_output_tokens: limit } = rest;
  const isTooLow = typeof limit === 'number' && limit < outputTokensMin;
  if (isTooLow) drop('max_output_tokens');
  const reasoning = nonEmptyObject(pickReasoning(given, drop));
  const isReasoning = (isJsonObject(given) && given.effort !== 'none') || hasReasoning(rest.input);
  const included: readonly unknown[] = Array.isArray(include) ? include : [];
  const isIncluded = !isReasoning || included.includes(encryptedReasoning);
  const parts = isIncluded ? included : [...included, encryptedReasoning];
  return {
    store: false,
    ...rest,
    ...(isTooLow && { max_output_tokens: outputTokensMin }),
    ...(reasoning !== undefined && { reasoning }),
    ...(parts.length > 0 && { include: parts }),
  };
}

/** OpenAI rejects instructions without input, but an instruction may be the input. */
function withInput(body: JsonObject): JsonObject {
  const { instructions, ...rest } = body;
  if (!isEmptyList(body.input) || typeof instructions !== 'string') return body;
  return { ...rest, input: [{ type: 'message', role: 'system', content: instructions }] };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** OpenAI rejects less. Claude Code asks for one token to see whether a model responds. */
const outputTokensMin = 16;

/** Requests reasoning in a form that can be sent back. */
export const encryptedReasoning = 'reasoning.encrypted_content';

function hasReasoning(input: unknown): boolean {
  return Array.isArray(input) && input.some((item) => isJsonObject(item) && item.type === 'reasoning');
}

function fitMessages(body: JsonObject, drop: Drop, tokensMax: number): JsonObject {
  const sequences = fitStopSequences(body.stop_sequences, drop);
  const { stop_sequences: _, ...rest } = withMessage(body, drop);
  const thinking = fitThinking(rest, drop);
  const fitted = {
    ...fitSampling(thinking, drop),
    max_tokens: rest.max_tokens ?? Math.min(tokensDefault + budgetOf(thinking), tokensMax),
    ...(sequences.length > 0 && { stop_sequences: sequences }),
  };
  return limitStrictTools(limitCacheBreakpoints(fitted, drop), drop);
}

/**
 * Anthropic requires a message, which OpenAI does not if there is a system prompt. Sent as a message
 * of the user, it gets the same answer.
 */
function withMessage(body: JsonObject, drop: Drop): JsonObject {
  const { system, ...rest } = body;
  if (!isEmptyList(body.messages) || system === undefined) return body;
  drop('system.role');
  return { ...rest, messages: [{ role: 'user', content: system }] };
}

/**
 * Anthropic requires a limit, other dialects do not. This one is what Claude Code sends, and within
 * the limits of all current models.
 */
const tokensDefault = 32_000;

/** A sequence must have a character that is not white space. */
function fitStopSequences(sequences: unknown, drop: Drop): readonly unknown[] {
  if (!Array.isArray(sequences)) return [];
  const accepted = sequences.filter((each) => typeof each !== 'string' || each.trim() !== '');
  if (accepted.length < sequences.length) drop('stop_sequences');
  return accepted;
}

/**
 * With a token budget, the model has to think before it calls a tool. Anthropic rejects that if a
 * call is forced, if it cannot have been so in the calls whose results it gets, and if the budget
 * leaves no tokens for the response. Adaptive thinking has none of these rules.
 */
function fitThinking(body: JsonObject, drop: Drop): JsonObject {
  const { thinking, ...rest } = body;
  if (!isJsonObject(thinking) || thinking.type !== 'enabled') return body;
  const choice = isJsonObject(body.tool_choice) ? body.tool_choice.type : undefined;
  const isForced = choice === 'any' || choice === 'tool';
  const { max_tokens: limit } = body;
  const isTooMuch = typeof limit === 'number' && budgetOf(body) >= limit;
  if (!isForced && !isTooMuch && !isLoopWithoutThinking(body.messages)) return body;
  drop('thinking');
  return rest;
}

function budgetOf({ thinking }: JsonObject): number {
  const budget = isJsonObject(thinking) ? thinking.budget_tokens : undefined;
  return typeof budget === 'number' ? budget : 0;
}

/**
 * Whether the last messages are a loop of tool calls and results that does not start with thinking,
 * because another model made the calls.
 */
function isLoopWithoutThinking(messages: unknown): boolean {
  if (!Array.isArray(messages) || !hasBlock(messages.at(-1), ['tool_result'])) return false;
  const question = messages.findLastIndex((message) => !isPartOfLoop(message));
  const first: unknown = messages[question + 1];
  const content = isJsonObject(first) && Array.isArray(first.content) ? first.content : [];
  return !hasBlock({ content: content.slice(0, 1) }, ['thinking', 'redacted_thinking']);
}

function isPartOfLoop(message: unknown): boolean {
  return isJsonObject(message) && (message.role === 'assistant' || hasBlock(message, ['tool_result']));
}

function hasBlock(message: unknown, types: readonly unknown[]): boolean {
  if (!isJsonObject(message) || !Array.isArray(message.content)) return false;
  return message.content.some((block) => isJsonObject(block) && types.includes(block.type));
}

/**
 * Temperatures end at 1 here and exclude `top_p`. While the model thinks, neither these nor `top_k`
 * may be changed, except for a `top_p` close to 1.
 */
function fitSampling(body: JsonObject, drop: Drop): JsonObject {
  const { temperature, top_p: topP, top_k: topK, ...rest } = body;
  const type = isJsonObject(body.thinking) ? body.thinking.type : undefined;
  const isThinking = type === 'enabled' || type === 'adaptive';
  const isWarm = typeof temperature === 'number' && (isThinking ? temperature !== 1 : temperature > 1);
  const keepsTemperature = temperature !== undefined && !isWarm;
  const isNarrow = typeof topP === 'number' && topP < topPMin;
  const keepsTopP = topP !== undefined && !keepsTemperature && !(isThinking && isNarrow);
  const keepsTopK = topK !== undefined && !isThinking;
  if (temperature !== undefined && !keepsTemperature) drop('temperature');
  if (topP !== undefined && !keepsTopP && topP !== 1) drop('top_p');
  if (topK !== undefined && !keepsTopK) drop('top_k');
  return {
    ...rest,
    ...(keepsTemperature && { temperature }),
    ...(keepsTopP && { top_p: topP }),
    ...(keepsTopK && { top_k: topK }),
  };
}

const topPMin = 0.95;

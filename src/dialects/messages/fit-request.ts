import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { DropLoss } from '../model/dialect.ts';
import { limitCacheBreakpoints } from './cache-breakpoints.ts';
import { limitStrictTools } from './strict-tools.ts';

/** Adds the token limit, and leaves out what Anthropic rejects. */
export function fitRequest(body: JsonObject, drop: DropLoss, tokensMax: number): JsonObject {
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
 * Anthropic requires a message, which OpenAI does not if there is a system prompt. Sent as a
 * message of the user, it gets the same answer.
 */
function withMessage(body: JsonObject, drop: DropLoss): JsonObject {
  const { system, ...rest } = body;
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length > 0 || system === undefined) return body;
  drop('system.role', 'systemRole');
  return { ...rest, messages: [{ role: 'user', content: system }] };
}

/**
 * Anthropic requires a limit, other dialects do not. This one is what Claude Code sends, and within
 * the limits of all current models.
 */
const tokensDefault = 32_000;

/** A sequence must have a character that is not white space. */
function fitStopSequences(sequences: unknown, drop: DropLoss): readonly unknown[] {
  if (!Array.isArray(sequences)) return [];
  const accepted = sequences.filter((each) => typeof each !== 'string' || each.trim() !== '');
  if (accepted.length < sequences.length) drop('stop_sequences', 'stopSequences');
  return accepted;
}

/**
 * With a token budget, the model has to think before it calls a tool. Anthropic rejects that if a
 * call is forced, if it cannot have been so in the calls whose results it gets, and if the budget
 * leaves no tokens for the response. Adaptive thinking has none of these rules.
 */
function fitThinking(body: JsonObject, drop: DropLoss): JsonObject {
  const { thinking, ...rest } = body;
  if (!isJsonObject(thinking) || thinking.type !== 'enabled') return body;
  const choice = isJsonObject(body.tool_choice) ? body.tool_choice.type : undefined;
  const isForced = choice === 'any' || choice === 'tool';
  const { max_tokens: limit } = body;
  const isTooMuch = typeof limit === 'number' && budgetOf(body) >= limit;
  if (!isForced && !isTooMuch && !isLoopWithoutThinking(body.messages)) return body;
  drop('thinking', 'reasoning');
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
function fitSampling(body: JsonObject, drop: DropLoss): JsonObject {
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

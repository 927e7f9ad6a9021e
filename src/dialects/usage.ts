import { isJsonObject, type JsonObject } from './json-object.ts';
import { dataLines, parseJsonObject } from './server-sent-events.ts';

/** How many tokens a call has cost, as far as the upstream tells. */
export interface Usage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/**
 * What an answer, or one event of a stream, tells of its usage, whatever its dialect. It stands at the top, in the
 * message that an Anthropic stream begins with, or in the response that an event of the responses dialect carries.
 */
export function findUsage(value: unknown): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const holder = [value, value.message, value.response].filter(isJsonObject);
  const usage = holder.map((object) => object.usage).find(isJsonObject);
  if (usage === undefined) return undefined;
  const inputTokens = usage.prompt_tokens ?? usage.input_tokens;
  const outputTokens = usage.completion_tokens ?? usage.output_tokens;
  if (!isCount(inputTokens) && !isCount(outputTokens)) return undefined;
  // Anthropic counts what comes from its cache, or goes into it, beside the input; the others, and those who speak like
  // them, count it in.
  const isBeside = usage.prompt_tokens === undefined;
  const cached = isBeside
    ? countOf(usage.cache_read_input_tokens) + countOf(usage.cache_creation_input_tokens)
    : 0;
  return {
    inputTokens: isCount(inputTokens) ? inputTokens + cached : undefined,
    outputTokens: isCount(outputTokens) ? outputTokens : undefined,
  };
}

/**
 * What the text of an answer tells of its usage, without reading the rest of it. Within a string the quotes would be
 * escaped, so that a key found like this is one.
 */
export function findUsageInText(text: string): Usage | undefined {
  let at = text.length;
  for (let look = 0; look < looksMax && at > 0; look += 1) {
    at = text.lastIndexOf(usageKey, at - 1);
    if (at === -1) return undefined;
    const usage = findUsage({ usage: objectAt(text, at + usageKey.length) });
    if (usage !== undefined) return usage;
  }
  return undefined;
}

const usageKey = '"usage"';

/** It stands near the end, behind few others of its name; and a few numbers are not longer than this. */
const looksMax = 4;
const usageCharactersMax = 4_096;

/** The object that is the value of a key, if it is one that closes soon. No string in it has a brace. */
function objectAt(text: string, afterKey: number): JsonObject | undefined {
  const start = text.indexOf('{', afterKey);
  if (start === -1 || !/^\s*:\s*$/.test(text.slice(afterKey, start))) return undefined;
  let depth = 0;
  for (let end = start; end < text.length && end < start + usageCharactersMax; end += 1) {
    const code = text.charCodeAt(end);
    if (code === openBrace) depth += 1;
    else if (code === closeBrace) depth -= 1;
    if (depth === 0) return parseJsonObject(text.slice(start, end + 1));
  }
  return undefined;
}

const openBrace = 0x7b;
const closeBrace = 0x7d;

/** What whole lines of a stream tell together. Counts only grow in the course of it, so that the largest is the last. */
export function findUsageInEvents(lines: string): Usage | undefined {
  // Few of many lines have it, and to parse a line takes longer than to look.
  if (!lines.includes('"usage"')) return undefined;
  return dataLines(lines)
    .filter((line) => line.includes('"usage"'))
    .map((line) => findUsage(parseJsonObject(line)))
    .reduce(maxUsage, undefined);
}

/** For what is told in pieces. */
export function maxUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const inputTokens = larger(one.inputTokens, other.inputTokens);
  const outputTokens = larger(one.outputTokens, other.outputTokens);
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}

function larger(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function countOf(value: unknown): number {
  return isCount(value) ? value : 0;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

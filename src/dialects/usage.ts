import { isJsonObject, type JsonObject } from './json-object.ts';
import { dataLines, parseJsonObject } from './server-sent-events.ts';

/** Token counts of a call. A count that the upstream did not report is undefined. */
export interface Usage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/**
 * Finds the usage in a response body or a stream event of any dialect; undefined if it has none.
 * Usage is at the top level, in the `message` that starts an Anthropic stream, or in the `response`
 * of an event of the responses dialect.
 */
export function findUsage(value: unknown): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const holders = [value, value.message, value.response].filter(isJsonObject);
  const usage = holders.map((object) => object.usage).find(isJsonObject);
  if (usage === undefined) return undefined;
  const inputTokens = usage.prompt_tokens ?? usage.input_tokens;
  const outputTokens = usage.completion_tokens ?? usage.output_tokens;
  if (!isCount(inputTokens) && !isCount(outputTokens)) return undefined;
  // Anthropic reports cached input separately. OpenAI, and servers compatible with it, include
  // cached tokens in the input count.
  const isSeparate = usage.prompt_tokens === undefined;
  const cached = isSeparate
    ? countOf(usage.cache_read_input_tokens) + countOf(usage.cache_creation_input_tokens)
    : 0;
  return {
    inputTokens: isCount(inputTokens) ? inputTokens + cached : undefined,
    outputTokens: isCount(outputTokens) ? outputTokens : undefined,
  };
}

/**
 * Finds the usage in the JSON text of a response without parsing all of it. Quotes inside
 * strings are escaped, so every match of the quoted key is a real key.
 */
export function findUsageInText(text: string): Usage | undefined {
  let at = text.length;
  for (let candidate = 0; candidate < candidatesMax && at > 0; candidate += 1) {
    at = text.lastIndexOf(usageKey, at - 1);
    if (at === -1) return undefined;
    const usage = findUsage({ usage: objectAt(text, at + usageKey.length) });
    if (usage !== undefined) return usage;
  }
  return undefined;
}

const usageKey = '"usage"';

/** Usage is near the end of a response, where few other keys have the same name. */
const candidatesMax = 4;
/** Usage consists of a few numbers; a longer object is something else. */
const usageCharactersMax = 4_096;

/**
 * Parses the object after a key, if it ends within the limit. Counting braces is enough, because
 * usage has no strings that contain one.
 */
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

/** Finds the usage in complete lines of a stream. Counts only grow, so the largest is last. */
export function findUsageInEvents(lines: string): Usage | undefined {
  // Few lines have usage, and searching is cheaper than parsing.
  if (!lines.includes('"usage"')) return undefined;
  return dataLines(lines)
    .filter((line) => line.includes('"usage"'))
    .map((line) => findUsage(parseJsonObject(line)))
    .reduce(maxUsage, undefined);
}

/** Combines counts from several events, taking the larger of each. */
export function maxUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const inputTokens = maxCount(one.inputTokens, other.inputTokens);
  const outputTokens = maxCount(one.outputTokens, other.outputTokens);
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}

function maxCount(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function countOf(value: unknown): number {
  return isCount(value) ? value : 0;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

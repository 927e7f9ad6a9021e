import { isJsonObject, type JsonObject } from '../core/json/json-object.ts';
import { parseJsonObject } from '../core/json/loose-json.ts';
import type { Dialect } from '../core/presets/preset.ts';
import { dialectOf } from './dialects.ts';
import type { TokenUsage } from './model/completion.ts';
import { dataLines } from './model/server-sent-events.ts';
import { mergeUsage, parseCost, parseCount } from './model/token-usage.ts';

/**
 * Parses the `usage` that a response, or all events of a stream together, report. Without a
 * dialect, it is that of another endpoint of OpenAI's, such as embeddings. Undefined if it counts
 * nothing.
 */
export function parseUsage(usage: unknown, dialect?: Dialect): TokenUsage | undefined {
  const candidates = dialect === undefined ? openAiDialects : [dialect];
  for (const name of candidates) {
    const parsed = dialectOf[name].completion.parseUsage(usage);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

/** OpenAI's other endpoints have the usage of one of these. */
const openAiDialects = ['chat-completions', 'responses'] as const;

/**
 * Finds the usage in a response body or a stream event of any dialect; undefined if it has none.
 * Usage is at the top level, in the `message` that starts an Anthropic stream, or in the `response`
 * of an event of the responses dialect.
 */
export function findUsage(value: unknown): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const holders = [value, value.message, value.response].filter(isJsonObject);
  const usage = holders.map((object) => object.usage).find(isJsonObject);
  return usage !== undefined && isCounted(usage) ? usage : undefined;
}

function isCounted(usage: JsonObject): boolean {
  return counts.some((name) => parseCount(usage[name]) !== undefined) || parseCost(usage.cost) !== undefined;
}

/** Every usage has one of these numbers, in one of the dialects, or a cost. */
const counts = ['prompt_tokens', 'completion_tokens', 'input_tokens', 'output_tokens'];

/**
 * Finds the usage in the JSON text of a response without parsing all of it. Quotes inside
 * strings are escaped, so every match of the quoted key is a real key.
 */
export function findUsageInText(text: string): JsonObject | undefined {
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

/** Finds the usage in complete lines of a stream, and adds it to what is known already. */
export function findUsageInEvents(lines: string, known?: JsonObject): JsonObject | undefined {
  // Few lines have usage, and searching is cheaper than parsing.
  if (!lines.includes(usageKey)) return known;
  return dataLines(lines)
    .filter((line) => line.includes(usageKey))
    .map((line) => findUsage(parseJsonObject(line)))
    .reduce(mergeUsage, known);
}

import { RE2JS } from 're2js';
import type { CooperativeTask } from '../concurrency/cooperative-task.ts';

/** Replaces what some patterns match in a text. */
export interface Redaction {
  /** Redacts the text up to `end`. A match that begins before it is replaced as a whole. */
  redact(text: string, end: number): CooperativeTask<string>;
}

/** Matches may be this long, and patterns see this much of the text before and after. */
const matchCharactersMax = 1_024;

/** A window of a text takes a millisecond or two with most patterns. */
const windowCharacters = 4_096;

const replacement = '[redacted]';

/**
 * Patterns come from users, so they run on RE2, whose time is linear in the length of the text. It
 * still takes about a second for a megabyte, so a text is searched window by window, with pauses.
 */
export function redactionOf(patterns: readonly string[]): Redaction {
  const expressions = patterns.map(compile);
  return {
    *redact(text, end) {
      if (expressions.length === 0) return text.slice(0, end);
      let ranges: readonly Range[] = [];
      for (const expression of expressions)
        ranges = [...ranges, ...(yield* findMatches(expression, text, end))];
      return replaceRanges(text, end, ranges);
    },
  };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The matches that begin before `end`. */
function* findMatches(expression: RE2JS, text: string, end: number): CooperativeTask<readonly Range[]> {
  const ranges: Range[] = [];
  let from = 0;
  for (let start = 0; start < end; start += windowCharacters) {
    const windowEnd = Math.min(start + windowCharacters, end);
    // One character before the window, for word boundaries.
    const offset = Math.max(0, Math.max(from, start) - 1);
    const matcher = expression.matcher(text.slice(offset, windowEnd + matchCharactersMax));
    let at = Math.max(from, start) - offset;
    while (at + offset < windowEnd && matcher.find(at) && matcher.start() + offset < windowEnd) {
      const isEmpty = matcher.end() === matcher.start();
      if (!isEmpty) ranges.push({ start: matcher.start() + offset, end: matcher.end() + offset });
      at = matcher.end() + (isEmpty ? 1 : 0);
      from = at + offset;
      if (ranges.length % matchesPerStep === matchesPerStep - 1) yield;
    }
    yield;
  }
  return ranges;
}

const matchesPerStep = 200;

/** Ranges that overlap or touch become one replacement. */
function replaceRanges(text: string, end: number, ranges: readonly Range[]): string {
  let redacted = '';
  let copied = -1;
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    if (range.start > copied) redacted += text.slice(Math.max(0, copied), range.start) + replacement;
    copied = Math.max(copied, range.end);
  }
  return redacted + text.slice(Math.max(0, copied), Math.max(copied, end));
}

const compiled = new Map<string, RE2JS>();
const compiledMax = 1_000;

function compile(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= compiledMax) compiled.clear();
  const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
  compiled.set(pattern, expression);
  return expression;
}

import { RE2JS } from 're2js';

/**
 * A value of the `pattern` keyword, on RE2. Its time is linear in the length of the text, so it
 * cannot block the event loop as a backtracking expression can. It has no lookaround and no
 * backreferences.
 */
interface Pattern {
  /** The number of instructions. Matching a character takes up to that many steps. */
  readonly size: number;
  readonly test: (text: string) => boolean;
  /** The source. Ajv identifies patterns by it. */
  readonly toString: () => string;
}

/** Bounds the time to compile a pattern, which grows with its repetitions. */
const patternCharactersMax = 200;
const repetitionsMax = 100;

/** Throws for a pattern that RE2 does not support; see `patternProblem`. */
export function compilePattern(source: string): Pattern {
  const expression = RE2JS.compile(RE2JS.translateRegExp(source));
  return {
    size: expression.programSize(),
    test: (text) => expression.test(text),
    toString: () => source,
  };
}

/** Describes what is wrong with a pattern; undefined if it is valid. */
export function patternProblem(source: string): string | undefined {
  if (source.length > patternCharactersMax) return `must have at most ${patternCharactersMax} characters`;
  const counts = [...source.matchAll(/\{(\d*),?(\d*)\}/g)].flatMap(([, ...limits]) => limits.map(Number));
  if (counts.some((count) => count > repetitionsMax))
    return `must not repeat anything more than ${repetitionsMax} times; use maxLength`;
  try {
    compilePattern(source);
    return undefined;
  } catch {
    return 'must be a regular expression without lookaround and backreferences';
  }
}

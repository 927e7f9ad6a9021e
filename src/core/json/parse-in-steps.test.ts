import { expect, it } from 'vitest';
import { createRandom } from '../../../test/support/random.ts';
import { runToCompletion } from '../concurrency/cooperative-task.ts';
import { parseExact } from './json-text.ts';
import { parseInSteps } from './parse-in-steps.ts';

/** Longer than what is parsed at once. */
const long = 100_000;
const parse = (text: string) => runToCompletion(parseInSteps(Buffer.from(text)));
const stepsOf = (text: string) => [...parseInSteps(Buffer.from(text))].length;

it.each([
  ['a string', JSON.stringify('x'.repeat(long))],
  ['letters of several bytes', JSON.stringify('🦊é'.repeat(long))],
  ['escapes of letters', `"${'\\ud83e\\udd8a\\n\\u00e9'.repeat(long)}"`],
  ['pairs of backslashes', `"${'\\\\'.repeat(long)}"`],
  ['pairs of backslashes at odd positions', `"x${'\\\\'.repeat(long)}\\n"`],
  ['escaped quotes', `["${'\\"'.repeat(long)}", 1]`],
  ['numbers', JSON.stringify(Array.from({ length: long }, (_, index) => index / 7))],
  ['numbers with more digits than a double has', `[${'12345678901234567890, '.repeat(long)}-1.5e-3]`],
  ['empty containers', `{"a": [${'{}, [], '.repeat(long)}null, true, false]}`],
  ['deep nesting', '['.repeat(long) + ']'.repeat(long)],
  ['spaces', `${' \n'.repeat(long)}{ "a" : [ 1 , 2 ${',3 '.repeat(long)}] }${'\t\r'.repeat(long)}`],
])('%s is parsed in steps to the same value', (_, text) => {
  // Neither comparing nor writing it would survive the nesting.
  const depth = (value: unknown) => {
    let levels = 0;
    for (let each = value; Array.isArray(each); [each] = each) levels += 1;
    return levels;
  };
  if (_ === 'deep nesting') expect(depth(parse(text))).toBe(long);
  else expect(JSON.stringify(parse(text))).toBe(JSON.stringify(parseExact(text)));
  // Spaces are skipped at once.
  expect(stepsOf(text)).toBeGreaterThan(text.trim().length / 40_000);
});

it('any value is parsed to the same one', () => {
  const random = createRandom(7);
  const texts = ['', 'x', 'a\\b"c', '\u2028 🦊', '\n'.repeat(9), 'long '.repeat(9_000), '\\'.repeat(40_001)];
  const any = (level: number): unknown => {
    const kind = random.below(level > 4 ? 4 : 6);
    if (kind === 0) return random.pick([null, true, false]);
    if (kind === 1) return random.below(1_000_000) / 3;
    if (kind < 4) return random.pick(texts);
    const children = Array.from({ length: random.below(6) }, () => any(level + 1));
    if (kind === 4) return children;
    const names = ['__proto__', 'constructor', ...texts];
    return Object.fromEntries(children.map((child) => [random.pick(names), child]));
  };
  for (let round = 0; round < 10; round += 1) {
    const value = [any(0), 'x'.repeat(long)];
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)])
      expect(JSON.stringify(parse(text))).toBe(JSON.stringify(value));
  }
});

it('a name like __proto__ is a field, and changes no prototype', () => {
  const parsed = parse(`{"__proto__": {"a": 1}, "text": "${'x'.repeat(long)}"}`) as object;
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  expect(Object.keys(parsed)).toEqual(['__proto__', 'text']);
});

const filler = `"${'x'.repeat(long)}"`;

it.each([
  '',
  '{',
  '[',
  `[${filler}`,
  `[${filler},]`,
  `[${filler} 1]`,
  `[,${filler}]`,
  `{"a" ${filler}}`,
  `{"a": ${filler},}`,
  `{a: ${filler}}`,
  `{"a": ${filler}]`,
  `[${filler}}`,
  `${filler} x`,
  `[${filler}, 01]`,
  `[${filler}, 1.]`,
  `[${filler}, nul]`,
  `[${filler}, 'a']`,
  `"${'x'.repeat(long)}`,
  `"${'x'.repeat(long)}\n"`,
  `"${'x'.repeat(long)}\\x"`,
])('what is no JSON is rejected (%#)', (text) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(() => parse(text)).toThrow(SyntaxError);
});

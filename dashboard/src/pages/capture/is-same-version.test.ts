import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../api/exact-json.ts';
import { isSameVersion } from './is-same-version.ts';

const version = (config: string, system_prompt: string | null = null) => ({
  config: parseExactJson(config) as Record<string, unknown>,
  system_prompt,
});

describe('isSameVersion', () => {
  it.each([
    [version('{"a":1,"b":{"c":[1],"d":2}}'), version('{"b":{"d":2,"c":[1]},"a":1}'), true],
    [version('{"a":[1,2]}'), version('{"a":[2,1]}'), false],
    [version('{"a":1}'), version('{"a":1,"b":null}'), false],
    [version('{"a":0.12345678901234567891}'), version('{"a":0.12345678901234567892}'), false],
    [version('{"a":0.12345678901234567891}'), version('{"a":0.12345678901234567891}'), true],
    [version('{}', 'x'), version('{}', 'x'), true],
    [version('{}', 'x'), version('{}', null), false],
  ])('compares %j with %j: %s', (one, other, expected) => {
    expect(isSameVersion(one, other)).toBe(expected);
  });
});

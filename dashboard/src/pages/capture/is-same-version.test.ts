import { describe, expect, it } from 'vitest';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { parseExactJson } from '../../api/exact-json.ts';
import { isSameVersion } from './is-same-version.ts';

const version = (config: string, system_prompt: string | null = null, presetd = 'null') => ({
  config: parseExactJson(config) as Record<string, unknown>,
  system_prompt,
  presetd: parseExactJson(presetd) as PresetVersionDetails['presetd'],
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
    [version('{}', 'x', '{"note":"One"}'), version('{}', 'x'), true],
    [version('{}', 'x', '{"variables":{}}'), version('{}', 'x'), false],
    [version('{}', 'x', '{"policy":{"limits":{"n":1}}}'), version('{}', 'x', '{"policy":{}}'), false],
    [
      version('{}', 'x', '{"note":"One","variables":{},"policy":{}}'),
      version('{}', 'x', '{"policy":{},"variables":{},"note":"Two"}'),
      true,
    ],
  ])('compares %j with %j: %s', (one, other, expected) => {
    expect(isSameVersion(one, other)).toBe(expected);
  });
});

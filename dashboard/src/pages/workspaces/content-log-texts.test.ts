import { describe, expect, it } from 'vitest';
import { readContentLog, textsOf } from './content-log-texts.ts';

const settings = {
  enabled: true,
  sampling_rate: 0.1,
  redaction_patterns: ['a b', '\\d+'],
  retention_days: 14,
  bytes_max: 262_144,
};

describe('the settings of a content log', () => {
  it.each([settings, { ...settings, sampling_rate: 0.0001 }, { ...settings, bytes_max: 1_500 }])(
    'are the same after they were shown: %j',
    ({ enabled, ...others }) => {
      expect(readContentLog(textsOf({ enabled, ...others }))).toEqual({ settings: others, errors: {} });
    },
  );

  it('empty lines and spaces around patterns are ignored', () => {
    const { settings: read } = readContentLog({ ...textsOf(settings), patterns: '\n a \n\nb\n' });
    expect(read.redaction_patterns).toEqual(['a', 'b']);
  });

  it.each([
    ['percent', ['', '0', '101', 'x']],
    ['days', ['', '0', '1.5', '4000']],
    ['size', ['', '0.5', '5000']],
    ['patterns', [Array(21).fill('a').join('\n')]],
  ] as const)('say what is wrong with %s: %j', (field, texts) => {
    for (const text of texts)
      expect(Object.keys(readContentLog({ ...textsOf(settings), [field]: text }).errors)).toEqual([field]);
  });
});

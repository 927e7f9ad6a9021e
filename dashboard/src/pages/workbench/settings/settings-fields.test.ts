import { describe, expect, test } from 'vitest';
import { type Dialect, dialects } from '../../../../../src/core/presets/preset.ts';
import { dialectOf } from '../../../../../src/dialects/dialects.ts';
import { otherFields, settingGroups } from './settings-fields.ts';

describe('the settings with a form', () => {
  test.each(dialects)('are fields that %s presets save', (dialect: Dialect) => {
    const fields: Readonly<Record<string, string>> = dialectOf[dialect].request.fields;
    const names = settingGroups(dialect).flatMap((group) => group.fields.map(({ path }) => String(path[0])));
    expect(names.filter((name) => name !== 'presetd' && fields[name] !== 'captured')).toEqual([]);
  });

  test.each(dialects)('are each listed once for %s', (dialect: Dialect) => {
    const paths = settingGroups(dialect).flatMap((group) => group.fields.map(({ path }) => path.join('.')));
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('leave the rest of a request to JSON', () => {
    const body = {
      model: 'a',
      messages: [],
      stream: true,
      newer: 1,
      logit_bias: {},
      provider: { sort: 'price', max_price: { prompt: 1 } },
      reasoning: { effort: 'low', enabled: true },
      response_format: { type: 'text' },
      tools: [],
      presetd: { note: 'a' },
    };
    expect(otherFields(body, 'chat-completions')).toEqual([
      ['newer'],
      ['logit_bias'],
      ['provider', 'max_price'],
      ['reasoning', 'enabled'],
    ]);
    expect(otherFields({ text: { format: {}, other: 1 }, provider: null }, 'responses')).toEqual([
      ['text', 'other'],
      ['provider'],
    ]);
  });
});

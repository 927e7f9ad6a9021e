import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/core/json/json-object.ts';
import { type Dialect, dialects } from '../../../../../src/core/presets/preset.ts';
import { dialectOf } from '../../../../../src/dialects/dialects.ts';
import { captureSchema } from '../../../../../src/dialects/presets/request-schema.ts';
import { findUpstreamIssues } from '../../../../../src/dialects/presets/upstream-issues.ts';
import { type JSONPath, setField } from '../../../features/request/request-text.ts';
import { type Control, otherFields, settingGroups } from './settings-fields.ts';

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

  test.each(dialects)(
    'mark no number of a %s request that is saved without a question',
    (dialect: Dialect) => {
      const unquestioned = settingGroups(dialect)
        .flatMap((group) => group.fields)
        .flatMap(({ path, control }) =>
          outsideOf(control).flatMap((value) =>
            isQuestioned(withValue(path, value), dialect) ? [] : `${path.join('.')}: ${value}`,
          ),
        );
      expect(unquestioned).toEqual([]);
    },
  );

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

/** Numbers that the field of a control marks. */
function outsideOf(control: Control): readonly number[] {
  if (control.kind !== 'number') return [];
  const { min, max, step } = control;
  return [
    ...(min === undefined ? [] : [min - 0.5]),
    ...(max === undefined ? [] : [max + 0.5]),
    ...(step < 1 ? [] : [(min ?? 0) + 0.5]),
  ];
}

function withValue(path: JSONPath, value: number): JsonObject {
  const isThinking = path[0] === 'thinking';
  return JSON.parse(setField(isThinking ? '{"thinking":{"type":"enabled"}}' : '{}', path, value));
}

/** Whether the server rejects the request, or the dashboard asks before it saves. */
function isQuestioned(body: JsonObject, dialect: Dialect): boolean {
  const { properties } = captureSchema(dialect);
  const [name = ''] = Object.keys(body);
  // Compiling the whole schema would take seconds.
  const accepts = new Ajv({ strict: false }).compile(properties[name] ?? {});
  return !accepts(body[name]) || findUpstreamIssues(body, dialect).doubtful.length > 0;
}

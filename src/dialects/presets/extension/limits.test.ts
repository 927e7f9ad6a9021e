import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/json-object.ts';
import { parseExact } from '../../../core/json/json-text.ts';
import { type Dialect, dialects } from '../../../core/presets/preset.ts';
import { allDialects, dialectOf } from '../../dialects.ts';
import { applyPreset } from '../apply-preset.ts';
import { fieldsOfLimit, limitedFields } from './limits.ts';
import type { PolicyLimits } from './policy.ts';

const chat = 'chat-completions';
const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));

function apply(from: Dialect, config: object, to: Dialect, request: JsonObject, limits: PolicyLimits) {
  const { body, overriddenFields, policyFields } = applyPreset(request, to, {
    dialect: from,
    configJson: JSON.stringify(config),
    systemPrompt: null,
    extensionJson: JSON.stringify({ policy: { limits } }),
  });
  return { body, overridden: overriddenFields, lowered: policyFields };
}

const won = (...names: string[]) => names.map((name) => ({ name, winner: 'preset' }));

const tokenLimits: Readonly<Record<Dialect, readonly string[]>> = {
  [chat]: ['max_tokens', 'max_completion_tokens'],
  messages: ['max_tokens'],
  responses: ['max_output_tokens'],
};

const budget: Readonly<Record<Dialect, (tokens: number) => JsonObject>> = {
  [chat]: (tokens) => ({ reasoning: { max_tokens: tokens, exclude: true } }),
  messages: (tokens) => ({ thinking: { type: 'enabled', budget_tokens: tokens } }),
  responses: (tokens) => ({ reasoning: { max_tokens: tokens, summary: 'auto' } }),
};

describe.each(pairs)('the limits of a %s preset in a %s request', (from, to) => {
  it.each(tokenLimits[to])('lower the token limit %s', (name) => {
    const limits = { max_tokens: 2_000 };
    expect(apply(from, {}, to, { [name]: 5_000 }, limits)).toEqual({
      body: { [name]: 2_000 },
      overridden: [],
      lowered: won('max_tokens'),
    });
    expect(apply(from, {}, to, { [name]: 2_000 }, limits).lowered).toEqual([]);
  });

  it('lower the temperature', () => {
    const limits = { temperature: 0.5 };
    expect(apply(from, {}, to, { temperature: 0.7 }, limits)).toEqual({
      body: { temperature: 0.5 },
      overridden: [],
      lowered: won('temperature'),
    });
    expect(apply(from, {}, to, { temperature: 0 }, limits).body).toEqual({ temperature: 0 });
  });

  it('lower the reasoning budget and keep the rest of its field', () => {
    const limits = { reasoning_tokens: 4_000 };
    expect(apply(from, {}, to, budget[to](9_000), limits)).toEqual({
      body: budget[to](4_000),
      overridden: [],
      lowered: won('reasoning_tokens'),
    });
    expect(apply(from, {}, to, budget[to](4_000), limits).lowered).toEqual([]);
  });

  it('keep the reasoning budget below a lowered token limit', () => {
    const [name = ''] = tokenLimits[to];
    const request = { [name]: 32_000, ...budget[to](31_999) };
    expect(apply(from, {}, to, request, { max_tokens: 8_000 })).toEqual({
      body: { [name]: 8_000, ...budget[to](7_999) },
      overridden: [],
      lowered: won('max_tokens', 'reasoning_tokens'),
    });
  });

  it('do not add missing fields', () => {
    const request = { temperature: null, top_p: 1 };
    expect(apply(from, {}, to, request, { max_tokens: 5, temperature: 0.1, n: 1 })).toEqual({
      body: request,
      overridden: [],
      lowered: [],
    });
  });

  it('apply to the preset itself', () => {
    const [own = ''] = tokenLimits[from];
    const { body, overridden, lowered } = apply(from, { [own]: 5_000 }, to, {}, { max_tokens: 2_000 });
    expect(Object.values(body)).toEqual([2_000]);
    expect([overridden, lowered]).toEqual([[], []]);
  });

  it('are reported instead of the override that they lower', () => {
    const [[own = ''], [sent = '']] = [tokenLimits[from], tokenLimits[to]];
    const config = { [own]: 1_000, temperature: 0 };
    const request = { [sent]: 9_000, temperature: 1 };
    expect(apply(from, config, to, request, { max_tokens: 2_000 })).toEqual({
      body: { [sent]: 2_000, temperature: 1 },
      overridden: ['temperature'],
      lowered: won('max_tokens'),
    });
    expect(apply(from, config, to, { [sent]: 1_500 }, { max_tokens: 2_000 })).toMatchObject({
      overridden: [own],
      lowered: [],
    });
  });
});

it.each(dialects)('max_tokens bounds every field of %s that limits output tokens', (dialect) => {
  const names = Object.keys(dialectOf[dialect].request.fields).filter((name) =>
    /^max_(\w+_)?tokens$/.test(name),
  );
  expect(fieldsOfLimit('max_tokens')).toEqual(expect.arrayContaining(names));
  expect(tokenLimits[dialect]).toEqual(expect.arrayContaining(names));
});

it.each([
  ['tokenLimit', 'max_tokens'],
  ['reasoningTokens', 'reasoning_tokens'],
] as const)('every field that can express %s is bounded by the limit %s', (concept, limit) => {
  const fields = allDialects
    .flatMap(({ concepts }) => concepts.fields)
    .filter(([, concepts]) => concepts.includes(concept))
    .map(([[field]]) => field);
  const bounded = limitedFields[limit].map(([field]) => field);
  expect(bounded).toEqual(expect.arrayContaining(fields));
});

describe('limits', () => {
  it.each<[string, Dialect, JsonObject, PolicyLimits, JsonObject]>([
    ['the number of choices', chat, { n: 8 }, { n: 2 }, { n: 2 }],
    [
      'both names of the token limit',
      chat,
      { max_tokens: 9, max_completion_tokens: 8 },
      { max_tokens: 5 },
      { max_tokens: 5, max_completion_tokens: 5 },
    ],
    [
      'names of other dialects, which an upstream may know',
      chat,
      { max_output_tokens: 9, thinking: { budget_tokens: 9_000 } },
      { max_tokens: 5, reasoning_tokens: 2_000 },
      { max_output_tokens: 5, thinking: { type: 'disabled' } },
    ],
    [
      'a thinking budget below the minimum, which turns thinking off',
      'messages',
      { max_tokens: 9_000, thinking: { type: 'enabled', budget_tokens: 5_000 } },
      { max_tokens: 1_000 },
      { max_tokens: 1_000, thinking: { type: 'disabled' } },
    ],
    [
      'a thinking budget to the minimum, which leaves thinking on',
      'messages',
      { thinking: { type: 'enabled', budget_tokens: 5_000 } },
      { reasoning_tokens: 1_024 },
      { thinking: { type: 'enabled', budget_tokens: 1_024 } },
    ],
    [
      'the fields of fallbacks',
      'messages',
      { max_tokens: 5, fallbacks: [{ model: 'a', max_tokens: '9' }, { model: 'b' }, 'c'] },
      { max_tokens: 5 },
      { max_tokens: 5, fallbacks: [{ model: 'a', max_tokens: 5 }, { model: 'b' }, 'c'] },
    ],
    [
      'the smaller of two bounds for a budget',
      chat,
      { reasoning: { max_tokens: 9_000 } },
      { max_tokens: 5_000, reasoning_tokens: 2_000 },
      { reasoning: { max_tokens: 2_000 } },
    ],
  ])('lower %s', (_title, dialect, request, limits, body) => {
    expect(apply(dialect, {}, dialect, request, limits).body).toEqual(body);
  });

  it.each(['"9000"', '"3"', 'true', '[9000]', '{}', '-1', '-1e400', '0'])(
    'lower %s, which an upstream may read as a higher limit',
    (value) => {
      const request = parseExact(
        `{"max_tokens":${value},"max_completion_tokens":${value},"max_output_tokens":${value},"n":${value}}`,
      ) as JsonObject;
      expect(apply(chat, {}, chat, request, { max_tokens: 5, n: 2 })).toEqual({
        body: { max_tokens: 5, max_completion_tokens: 5, max_output_tokens: 5, n: 2 },
        overridden: [],
        lowered: won('max_tokens', 'n'),
      });
    },
  );

  it.each(['"2"', 'true', '[2]', '{}', '-1'])('lower the temperature and the budget %s', (value) => {
    const request = JSON.parse(
      `{"temperature":${value},"reasoning":{"max_tokens":${value}},"thinking":{"budget_tokens":${value}}}`,
    );
    expect(apply(chat, {}, chat, request, { temperature: 0.5, reasoning_tokens: 2_000 })).toEqual({
      body: { temperature: 0.5, reasoning: { max_tokens: 2_000 }, thinking: { budget_tokens: 2_000 } },
      overridden: [],
      lowered: won('temperature', 'reasoning_tokens'),
    });
  });

  it.each([
    '{"max_tokens":1.5,"temperature":0,"reasoning":{"max_tokens":0},"thinking":{"budget_tokens":0}}',
    '{"max_tokens":null,"n":null,"temperature":null,"reasoning":{"max_tokens":null},"thinking":null}',
    '{"reasoning":"9000","thinking":[9000],"fallbacks":9000}',
  ])('do not change %s if it is within them, absent or not a number', (text) => {
    const request = JSON.parse(text);
    const limits = { max_tokens: 5, temperature: 0.5, n: 2, reasoning_tokens: 5 };
    expect(apply(chat, {}, chat, request, limits)).toEqual({ body: request, overridden: [], lowered: [] });
  });

  it.each([
    ['1e400', '7'],
    ['9007199254740993', '7'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
  ])('compare numbers with any number of digits: %s', (written, sent) => {
    const request = parseExact(
      `{"max_tokens":${written},"reasoning":{"max_tokens":${written}}}`,
    ) as JsonObject;
    const { body } = apply(chat, {}, chat, request, { max_tokens: 8, reasoning_tokens: 7 });
    expect(JSON.stringify(body)).toBe(
      `{"max_tokens":${sent === '7' ? '8' : sent},"reasoning":{"max_tokens":${sent}}}`,
    );
  });

  it('change neither the request nor the preset', () => {
    const request = { max_tokens: 9, reasoning: { max_tokens: 9 } };
    apply(chat, request, chat, request, { max_tokens: 5 });
    expect(request).toEqual({ max_tokens: 9, reasoning: { max_tokens: 9 } });
  });

  it.each(pairs)('of a %s preset are not reported in a %s request for what is locked anyway', (from, to) => {
    const names = tokenLimits[from].filter((name) => name === 'max_tokens');
    const { policyFields } = applyPreset(
      { max_tokens: 9, max_completion_tokens: 9, max_output_tokens: 9, temperature: 2, n: 9 },
      to,
      {
        dialect: from,
        configJson: '{}',
        systemPrompt: null,
        extensionJson: JSON.stringify({
          policy: { locked: [...names, 'temperature'], limits: { max_tokens: 5, temperature: 1, n: 2 } },
        }),
      },
    );
    const limited = names.length === 0 ? ['max_tokens', 'n'] : ['n'];
    expect(policyFields).toEqual(won(...names, 'temperature', ...limited));
  });
});

import { describe, expect, it } from 'vitest';
import { expressedConcepts, parseField } from '../../../../test/support/expressed-concepts.ts';
import type { JsonObject } from '../../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../../core/presets/preset.ts';
import { dialectOf } from '../../dialects.ts';
import { applyPreset } from '../apply-preset.ts';

const chat = 'chat-completions';
const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));

function apply(from: Dialect, config: object, locked: readonly string[], to: Dialect, request: JsonObject) {
  const { body, overriddenFields, policyFields } = applyPreset(request, to, {
    dialect: from,
    configJson: JSON.stringify(config),
    systemPrompt: null,
    extensionJson: JSON.stringify({ policy: { locked } }),
  });
  const enforced = policyFields?.map(({ name, winner }) => {
    expect(winner).toBe('preset');
    return name;
  });
  return { body, overridden: overriddenFields, enforced };
}

type InEach<T> = Readonly<Record<Dialect, T>>;

const noParameters = { type: 'object', properties: {}, required: [], additionalProperties: false };

const find: InEach<object> = {
  [chat]: { type: 'function', function: { name: 'find', parameters: noParameters, strict: true } },
  messages: { name: 'find', input_schema: noParameters, strict: true },
  responses: { type: 'function', name: 'find', parameters: noParameters, strict: true },
};

const inEach = <T>(chatValue: T, messages: T, responses: T): InEach<T> => ({
  [chat]: chatValue,
  messages,
  responses,
});
const same = <T>(value: T): InEach<T> => inEach(value, value, value);

/** For each setting, the field to lock, the preset's value, and requests for something else. */
const settings: readonly (readonly [
  string,
  InEach<string>,
  InEach<JsonObject>,
  InEach<readonly JsonObject[]>,
])[] = [
  [
    'model',
    same('model'),
    same({ model: 'a/b' }),
    same([
      { model: 'c/d' },
      { model: null },
      { models: ['c/d'] },
      { fallbacks: [{ model: 'c/d' }] },
      { route: 'fallback' },
      { model: 'c/d', models: ['e/f'] },
    ]),
  ],
  ['fallback models', same('models'), same({ models: ['a/b'] }), same([{ models: ['c/d'] }, { models: [] }])],
  ['provider', same('provider'), same({ provider: { only: ['a'] } }), same([{ provider: { order: ['b'] } }])],
  [
    'temperature',
    same('temperature'),
    same({ temperature: 0 }),
    same([{ temperature: 1 }, { temperature: null }]),
  ],
  [
    'token limit',
    inEach('max_completion_tokens', 'max_tokens', 'max_output_tokens'),
    inEach({ max_completion_tokens: 5 }, { max_tokens: 5 }, { max_output_tokens: 5 }),
    inEach(
      [{ max_tokens: 9 }, { max_completion_tokens: 9 }, { max_tokens: null }],
      [{ max_tokens: 9 }, { max_tokens: null }],
      [{ max_output_tokens: 9 }, { max_output_tokens: null }],
    ),
  ],
  [
    'stop sequences',
    inEach('stop', 'stop_sequences', 'stop'),
    inEach({ stop: ['a'] }, { stop_sequences: ['a'] }, { stop: ['a'] }),
    inEach([{ stop: 'b' }], [{ stop_sequences: ['b'] }], [{ stop: ['b'] }]),
  ],
  [
    'list of tools',
    same('tools'),
    inEach({ tools: [find[chat]] }, { tools: [find.messages] }, { tools: [find.responses] }),
    inEach<readonly JsonObject[]>(
      [
        { tools: [{ ...find[chat], cache_control: { type: 'ephemeral' } }] },
        { tools: null },
        { tools: [{ type: 'openrouter:datetime' }] },
        { functions: [{ name: 'send' }] },
      ],
      [{ tools: [{ name: 'send', input_schema: {} }] }, { mcp_servers: [{ name: 'a' }] }],
      [{ tools: [{ type: 'mcp', server_label: 'a' }] }, { tools: 5 }],
    ),
  ],
  [
    'reasoning',
    inEach('reasoning', 'thinking', 'reasoning'),
    inEach<JsonObject>(
      { reasoning: { max_tokens: 2_000 } },
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { reasoning: { max_tokens: 2_000 } },
    ),
    inEach<readonly JsonObject[]>(
      [{ reasoning: { max_tokens: 9_000 } }, { reasoning_effort: 'high' }, { reasoning: null }],
      [{ thinking: { type: 'disabled' } }],
      [{ reasoning: { effort: 'high' } }, { reasoning: {} }],
    ),
  ],
  [
    'output format',
    inEach('response_format', 'output_config', 'text'),
    inEach<JsonObject>(
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'response', schema: noParameters, strict: true },
        },
      },
      { output_config: { format: { type: 'json_schema', schema: noParameters } } },
      { text: { format: { type: 'json_schema', name: 'response', schema: noParameters, strict: true } } },
    ),
    inEach<readonly JsonObject[]>(
      [{ response_format: { type: 'text' } }],
      [
        { output_format: { type: 'json_schema', schema: { type: 'string' } } },
        { output_config: { format: { type: 'json_schema', schema: { type: 'string' } } } },
      ],
      [{ text: { format: { type: 'text' } } }],
    ),
  ],
];

describe.each(pairs)('a locked field of a %s preset in a %s request', (from, to) => {
  it.each(settings)('wins over the request: %s', (_title, names, configs, requests) => {
    for (const request of requests[to])
      expect(apply(from, configs[from], [names[from]], to, { top_p: 1, ...request })).toEqual({
        body: { ...configs[to], top_p: 1 },
        overridden: [],
        enforced: [names[from]],
      });
  });

  it.each(settings)(
    'cannot be set by the request if the preset does not set it: %s',
    (_title, names, _, requests) => {
      for (const request of requests[to]) {
        const isNull = Object.values(request).every((value) => value === null);
        expect(apply(from, {}, [names[from]], to, { top_p: 1, ...request })).toEqual({
          body: { top_p: 1 },
          overridden: [],
          enforced: isNull ? [] : [names[from]],
        });
      }
    },
  );

  it.each(settings)('is not reported if the request repeats or omits it: %s', (_title, names, configs) => {
    for (const request of [{}, configs[to]])
      expect(apply(from, configs[from], [names[from]], to, request)).toEqual({
        body: configs[to],
        overridden: [],
        enforced: [],
      });
  });

  it('leaves all other fields to the request', () => {
    const config = { model: 'a', temperature: 0, top_p: 1 };
    expect(apply(from, config, ['model'], to, { model: 'b', temperature: 1, top_p: null })).toEqual({
      body: { model: 'a', temperature: 1 },
      overridden: ['temperature', 'top_p'],
      enforced: ['model'],
    });
  });

  it('has no effect on any other known field', () => {
    const others = Object.fromEntries(
      Object.keys(dialectOf[to].request.fields).map((name) => [name, { type: 'x' }]),
    );
    const { temperature: _, ...rest } = others;
    expect(apply(from, {}, ['temperature'], to, others).body).toEqual(rest);
  });
});

/** For each field that can be locked: all that expresses the same, in any dialect. */
const spellings = dialects.flatMap((from) => {
  const expressed = expressedConcepts[from];
  return [...new Set(expressed.map(({ field }) => field))].map((name) => {
    const kinds = new Set(expressed.filter(({ field }) => field === name).map(({ kind }) => kind));
    const others = dialects.flatMap((dialect) =>
      expressedConcepts[dialect]
        .filter(({ kind }) => kinds.has(kind))
        .map((concept) => ({ ...concept, dialect })),
    );
    return [from, name, others] as const;
  });
});

it.each(spellings)('a lock of a %s preset on %s holds for all its spellings', (from, name, others) => {
  expect(others.length).toBeGreaterThan(0);
  for (const { dialect, field, kind, sample } of others)
    for (const to of dialects) {
      const { body, enforced } = apply(from, {}, [name], to, { top_p: 1, [field]: sample });
      const sent = parseField(dialect, field, body[field]).map((concept) => concept.kind);
      const attempt = `${field} as ${JSON.stringify(sample)} in ${to}`;
      expect(sent, attempt).not.toContain(kind);
      expect([enforced, body.top_p], attempt).toEqual([[name], 1]);
    }
});

describe('a lock', () => {
  const format = { type: 'json_schema', schema: {} };

  it.each<[string, Dialect, JsonObject, string, Dialect, JsonObject, JsonObject, string[]]>([
    [
      'holds for a part of a field and keeps the rest of the request',
      chat,
      { verbosity: 'low' },
      'verbosity',
      'responses',
      { text: { verbosity: 'high', format } },
      { text: { verbosity: 'low', format } },
      ['verbosity'],
    ],
    [
      'removes a part that the preset does not set',
      chat,
      {},
      'reasoning_effort',
      'messages',
      { output_config: { effort: 'high', format }, thinking: { type: 'adaptive' } },
      { output_config: { format } },
      ['reasoning_effort'],
    ],
    [
      'adds its part to a field of the request',
      chat,
      { reasoning_effort: 'low' },
      'reasoning_effort',
      'messages',
      { output_config: { format } },
      { output_config: { effort: 'low', format }, thinking: { type: 'adaptive' } },
      [],
    ],
    [
      'of a part is not removed with the whole field',
      chat,
      { verbosity: 'low' },
      'verbosity',
      'responses',
      { text: null },
      { text: { verbosity: 'low' } },
      ['verbosity'],
    ],
    [
      'on parallel calls keeps the choice of the request',
      chat,
      { tools: [find[chat]], parallel_tool_calls: false },
      'parallel_tool_calls',
      'messages',
      { tool_choice: { type: 'any' } },
      { tools: [find.messages], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      [],
    ],
    [
      'on a tool choice removes fields that would replace it',
      chat,
      { tools: [find[chat]], tool_choice: 'required' },
      'tool_choice',
      chat,
      { functions: [{ name: 'send' }], function_call: 'auto' },
      { tools: [find[chat]], tool_choice: 'required' },
      ['tool_choice'],
    ],
    [
      'on tools removes a choice of tools that are gone',
      chat,
      {},
      'tools',
      chat,
      { tools: [find[chat]], tool_choice: 'required', parallel_tool_calls: true },
      {},
      ['tools'],
    ],
    [
      'on tools removes a choice of functions that are gone',
      chat,
      { tools: [find[chat]] },
      'tools',
      chat,
      { functions: [{ name: 'send' }], function_call: { name: 'send' } },
      { tools: [find[chat]] },
      ['tools'],
    ],
    [
      'on functions removes tools and MCP servers as well',
      chat,
      {},
      'functions',
      'messages',
      { tools: [find.messages], mcp_servers: [{ name: 'a' }], top_p: 1 },
      { top_p: 1 },
      ['functions'],
    ],
    [
      "on tools allows a choice among the preset's",
      chat,
      { tools: [find[chat]] },
      'tools',
      chat,
      { tools: [{ type: 'x' }], tool_choice: 'none' },
      { tools: [find[chat]], tool_choice: 'none' },
      ['tools'],
    ],
    [
      "is not reported for tools that are among the preset's",
      chat,
      { tools: [find[chat], { type: 'x' }] },
      'tools',
      chat,
      { tools: [{ type: 'x' }] },
      { tools: [find[chat], { type: 'x' }] },
      [],
    ],
    [
      'is not reported if the request repeats the value under another name',
      chat,
      { max_tokens: 5 },
      'max_tokens',
      chat,
      { max_completion_tokens: 5 },
      { max_tokens: 5 },
      [],
    ],
    [
      "keeps the preset's own fallbacks of a locked model",
      'messages',
      { model: 'a', fallbacks: [{ model: 'b' }] },
      'model',
      'messages',
      { models: ['c'] },
      { model: 'a', fallbacks: [{ model: 'b' }] },
      ['model'],
    ],
    [
      "holds in each of the request's fallbacks",
      'messages',
      { thinking: { type: 'disabled' } },
      'thinking',
      'messages',
      { model: 'a', fallbacks: [{ model: 'b', thinking: { type: 'enabled', budget_tokens: 9_000 } }] },
      { thinking: { type: 'disabled' }, model: 'a', fallbacks: [{ model: 'b' }] },
      ['thinking'],
    ],
    [
      "removes its part from each of the request's fallbacks, which keep the rest",
      chat,
      { reasoning_effort: 'low' },
      'reasoning_effort',
      'messages',
      { fallbacks: [{ model: 'b', output_config: { effort: 'max', format } }] },
      {
        output_config: { effort: 'low' },
        thinking: { type: 'adaptive' },
        fallbacks: [{ model: 'b', output_config: { format } }],
      },
      ['reasoning_effort'],
    ],
    [
      'holds by name where the dialects mean different things',
      chat,
      { service_tier: 'flex' },
      'service_tier',
      'messages',
      { service_tier: 'auto' },
      {},
      ['service_tier'],
    ],
  ])('a lock %s', (_title, from, config, locked, to, request, body, enforced) => {
    const before = structuredClone(request);
    const applied = apply(from, config, [locked], to, request);
    expect({ body: applied.body, enforced: applied.enforced }).toEqual({ body, enforced });
    expect(applied.overridden).not.toContain(locked);
    expect(request).toEqual(before);
  });

  it('locks are reported in the order of the policy', () => {
    const request = { temperature: 1, model: 'b', top_p: 1 };
    expect(
      apply(chat, { model: 'a' }, ['top_p', 'model', 'temperature', 'seed'], chat, request).enforced,
    ).toEqual(['top_p', 'model', 'temperature']);
  });
});

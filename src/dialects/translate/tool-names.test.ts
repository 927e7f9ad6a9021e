import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRejections } from '../../../test/support/provider-rules.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { fitToolNames } from './tool-names.ts';
import { translateRequest } from './translate-request.ts';

const chat = 'chat-completions';
const schema = { type: 'object', properties: {} };

/** A conversation in which tools were called, the first of which has to be called again. */
const build: Readonly<Record<Dialect, (names: readonly string[]) => JsonObject>> = {
  [chat]: (names) => ({
    tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
    tool_choice: { type: 'function', function: { name: names[0] } },
    messages: [
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: names.map((name, at) => ({
          id: `c${at}`,
          type: 'function',
          function: { name, arguments: '{}' },
        })),
      },
      ...names.map((_, at) => ({ role: 'tool', tool_call_id: `c${at}`, content: 'ok' })),
    ],
  }),
  messages: (names) => ({
    max_tokens: 9,
    tools: names.map((name) => ({ name, input_schema: schema })),
    tool_choice: { type: 'tool', name: names[0] },
    messages: [
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: names.map((name, at) => ({ type: 'tool_use', id: `c${at}`, name, input: {} })),
      },
      {
        role: 'user',
        content: names.map((_, at) => ({ type: 'tool_result', tool_use_id: `c${at}`, content: 'ok' })),
      },
    ],
  }),
  responses: (names) => ({
    tools: names.map((name) => ({ type: 'function', name, parameters: schema, strict: false })),
    tool_choice: { type: 'function', name: names[0] },
    input: [
      { type: 'message', role: 'user', content: 'Go' },
      ...names.map((name, at) => ({ type: 'function_call', call_id: `c${at}`, name, arguments: '{}' })),
      ...names.map((_, at) => ({ type: 'function_call_output', call_id: `c${at}`, output: 'ok' })),
    ],
    store: false,
  }),
};

const pairs = dialects.flatMap((from) =>
  dialects.filter((to) => to !== from).map((to) => [from, to] as const),
);
const lengthMax: Readonly<Record<Dialect, number>> = { [chat]: 64, messages: 128, responses: 64 };
const long = (length: number) => `mcp__${'a'.repeat(length - 5)}`;

describe.each(pairs)('names of tools from %s to %s', (from, to) => {
  const max = lengthMax[to];

  it('stay the same if the provider accepts them', () => {
    const names = ['f', 'A-1_b', long(max)];
    const { body, toolNames } = translateRequest(build[from](names), from, to);
    const { tool_choice, messages, input } = build[to](names);
    expect(body).toEqual(
      expect.objectContaining({ tool_choice, ...(to === 'responses' ? { input } : { messages }) }),
    );
    expect(toolNames.size).toBe(0);
  });

  it('are replaced in tools, choice and earlier calls, and can be told apart', () => {
    const names = [long(max + 1), `${long(max + 1)}b`, 'files.read', 'files read', 'f'];
    const { body, toolNames } = translateRequest(build[from](names), from, to);
    expect(findRejections(body, to)).toEqual([]);
    const sent = names.map((name) => [...toolNames].find(([, original]) => original === name)?.[0] ?? name);
    expect(new Set(sent).size).toBe(names.length);
    expect(body).toMatchObject(translateRequest(build[from](sent), from, to).body);
    expect([...toolNames.values()]).toEqual(names.slice(0, 4));
  });

  it('depend on nothing else, so that prompt caches keep working', () => {
    const name = long(max + 1);
    const first = translateRequest(build[from]([name]), from, to).toolNames;
    const later = translateRequest(build[from](['new', name, 'other']), from, to).toolNames;
    expect([...later]).toEqual([...first]);
  });

  it('are unlike the names of all other tools', () => {
    const name = long(max + 1);
    const [taken = ''] = translateRequest(build[from]([name]), from, to).toolNames.keys();
    const { body, toolNames } = translateRequest(build[from]([name, taken]), from, to);
    const [sent = ''] = toolNames.keys();
    expect([...toolNames]).toEqual([[expect.not.stringMatching(`^${taken}$`), name]]);
    expect(JSON.stringify(body)).toContain(`"${taken}"`);
    expect(JSON.stringify(body)).toContain(`"${sent}"`);
    expect(sent.length).toBeLessThanOrEqual(max);
  });

  it('are unlike each other, even if one is what another falls back to', () => {
    const name = long(max + 1);
    const [taken = ''] = translateRequest(build[from]([name]), from, to).toolNames.keys();
    const { toolNames } = translateRequest(build[from]([name, taken, `${name} 2`]), from, to);
    expect([...toolNames.values()]).toEqual([name, `${name} 2`]);
  });
});

it('names of tools in a namespace get it, however long, and are replaced as a whole', () => {
  const name = 'read'.repeat(10);
  const namespace = 'files'.repeat(10);
  const tools = [
    { type: 'namespace', name: namespace, description: '', tools: [{ type: 'function', name }] },
  ];
  const input = [
    { role: 'user', content: 'Go' },
    { type: 'function_call', call_id: 'c', name, namespace, arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'ok' },
  ];
  const { body, toolNames } = translateRequest({ tools, input }, 'responses', chat);
  const [sent] = toolNames.keys();
  expect(toolNames).toEqual(new Map([[sent, `${namespace}__${name}`]]));
  expect(body).toMatchObject({
    tools: [{ function: { name: sent } }],
    messages: [{}, { tool_calls: [{ function: { name: sent } }] }, {}],
  });
});

it('names of custom tools and of allowed tools are replaced, too', () => {
  const name = long(65);
  const [sent] = fitToolNames(build[chat]([name]), chat).toolNames.keys();
  expect(
    fitToolNames(
      {
        tools: [{ type: 'custom', custom: { name } }],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: {
            tools: [
              { type: 'custom', custom: { name } },
              { type: 'function', function: { name } },
            ],
          },
        },
        messages: [{ role: 'assistant', tool_calls: [{ type: 'custom', custom: { name, input: '' } }] }],
      },
      chat,
    ).body,
  ).toEqual({
    tools: [{ type: 'custom', custom: { name: sent } }],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: {
        tools: [
          { type: 'custom', custom: { name: sent } },
          { type: 'function', function: { name: sent } },
        ],
      },
    },
    messages: [{ role: 'assistant', tool_calls: [{ type: 'custom', custom: { name: sent, input: '' } }] }],
  });
  expect(fitToolNames({ tool_choice: { type: 'custom', custom: { name } } }, chat).body).toEqual({
    tool_choice: { type: 'custom', custom: { name: sent } },
  });
  expect(
    fitToolNames({ tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name }] } }, 'responses')
      .body,
  ).toEqual({ tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: sent }] } });
});

it.each(dialects)('values of %s that are no names stay as they are', (dialect) => {
  const tools = [null, 5, { name: 5, function: null }, { name: null, function: { name: ['a b'] } }];
  const body = { tools, tool_choice: null, messages: [null, { tool_calls: [null] }], input: [null] };
  expect(fitToolNames(body, dialect)).toEqual({ body, toolNames: new Map() });
});

it.each(dialects)('any names are replaced by as many that a provider of %s accepts', (dialect) => {
  const names = fc.uniqueArray(
    fc.oneof(fc.string({ minLength: 1 }), fc.string({ minLength: 60, maxLength: 200 })),
    {
      minLength: 1,
      maxLength: 8,
    },
  );
  fc.assert(
    fc.property(names, (given) => {
      const { body, toolNames } = fitToolNames(build[dialect](given), dialect);
      expect(findRejections({ ...body, model: 'm' }, dialect)).toEqual([]);
      expect(fitToolNames(body, dialect).toolNames.size).toBe(0);
      expect(new Set(toolNames.values()).size).toBe(toolNames.size);
    }),
  );
});

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/json/json-object.ts';
import { chatCompletionsRequest } from './chat-completions/schema.ts';
import { findMisspelledFields } from './field-spelling.ts';
import { messagesRequest } from './messages/schema.ts';
import { responsesRequest } from './responses/schema.ts';

interface Schema {
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
}

type Path = readonly string[];

const schemas = [chatCompletionsRequest, messagesRequest, responsesRequest] as readonly object[];

/** Every place of a schema that has a name, and those whose own names are free. */
function placesIn(schema: Schema, path: Path = []): { readonly named: Path[]; readonly free: Path[] } {
  const { anyOf = [], items, properties = {}, additionalProperties = false } = schema;
  const isFree = additionalProperties !== false;
  const below = [
    ...anyOf.map((each) => placesIn(each, path)),
    ...(items === undefined ? [] : [placesIn(items, path)]),
    ...Object.entries(properties).map(([name, each]) => placesIn(each, [...path, name])),
  ];
  return {
    named: [
      ...Object.keys(properties).map((name) => [...path, name]),
      ...below.flatMap(({ named }) => named),
    ],
    free: [...(isFree ? [path] : []), ...below.flatMap(({ free }) => free)],
  };
}

const places = schemas.map((schema) => placesIn(schema));
const textOf = (path: Path) => path.join('.');
const free = new Set(places.flatMap((each) => each.free.map(textOf)));
const isBelowFree = (path: Path) => path.some((_, length) => free.has(textOf(path.slice(0, length))));
const named = [
  ...new Map(places.flatMap((each) => each.named).map((path) => [textOf(path), path])).values(),
].filter((path) => path[0] !== 'presetd' || path.length === 1);
const searched = named.filter((path) => !isBelowFree(path));

/** A request that has a name at a place, and nothing else. */
function requestWith([first = '', ...rest]: Path, value: unknown = 1): JsonObject {
  return { [first]: rest.length === 0 ? value : requestWith(rest, value) };
}

/** The spellings that Go takes for a name, by the rules of `encoding/json`. */
function spellingsOf(name: string): readonly string[] {
  const spellings = [
    name.toUpperCase(),
    name.replace(/[a-z]/, (letter) => letter.toUpperCase()),
    name.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase()),
    name.replace('k', '\u212a'),
    name.replace('s', 'ſ'),
    name.toUpperCase().replaceAll('S', 'ſ').replaceAll('K', '\u212a'),
  ];
  return [...new Set(spellings)].filter((spelling) => spelling !== name);
}

describe('findMisspelledFields', () => {
  it('the schemas have fields at several levels, with names in lower case', () => {
    expect(searched.length).toBeGreaterThan(400);
    expect(searched.map(textOf)).toEqual(
      expect.arrayContaining([
        'model',
        'stop_sequences',
        'max_output_tokens',
        'reasoning.max_tokens',
        'thinking.budget_tokens',
        'output_config.effort',
        'provider.max_price.prompt',
        'messages.role',
        'messages.content.text',
        'messages.content.cache_control.ttl',
        'messages.tool_calls.function.name',
        'input.role',
        'input.content.text',
        'tools.function.name',
        'tools.name',
      ]),
    );
    expect(named.flat().filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  });

  it('finds every spelling of every field that a schema has, with its path and the right spelling', () => {
    for (const path of searched)
      for (const spelling of spellingsOf(path.at(-1) ?? '')) {
        const place = [...path.slice(0, -1), spelling];
        expect(findMisspelledFields(requestWith(place))).toEqual([
          {
            path: `/${place.join('/')}`,
            message: `must be spelled "${path.at(-1)}", because some upstreams ignore case and would read it as that field`,
          },
        ]);
      }
  });

  it('accepts every field that a schema has', () => {
    for (const path of named) expect(findMisspelledFields(requestWith(path))).toEqual([]);
  });

  it.each([
    'metadata',
    'trace',
    'logit_bias',
    'prompt.variables',
    'provider.options',
    'tools.parameters',
    'tools.function.parameters',
    'tools.input_schema',
    'functions.parameters',
    'response_format.json_schema.schema',
    'text.format.schema',
    'output_config.format.schema',
  ])('does not search the map %s, whose names are free', (path) => {
    const content = Object.fromEntries(named.map((each) => [each.at(-1)?.toUpperCase(), { MODEL: 1 }]));
    expect(free.has(path)).toBe(true);
    expect(findMisspelledFields(requestWith(path.split('.'), content))).toEqual([]);
    expect(findMisspelledFields(requestWith(path.split('.'), [content]))).toEqual([]);
  });

  it('finds a spelling of `presetd`, which would be passed on', () => {
    expect(findMisspelledFields({ Presetd: {} })).toMatchObject([{ path: '/Presetd' }]);
  });

  it('finds one in a list of others, and next to a map', () => {
    const request = { messages: [{ role: 'user' }, { Role: 'system' }], metadata: { Model: 'a' } };
    expect(findMisspelledFields(request)).toMatchObject([{ path: '/messages/1/Role' }]);
  });

  it('does not search `presetd`, which is not passed on', () => {
    expect(findMisspelledFields({ presetd: { Note: 'a', draft: { request: { Model: 'b' } } } })).toEqual([]);
  });

  it('finds all of them, in lists and in each of the fallbacks', () => {
    const request = {
      Model: 'a',
      provider: null,
      messages: [null, { role: 'user' }, { Role: 'system', content: [{ type: 'text', Text: 'a' }] }],
      fallbacks: [{ model: 'b', Max_Tokens: 9, fallbacks: [{ thinking: { Budget_Tokens: 9 } }] }],
    };
    const paths = [
      '/Model',
      '/messages/2/Role',
      '/messages/2/content/0/Text',
      '/fallbacks/0/Max_Tokens',
      '/fallbacks/0/fallbacks/0/thinking/Budget_Tokens',
    ];
    const { Model: _, ...rest } = request;
    expect(findMisspelledFields(request).map(({ path }) => path)).toEqual(paths);
    expect(findMisspelledFields(rest).map(({ path }) => path)).toEqual(paths.slice(1));
  });

  it.each([
    '{"ınput":1,"Ｍodel":1,"mödel":1,"MÖDEL":1,"models ":1,"model\\u0000":1,"maxTokens":1,"max-tokens":1}',
    '{"__proto__":{"Model":1},"constructor":{"Model":1},"X":{"Model":1},"":1}',
    '{"messages":["Role",null,7,[["Role"]]],"tools":"Model","reasoning":7,"provider":null,"model":{"Model":1}}',
    '{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{"Type":1}}]}]}',
  ])('accepts other names, and any values: %s', (text) => {
    expect(findMisspelledFields(JSON.parse(text))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import { translateRequest } from '../translate/translate-request.ts';

describe('strict tools beyond the limits of Anthropic', () => {
  const toolOf = (name: string, properties: JsonObject, required: readonly string[]) => ({
    type: 'function',
    name,
    parameters: { type: 'object', properties, required, additionalProperties: false },
    strict: true,
  });
  const text = { type: 'string' };
  const nullable = { type: ['string', 'null'] };
  const either = { anyOf: [text, { type: 'null' }] };
  const many = (count: number, each: JsonObject) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, each]));
  const strictOf = (request: JsonObject) => {
    const { body, droppedFields } = translateRequest({ input: 'Hi', ...request }, 'responses', 'messages');
    const tools = body.tools as readonly JsonObject[];
    return { strict: tools.map(({ strict }) => strict), droppedFields };
  };

  it('are not strict after the 20th tool', () => {
    const tools = Array.from({ length: 22 }, (_, at) => toolOf(`f${at}`, {}, []));
    expect(strictOf({ tools, reasoning: { effort: 'low' } })).toEqual({
      strict: [...Array(20).fill(true), undefined, undefined],
      droppedFields: ['tools.f20.strict', 'tools.f21.strict'],
    });
  });

  it('are not strict after 24 optional properties, which smaller tools may still share', () => {
    const tools = [
      toolOf('a', many(18, text), []),
      { ...toolOf('f', {}, []), parameters: { type: 'object', properties: many(2, text) } },
      toolOf('b', many(5, text), []),
      toolOf('c', { inner: { type: 'array', items: toolOf('', many(4, text), []).parameters } }, ['inner']),
      toolOf('d', many(9, text), Object.keys(many(9, text))),
      { type: 'function', name: 'e', parameters: { type: 'object', properties: many(9, text) } },
    ];
    expect(strictOf({ tools })).toEqual({
      strict: [true, true, undefined, true, true, undefined],
      droppedFields: ['tools.b.strict'],
    });
  });

  it('are not strict after 16 unions, counted from the output format on', () => {
    const requiring = (name: string, properties: JsonObject) =>
      toolOf(name, properties, Object.keys(properties));
    const { parameters } = requiring('', many(9, nullable));
    expect(
      strictOf({
        tools: [requiring('a', many(8, either)), requiring('b', many(7, either))],
        text: { format: { type: 'json_schema', name: 'n', schema: parameters } },
      }),
    ).toEqual({ strict: [undefined, true], droppedFields: ['tools.a.strict'] });
  });
});

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json-object.ts';
import type { StreamEvent } from '../translate/stream-events.ts';
import { createStreamParser } from './parse-stream.ts';

/** Parses events and describes the result in a few characters per event. */
function parse(events: readonly JsonObject[], response: JsonObject = {}) {
  const parser = createStreamParser();
  const last = { type: 'response.completed', response: { status: 'completed', ...response } };
  const all = [...events, last].flatMap((event) => parser.push(event));
  return { events: all.map(describeEvent).join(' '), dropped: [...parser.dropped] };
}

function describeEvent(event: StreamEvent): string {
  switch (event.type) {
    case 'block-start':
      return event.block.kind === 'tool-call' ? `${event.block.name}:${event.block.id}` : event.block.kind;
    case 'delta':
      return event.text;
    case 'block-end':
      return event.reasoning === undefined ? 'end' : `end:${JSON.stringify(event.reasoning.part)}`;
    case 'citation':
      return 'citation';
    case 'finish':
      return event.stop.reason;
    default:
      return event.type;
  }
}

const event = (type: string, output_index: number, fields: JsonObject): JsonObject => ({
  type: `response.${type}`,
  output_index,
  ...fields,
});
const added = (index: number, item: JsonObject) => event('output_item.added', index, { item });
const done = (index: number, item: JsonObject) => event('output_item.done', index, { item });

const call = (id: string, name: string, args = '') => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: args,
});
const annotation = {
  type: 'url_citation',
  url: 'https://a.example',
  title: 'A',
  start_index: 0,
  end_index: 1,
};
const text = { type: 'output_text', text: 'ab', annotations: [annotation] };
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a' }] };
const place = { content_index: 0 };

describe('createStreamParser', () => {
  it.each<[string, readonly JsonObject[], JsonObject, string]>([
    [
      'items that interleave',
      [
        added(0, call('1', 'a')),
        added(1, call('2', 'b')),
        event('function_call_arguments.delta', 1, { delta: '{}' }),
        event('function_call_arguments.delta', 0, { delta: '{"x":' }),
        done(1, call('2', 'b', '{}')),
        event('function_call_arguments.delta', 0, { delta: '1}' }),
        done(0, call('1', 'a', '{"x":1}')),
      ],
      {},
      'start a:1 {"x": 1} end b:2 {} end tool-calls',
    ],
    [
      'items without deltas',
      [done(0, reasoning), done(1, { type: 'message', content: [text] }), done(2, call('1', 'a', '{}'))],
      {},
      `start reasoning a end:${JSON.stringify(reasoning)} text ab citation end a:1 {} end tool-calls`,
    ],
    [
      'items that are only in the last event',
      [],
      { output: [reasoning, { type: 'message', content: [text, { type: 'refusal', refusal: 'no' }] }] },
      `start reasoning a end:${JSON.stringify(reasoning)} text ab citation end refusal no end end`,
    ],
    [
      'text without events for its part',
      [
        added(0, { type: 'message', content: [] }),
        event('output_text.delta', 0, { ...place, delta: 'a' }),
        event('output_text.delta', 0, { ...place, delta: 'b' }),
      ],
      {},
      'start text a b end end',
    ],
    [
      'two parts of a message',
      [
        added(0, { type: 'message', content: [] }),
        event('content_part.added', 0, { ...place, part: { type: 'output_text' } }),
        event('output_text.delta', 0, { ...place, delta: 'a' }),
        event('content_part.added', 0, { content_index: 1, part: { type: 'refusal' } }),
        event('refusal.delta', 0, { content_index: 1, delta: 'b' }),
        done(0, { type: 'message', content: [] }),
      ],
      {},
      'start text a end refusal b end end',
    ],
    [
      'reasoning with text and a summary',
      [
        added(0, { type: 'reasoning' }),
        event('reasoning_text.delta', 0, { ...place, delta: 'long' }),
        event('reasoning_summary_text.delta', 0, { summary_index: 0, delta: 'short' }),
        done(0, reasoning),
      ],
      {},
      `start reasoning long end:${JSON.stringify(reasoning)} end`,
    ],
    [
      'a custom tool',
      [
        added(0, { type: 'custom_tool_call', call_id: '1', name: 'a', input: '' }),
        event('custom_tool_call_input.delta', 0, { delta: 'ls' }),
        done(0, { type: 'custom_tool_call', call_id: '1', name: 'a', input: 'ls' }),
      ],
      {},
      'start a:1 ls end tool-calls',
    ],
  ])('parses %s', (_, events, response, expected) => {
    expect(parse(events, response).events).toBe(expected);
  });

  it('reports items of tools that the provider runs', () => {
    const { events, dropped } = parse([
      added(0, { type: 'web_search_call' }),
      done(0, { type: 'web_search_call' }),
    ]);
    expect(events).toBe('start end');
    expect(dropped).toEqual(['output.*.web_search_call']);
  });
});

import { describe, expect, it } from 'vitest';
import { dialectStreams } from '../../../test/support/dialect-streams.ts';
import { eventsOf } from '../../../test/support/fold-stream.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import { asObject, asObjects } from '../../core/json/loose-json.ts';
import type { StreamEvent } from '../model/stream-events.ts';
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
      'text whose deltas do not say where they belong',
      [
        added(0, { type: 'message', content: [] }),
        event('output_text.delta', 0, { ...place, delta: 'a' }),
        { type: 'response.output_text.delta', delta: 'b' },
      ],
      {},
      'start text a b end end',
    ],
    [
      'arguments whose deltas do not say where they belong',
      [added(0, call('1', 'a')), { type: 'response.function_call_arguments.delta', delta: '{}' }],
      {},
      'start a:1 {} end tool-calls',
    ],
    [
      'text of a later part whose deltas do not say where they belong',
      [
        added(0, { type: 'message', content: [] }),
        event('output_text.delta', 0, { content_index: 1, delta: 'a' }),
        { type: 'response.output_text.delta', delta: 'b' },
      ],
      {},
      'start text a b end end',
    ],
    [
      'arguments whose only delta is empty',
      [
        added(0, call('1', 'a')),
        event('function_call_arguments.delta', 0, { delta: '' }),
        done(0, call('1', 'a', '{"x":1}')),
      ],
      {},
      'start a:1 {"x":1} end tool-calls',
    ],
    [
      'arguments whose last delta is empty',
      [
        added(0, call('1', 'a')),
        event('function_call_arguments.delta', 0, { delta: '{}' }),
        event('function_call_arguments.delta', 0, { delta: '' }),
        done(0, call('1', 'a', '{}')),
      ],
      {},
      'start a:1 {} end tool-calls',
    ],
    [
      'reasoning whose only delta is empty',
      [
        added(0, { type: 'reasoning', id: 'rs_1' }),
        event('reasoning_summary_text.delta', 0, { summary_index: 0, delta: '' }),
        done(0, reasoning),
      ],
      {},
      `start reasoning a end:${JSON.stringify(reasoning)} end`,
    ],
    [
      'reasoning whose last delta is empty',
      [
        added(0, { type: 'reasoning', id: 'rs_1' }),
        event('reasoning_summary_text.delta', 0, { summary_index: 0, delta: 'a' }),
        event('reasoning_summary_text.delta', 0, { summary_index: 0, delta: '' }),
        done(0, reasoning),
      ],
      {},
      `start reasoning a end:${JSON.stringify(reasoning)} end`,
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
      'a citation that only its own event has',
      [
        event('output_text.delta', 0, { ...place, delta: 'a' }),
        event('output_text.annotation.added', 0, { ...place, annotation }),
        done(0, { type: 'message', content: [] }),
      ],
      {},
      'start text a citation end end',
    ],
    [
      'a part that only its own end has',
      [
        added(0, { type: 'message', content: [] }),
        event('content_part.added', 0, { ...place, part: { type: 'output_text' } }),
        event('content_part.done', 0, { content_index: 1, part: { type: 'x', text: 'x' } }),
        event('content_part.done', 0, { ...place, part: text }),
        done(0, { type: 'message', content: [] }),
      ],
      {},
      'start text ab citation end end',
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
      'reasoning with events for its parts',
      [
        added(0, { type: 'reasoning', id: 'rs_1' }),
        event('content_part.added', 0, { ...place, item_id: 'rs_1', part: { type: 'reasoning_text' } }),
        event('reasoning_text.delta', 0, { ...place, item_id: 'rs_1', delta: 'a' }),
        event('content_part.done', 0, {
          ...place,
          item_id: 'rs_1',
          part: { type: 'reasoning_text', text: 'a' },
        }),
        done(0, reasoning),
        done(1, { type: 'message', content: [text] }),
      ],
      {},
      `start reasoning a end:${JSON.stringify(reasoning)} text ab citation end end`,
    ],
    [
      'two equal calls at the same place',
      [done(0, call('1', 'a', '{}')), done(0, call('2', 'a', '{}')), done(0, call('2', 'a', '{}'))],
      {},
      'start a:1 {} end a:2 {} end tool-calls',
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
    [
      'a custom tool whose input comes at its end',
      [
        added(0, { type: 'custom_tool_call', call_id: '1', name: 'a', input: '' }),
        done(0, { type: 'custom_tool_call', call_id: '1', name: 'a', input: 'ls' }),
      ],
      {},
      'start a:1 ls end tool-calls',
    ],
    [
      'arguments that are an object',
      [done(0, { ...call('1', 'a'), arguments: { x: 1 } })],
      {},
      'start a:1 {"x":1} end tool-calls',
    ],
    [
      'calls at one place that interleave',
      [
        added(0, { ...call('1', 'a'), id: 'fc_1' }),
        added(0, { ...call('2', 'b'), id: 'fc_2' }),
        event('function_call_arguments.delta', 0, { item_id: 'fc_1', delta: '{"x":' }),
        event('function_call_arguments.delta', 0, { item_id: 'fc_2', delta: '{}' }),
        event('function_call_arguments.delta', 0, { item_id: 'fc_1', delta: '1}' }),
        done(0, { ...call('1', 'a', '{"x":1}'), id: 'fc_1' }),
        done(0, { ...call('2', 'b', '{}'), id: 'fc_2' }),
      ],
      { output: [call('1', 'a', '{"x":1}'), call('2', 'b', '{}')] },
      'start a:1 {"x": 1} end b:2 {} end tool-calls',
    ],
    [
      'a call that was not announced, at the place of one that was',
      [
        added(0, call('1', 'a')),
        event('function_call_arguments.delta', 0, { delta: '{"x":1}' }),
        done(0, call('2', 'b', '{}')),
        done(0, call('1', 'a', '{"x":1}')),
      ],
      {},
      'start a:1 {"x":1} end b:2 {} end tool-calls',
    ],
    [
      'an item that is announced and ends twice',
      [
        added(0, { ...call('1', 'a'), id: 'fc_1' }),
        added(0, { ...call('1', 'a'), id: 'fc_1' }),
        done(0, { ...call('1', 'a', '{}'), id: 'fc_1' }),
        done(0, { ...call('1', 'a', '{}'), id: 'fc_1' }),
        done(1, { type: 'message', content: [text] }),
        done(1, { type: 'message', content: [text] }),
      ],
      {},
      'start a:1 {} end text ab citation end tool-calls',
    ],
    [
      'two calls of one tool with the same arguments',
      [done(0, call('1', 'a', '{}')), done(0, call('2', 'a', '{}'))],
      { output: [call('1', 'a', '{}'), call('2', 'a', '{}')] },
      'start a:1 {} end a:2 {} end tool-calls',
    ],
    [
      'items that all have one id',
      [
        added(0, { id: 'x', type: 'message' }),
        event('output_text.delta', 0, { item_id: 'x', ...place, delta: 'a' }),
        done(0, { id: 'x', type: 'message', content: [{ type: 'output_text', text: 'a' }] }),
        added(1, { id: 'x', type: 'message' }),
        event('output_text.delta', 1, { item_id: 'x', ...place, delta: 'b' }),
      ],
      {
        output: [
          { id: 'x', type: 'message', content: [{ type: 'output_text', text: 'a' }] },
          { id: 'x', type: 'message', content: [{ type: 'output_text', text: 'b' }] },
        ],
      },
      'start text a end text b end end',
    ],
    [
      'items with one id that interleave',
      [
        added(0, { id: 'x', type: 'message' }),
        added(1, { id: 'x', type: 'message' }),
        done(1, { id: 'x', type: 'message', content: [{ type: 'output_text', text: 'b' }] }),
        done(0, { id: 'x', type: 'message', content: [{ type: 'output_text', text: 'a' }] }),
      ],
      {},
      'start text a end text b end end',
    ],
    [
      'calls with one id, one after the other, at one place',
      [
        added(0, { ...call('1', 'a'), id: 'x' }),
        done(0, { ...call('1', 'a', '{}'), id: 'x' }),
        added(0, { ...call('2', 'b'), id: 'x' }),
        done(0, { ...call('2', 'b', '{}'), id: 'x' }),
      ],
      {},
      'start a:1 {} end b:2 {} end tool-calls',
    ],
    [
      'an item that ends with another id at another place',
      [
        event('output_text.delta', 0, { item_id: 'x', ...place, delta: 'ab' }),
        done(1, { id: 'y', type: 'message', content: [text] }),
      ],
      {},
      'start text ab citation end end',
    ],
    [
      'an item whose content is at last that of the next one',
      [
        event('output_text.delta', 0, { item_id: 'x', ...place, delta: 'a' }),
        event('output_text.delta', 1, { item_id: 'y', ...place, delta: 'ab' }),
      ],
      {
        output: [
          {
            id: 'x',
            type: 'message',
            content: [
              { type: 'output_text', text: 'a' },
              { type: 'refusal', refusal: 'b' },
            ],
          },
          { id: 'y', type: 'message', content: [text] },
        ],
      },
      'start text a end refusal b end text ab citation end end',
    ],
    [
      'an item that the last event lacks after an equal one',
      [
        event('output_text.delta', 0, { item_id: 'x', ...place, delta: 'ab' }),
        event('output_text.delta', 1, { item_id: 'y', ...place, delta: 'ab' }),
      ],
      { output: [{ id: 'x', type: 'message', content: [text] }] },
      'start text ab citation end text ab end end',
    ],
    [
      'a message that was not streamed before one of the same length that was',
      [done(0, { type: 'message', content: [text] })],
      {
        output: [
          { type: 'message', content: [{ type: 'output_text', text: 'xy' }] },
          { type: 'message', content: [text] },
        ],
      },
      'start text ab citation end text xy end end',
    ],
    [
      'reasoning that never ends',
      [event('reasoning_text.delta', 0, { ...place, delta: 'a' })],
      {},
      'start reasoning a end:{"type":"reasoning"} end',
    ],
    [
      'a message that was not streamed before one that was',
      [done(0, { type: 'message', content: [text] })],
      {
        output: [
          { type: 'message', content: [{ type: 'output_text', text: 'abc' }] },
          { type: 'message', content: [text] },
        ],
      },
      'start text ab citation end text abc end end',
    ],
    [
      'text without any place',
      [
        { type: 'response.output_text.delta', delta: 'a' },
        { type: 'response.output_text.delta', delta: 'b' },
        { type: 'response.refusal.delta', delta: 'no' },
      ],
      {},
      'start text a b end refusal no end end',
    ],
    [
      'a part that was not streamed after one that was',
      [
        event('output_text.delta', 0, { ...place, delta: 'ab' }),
        done(0, { type: 'message', content: [text, { type: 'refusal', refusal: 'no' }, { type: 'x' }] }),
      ],
      {},
      'start text ab citation end refusal no end end',
    ],
  ])('parses %s', (_, events, response, expected) => {
    expect(parse(events, response).events).toBe(expected);
  });

  it('keeps the probabilities of a text that was not streamed', () => {
    const logprobs = [{ token: 'ab', logprob: -1 }];
    const item = { type: 'message', content: [{ ...text, logprobs }] };
    const events = createStreamParser().push(done(0, item));
    expect(events).toContainEqual({
      type: 'delta',
      text: 'ab',
      logprobs: { list: logprobs, path: 'output.*.content.*.logprobs' },
    });
  });

  it('names the response as the last event does if no other has its name', () => {
    const response = { id: 'resp_1', model: 'm', created_at: 1_790_000_000, output: [reasoning] };
    const [start] = createStreamParser().push({ type: 'response.completed', response });
    expect(start).toMatchObject({ type: 'start', id: 'resp_1', model: 'm', created: 1_790_000_000 });
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

/** Changes the events of a stream, of which only the last has the whole response. */
type Change = (events: readonly JsonObject[]) => readonly JsonObject[];

const unchanged: Change = (events) => events;
const eachEvent =
  (change: (event: JsonObject, at: number) => JsonObject): Change =>
  (events) =>
    events.map((each, at) => (isOfItem(each) ? change(each, at) : each));
const isOfItem = ({ output_index: index }: JsonObject) => index !== undefined;
const inOutput =
  (change: (output: readonly JsonObject[]) => readonly JsonObject[]): Change =>
  (events) =>
    events.map((each, at) =>
      at === events.length - 1
        ? { ...each, response: { ...asObject(each.response), output: change(outputOf(each)) } }
        : each,
    );
const outputOf = ({ response }: JsonObject) => asObjects(asObject(response).output);
const withoutEvents =
  (types: RegExp): Change =>
  (events) =>
    events.filter(({ type }) => !types.test(`${type}`));

/** What servers do with the places of items, with ids, with the last event, and leave out. */
const places: Readonly<Record<string, Change>> = {
  'the right place': unchanged,
  'a place that is one too high': eachEvent((each) => ({
    ...each,
    output_index: Number(each.output_index) + 1,
  })),
  'the place 0': eachEvent((each) => ({ ...each, output_index: 0 })),
  'no place': eachEvent(({ output_index: _, ...each }) => each),
};
const ids: Readonly<Record<string, Change>> = {
  'one id': unchanged,
  'another id in every event': eachEvent((each, at) => withIds(each, `id_${at}`)),
  'no id': eachEvent((each) => withIds(each, undefined)),
};
const withIds = ({ item, ...each }: JsonObject, id: string | undefined) => ({
  ...each,
  item_id: id,
  ...(item !== undefined && { item: { ...asObject(item), id } }),
});
const outputs: Readonly<Record<string, Change>> = {
  'all items': unchanged,
  'items with other ids': inOutput((output) => output.map((item, at) => ({ ...item, id: `other_${at}` }))),
  'calls with other ids': inOutput((output) =>
    output.map((item, at) => (item.call_id === undefined ? item : { ...item, call_id: `other_${at}` })),
  ),
  'the items in another order': inOutput((output) => output.toReversed()),
  'no items': inOutput(() => []),
};
const omissions: Readonly<Record<string, Change>> = {
  nothing: unchanged,
  'the start of items': withoutEvents(/output_item\.added$/),
  'the end of items': withoutEvents(/output_item\.done$/),
  'the start and end of parts': withoutEvents(/part\.(added|done)$/),
  annotations: withoutEvents(/annotation\.added$/),
  'all deltas': withoutEvents(/delta$/),
  'everything but the last event': (events) => events.slice(-1),
};

/** Without the ends of items or the whole response, what was not streamed is not known. */
const isEnough = (output: string, omission: string) =>
  output !== 'no items' || !/end of items|last event/.test(omission);

describe('output that a server describes in its own way', () => {
  const described = Object.entries(places).flatMap(([place, changePlaces]) =>
    Object.entries(ids).flatMap(([id, changeIds]) =>
      Object.entries(outputs).flatMap(([output, changeOutput]) =>
        Object.entries(omissions)
          .filter(([omission]) => isEnough(output, omission))
          .map(
            ([omission, omit]) =>
              [
                place,
                id,
                output,
                omission,
                (events: readonly JsonObject[]) => omit(changePlaces(changeIds(changeOutput(events)))),
              ] as const,
          ),
      ),
    ),
  );
  const streams = dialectStreams().filter(({ dialect }) => dialect === 'responses');

  it.each(described)(
    'items with %s and %s, then %s in the last event, without %s, are sent once',
    (_place, _id, _output, _omission, change) => {
      for (const { title, text: stream } of streams) {
        const expected = said(eventsOf(stream));
        const given = said(change(eventsOf(stream)));
        expect({ title, said: given.toSorted() }).toEqual({ title, said: expected.toSorted() });
      }
    },
  );

  /** What the blocks say, whatever pieces they are streamed in. Citations are of a whole block. */
  function said(events: readonly JsonObject[]): readonly string[] {
    const parser = createStreamParser();
    const blocks: { block: unknown; text: string; citations: number }[] = [];
    for (const each of events.flatMap((given) => parser.push(given))) {
      const last = blocks.at(-1) ?? { block: undefined, text: '', citations: 0 };
      if (each.type === 'block-start')
        blocks.push({ block: { ...each.block, id: undefined }, text: '', citations: 0 });
      if (each.type === 'delta') last.text += each.text;
      if (each.type === 'citation') last.citations += 1;
      if (each.type === 'finish') blocks.push({ block: each.stop.reason, text: '', citations: 0 });
    }
    return blocks.map((block) => JSON.stringify(block));
  }
});

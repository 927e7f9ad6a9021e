import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import type { StreamEvent } from '../model/stream-events.ts';
import { createStreamParser } from './parse-stream.ts';

/** Parses chunks with these deltas, and describes every event in a few characters. */
function parse(deltas: readonly JsonObject[], finish: string | null = 'stop') {
  const parser = createStreamParser();
  const events = deltas.flatMap((delta) =>
    parser.push({ id: 'chatcmpl-1', choices: [{ index: 0, delta, finish_reason: null }] }),
  );
  const last = parser.push({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  return {
    /** The events before the finish reason. */
    early: events.map(describeEvent).join(' '),
    events: [...events, ...last, ...parser.end()].map(describeEvent).join(' '),
    dropped: [...parser.dropped],
  };
}

function describeEvent(event: StreamEvent): string {
  switch (event.type) {
    case 'block-start':
      return event.block.kind === 'tool-call' ? `${event.block.name}:${event.block.id}` : event.block.kind;
    case 'delta':
      return event.text;
    case 'block-end':
      return event.reasoning === undefined ? 'end' : `end:${JSON.stringify(event.reasoning.part)}`;
    case 'finish':
      return event.stop.reason;
    default:
      return event.type;
  }
}

const call = (fields: JsonObject, name?: string, args?: unknown) => ({
  tool_calls: [{ ...fields, ...((name ?? args) !== undefined && { function: { name, arguments: args } }) }],
});

describe('tool calls', () => {
  const twoCalls = 'start a:1 {"x": 1} end b:2 {} end tool-calls';
  const first = [
    call({ index: 0, id: '1', type: 'function' }, 'a', ''),
    call({ index: 0 }, undefined, '{"x":'),
  ];
  const second = [call({ index: 1, id: '2' }, 'b', ''), call({ index: 1 }, undefined, '{}')];

  it.each<[string, readonly JsonObject[], string]>([
    ['one after another', [...first, call({ index: 0 }, undefined, '1}'), ...second], twoCalls],
    [
      'with the id and the name in every chunk',
      [
        call({ index: 0, id: '1' }, 'a', '{"x":'),
        call({ index: 0, id: '1' }, 'a', '1}'),
        call({ index: 1, id: '2' }, 'b', '{}'),
      ],
      twoCalls,
    ],
    [
      'with another id in every chunk',
      [call({ index: 0, id: '1' }, 'a', '{"x":'), call({ index: 0, id: '9' }, undefined, '1}'), ...second],
      twoCalls,
    ],
    [
      'without an index',
      [call({ id: '1' }, 'a', '{"x":'), call({}, undefined, '1}'), call({ id: '2' }, 'b', '{}')],
      twoCalls,
    ],
    [
      'with index 0 and different ids',
      [
        call({ index: 0, id: '1' }, 'a', '{"x":'),
        call({ index: 0 }, undefined, '1}'),
        call({ index: 0, id: '2' }, 'b', '{}'),
      ],
      twoCalls,
    ],
    [
      'whole, in one chunk',
      [
        {
          tool_calls: [
            { index: 0, id: '1', function: { name: 'a', arguments: '{}' } },
            { index: 1, id: '2', function: { name: 'b', arguments: '{}' } },
          ],
        },
      ],
      'start a:1 {} end b:2 {} end tool-calls',
    ],
    [
      'without ids, and all with index 0',
      [call({ index: 0 }, 'a', '{}'), call({ index: 0, id: '' }, 'b', '{}')],
      'start a: {} end b: {} end tool-calls',
    ],
    [
      'with arguments that are an object',
      [call({ index: 0, id: '1' }, 'a', { x: 1 })],
      'start a:1 {"x":1} end tool-calls',
    ],
    [
      'with the name after the id',
      [call({ index: 0, id: '1' }), call({ index: 0 }, 'a', '{'), call({ index: 0 }, undefined, '}')],
      'start a:1 { } end tool-calls',
    ],
    [
      'with the name after the id and the signature',
      [call({ index: 0, id: '1', extra_content: { x: 1 } }), call({ index: 0 }, 'a', '{}')],
      'start reasoning end:{"type":"call_signature","extra_content":{"x":1}} a:1 {} end tool-calls',
    ],
    [
      'in the deprecated form',
      [{ function_call: { name: 'a', arguments: '{' } }, { function_call: { arguments: '}' } }],
      'start a: { } end tool-calls',
    ],
    [
      'of a custom tool',
      [
        { tool_calls: [{ index: 0, id: '1', type: 'custom', custom: { name: 'a', input: '' } }] },
        { tool_calls: [{ index: 0, custom: { input: 'ls' } }] },
      ],
      'start a:1 ls end tool-calls',
    ],
    ['without arguments', [call({ index: 0, id: '1' }, 'a', '')], 'start a:1 end tool-calls'],
  ])('may be sent %s', (_, deltas, expected) => {
    expect(parse(deltas).events).toBe(expected);
  });

  it('interleaved tool calls are put one after another', () => {
    const deltas = [...first, ...second, call({ index: 0 }, undefined, '1}')];
    expect(parse(deltas).early).toBe('start a:1 {"x": 1}');
    expect(parse(deltas).events).toBe('start a:1 {"x": 1} end b:2 {} end tool-calls');
  });

  it('end when another block starts, if they are complete', () => {
    expect(parse([call({ index: 0, id: '1' }, 'a', '{}'), { content: 'Hi' }]).early).toBe(
      'start a:1 {} end text Hi',
    );
    expect(parse([call({ index: 0, id: '1' }, 'a', '{'), { content: 'Hi' }]).early).toBe('start a:1 {');
  });

  it.each([
    ['}', ['choices.*.message.tool_calls.*.function.arguments']],
    [' \n', []],
  ])('tool calls that continue with %j after their end are reported as %j', (more, dropped) => {
    const deltas = [
      call({ index: 0, id: '1' }, 'a', '{}'),
      { content: 'Hi' },
      call({ index: 0 }, undefined, more),
    ];
    expect(parse(deltas).dropped).toEqual(dropped);
  });
});

describe('text and reasoning', () => {
  const signed = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
  const unplaced = { ...signed, index: null };
  const gemini = { type: 'reasoning.encrypted', data: 'x', format: 'google-gemini-v1', index: 1 };

  it.each<[string, readonly JsonObject[], string]>([
    [
      'text',
      [{ role: 'assistant', content: '' }, { content: 'a' }, { content: 'b' }],
      'start text a b end end',
    ],
    [
      'text as parts',
      [{ content: [{ type: 'text', text: 'a' }] }, { content: [{ type: 'text', text: 'b' }] }],
      'start text a b end end',
    ],
    ['text, then a refusal', [{ content: 'a' }, { refusal: 'b' }], 'start text a end refusal b end end'],
    [
      'reasoning in one field',
      [{ reasoning: 'a' }, { reasoning: 'b' }, { content: 'c' }],
      'start reasoning a b end:{"reasoning":"ab"} text c end end',
    ],
    [
      'reasoning in two fields',
      [{ reasoning: 'a', reasoning_content: 'a' }, { content: 'c' }],
      'start reasoning a end:{"reasoning":"a","reasoning_content":"a"} text c end end',
    ],
    [
      'details that repeat the text',
      [
        { reasoning: 'a', reasoning_details: [{ ...signed, text: 'a' }] },
        { reasoning: 'b', reasoning_details: [{ ...signed, text: 'b', signature: null }] },
        { content: '', reasoning_details: [{ ...signed, signature: 's' }] },
        { content: 'c' },
      ],
      `start reasoning a b end:${JSON.stringify({ ...signed, text: 'ab', signature: 's' })} text c end end`,
    ],
    [
      'two signed details',
      [
        { reasoning_details: [{ ...signed, text: 'a', signature: 's' }] },
        { reasoning_details: [{ ...signed, text: 'b', signature: 't', index: 1 }] },
      ],
      `start reasoning a end:${JSON.stringify({ ...signed, text: 'a', signature: 's' })}` +
        ` reasoning b end:${JSON.stringify({ ...signed, text: 'b', signature: 't', index: 1 })} end`,
    ],
    [
      'two signed details without an index',
      [
        { reasoning_details: [{ ...unplaced, text: 'a', signature: 's' }] },
        { reasoning_details: [{ ...unplaced, text: 'b', signature: 't' }] },
      ],
      `start reasoning a end:${JSON.stringify({ ...unplaced, text: 'a', signature: 's' })}` +
        ` reasoning b end:${JSON.stringify({ ...unplaced, text: 'b', signature: 't' })} end`,
    ],
    [
      'a signature that comes after the text',
      [{ reasoning: 'a' }, { content: 'b' }, { reasoning_details: [gemini] }],
      `start reasoning a end:{"reasoning":"a"} text b end reasoning end:${JSON.stringify(gemini)} end`,
    ],
    [
      'text and a hidden detail',
      [{ reasoning: 'a', reasoning_details: [gemini] }, { content: 'b' }],
      `start reasoning a end:{"reasoning":"a"} reasoning end:${JSON.stringify(gemini)} text b end end`,
    ],
  ])('the stream parser handles %s', (_, deltas, expected) => {
    expect(parse(deltas).events).toBe(expected);
  });
});

describe('content that cannot be translated', () => {
  it('fields that cannot be translated are reported', () => {
    const parser = createStreamParser();
    parser.push({
      provider: 'A',
      choices: [{ index: 0, delta: { content: 'a' }, logprobs: { content: [] } }],
    });
    parser.push({ choices: [{ index: 1, delta: { content: 'b' } }] });
    parser.push({
      choices: [{ index: 0, delta: { images: [{}], audio: { id: '1' } }, finish_reason: 'stop' }],
    });
    parser.end();
    expect([...parser.dropped].toSorted()).toEqual([
      'choices.*.message.audio',
      'choices.*.message.images',
      'choices.1',
      'provider',
    ]);
  });

  it('fields beside the choices are reported, before, with and after them', () => {
    const parser = createStreamParser();
    parser.push({ choices: [], prompt_filter_results: [{}] });
    parser.push({ choices: [{ index: 0, delta: { content: 'a' } }], provider: 'A', obfuscation: 'x' });
    parser.push({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    parser.push({ choices: [], x_groq: { id: '1' }, warnings: [] });
    parser.end();
    expect([...parser.dropped].toSorted()).toEqual(['prompt_filter_results', 'provider', 'x_groq']);
  });

  it('content after the finish reason is left out', () => {
    const parser = createStreamParser();
    parser.push({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] });
    expect(parser.push({ choices: [{ index: 0, delta: { content: 'b' } }] })).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['the usage', { choices: [], usage: { prompt_tokens: 1 } }],
    ['an error', { error: { message: 'Sorry' } }],
  ])('a stream that has ended with %s says nothing more', (_, end) => {
    const parser = createStreamParser();
    parser.push({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    expect(parser.push(end)).toHaveLength(1);
    expect(parser.push({ choices: [], usage: { prompt_tokens: 2 } })).toEqual([]);
    expect(parser.end()).toEqual([]);
  });

  it('a stream that breaks off has the usage that was counted so far', () => {
    const parser = createStreamParser();
    parser.push({ choices: [{ index: 0, delta: { content: 'a' } }] });
    parser.push({ choices: [{ index: 0, delta: { content: 'b' } }], usage: { completion_tokens: 2 } });
    expect(parser.usage).toEqual({ output: 2 });
  });

  it('the parser bounds how many arguments it buffers', () => {
    const pieces = Array.from({ length: 17 }, () => call({ index: 0 }, undefined, 'a'.repeat(1_048_576)));
    expect(() => parse([call({ index: 0, id: '1' }, 'a', ''), ...pieces])).toThrow('too long');
  });

  it('a stream that breaks off has no end event', () => {
    expect(parse([{ content: 'a' }], null).events).toBe('start text a');
  });
});

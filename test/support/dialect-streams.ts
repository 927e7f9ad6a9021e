import type { JsonObject } from '../../src/core/json/json-object.ts';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { recordings } from './wire/recordings.ts';

/** A complete stream of an upstream, in the format that its vendor documents. */
export interface DialectStream {
  readonly title: string;
  readonly dialect: Dialect;
  readonly text: string;
}

/** Streams of every dialect, with everything that can be translated. */
export function dialectStreams(): readonly DialectStream[] {
  return [
    ...Object.entries(recordings).map(([title, { stream }]) => ({
      title,
      dialect: dialectOf(title),
      text: stream.toString('utf8'),
    })),
    ...messagesStreams(),
    ...chatStreams(),
    ...responsesStreams(),
  ];
}

function dialectOf(title: string): Dialect {
  if (title.startsWith('anthropic')) return 'messages';
  return title.includes('chat') ? 'chat-completions' : 'responses';
}

/** Writes server-sent events, with their types as names if they have any. */
export function writeEvents(events: readonly JsonObject[]): string {
  return events
    .map(({ type, ...fields }) =>
      type === undefined
        ? `data: ${JSON.stringify(fields)}\n\n`
        : `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
    )
    .join('');
}

function messagesStreams(): readonly DialectStream[] {
  const stream = (title: string, blocks: readonly JsonObject[][], delta: JsonObject): DialectStream => ({
    title: `messages: ${title}`,
    dialect: 'messages',
    text: messagesStream(blocks, delta),
  });
  const search = { type: 'web_search_result_location', url: 'https://a.example', title: 'A' };
  return [
    stream(
      'thinking with a signature, text and two tools',
      [
        [
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: 'Zürich and ' },
          { type: 'thinking_delta', thinking: 'Bern 🙂' },
          { type: 'signature_delta', signature: 'EqQBCgIYAhIM+/=' },
        ],
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'I ask ' },
          { type: 'text_delta', text: 'both.' },
        ],
        [
          { type: 'tool_use', id: 'tool_1', name: 'get_weather', input: {} },
          { type: 'input_json_delta', partial_json: '' },
          { type: 'input_json_delta', partial_json: '{"city":"Zü' },
          { type: 'input_json_delta', partial_json: 'rich"}' },
        ],
        [
          { type: 'tool_use', id: 'tool_2', name: 'get_time', input: {} },
          { type: 'input_json_delta', partial_json: '{}' },
        ],
      ],
      { stop_reason: 'tool_use', stop_sequence: null },
    ),
    stream(
      'redacted thinking, and empty but signed thinking',
      [
        [{ type: 'redacted_thinking', data: 'EmwKAhgB' }],
        [
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'signature_delta', signature: 'EqQB' },
        ],
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'Done.' },
        ],
      ],
      { stop_reason: 'end_turn', stop_sequence: null },
    ),
    stream(
      'a refusal',
      [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'I can' },
        ],
      ],
      {
        stop_reason: 'refusal',
        stop_sequence: null,
      },
    ),
    stream(
      'the token limit',
      [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'Once upon' },
        ],
      ],
      {
        stop_reason: 'max_tokens',
        stop_sequence: null,
      },
    ),
    stream(
      'a stop sequence',
      [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: '1, 2, ' },
        ],
      ],
      {
        stop_reason: 'stop_sequence',
        stop_sequence: '3',
      },
    ),
    stream(
      'a web search with citations',
      [
        [
          { type: 'server_tool_use', id: 'tool_1', name: 'web_search', input: {} },
          { type: 'input_json_delta', partial_json: '{"query":"rain"}' },
        ],
        [{ type: 'web_search_tool_result', tool_use_id: 'tool_1', content: [] }],
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'They say ' },
        ],
        [
          { type: 'text', text: '', citations: [] },
          {
            type: 'citations_delta',
            citation: { ...search, cited_text: 'It rains.', encrypted_index: 'Eo8B' },
          },
          { type: 'text_delta', text: 'it ' },
          { type: 'text_delta', text: 'rains' },
        ],
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: '.' },
        ],
      ],
      { stop_reason: 'end_turn', stop_sequence: null },
    ),
    stream(
      'two cited texts and a tool',
      [
        ...['https://a.example', 'https://b.example'].map((url) => [
          { type: 'text', text: '', citations: [] },
          { type: 'text_delta', text: `From ${url}. ` },
          {
            type: 'citations_delta',
            citation: { ...search, url, cited_text: 'It rains.', encrypted_index: '' },
          },
        ]),
        [{ type: 'tool_use', id: 'tool_1', name: 'get_time', input: {} }],
      ],
      { stop_reason: 'tool_use', stop_sequence: null },
    ),
    stream('nothing at all', [], { stop_reason: 'end_turn', stop_sequence: null }),
  ];
}

/** A stream of blocks, each with its deltas. */
export function messagesStream(blocks: readonly (readonly JsonObject[])[], delta: JsonObject): string {
  const usage = { input_tokens: 20, cache_creation_input_tokens: 5, cache_read_input_tokens: 10 };
  const message = { id: 'msg_01', type: 'message', role: 'assistant', model: 'claude-opus-5', content: [] };
  const stop = { stop_reason: null, stop_sequence: null };
  return writeEvents([
    { type: 'message_start', message: { ...message, ...stop, usage: { ...usage, output_tokens: 1 } } },
    { type: 'ping' },
    ...blocks.flatMap(([content_block, ...deltas], index) => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((each) => ({ type: 'content_block_delta', index, delta: each })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta,
      usage: { output_tokens: 30, output_tokens_details: { thinking_tokens: 12 } },
    },
    { type: 'message_stop' },
  ]);
}

function chatStreams(): readonly DialectStream[] {
  const stream = (title: string, deltas: readonly JsonObject[], finish_reason = 'stop'): DialectStream => ({
    title: `chat completions: ${title}`,
    dialect: 'chat-completions',
    text: chatStream(deltas, finish_reason),
  });
  const role = { role: 'assistant', content: null, refusal: null };
  return [
    stream(
      'two tools',
      [
        { ...role, tool_calls: [chatCall(0, 'call_1', 'get_weather')] },
        { tool_calls: [{ index: 0, function: { arguments: '{"city":"Zü' } }] },
        { tool_calls: [{ index: 0, function: { arguments: 'rich"}' } }] },
        { tool_calls: [chatCall(1, 'call_2', 'get_time')] },
        { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      ],
      'tool_calls',
    ),
    stream('reasoning in `reasoning_content`', [
      { role: 'assistant', content: null, reasoning_content: '' },
      { content: null, reasoning_content: 'Let me ' },
      { content: null, reasoning_content: 'think.' },
      { content: 'Hello', reasoning_content: null },
      { content: '!' },
    ]),
    stream(
      "OpenRouter's details, signed in the end, and a tool",
      [
        { role: 'assistant', content: '', ...chatReasoning('Zürich ') },
        { role: 'assistant', content: '', ...chatReasoning('🙂') },
        {
          role: 'assistant',
          content: '',
          reasoning: null,
          reasoning_details: [{ ...detail, signature: 'EqQB' }],
        },
        { role: 'assistant', content: 'I look.' },
        { role: 'assistant', content: null, tool_calls: [chatCall(0, 'tool_1', 'get_weather')] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ index: 0, function: { arguments: '{"city":"B"}' } }],
        },
      ],
      'tool_calls',
    ),
    stream('hidden reasoning', [
      { role: 'assistant', content: '', reasoning_details: [{ ...hidden, data: 'EmwK', index: 0 }] },
      { role: 'assistant', content: 'Hi' },
    ]),
    stream('a refusal', [{ ...role, refusal: '' }, { refusal: 'I cannot ' }, { refusal: 'do that.' }]),
    {
      title: 'chat completions: logprobs',
      dialect: 'chat-completions',
      text: chatStream([role, { content: 'Hi' }, { content: '!' }], 'stop', [
        null,
        { content: [logprob('Hi')], refusal: null },
        { content: [logprob('!')], refusal: null },
      ]),
    },
    stream('the token limit', [{ ...role, content: '' }, { content: 'Once upon' }], 'length'),
    stream('a content filter', [{ ...role, content: '' }, { content: 'How to' }], 'content_filter'),
    stream('citations', [
      { ...role, content: '' },
      { content: 'It rains.' },
      {
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 9 },
          },
        ],
      },
    ]),
  ];
}

const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
const hidden = { type: 'reasoning.encrypted', format: 'anthropic-claude-v1' };

function chatReasoning(text: string): JsonObject {
  return { reasoning: text, reasoning_details: [{ ...detail, text }] };
}

/** The first entry of a tool call. */
export function chatCall(index: number, id: string, name: string): JsonObject {
  return { index, id, type: 'function', function: { name, arguments: '' } };
}

/** A stream of chunks with these deltas, the finish reason and the usage after it. */
export function chatStream(
  deltas: readonly JsonObject[],
  finish_reason: string,
  logprobs: readonly (JsonObject | null)[] = [],
): string {
  const chunk = {
    id: 'chatcmpl-01',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'gpt-5.2',
    system_fingerprint: 'fp_1',
  };
  const usage = {
    prompt_tokens: 35,
    completion_tokens: 30,
    total_tokens: 65,
    prompt_tokens_details: { cached_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 12 },
    cost: 0.0012,
  };
  const choice = { index: 0, logprobs: null, finish_reason: null };
  const chunks = [
    ...deltas.map((delta, index) => ({
      ...chunk,
      choices: [{ ...choice, delta, logprobs: logprobs[index] ?? null }],
      usage: null,
    })),
    { ...chunk, choices: [{ ...choice, delta: {}, finish_reason }], usage: null },
    { ...chunk, choices: [], usage },
  ];
  return `${writeEvents(chunks)}data: [DONE]\n\n`;
}

function responsesStreams(): readonly DialectStream[] {
  const stream = (title: string, items: readonly StreamedItem[], stop: JsonObject = {}): DialectStream => ({
    title: `responses: ${title}`,
    dialect: 'responses',
    text: responsesStream(items, stop),
  });
  const annotation = {
    type: 'url_citation',
    url: 'https://a.example',
    title: 'A',
    start_index: 0,
    end_index: 9,
  };
  return [
    stream('a summary of encrypted reasoning and two tools', [
      responsesReasoning(['First Zürich.', 'Then Bern.'], 'gAAAA+/='),
      responsesCall('fc_1', 'call_1', 'get_weather', ['{"city":"Zü', 'rich"}']),
      responsesCall('fc_2', 'call_2', 'get_time', ['{}']),
    ]),
    stream('hidden reasoning and text', [responsesReasoning([], 'gAAAA'), responsesText(['Hel', 'lo'])]),
    stream('a refusal', [
      {
        item: { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' },
        content: { content: [{ type: 'refusal', refusal: 'I cannot.' }] },
        events: [
          ['content_part.added', { content_index: 0, part: { type: 'refusal', refusal: '' } }],
          ['refusal.delta', { content_index: 0, delta: 'I cannot.' }],
          ['refusal.done', { content_index: 0, refusal: 'I cannot.' }],
          ['content_part.done', { content_index: 0, part: { type: 'refusal', refusal: 'I cannot.' } }],
        ],
      },
    ]),
    stream('the token limit', [responsesText(['Once ', 'upon'])], {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    }),
    stream('a web search with citations', [
      { item: { id: 'ws_1', type: 'web_search_call', status: 'completed' }, content: {}, events: [] },
      responsesText(['It ', 'rains.'], [annotation]),
    ]),
    stream(
      'two cited texts',
      ['https://a.example', 'https://b.example'].map((url, at) => {
        const text = responsesText(['It ', 'rains.'], [{ ...annotation, url }]);
        return { ...text, item: { ...text.item, id: `msg_${at}` } };
      }),
    ),
    stream('logprobs', [responsesText(['Hi', '!'], [], (piece) => [logprob(piece)])]),
    stream('a custom tool', [
      {
        item: { id: 'ctc_1', type: 'custom_tool_call', status: 'completed', call_id: 'call_1', name: 'run' },
        content: { input: 'ls "a"\n' },
        events: [
          ['custom_tool_call_input.delta', { delta: 'ls "' }],
          ['custom_tool_call_input.delta', { delta: 'a"\n' }],
          ['custom_tool_call_input.done', { input: 'ls "a"\n' }],
        ],
      },
    ]),
  ];
}

/** An output item and the events between its start and its end. */
export interface StreamedItem {
  readonly item: JsonObject;
  /** The fields that it has in the end. */
  readonly content: JsonObject;
  readonly events: readonly (readonly [type: string, fields: JsonObject])[];
}

function logprob(token: string): JsonObject {
  return { token, logprob: -0.5, bytes: [...Buffer.from(token)], top_logprobs: [] };
}

export function responsesText(
  pieces: readonly string[],
  annotations: readonly JsonObject[] = [],
  logprobsOf: (piece: string) => readonly JsonObject[] = () => [],
): StreamedItem {
  const text = pieces.join('');
  const logprobs = pieces.flatMap(logprobsOf);
  const part = { type: 'output_text', text, annotations, logprobs };
  const place = { content_index: 0 };
  return {
    item: { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' },
    content: { content: [part] },
    events: [
      ['content_part.added', { ...place, part: { ...part, text: '', annotations: [], logprobs: [] } }],
      ...pieces.map(
        (delta) => ['output_text.delta', { ...place, delta, logprobs: logprobsOf(delta) }] as const,
      ),
      ...annotations.map(
        (annotation, annotation_index) =>
          ['output_text.annotation.added', { ...place, annotation_index, annotation }] as const,
      ),
      ['output_text.done', { ...place, text, logprobs }],
      ['content_part.done', { ...place, part }],
    ],
  };
}

export function responsesReasoning(summaries: readonly string[], encrypted_content: string): StreamedItem {
  return {
    item: { id: 'rs_1', type: 'reasoning' },
    content: { summary: summaries.map((text) => ({ type: 'summary_text', text })), encrypted_content },
    events: summaries.flatMap((text, summary_index) => [
      ['reasoning_summary_part.added', { summary_index, part: { type: 'summary_text', text: '' } }] as const,
      ['reasoning_summary_text.delta', { summary_index, delta: text.slice(0, 5) }] as const,
      ['reasoning_summary_text.delta', { summary_index, delta: text.slice(5) }] as const,
      ['reasoning_summary_text.done', { summary_index, text }] as const,
      ['reasoning_summary_part.done', { summary_index, part: { type: 'summary_text', text } }] as const,
    ]),
  };
}

export function responsesCall(
  id: string,
  call_id: string,
  name: string,
  pieces: readonly string[],
): StreamedItem {
  return {
    item: { id, type: 'function_call', status: 'completed', call_id, name },
    content: { arguments: pieces.join('') },
    events: [
      ...pieces.map((delta) => ['function_call_arguments.delta', { delta }] as const),
      ['function_call_arguments.done', { arguments: pieces.join(''), name }],
    ],
  };
}

const emptyContent: Readonly<Record<string, JsonObject>> = {
  message: { content: [] },
  reasoning: { summary: [] },
  function_call: { arguments: '' },
  custom_tool_call: { input: '' },
};

/** A stream of output items. */
export function responsesStream(items: readonly StreamedItem[], stop: JsonObject = {}): string {
  const started = {
    id: 'resp_01',
    object: 'response',
    created_at: 1_790_000_000,
    status: 'in_progress',
    model: 'gpt-5.2',
    output: [],
    usage: null,
  };
  const finished = {
    ...started,
    status: 'completed',
    incomplete_details: null,
    service_tier: 'default',
    ...stop,
    output: items.map(({ item, content }) => ({ ...item, ...content })),
    usage: {
      input_tokens: 35,
      input_tokens_details: { cached_tokens: 10 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 12 },
      total_tokens: 65,
    },
  };
  const events = [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...items.flatMap(({ item, content, events: between }, output_index) => [
      {
        type: 'response.output_item.added',
        output_index,
        item: {
          ...item,
          ...(item.status !== undefined && { status: 'in_progress' }),
          ...emptyContent[`${item.type}`],
        },
      },
      ...between.map(([type, fields]) => ({
        type: `response.${type}`,
        item_id: item.id,
        output_index,
        ...fields,
      })),
      { type: 'response.output_item.done', output_index, item: { ...item, ...content } },
    ]),
    { type: `response.${finished.status}`, response: finished },
  ];
  return writeEvents(events.map((event, sequence_number) => ({ ...event, sequence_number })));
}

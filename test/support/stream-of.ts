import type { JsonObject } from '../../src/core/json/json-object.ts';
import { asObject, asObjects } from '../../src/core/json/loose-json.ts';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { writeEvents } from './dialect-streams.ts';

/** The stream in which a vendor would send a whole response, in as few events as it can have. */
export function streamOf(dialect: Dialect, body: JsonObject): string {
  return streams[dialect](body);
}

const streams: Readonly<Record<Dialect, (body: JsonObject) => string>> = {
  'chat-completions': ({ choices, usage, ...rest }) => {
    const chunk = { ...rest, object: 'chat.completion.chunk' };
    const all = asObjects(choices);
    return [
      writeEvents([
        ...all.map(({ message, finish_reason: _, ...choice }) => ({
          ...chunk,
          choices: [{ index: 0, ...choice, delta: withIndexes(asObject(message)), finish_reason: null }],
        })),
        ...all.map(({ finish_reason, index = 0 }) => ({
          ...chunk,
          choices: [{ index, delta: {}, finish_reason }],
        })),
        { ...chunk, choices: [], usage },
      ]),
      'data: [DONE]\n\n',
    ].join('');
  },
  messages: ({ content, stop_reason, stop_sequence, usage, ...message }) =>
    writeEvents([
      {
        type: 'message_start',
        message: {
          ...message,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage:
            asObject(usage).output_tokens === undefined ? usage : { ...asObject(usage), output_tokens: 1 },
        },
      },
      ...asObjects(content).flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: startOf(block) },
        ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
      { type: 'message_stop' },
    ]),
  responses: (response) => {
    const started = { ...response, status: 'in_progress', output: [], usage: null };
    const events: readonly JsonObject[] = [
      { type: 'response.created', response: started },
      ...asObjects(response.output).flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item: { ...item, ...emptied(item) } },
        ...itemEvents(item).map((event) => ({ output_index, item_id: item.id, ...event })),
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: `response.${response.status}`, response },
    ];
    return writeEvents(events.map((event, sequence_number) => ({ ...event, sequence_number })));
  },
};

function withIndexes(message: JsonObject): JsonObject {
  if (message.tool_calls === undefined) return message;
  return { ...message, tool_calls: asObjects(message.tool_calls).map((call, index) => ({ index, ...call })) };
}

function startOf(block: JsonObject): JsonObject {
  if (block.type === 'text')
    return { ...block, text: '', ...(block.citations ? { citations: [] } : undefined) };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}

function deltasOf(block: JsonObject): readonly JsonObject[] {
  if (block.type === 'text')
    return [
      ...asObjects(block.citations).map((citation) => ({ type: 'citations_delta', citation })),
      { type: 'text_delta', text: block.text },
    ];
  if (block.type === 'thinking')
    return [
      ...(block.thinking === '' ? [] : [{ type: 'thinking_delta', thinking: block.thinking }]),
      { type: 'signature_delta', signature: block.signature },
    ];
  if (block.type === 'tool_use')
    return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
  return [];
}

function emptied(item: JsonObject): JsonObject {
  if (item.type === 'message') return { content: [], status: 'in_progress' };
  if (item.type === 'reasoning') return { summary: [], content: [] };
  if (item.type === 'function_call') return { arguments: '', status: 'in_progress' };
  return item.type === 'custom_tool_call' ? { input: '', status: 'in_progress' } : {};
}

function itemEvents(item: JsonObject): readonly JsonObject[] {
  if (item.type === 'message')
    return asObjects(item.content).flatMap((part, content_index) => partEvents(part, content_index));
  if (item.type === 'reasoning')
    return asObjects(item.summary).flatMap((part, summary_index) => [
      { type: 'response.reasoning_summary_part.added', summary_index, part: { ...part, text: '' } },
      { type: 'response.reasoning_summary_text.delta', summary_index, delta: part.text },
      { type: 'response.reasoning_summary_text.done', summary_index, text: part.text },
      { type: 'response.reasoning_summary_part.done', summary_index, part },
    ]);
  if (item.type === 'function_call')
    return [
      { type: 'response.function_call_arguments.delta', delta: item.arguments },
      { type: 'response.function_call_arguments.done', arguments: item.arguments, name: item.name },
    ];
  if (item.type === 'custom_tool_call')
    return [
      { type: 'response.custom_tool_call_input.delta', delta: item.input },
      { type: 'response.custom_tool_call_input.done', input: item.input },
    ];
  return [];
}

function partEvents(part: JsonObject, content_index: number): readonly JsonObject[] {
  const kind = part.type === 'refusal' ? 'refusal' : 'output_text';
  const field = part.type === 'refusal' ? 'refusal' : 'text';
  const { logprobs } = part;
  return [
    {
      type: 'response.content_part.added',
      content_index,
      part: { ...part, [field]: '', ...(field === 'text' && { annotations: [], logprobs: [] }) },
    },
    { type: `response.${kind}.delta`, content_index, delta: part[field], ...(logprobs ? { logprobs } : {}) },
    ...asObjects(part.annotations).map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      content_index,
      annotation_index,
      annotation,
    })),
    { type: `response.${kind}.done`, content_index, [field]: part[field], ...(logprobs ? { logprobs } : {}) },
    { type: 'response.content_part.done', content_index, part },
  ];
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webAddress } from '../../../test/support/arbitrary-text.ts';
import { findRejections } from '../../../test/support/provider-rules.ts';
import { PresetdError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import * as chatCompletions from '../chat-completions/turns.ts';
import { dialectOf } from '../dialects.ts';
import * as messages from '../messages/turns.ts';
import * as responses from '../responses/turns.ts';
import { translateRequest } from './translate-request.ts';

const chat = 'chat-completions';
const formats = { [chat]: chatCompletions, messages, responses };
const allPairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));
const pairs = allPairs.filter(([from, to]) => from !== to);

function translate(conversation: JsonObject, from: Dialect, to: Dialect) {
  const { fields, dropped } = formats[to].writeTurns(formats[from].parseTurns(conversation));
  return { fields, dropped: [...dropped] };
}

/** A conversation, and below, how each dialect expresses it. */
interface Conversation {
  readonly system: string | undefined;
  readonly rounds: readonly Round[];
}

/** A question of the user, the assistant's reply, and the results of the tools it calls. */
interface Round {
  readonly question: readonly Part[];
  readonly answer: readonly string[];
  readonly refusal: string | undefined;
  readonly calls: readonly Call[];
  /** An instruction after all that. */
  readonly note: string | undefined;
}

type Part =
  | { readonly text: string }
  | { readonly imageUrl: string }
  | { readonly image: string }
  | { readonly pdf: string }
  | { readonly audio: string }
  | { readonly uploadedImage: string }
  | { readonly cachedText: string };

interface Call {
  readonly id: string;
  readonly name: string;
  /** Arguments of a function, or the text of a custom tool. */
  readonly input: JsonObject | string;
  readonly result: readonly Part[];
}

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((value) => value.trim() !== '');
const base64 = fc.base64String({ minLength: 4 });
const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,30}$/);
const input = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue())
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

/** Conversations of everything that both dialects can express. */
function conversations(from: Dialect, to: Dialect): fc.Arbitrary<Conversation> {
  const both = (...supported: readonly Dialect[]) => supported.includes(from) && supported.includes(to);
  const inOpenAi = both(chat, 'responses');
  const image = fc.record({ image: base64 });
  const part: fc.Arbitrary<Part> = fc.oneof(
    fc.record({ text }),
    image,
    fc.record({ imageUrl: webAddress }),
    fc.record({ pdf: base64 }),
    ...(inOpenAi ? [fc.record({ audio: base64 })] : []),
    ...(both('messages', 'responses') ? [fc.record({ uploadedImage: name })] : []),
    ...(both(chat, 'messages') ? [fc.record({ cachedText: text })] : []),
  );
  const resultPart: fc.Arbitrary<Part> = both('messages', 'responses')
    ? fc.oneof(fc.record({ text }), image)
    : fc.record({ text });
  const call = fc.record({
    name,
    input: inOpenAi ? fc.oneof(input, text) : input,
    result: fc.array(resultPart, { minLength: 1, maxLength: 3 }),
  });
  const optional = inOpenAi ? fc.option(text, { nil: undefined }) : fc.constant(undefined);
  const round = fc.record({
    question: fc.array(part, { minLength: 1, maxLength: 3 }),
    answer: fc.array(text, { minLength: 1, maxLength: 2 }),
    refusal: optional,
    calls: fc.array(call, { maxLength: 3 }),
    note: optional,
  });
  return fc
    .record({
      system: fc.option(text, { nil: undefined }),
      rounds: fc.array(round, { minLength: 1, maxLength: 4 }),
    })
    .map(({ system, rounds }) => ({
      system,
      rounds: rounds.map((each, at) => ({
        ...each,
        calls: each.calls.map((one, index) => ({ ...one, id: `call_${at}_${index}` })),
      })),
    }));
}

const png = (data: string) => `data:image/png;base64,${data}`;
const file = (data: string) => `data:application/pdf;base64,${data}`;

const cached = { cache_control: { type: 'ephemeral' } };

const chatPart = (each: Part) => {
  if ('text' in each) return { type: 'text', text: each.text };
  if ('cachedText' in each) return { type: 'text', text: each.cachedText, ...cached };
  if ('audio' in each) return { type: 'input_audio', input_audio: { data: each.audio, format: 'wav' } };
  if ('uploadedImage' in each) return unsupported();
  if ('imageUrl' in each) return { type: 'image_url', image_url: { url: each.imageUrl } };
  if ('image' in each) return { type: 'image_url', image_url: { url: png(each.image) } };
  return { type: 'file', file: { file_data: file(each.pdf), filename: 'a.pdf' } };
};

const messagesPart = (each: Part) => {
  if ('text' in each) return { type: 'text', text: each.text };
  if ('cachedText' in each) return { type: 'text', text: each.cachedText, ...cached };
  if ('audio' in each) return unsupported();
  if ('uploadedImage' in each)
    return { type: 'image', source: { type: 'file', file_id: each.uploadedImage } };
  if ('imageUrl' in each) return { type: 'image', source: { type: 'url', url: each.imageUrl } };
  if ('image' in each)
    return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: each.image } };
  return {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: each.pdf },
    title: 'a.pdf',
  };
};

const responsesPart = (each: Part) => {
  if ('text' in each) return { type: 'input_text', text: each.text };
  if ('cachedText' in each) return unsupported();
  if ('audio' in each) return { type: 'input_audio', input_audio: { data: each.audio, format: 'wav' } };
  if ('uploadedImage' in each) return { type: 'input_image', file_id: each.uploadedImage, detail: 'auto' };
  if ('imageUrl' in each) return { type: 'input_image', image_url: each.imageUrl, detail: 'auto' };
  if ('image' in each) return { type: 'input_image', image_url: png(each.image), detail: 'auto' };
  return { type: 'input_file', file_data: file(each.pdf), filename: 'a.pdf' };
};

function unsupported(): never {
  throw new Error('The dialect has no such part.');
}

const build: Readonly<Record<Dialect, (conversation: Conversation) => JsonObject>> = {
  [chat]: ({ system, rounds }) => ({
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      ...rounds.flatMap(({ question, answer, refusal, calls, note }) => [
        { role: 'user', content: question.map(chatPart) },
        {
          role: 'assistant',
          content: answer.map((each) => chatPart({ text: each })),
          ...(refusal !== undefined && { refusal }),
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, name: called, input: given }) =>
              typeof given === 'string'
                ? { id, type: 'custom', custom: { name: called, input: given } }
                : { id, type: 'function', function: { name: called, arguments: JSON.stringify(given) } },
            ),
          }),
        },
        ...calls.map(({ id, result }) => ({
          role: 'tool',
          tool_call_id: id,
          content: result.map(chatPart),
        })),
        ...(calls.length === 0 ? [] : [{ role: 'assistant', content: 'Done' }]),
        ...(note === undefined ? [] : [{ role: 'developer', content: note }]),
      ]),
    ],
  }),
  messages: ({ system, rounds }) => ({
    ...(system !== undefined && { system }),
    messages: rounds.flatMap(({ question, answer, calls }) => [
      { role: 'user', content: question.map(messagesPart) },
      {
        role: 'assistant',
        content: [
          ...answer.map((each) => messagesPart({ text: each })),
          ...calls.map(({ result: _, ...each }) => ({ type: 'tool_use', ...each })),
        ],
      },
      ...(calls.length === 0
        ? []
        : [
            {
              role: 'user',
              content: calls.map(({ id, result }) => ({
                type: 'tool_result',
                tool_use_id: id,
                content: result.map(messagesPart),
              })),
            },
            { role: 'assistant', content: 'Done' },
          ]),
    ]),
  }),
  responses: ({ system, rounds }) => ({
    ...(system !== undefined && { instructions: system }),
    input: rounds.flatMap(({ question, answer, refusal, calls, note }): object[] => [
      { type: 'message', role: 'user', content: question.map(responsesPart) },
      {
        type: 'message',
        role: 'assistant',
        content: [
          ...answer.map((each) => ({ type: 'output_text', text: each, annotations: [] })),
          ...(refusal === undefined ? [] : [{ type: 'refusal', refusal }]),
        ],
      },
      ...calls.map(({ id, name: called, input: given }) =>
        typeof given === 'string'
          ? { type: 'custom_tool_call', call_id: id, name: called, input: given }
          : { type: 'function_call', call_id: id, name: called, arguments: JSON.stringify(given) },
      ),
      ...calls.map(({ id, input: given, result }) => ({
        type: typeof given === 'string' ? 'custom_tool_call_output' : 'function_call_output',
        call_id: id,
        output: result.map(responsesPart),
      })),
      ...(calls.length === 0 ? [] : [{ type: 'message', role: 'assistant', content: 'Done' }]),
      ...(note === undefined ? [] : [{ type: 'message', role: 'developer', content: note }]),
    ]),
  }),
};

/** The normal form: one text without anything else is written as a string. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, onlyText(each) ?? normalize(each)]),
  );
}

function onlyText(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length !== 1) return undefined;
  const { type, text: only, annotations, ...others } = value[0] ?? {};
  const isText = ['text', 'input_text', 'output_text'].includes(type) && Object.keys(others).length === 0;
  return isText ? only : undefined;
}

const runs = { numRuns: 40 };

describe.each(allPairs)('conversations from %s to %s', (from, to) => {
  it('have the same meaning', () => {
    fc.assert(
      fc.property(conversations(from, to), (each) => {
        const { fields, dropped } = translate(build[from](each), from, to);
        expect([normalize(fields), dropped]).toEqual([normalize(build[to](each)), []]);
      }),
      runs,
    );
  });

  it('are unchanged when they come back', () => {
    fc.assert(
      fc.property(conversations(from, to), (each) => {
        const there = translate(build[from](each), from, to).fields;
        expect(normalize(translate(there, to, from).fields)).toEqual(normalize(build[from](each)));
      }),
      runs,
    );
  });

  it('stay the same, byte for byte, when a turn is added', () => {
    fc.assert(
      fc.property(conversations(from, to), ({ system, rounds }) => {
        const shorter = listOf(
          translate(build[from]({ system, rounds: rounds.slice(0, -1) }), from, to).fields,
        );
        const longer = listOf(translate(build[from]({ system, rounds }), from, to).fields);
        expect(JSON.stringify(longer.slice(0, shorter.length))).toBe(JSON.stringify(shorter));
      }),
      runs,
    );
  });
});

function listOf(fields: JsonObject): readonly unknown[] {
  return (fields.messages ?? fields.input) as readonly unknown[];
}

/** Items as they may arrive: calls, messages of both sides, and then the outputs of the calls. */
const looseRounds = fc.array(
  fc.record({
    calls: fc.array(fc.array(fc.constantFrom('text', 'reasoning'), { maxLength: 2 }), {
      minLength: 1,
      maxLength: 3,
    }),
    afterCalls: fc.array(fc.constantFrom('text', 'reasoning'), { maxLength: 3 }),
    beforeOutputs: fc.array(fc.constantFrom('user', 'developer'), { maxLength: 2 }),
    betweenOutputs: fc.array(fc.constantFrom('user', 'developer'), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 3 },
);

it.each([chat, 'messages'] as const)(
  'the outputs of calls follow right after them in %s, whatever is between them in responses',
  (to) => {
    fc.assert(
      fc.property(looseRounds, (rounds) => {
        const items = rounds.flatMap(({ calls, afterCalls, beforeOutputs, betweenOutputs }, round) => {
          const ids = calls.map((_, at) => `call_${round}_${at}`);
          const [first, ...others] = ids.map((id) => looseItem('output', id));
          return [
            ...ids.flatMap((id, at) => [
              ...(calls[at] ?? []).map((kind) => looseItem(kind)),
              looseItem('call', id),
            ]),
            ...[...afterCalls, ...beforeOutputs].map((kind) => looseItem(kind)),
            first,
            ...betweenOutputs.map((kind) => looseItem(kind)),
            ...others,
          ];
        });
        const input = [looseItem('user'), ...items];
        const { body } = translateRequest({ input }, 'responses', to);
        expect(findRejections({ ...body, model: 'm' }, to)).toEqual([]);
        const said = JSON.stringify(input).match(/"Said"/g) ?? [];
        expect(JSON.stringify(body).match(/"Said"/g) ?? []).toHaveLength(said.length);
      }),
    );
  },
);

function looseItem(kind: string, call_id = ''): JsonObject {
  switch (kind) {
    case 'call':
      return { type: 'function_call', call_id, name: 'f', arguments: '{}' };
    case 'output':
      return { type: 'function_call_output', call_id, output: 'ok' };
    case 'reasoning':
      return { type: 'reasoning', summary: [], encrypted_content: 'gAAA' };
    default:
      return { type: 'message', role: kind === 'text' ? 'assistant' : kind, content: 'Said' };
  }
}

const opaque = fc.base64String({ minLength: 8 });
const shown = fc.string({ unit: 'grapheme', maxLength: 8 });
const responsesItem = fc.record(
  {
    id: fc.stringMatching(/^rs_[a-f0-9]{4}$/),
    type: fc.constant('reasoning'),
    summary: fc.array(fc.record({ type: fc.constant('summary_text'), text: shown })),
    content: fc.array(fc.record({ type: fc.constant('reasoning_text'), text: shown })),
    encrypted_content: opaque,
    status: fc.constant('completed'),
  },
  { requiredKeys: ['id', 'type', 'summary', 'encrypted_content'] },
);

/** Providers write this before each tool call and must get it back unchanged. */
const reasoning: Readonly<Record<Dialect, fc.Arbitrary<JsonObject>>> = {
  [chat]: fc.oneof(
    fc.record({ reasoning_content: text }),
    fc.record({ reasoning: text }),
    fc.record({
      reasoning_details: fc.array(fc.record({ type: fc.constant('reasoning.text'), text }), { minLength: 1 }),
    }),
    fc.record({
      reasoning_details: fc.tuple(
        fc.record({
          type: fc.constant('reasoning.summary'),
          summary: text,
          format: fc.constant('google-gemini-v1'),
        }),
        fc.record({
          type: fc.constant('reasoning.encrypted'),
          data: opaque,
          format: fc.constant('google-gemini-v1'),
        }),
      ),
    }),
  ),
  messages: fc.oneof(
    fc.record({ type: fc.constant('thinking'), thinking: shown, signature: opaque }),
    fc.record({ type: fc.constant('thinking'), thinking: fc.constant(''), signature: opaque }),
    fc.record({ type: fc.constant('redacted_thinking'), data: opaque }),
  ),
  responses: responsesItem,
};

/** A conversation of tool calls, each after reasoning. */
const loop: Readonly<Record<Dialect, (parts: readonly JsonObject[]) => JsonObject>> = {
  [chat]: (parts) => ({
    messages: [
      { role: 'user', content: 'Go' },
      ...parts.flatMap((fields, at) => [
        {
          role: 'assistant',
          content: null,
          ...fields,
          tool_calls: [{ id: `c${at}`, type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: `c${at}`, content: 'ok' },
      ]),
    ],
  }),
  messages: (parts) => ({
    messages: [
      { role: 'user', content: 'Go' },
      ...parts.flatMap((block, at) => [
        { role: 'assistant', content: [block, { type: 'tool_use', id: `c${at}`, name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${at}`, content: 'ok' }] },
      ]),
    ],
  }),
  responses: (parts) => ({
    input: [
      { type: 'message', role: 'user', content: 'Go' },
      ...parts.flatMap((item, at) => [
        item,
        { type: 'function_call', call_id: `c${at}`, name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: `c${at}`, output: 'ok' },
      ]),
    ],
  }),
};

it.each(pairs)('reasoning of %s survives clients of %s, over many tool calls', (upstream, client) => {
  fc.assert(
    fc.property(fc.array(reasoning[upstream], { minLength: 1, maxLength: 6 }), (parts) => {
      const original = loop[upstream](parts);
      const shownToClient = translate(original, upstream, client);
      expect(shownToClient.dropped).toEqual([]);
      const { body, droppedFields } = translateRequest(shownToClient.fields, client, upstream);
      const list = upstream === 'responses' ? 'input' : 'messages';
      expect([body[list], droppedFields]).toEqual([original[list], []]);
    }),
  );
});

it.each(pairs)('reasoning of %s is not sent to an upstream of %s, which would reject it', (from, to) => {
  fc.assert(
    fc.property(fc.array(reasoning[from], { minLength: 1, maxLength: 3 }), (parts) => {
      const { body, droppedFields } = translateRequest(loop[from](parts), from, to);
      const withoutReasoning = translateRequest(loop[from](parts.map(() => ({}))), from, to);
      const list = to === 'responses' ? 'input' : 'messages';
      if (from === chat) expect(body[list]).toEqual(withoutReasoning.body[list]);
      expect(JSON.stringify(body)).not.toMatch(/thinking|reasoning|presetd\.v1/);
      expect(droppedFields.length).toBeGreaterThan(0);
    }),
  );
});

const words = fc.constantFrom(
  ...['user', 'assistant', 'system', 'developer', 'tool', 'function', 'text', 'input_text', 'output_text'],
  ...['tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'function_call', 'function_call_output'],
  ...[
    'custom_tool_call',
    'reasoning',
    'message',
    'item_reference',
    'image',
    'image_url',
    'custom',
    'namespace',
  ],
  ...[
    'reasoning.text',
    'reasoning.encrypted',
    'enabled',
    'adaptive',
    'json_schema',
    'call_1',
    '{"a":1}',
    '{',
    '',
  ],
);
const keys = fc.constantFrom(
  ...[
    'role',
    'type',
    'content',
    'text',
    'id',
    'call_id',
    'name',
    'input',
    'arguments',
    'tool_calls',
    'function',
  ],
  ...[
    'tool_use_id',
    'tool_call_id',
    'output',
    'thinking',
    'signature',
    'data',
    'custom',
    'tools',
    'namespace',
  ],
  ...[
    'reasoning_details',
    'reasoning',
    'encrypted_content',
    'summary',
    'cache_control',
    'source',
    'image_url',
  ],
  ...['refusal', 'function_call', 'format', 'effort', 'budget_tokens', 'user_id', '__proto__', 'constructor'],
);
const { junk } = fc.letrec((tie) => ({
  junk: fc.oneof(
    { depthSize: 'medium' },
    words,
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('junk'), { maxLength: 3 }),
    fc.dictionary(keys, tie('junk'), { maxKeys: 6 }),
  ),
}));

it.each(pairs)('any request from %s to %s is translated, and always to the same', (from, to) => {
  const fields = fc.constantFrom(...Object.keys(dialectOf[from].request.fields), 'unknown', '__proto__');
  fc.assert(
    fc.property(fc.dictionary(fields, junk, { maxKeys: 8 }), (body) => {
      const first = attempt(body);
      expect(attempt(body)).toBe(first);
    }),
    { numRuns: 300 },
  );

  function attempt(body: JsonObject): string {
    try {
      return JSON.stringify(translateRequest(body, from, to));
    } catch (error) {
      if (!(error instanceof PresetdError)) throw error;
      return error.message;
    }
  }
});

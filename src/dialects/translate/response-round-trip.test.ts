import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoint, webAddress } from '../../../test/support/arbitrary-text.ts';
import { nextRequest } from '../../../test/support/next-request.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import { asObject, asObjects } from '../../core/json/loose-json.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import * as chatCompletions from '../chat-completions/completion.ts';
import * as messages from '../messages/completion.ts';
import type { Completion, CompletionContext, Stop } from '../model/completion.ts';
import type { Citation, TextBlock } from '../model/content.ts';
import { agreeWithCalls } from '../model/stop.ts';
import type { OutputBlock, ReasoningBlock, ToolCallBlock } from '../model/turns.ts';
import * as responses from '../responses/completion.ts';
import { translateRequest } from './translate-request.ts';
import { translateResponse } from './translate-response.ts';

const context: CompletionContext = {
  requestId: 'request',
  model: 'model',
  created: 1_700_000_000,
  request: {},
};
const formats = { 'chat-completions': chatCompletions, messages, responses };
const pairs = dialects.flatMap((one) =>
  dialects.filter((other) => other !== one).map((other) => [one, other] as const),
);

describe('a response', () => {
  it.each(pairs)('a response of %s comes back unchanged from %s', (from, through) => {
    fc.assert(
      fc.property(completions(from, through), (completion) => {
        const { body } = formats[from].writeCompletion(completion, context);
        const there = translateResponse(body, from, through, context);
        expect(there.dropped).toEqual([]);
        const back = translateResponse(there.body, through, from, context);
        expect(back.dropped).toEqual([]);
        expect(withoutReasoning(back.body)).toEqual(withoutReasoning(body));
      }),
    );
  });

  it.each(pairs)('the reasoning of a response of %s comes back unchanged through %s', (from, through) => {
    fc.assert(
      fc.property(completions(from, through), (completion) => {
        const { body } = formats[from].writeCompletion(completion, context);
        const there = translateResponse(body, from, through, context);
        const returned = translateRequest(nextRequest(through, there.body), through, from);
        expect(reasoningIn(returned.body, from)).toEqual(reasoningIn(nextRequest(from, body), from));
        // Through another server as well, whose client has the same dialect as the upstream.
        const back = translateResponse(there.body, through, from, context);
        const sent = translateRequest(nextRequest(from, back.body), from, through);
        const forwarded = translateRequest(sent.body, through, from);
        expect(reasoningIn(forwarded.body, from)).toEqual(reasoningIn(returned.body, from));
      }),
    );
  });

  it.each(pairs)('a response of %s may be any object, and is complete in %s', (from, to) => {
    const required = Object.keys(translateResponse({}, from, to, context).body);
    fc.assert(
      fc.property(oddBodies, (body) => {
        const translated = translateResponse(body, from, to, context);
        for (const name of required) expect(translated.body).toHaveProperty([name]);
        expect(JSON.parse(JSON.stringify(translated.body))).toMatchObject({ model: expect.any(String) });
      }),
    );
  });
});

/** Reasoning is sealed on its way. Ids of items count the items before them. */
function withoutReasoning(body: JsonObject): JsonObject {
  if (body.object === 'response')
    return {
      ...body,
      output: asObjects(body.output).flatMap(({ id: _, ...item }) => (isReasoning(item) ? [] : [item])),
    };
  if (body.type === 'message')
    return { ...body, content: asObjects(body.content).filter((block) => !isReasoning(block)) };
  const choices = asObjects(body.choices).map(({ message, ...choice }) => {
    const { reasoning: _, reasoning_content: __, reasoning_details: ___, ...rest } = asObject(message);
    return { ...choice, message: rest };
  });
  return { ...body, choices };
}

function isReasoning({ type }: JsonObject): boolean {
  return type === 'reasoning' || type === 'thinking' || type === 'redacted_thinking';
}

/** The reasoning in the assistant's turn of a request. */
function reasoningIn({ messages, input }: JsonObject, dialect: Dialect): unknown {
  const turns = asObjects(messages ?? input);
  // Without its encrypted content, it is only a reference to what the provider has stored.
  if (dialect === 'responses')
    return turns.filter((item) => isReasoning(item) && item.encrypted_content !== undefined);
  if (dialect === 'messages') return turns.flatMap(({ content }) => asObjects(content)).filter(isReasoning);
  return turns.flatMap(({ reasoning_content, reasoning_details }) =>
    (reasoning_content ?? reasoning_details) ? [{ reasoning_content, reasoning_details }] : [],
  );
}

/** Completions with everything that both dialects can express. */
function completions(from: Dialect, through: Dialect): fc.Arbitrary<Completion> {
  const isChat = from === 'chat-completions' || through === 'chat-completions';
  const isMessages = from === 'messages' || through === 'messages';
  const texts = fc.array(text(from, !isMessages), { maxLength: isChat ? 1 : 3 });
  const said = isMessages
    ? texts
    : fc.oneof(
        texts,
        refusal(from).map((block): readonly OutputBlock[] => [block]),
      );
  return fc
    .record({
      reasoning: fc.array(reasoning(from), { maxLength: 3 }),
      said,
      calls: fc.array(toolCall(from, !isMessages), { maxLength: 3 }),
      stop: fc.constantFrom<Stop>({ reason: 'end' }, { reason: 'length' }, { reason: 'refusal' }),
      usage: tokenUsage,
      service_tier: fc.constantFrom('default', 'priority'),
      bareId: fc.stringMatching(/^[A-Za-z0-9]{1,24}$/),
    })
    .map(({ reasoning, said, calls, stop, usage, service_tier, bareId }) => ({
      id: bareId,
      model: 'm',
      created: context.created,
      content: [...oneOfPlain(reasoning), ...said, ...calls],
      stop: agreeWithCalls(stop, calls.length > 0),
      usage,
      extras: { service_tier },
    }));
}

const words = fc.string({ minLength: 1, maxLength: 20, unit: codePoint });

function text(dialect: Dialect, withLogprobs: boolean): fc.Arbitrary<TextBlock> {
  return fc
    .record({ text: words, url: fc.option(webAddress), title: fc.string(), quote: fc.string(), logprob })
    .map(({ text, url, title, quote, logprob }) => ({
      kind: 'text' as const,
      text,
      ...(url !== null && { citations: [citation(url, title, quote)] }),
      ...(withLogprobs && { logprobs: { list: [logprob], path: '' } }),
      extras: { dialect, fields: {} },
    }));
}

/** Of the whole text, because messages has no others. */
function citation(url: string, title: string, quote: string): Citation {
  return {
    type: 'url',
    url,
    title,
    start: undefined,
    end: undefined,
    quote: quote === '' ? undefined : quote,
    unshared: [],
    path: '',
  };
}

const token = { token: fc.string(), logprob: fc.integer(), bytes: fc.array(fc.nat(255)) };
const logprob = fc.record({ ...token, top_logprobs: fc.array(fc.record(token), { maxLength: 2 }) });

function refusal(dialect: Dialect): fc.Arbitrary<OutputBlock> {
  return words.map((text) => ({ kind: 'refusal' as const, text, extras: { dialect, fields: {} } }));
}

function toolCall(dialect: Dialect, isText: boolean): fc.Arbitrary<ToolCallBlock> {
  return fc
    .record({
      id: words,
      name: words,
      // Messages has objects only: others are wrapped, and named as lost.
      input: fc.oneof(
        fc.dictionary(fc.string(), fc.jsonValue()).map((input) => JSON.stringify(input)),
        ...(isText ? [fc.constant('{"cut": ')] : []),
      ),
      isCustom: isText ? fc.boolean() : fc.constant(false),
    })
    .map((call) => ({
      kind: 'tool-call' as const,
      ...call,
      extras: { dialect, fields: {} },
      path: '',
      inputPath: '',
    }));
}

function reasoning(dialect: Dialect): fc.Arbitrary<ReasoningBlock> {
  return parts[dialect].map((part) => ({
    kind: 'reasoning' as const,
    text: visibleText(part),
    isSummary: false,
    original: { dialect, part },
    path: '',
  }));
}

const parts: Readonly<Record<Dialect, fc.Arbitrary<JsonObject>>> = {
  'chat-completions': fc.oneof(
    words.map((text) => ({ reasoning_content: text })),
    fc.record({ type: fc.constant('reasoning.text'), text: words, format: fc.constant('google-gemini-v1') }),
    fc.record({
      type: fc.constant('reasoning.encrypted'),
      data: words,
      id: words,
      format: fc.constant('google-gemini-v1'),
    }),
  ),
  messages: fc.oneof(
    fc.record({ type: fc.constant('thinking'), thinking: fc.string(), signature: fc.string() }),
    fc.record({ type: fc.constant('thinking'), thinking: fc.string() }),
    fc.record({ type: fc.constant('redacted_thinking'), data: fc.string() }),
  ),
  responses: fc.record(
    {
      id: fc.uuid(),
      type: fc.constant('reasoning'),
      summary: fc.array(fc.record({ type: fc.constant('summary_text'), text: fc.string() })),
      encrypted_content: fc.string(),
      status: fc.constant('completed'),
    },
    { requiredKeys: ['id', 'type', 'summary'] },
  ),
};

function visibleText(part: JsonObject): string {
  return [part.reasoning_content, part.text, part.thinking].find((text) => typeof text === 'string') ?? '';
}

/** A message has either details, of which there may be several, or one plain text. */
function oneOfPlain(blocks: readonly ReasoningBlock[]): readonly ReasoningBlock[] {
  const isPlain = ({ original }: ReasoningBlock) => Object.hasOwn(original.part, 'reasoning_content');
  const [first] = blocks;
  return first !== undefined && isPlain(first) ? [first] : blocks.filter((block) => !isPlain(block));
}

const tokenUsage = fc
  .record({
    uncached: fc.nat(100_000_000),
    cacheRead: fc.nat(100_000_000),
    cacheWrite: fc.nat(100_000_000),
    output: fc.nat(100_000_000),
    reasoning: fc.nat(100_000_000),
    cost: fc.option(fc.constantFrom(0, 0.25), { nil: undefined }),
  })
  .map(({ uncached, ...usage }) => ({ ...usage, input: uncached + usage.cacheRead + usage.cacheWrite }));

/** Objects with names and values of all dialects in places where they do not belong. */
const oddBodies: fc.Arbitrary<JsonObject> = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom('', 'x', 1, -1, 0.5, true, null),
    fc.constantFrom('text', 'tool_use', 'thinking', 'message', 'function_call', 'output_text', 'reasoning'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.constantFrom(
      ...['id', 'type', 'choices', 'message', 'content', 'output', 'usage', 'model', 'created', 'text'],
      ...['tool_calls', 'function', 'name', 'arguments', 'input', 'annotations', 'citations', 'logprobs'],
      ...['reasoning_details', 'reasoning', 'summary', 'refusal', 'audio', 'finish_reason', 'stop_reason'],
      ...['status', 'incomplete_details', 'url', 'prompt_tokens_details', '__proto__', 'constructor'],
    ),
    tie('value'),
    { maxKeys: 12 },
  ) as fc.Arbitrary<JsonObject>,
})).object;

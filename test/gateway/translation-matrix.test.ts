import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json-object.ts';
import { asObject, asObjects } from '../../src/core/json/loose-json.ts';
import { type Dialect, dialects } from '../../src/core/presets/preset.ts';
import { dialectOf } from '../../src/dialects/dialects.ts';
import { eventsOf, foldStream, namedLosses } from '../support/fold-stream.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import { nextRequest } from '../support/next-request.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { streamOf } from '../support/stream-of.ts';
import {
  errors,
  type Feature,
  requestFeatures,
  responseFeatures,
  returnedReasoning,
} from '../support/translated-features.ts';
import { json, stream } from '../support/upstream-scripts.ts';
import { pathOf } from '../support/wire/recordings.ts';

/** Sends every feature through every pair of dialects, and writes docs/translation.md. */

const chat = 'chat-completions';
const pairs = dialects.flatMap((client) =>
  dialects.filter((upstream) => upstream !== client).map((upstream) => ({ client, upstream })),
);
type Pair = (typeof pairs)[number];
const pairOf = ({ client, upstream }: Pair) => `${names[client]} → ${names[upstream]}`;
const names: Readonly<Record<Dialect, string>> = {
  [chat]: 'chat',
  messages: 'messages',
  responses: 'responses',
};

/** The fate of a feature. Nothing else may happen to it: no cell is left blank. */
type Outcome =
  | { readonly kind: 'carried' | 'absent' }
  | { readonly kind: 'named' | 'refused'; readonly paths: readonly string[] };

let upstreams: Readonly<Record<Dialect, ScriptedUpstream>>;
let server: GatewayServer;
beforeAll(async () => {
  const started = await startUpstreams(3);
  upstreams = Object.fromEntries(dialects.map((dialect, at) => [dialect, started[at]])) as typeof upstreams;
  server = await startWithFile({
    upstreams: dialects.map((dialect) =>
      compatible(dialect, upstreams[dialect], { dialects: [dialect], models: [`${dialect}/*`] }),
    ),
  });
});
afterAll(async () => {
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
  await server.stop();
});

const question: Readonly<Record<Dialect, JsonObject>> = {
  [chat]: { messages: [{ role: 'user', content: 'Hi' }] },
  messages: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 99 },
  responses: { input: 'Hi' },
};

const answer: Readonly<Record<Dialect, JsonObject>> = {
  [chat]: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
  },
  messages: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 2 },
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: 'm',
    output: [
      {
        id: 'item_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
      },
    ],
    usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
  },
};

/** Sends a request of the client to the upstream, which answers as a whole or as a stream. */
async function exchange(
  { client, upstream }: Pair,
  request: JsonObject,
  reply: JsonObject,
  isStream: boolean,
) {
  upstreams[upstream].clear();
  upstreams[upstream].respondAlways(isStream ? stream(streamOf(upstream, reply)) : json(reply));
  const response = await server.post(`/api/v1${pathOf[client]}`, {
    model: `${upstream}/m`,
    ...question[client],
    ...request,
    ...(isStream && { stream: true, ...(client === chat && { stream_options: { include_usage: true } }) }),
  });
  const dropped = response.headers.get('x-presetd-dropped-fields');
  return {
    status: response.status,
    text: response.text,
    sent: asObject(upstreams[upstream].requests[0]?.body),
    droppedFields: dropped === null ? [] : dropped.split(', ').map(decodeURIComponent),
  };
}

async function sendFeature(pair: Pair, feature: Feature, isStream: boolean): Promise<Outcome> {
  const [form] = listOf(feature.forms[pair.client]);
  if (form === undefined) return { kind: 'absent' };
  const { status, text, sent, droppedFields } = await exchange(pair, form, answer[pair.upstream], isStream);
  if (status === 400) return { kind: 'refused', paths: refusedPaths(text) };
  expect(status).toBe(200);
  return outcomeOfForm(sent, formsOf(feature, pair.upstream), droppedFields);
}

async function receiveFeature(pair: Pair, feature: Feature, isStream: boolean): Promise<Outcome> {
  const [form] = listOf(feature.forms[pair.upstream]);
  if (form === undefined) return { kind: 'absent' };
  const reply = withDefaults(form, answer[pair.upstream]);
  const customTools = { tools: [customTool[pair.client]] };
  const { status, text } = await exchange(pair, customTools, reply, isStream);
  expect(status).toBe(200);
  const dropped = isStream ? namedLosses(text) : asObject(JSON.parse(text).presetd).dropped_fields;
  const received = isStream ? await foldStream(pair.client, text) : JSON.parse(text);
  return outcomeOfForm(received, formsOf(feature, pair.client), Array.isArray(dropped) ? dropped : []);
}

/** A feature must be named as lost if and only if it does not arrive. */
function outcomeOfForm(value: unknown, forms: readonly JsonObject[], dropped: readonly string[]): Outcome {
  const isCarried = forms.some((form) => contains(normalize(value), normalize(form)));
  expect({ value, dropped }).toSatisfy(() => isCarried === (dropped.length === 0));
  return isCarried ? { kind: 'carried' } : { kind: 'named', paths: dropped };
}

/** Receives reasoning and sends it back as a client does, with the rest of the assistant's turn. */
async function returnReasoning(pair: Pair, part: JsonObject, isStream: boolean): Promise<Outcome> {
  const { text } = await exchange(pair, {}, thinking(pair.upstream, part), isStream);
  const received = isStream ? await foldStream(pair.client, text) : JSON.parse(text);
  const { sent } = await exchange(pair, nextRequest(pair.client, received), answer[pair.upstream], isStream);
  const turn = asObjects(sent.messages ?? sent.input);
  const parts = pair.upstream === 'messages' ? turn.flatMap(({ content }) => asObjects(content)) : turn;
  expect(parts).toContainEqual(pair.upstream === chat ? expect.objectContaining(part) : part);
  return { kind: 'carried' };
}

async function receiveError({ client, upstream }: Pair, isInside: boolean): Promise<Outcome> {
  upstreams[upstream].clear();
  const started = streamOf(upstream, answer[upstream]).split('\n\n').slice(0, 2).join('\n\n');
  upstreams[upstream].respondAlways(
    isInside
      ? stream(`${started}\n\n${errorEvent(upstream)}`)
      : json(errors[upstream], 429, { 'retry-after': '7' }),
  );
  const request = { model: `${upstream}/m`, ...question[client], stream: isInside };
  const { status, text } = await server.post(`/api/v1${pathOf[client]}`, request);
  expect(status).toBe(isInside ? 200 : 429);
  const error = isInside ? eventsOf(text).at(-1) : JSON.parse(text);
  expect(client === 'responses' && isInside ? asObject(error).response : error).toMatchObject({
    error: { message: 'Slow down.' },
  });
  if (client === 'messages') expect(error.type).toBe('error');
  return { kind: 'carried' };
}

/** An error that looks like a response. The messages API has no word for one. */
async function receiveFailure({ client, upstream }: Pair, isStream: boolean): Promise<Outcome> {
  const failed = failures[upstream];
  if (failed === undefined) return { kind: 'absent' };
  const reply = withDefaults(failed, answer[upstream]);
  const { status, text } = await exchange({ client, upstream }, {}, reply, isStream);
  expect(status).toBe(isStream ? 200 : 502);
  expect(isStream ? eventsOf(text).at(-1) : JSON.parse(text)).toMatchObject(
    client === 'responses' && isStream ? { type: 'response.failed' } : { error: expect.any(Object) },
  );
  return { kind: 'carried' };
}

const failures: Readonly<Partial<Record<Dialect, JsonObject>>> = {
  [chat]: { choices: [{ message: { content: 'Hi' }, finish_reason: 'error' }] },
  responses: { status: 'cancelled' },
};

function errorEvent(dialect: Dialect): string {
  const error = errors[dialect];
  if (dialect === 'responses')
    return `event: error\ndata: ${JSON.stringify({ ...asObject(error.error), type: 'error' })}\n\n`;
  return `${dialect === 'messages' ? 'event: error\n' : ''}data: ${JSON.stringify(error)}\n\n`;
}

const customTool: Readonly<Record<Dialect, JsonObject>> = {
  [chat]: { type: 'custom', custom: { name: 'patch' } },
  messages: { name: 'patch', input_schema: { type: 'object' } },
  responses: { type: 'custom', name: 'patch' },
};

function thinking(dialect: Dialect, part: JsonObject): JsonObject {
  const body = answer[dialect];
  if (dialect === 'messages') return { ...body, content: [part, ...asObjects(body.content)] };
  if (dialect === 'responses') return { ...body, output: [part, ...asObjects(body.output)] };
  const [choice] = asObjects(body.choices);
  return { ...body, choices: [{ ...choice, message: { ...asObject(choice?.message), ...part } }] };
}

function refusedPaths(text: string): readonly string[] {
  const { error } = JSON.parse(text);
  const issues = asObjects(error.metadata?.issues ?? error.issues);
  return issues.map(({ path }) => `${path}`.slice(1));
}

function formsOf({ forms, others }: Feature, dialect: Dialect): readonly JsonObject[] {
  return [...listOf(forms[dialect]), ...listOf(others?.[dialect])];
}

function listOf(forms: Feature['forms'][Dialect]): readonly JsonObject[] {
  if (forms === undefined) return [];
  return Array.isArray(forms) ? forms : [forms as JsonObject];
}

/** Fills in what every response has, within the first choice and in items too. */
function withDefaults(form: JsonObject, body: JsonObject): JsonObject {
  const choices = asObjects(form.choices).map((choice, index) => ({
    index,
    ...choice,
    message: { role: 'assistant', content: null, ...asObject(choice.message) },
  }));
  const output = asObjects(form.output).map((item, index) => ({
    id: `item_${index}`,
    ...(item.type !== 'reasoning' && { status: 'completed' }),
    ...item,
  }));
  return {
    ...body,
    ...form,
    ...(form.choices !== undefined && { choices }),
    ...(form.output !== undefined && { output }),
  };
}

/** Whether a value has all that is expected: more fields, and more items in between, are fine. */
function contains(value: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(value)) return false;
    let at = 0;
    for (const item of value) if (at < expected.length && contains(item, expected[at])) at += 1;
    return at === expected.length;
  }
  if (typeof expected !== 'object' || expected === null) return Object.is(value, expected);
  const object = asObject(value);
  return Object.entries(expected).every(([name, field]) => contains(object[name], field));
}

/** A string is short for one text part. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const [part, ...others] = Array.isArray(field) ? asObjects(field) : [];
      const isText = name === 'content' && others.length === 0 && `${part?.type}`.endsWith('text');
      return [
        name,
        isText && Object.keys(part ?? {}).length <= 4 && isPlain(part) ? part?.text : normalize(field),
      ];
    }),
  );
}

function isPlain(part: JsonObject | undefined): boolean {
  return Object.entries(part ?? {}).every(
    ([name, value]) => name === 'type' || name === 'text' || value === null || asList(value).length === 0,
  );
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

interface Row {
  readonly title: string;
  readonly run: (pair: Pair, isStream: boolean) => Promise<Outcome>;
}

const tables: Readonly<Record<string, Readonly<Record<string, readonly Row[]>>>> = {
  'What a client asks': Object.fromEntries(
    Object.entries(requestFeatures).map(([group, features]) => [
      group,
      features.map((feature) => ({
        title: feature.title,
        run: (pair, isStream) => sendFeature(pair, feature, isStream),
      })),
    ]),
  ),
  'What the model answers': {
    ...Object.fromEntries(
      Object.entries(responseFeatures).map(([group, features]) => [
        group,
        features.map(
          (feature): Row => ({
            title: feature.title,
            run: (pair, isStream) => receiveFeature(pair, feature, isStream),
          }),
        ),
      ]),
    ),
    Errors: [
      { title: 'Before the response', run: (pair) => receiveError(pair, false) },
      { title: 'Inside a stream', run: (pair) => receiveError(pair, true) },
      { title: 'As the reason why it stopped', run: receiveFailure },
    ],
  },
  'What the client sends back unchanged': {
    Reasoning: returnedReasoning.map(({ title, upstream, part }) => ({
      title,
      run: async (pair, isStream) =>
        pair.upstream === upstream ? returnReasoning(pair, part, isStream) : { kind: 'absent' },
    })),
  },
};

type Outcomes = readonly [whole: Outcome, streamed: Outcome];
const outcomes = new Map<Row, Map<Pair, Promise<Outcomes>>>();

/** Of the whole response and of the stream. Each call is made once. */
function outcomeOf(row: Row, pair: Pair): Promise<Outcomes> {
  const ofRow = outcomes.get(row) ?? new Map<Pair, Promise<Outcomes>>();
  outcomes.set(row, ofRow);
  const outcome = ofRow.get(pair) ?? runBoth(row, pair);
  ofRow.set(pair, outcome);
  return outcome;
}

async function runBoth({ run }: Row, pair: Pair): Promise<Outcomes> {
  return [await run(pair, false), await run(pair, true)];
}

const rows = Object.values(tables).flatMap((groups) => Object.values(groups).flat());

it.each(rows.flatMap((row) => pairs.map((pair) => [row.title, pairOf(pair), row, pair] as const)))(
  '%s, %s: has the same translation, streamed or not',
  async (_title, _pair, row, pair) => {
    const [whole, streamed] = await outcomeOf(row, pair);
    expect(streamed).toEqual(whole);
  },
);

it('the matrix has a row for every concept that a request field expresses', () => {
  const features = Object.values(requestFeatures).flat();
  const all = dialects
    .flatMap((dialect) => dialectOf[dialect].concepts.fields)
    .flatMap(([, concepts]) => concepts);
  const shown = dialects.flatMap((dialect) => {
    const forms = features.flatMap((feature) => formsOf(feature, dialect));
    return dialectOf[dialect].concepts.fields
      .filter(([[field, part]]) =>
        forms.some((form) => Object.hasOwn(part === undefined ? form : asObject(form[field]), part ?? field)),
      )
      .flatMap(([, concepts]) => concepts);
  });
  // The gateway tries fallbacks itself.
  expect(new Set(all).difference(new Set(shown))).toEqual(new Set(['fallbackModels']));
});

it('docs/translation.md shows the current translation matrix', async () => {
  const sections: string[] = [];
  for (const [heading, groups] of Object.entries(tables)) {
    sections.push(`## ${heading}`, '', `| | ${pairs.map(pairOf).join(' | ')} | Named as |`);
    sections.push(`|---|${pairs.map(() => '---|').join('')}---|`);
    for (const [group, groupRows] of Object.entries(groups)) {
      sections.push(`| **${group}** |${' |'.repeat(pairs.length + 1)}`);
      for (const row of groupRows) sections.push(await describeRow(row));
    }
    sections.push('');
  }
  await expect([...introduction, ...sections].join('\n')).toMatchFileSnapshot('../../docs/translation.md');
});

async function describeRow(row: Row): Promise<string> {
  const found: Outcome[] = [];
  for (const pair of pairs) found.push((await outcomeOf(row, pair))[0]);
  const paths = new Set(found.flatMap((outcome) => ('paths' in outcome ? outcome.paths : [])));
  const cells = found.map(({ kind }) => words[kind]);
  return `| ${row.title} | ${cells.join(' | ')} | ${[...paths].map((path) => `\`${path}\``).join(', ')} |`;
}

const words: Readonly<Record<Outcome['kind'], string>> = {
  carried: 'yes',
  named: 'lost',
  refused: '400',
  absent: '–',
};

const introduction = [
  '# What is translated',
  '',
  'What arrives when a client calls a model of another dialect (see',
  '[Call a model of another dialect](gateway.md#call-a-model-of-another-dialect)). A column',
  '`chat → messages` is a chat completions client and an upstream with the messages API. Every cell is',
  'the result of a test with a whole response and with a stream; both always agree.',
  '',
  '- **yes**: it arrives.',
  '- **lost**: the other dialect cannot express it. It is named as in the last column, for a request in',
  '  `x-presetd-dropped-fields` and for a response in `presetd.dropped_fields`.',
  '- **400**: the request is refused, because without it the model would answer another question.',
  '- **–**: the dialect it would come from cannot express it.',
  '',
  'One loss is not named, because every response would name it: the messages API has no creation time.',
  'Its clients find the time in the header `date`.',
  '',
];

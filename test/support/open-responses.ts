import { Ajv } from 'ajv';
import { Type } from '../../src/core/type.ts';
import { parseEvents } from './event-stream.ts';

/**
 * The rules of the Open Responses specification for responses and streams, from the OpenAPI
 * document of its version 2026-04-24. Extensions are allowed, as there.
 *
 * One name is OpenAI's instead, because its SDKs know no other: reasoning text streams as
 * `response.reasoning_text`, not `response.reasoning`. For them, an `error` event also has the
 * fields of its `error`.
 */

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const oneOf = <const Values extends readonly string[]>(...values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values });
const text = Type.String();
const integer = Type.Integer();
const status = oneOf('in_progress', 'completed', 'incomplete');

const logprob = { token: text, logprob: Type.Number(), bytes: Type.Array(integer) };
const Logprobs = Type.Array(
  Type.Object({ ...logprob, top_logprobs: Type.Array(Type.Object({ ...logprob })) }),
);

const Annotation = Type.Object({
  type: Type.Literal('url_citation'),
  url: text,
  title: text,
  start_index: integer,
  end_index: integer,
});

const OutputText = Type.Object({
  type: Type.Literal('output_text'),
  text,
  annotations: Type.Array(Annotation),
  logprobs: Type.Optional(Logprobs),
});
const Refusal = Type.Object({ type: Type.Literal('refusal'), refusal: text });
const ReasoningText = Type.Object({ type: Type.Literal('reasoning_text'), text });
const SummaryText = Type.Object({ type: Type.Literal('summary_text'), text });

const Item = Type.Union([
  Type.Object({
    type: Type.Literal('message'),
    id: text,
    status,
    role: oneOf('assistant'),
    content: Type.Array(Type.Union([OutputText, Refusal])),
    phase: Type.Optional(oneOf('commentary', 'final_answer')),
  }),
  Type.Object({
    type: Type.Literal('function_call'),
    id: text,
    call_id: text,
    name: text,
    arguments: text,
    status,
  }),
  Type.Object({
    type: Type.Literal('reasoning'),
    id: text,
    summary: Type.Array(SummaryText),
    content: Type.Optional(Type.Array(ReasoningText)),
    encrypted_content: Type.Optional(text),
  }),
]);

const FunctionTool = Type.Object({
  type: Type.Literal('function'),
  name: text,
  description: nullable(text),
  parameters: nullable(Type.Record(text, Type.Unknown())),
  strict: nullable(Type.Boolean()),
});

const ToolChoice = Type.Union([
  oneOf('none', 'auto', 'required'),
  Type.Object({ type: Type.Literal('function'), name: text }),
  Type.Object({ type: Type.Literal('allowed_tools'), tools: Type.Array(Type.Unknown()), mode: text }),
]);

const TextFormat = Type.Union([
  Type.Object({ type: oneOf('text', 'json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    name: text,
    description: nullable(text),
    schema: Type.Unknown(),
    strict: Type.Boolean(),
  }),
]);

const Usage = Type.Object({
  input_tokens: integer,
  output_tokens: integer,
  total_tokens: integer,
  input_tokens_details: Type.Object({ cached_tokens: integer }),
  output_tokens_details: Type.Object({ reasoning_tokens: integer }),
});

/** Every field is required, also those that are null. */
const Response = Type.Object({
  id: text,
  object: Type.Literal('response'),
  created_at: integer,
  completed_at: nullable(integer),
  status: oneOf('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'),
  incomplete_details: nullable(Type.Object({ reason: text })),
  model: text,
  previous_response_id: nullable(text),
  instructions: nullable(text),
  output: Type.Array(Item),
  error: nullable(Type.Object({ code: text, message: text })),
  tools: Type.Array(FunctionTool),
  tool_choice: ToolChoice,
  truncation: oneOf('auto', 'disabled'),
  parallel_tool_calls: Type.Boolean(),
  text: Type.Object({ format: TextFormat, verbosity: Type.Optional(oneOf('low', 'medium', 'high')) }),
  top_p: Type.Number(),
  presence_penalty: Type.Number(),
  frequency_penalty: Type.Number(),
  top_logprobs: integer,
  temperature: Type.Number(),
  reasoning: nullable(Type.Object({ effort: nullable(text), summary: nullable(text) })),
  usage: nullable(Usage),
  max_output_tokens: nullable(integer),
  max_tool_calls: nullable(integer),
  store: Type.Boolean(),
  background: Type.Boolean(),
  service_tier: text,
  metadata: Type.Unknown(),
  safety_identifier: nullable(text),
  prompt_cache_key: nullable(text),
});

const errorType = oneOf('server_error', 'invalid_request', 'not_found', 'model_error', 'too_many_requests');
const ofError = { code: nullable(text), message: text, param: nullable(text) };

/** Its `code` is OpenRouter's: the status. The specification would have a string or null. */
const ErrorBody = Type.Object({
  error: Type.Object({ type: errorType, code: integer, message: text, param: nullable(text) }),
});

/** An error over a WebSocket. */
const SocketError = Type.Object({
  type: Type.Literal('error'),
  status: integer,
  error: Type.Object({ type: errorType, code: text, message: text, param: nullable(text) }),
});

const inItem = { item_id: text, output_index: integer };
const inContent = { ...inItem, content_index: integer };
const inSummary = { ...inItem, summary_index: integer };
const ofResponse = { response: Response };
const ofItem = { output_index: integer, item: Item };
const ofPart = { ...inContent, part: Type.Union([OutputText, Refusal, ReasoningText]) };
const delta = { delta: text };

/** The fields of each event, besides its type and number. */
const eventFields = {
  'response.created': ofResponse,
  'response.in_progress': ofResponse,
  'response.completed': ofResponse,
  'response.incomplete': ofResponse,
  'response.failed': ofResponse,
  'response.output_item.added': ofItem,
  'response.output_item.done': ofItem,
  'response.content_part.added': ofPart,
  'response.content_part.done': ofPart,
  'response.output_text.delta': { ...inContent, ...delta, logprobs: Type.Optional(Logprobs) },
  'response.output_text.done': { ...inContent, text, logprobs: Type.Optional(Logprobs) },
  'response.output_text.annotation.added': {
    ...inContent,
    annotation_index: integer,
    annotation: Annotation,
  },
  'response.refusal.delta': { ...inContent, ...delta },
  'response.refusal.done': { ...inContent, refusal: text },
  'response.function_call_arguments.delta': { ...inItem, ...delta },
  'response.function_call_arguments.done': { ...inItem, arguments: text },
  'response.reasoning_text.delta': { ...inContent, ...delta },
  'response.reasoning_text.done': { ...inContent, text },
  'response.reasoning_summary_part.added': { ...inSummary, part: SummaryText },
  'response.reasoning_summary_part.done': { ...inSummary, part: SummaryText },
  'response.reasoning_summary_text.delta': { ...inSummary, ...delta },
  'response.reasoning_summary_text.done': { ...inSummary, text },
  error: { ...ofError, error: Type.Object({ type: errorType, ...ofError }) },
} as const;

const Compaction = Type.Object({
  id: text,
  object: Type.Literal('response.compaction'),
  created_at: integer,
  output: Type.Array(
    Type.Union([Item, Type.Object({ type: Type.Literal('compaction'), id: text, encrypted_content: text })]),
  ),
  usage: Usage,
});

const ajv = new Ajv({ strict: false });
const checkCompaction = ajv.compile(Compaction);
const checkResponse = ajv.compile(Response);
const checkErrorBody = ajv.compile(ErrorBody);
const checkSocketError = ajv.compile(SocketError);
const checkers = new Map(
  Object.entries(eventFields).map(([type, fields]) => [
    type,
    ajv.compile(Type.Object({ type: Type.Literal(type), sequence_number: integer, ...fields })),
  ]),
);

/** The problems of a response; empty if it follows the specification. */
export function findResponseIssues(response: unknown): readonly string[] {
  return checkResponse(response) ? [] : [ajv.errorsText(checkResponse.errors)];
}

/** The problems of an error of presetd's own; empty if it follows the specification. */
export function findErrorIssues(body: unknown): readonly string[] {
  return checkErrorBody(body) ? [] : [ajv.errorsText(checkErrorBody.errors)];
}

/** The problems of an error over a WebSocket; empty if it follows the specification. */
export function findSocketErrorIssues(event: unknown): readonly string[] {
  return checkSocketError(event) ? [] : [ajv.errorsText(checkSocketError.errors)];
}

/** The problems of a compaction; empty if it follows the specification. */
export function findCompactionIssues(compaction: unknown): readonly string[] {
  return checkCompaction(compaction) ? [] : [ajv.errorsText(checkCompaction.errors)];
}

// biome-ignore lint/suspicious/noExplicitAny: tests examine events; a type would assume the result
export type ResponseEvent = any;

/**
 * The events of a stream, without the `[DONE]` that has to end it. Throws if an event has no JSON,
 * or a name that is not its type.
 */
export function parseResponseStream(stream: string): readonly ResponseEvent[] {
  const { events, rest } = parseEvents(stream);
  if (rest !== '' || events.at(-1)?.data !== '[DONE]') throw new Error(`the stream has no end: ${stream}`);
  return events.slice(0, -1).map(({ name, data = '' }) => {
    const event = JSON.parse(data);
    if (event.type !== name) throw new Error(`the event ${name} is of type ${event.type}`);
    return event;
  });
}

/** The problems of a stream's events and of their order; empty if there are none. */
export function findStreamIssues(events: readonly ResponseEvent[]): readonly string[] {
  return [...events.flatMap(findEventIssues), ...findOrderIssues(events)];
}

function findEventIssues(event: ResponseEvent): readonly string[] {
  const check = checkers.get(event.type);
  if (check === undefined) return [`unknown event ${event.type}`];
  return check(event) ? [] : [`${event.type}: ${ajv.errorsText(check.errors)}`];
}

/**
 * Numbers count up from 0. `response.created` and `response.in_progress` come first and one final
 * event last. Between them, items open and close one after the other, and so do the parts in them,
 * whose deltas add up to the finished text.
 */
function findOrderIssues(events: readonly ResponseEvent[]): readonly string[] {
  const issues: string[] = [];
  const expect = (is: boolean, issue: string) => {
    if (!is) issues.push(issue);
  };
  const types = events.map(({ type }) => type);
  const isFinal = (type: string) => /^response\.(completed|incomplete|failed)$/.test(type);
  expect(
    events.every(({ sequence_number: number }, index) => number === index),
    'the numbers do not count up',
  );
  expect(
    types.slice(0, 2).join() === 'response.created,response.in_progress',
    'the stream does not start with response.created and response.in_progress',
  );
  expect(types.filter(isFinal).length === 1 && isFinal(types.at(-1)), 'there is not one final event');
  const done: unknown[] = [];
  let item: string | undefined;
  let part: number | undefined;
  let written = '';
  for (const event of events.slice(2, -1)) {
    const { type, item_id: id, output_index: index } = event;
    if (type === 'error') continue;
    expect(index === done.length, `${type} has the output_index ${index}`);
    if (type === 'response.output_item.added') {
      expect(item === undefined, `${event.item.id} starts within ${item}`);
      item = event.item.id;
      written = '';
    } else if (type === 'response.output_item.done') {
      expect(item === event.item.id && part === undefined, `${event.item.id} ends but is not open`);
      done.push(event.item);
      item = undefined;
    } else {
      expect(id === item, `${type} is in ${id}, not in the open item`);
      const place = event.content_index ?? event.summary_index;
      if (type.endsWith('_part.added')) {
        expect(part === undefined, `part ${place} starts within another`);
        part = place;
        written = '';
      } else expect(place === part, `${type} is in part ${place}, not in the open part`);
      if (type.endsWith('.delta')) written += event.delta;
      else if (type.endsWith('_part.done')) part = undefined;
      else if (type.endsWith('.done'))
        expect(
          (event.text ?? event.refusal ?? event.arguments) === written,
          `${type} does not repeat its deltas`,
        );
    }
  }
  expect(item === undefined || types.at(-1) === 'response.failed', `${item} does not end`);
  expect(
    JSON.stringify(events.at(-1).response?.output) === JSON.stringify(done),
    'the final output is not that of the items',
  );
  return issues;
}

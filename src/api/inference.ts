import { headerNames } from '../core/header-names.ts';
import { type Dialect, dialects } from '../core/presets/preset.ts';
import { modelCharactersMax, modelPattern, presetPattern } from '../core/presets/preset-reference.ts';
import { Type } from '../core/type.ts';
import { dialectOf } from '../dialects/dialects.ts';
import { promptReference } from '../dialects/schema/prompt-reference.ts';
import { exampleRequests } from './captures.ts';
import { type Operation, operations } from './operation.ts';
import { documentedPattern, named, ref } from './schema-parts.ts';

/** Model calls in three dialects. */

/** The fields of a call that presetd checks. */
export const modelFields = {
  model: {
    type: ['string', 'null'],
    maxLength: modelCharactersMax,
    ...documentedPattern(modelPattern),
    description: 'A model, a preset as `@preset/slug`, or both as `vendor/model@preset/slug`.',
  },
  models: {
    maxItems: 100,
    items: { maxLength: modelCharactersMax, ...documentedPattern('^((?!@preset/)[\\s\\S])*$') },
    description: 'Fallback models, tried in order after `model`. Presets are not allowed here.',
  },
  preset: {
    type: ['string', 'null'],
    ...documentedPattern(presetPattern),
    description: 'The slug of a preset to apply, optionally pinned: `slug@3` or `slug:label`.',
  },
};

export const CallDraft = named(
  'CallDraft',
  Type.Object(
    {
      dialect: Type.Enum([...dialects], { description: 'The dialect of `request`.' }),
      request: Type.Unsafe<object>({
        type: 'object',
        description: 'As in a capture of that dialect, and validated in the same way.',
      }),
    },
    {
      additionalProperties: false,
      description:
        'A request to run as a version of the preset without saving it. The preset need not exist, and must not be pinned to a version. Requires the right to change presets.',
    },
  ),
);

export type CallDraft = Type.Static<typeof CallDraft.schema>;

/**
 * The documented schema of a call. Captures are validated strictly, but the gateway itself checks
 * very little: an upstream may support fields and values that are newer than this server, so the
 * rest is for the upstream to validate. Known fields are listed without their types.
 */
function callSchema(name: string, requestSchema: string, dialect: Dialect) {
  const forwarded = { description: `Forwarded without validation. Usually as in ${requestSchema}.` };
  return named(
    name,
    Type.Unsafe<object>({
      type: 'object',
      description: `A ${dialect} request. presetd validates \`model\`, \`models\`, \`preset\` and \`prompt\`; the upstream validates the rest.`,
      properties: {
        ...Object.fromEntries(
          Object.keys(dialectOf[dialect].request.fields).map((field) => [field, forwarded]),
        ),
        ...modelFields,
        prompt: promptOf(dialect),
        presetd: {
          type: ['object', 'null'],
          properties: { draft: ref(CallDraft) },
          description:
            'Not forwarded. Everything but `draft` is ignored: it is part of captures, and a captured request can be sent as a call.',
        },
      },
      examples: [exampleRequests[dialect]],
    }),
  );
}

/** Calls are stricter than captures, which ignore the field. */
const PromptReference = named(
  'PromptReference',
  Type.Unsafe<object>({
    ...promptReference,
    properties: {
      ...promptReference.properties,
      id: { ...promptReference.properties.id, ...documentedPattern(presetPattern) },
      prompt_id: { ...promptReference.properties.prompt_id, ...documentedPattern(presetPattern) },
      version: { ...promptReference.properties.version, ...documentedPattern('\\S') },
    },
    additionalProperties: false,
  }),
);

/** A text is OpenRouter's field of the same name, which only chat completions has. */
function promptOf(dialect: Dialect) {
  const isText = dialectOf[dialect].conversation.textField === 'prompt';
  return {
    anyOf: [ref(PromptReference), ...(isText ? [Type.String()] : []), Type.Null()],
    description:
      'Names the preset to apply and passes values for its variables. presetd validates them and does not forward the field.' +
      (isText ? ' A text is forwarded, as a prompt without messages.' : ''),
  };
}

const ChatCompletionsCall = callSchema('ChatCompletionsCall', 'ChatCompletionsRequest', 'chat-completions');
export const MessagesCall = callSchema('MessagesCall', 'MessagesRequest', 'messages');
export const ResponsesCall = callSchema('ResponsesCall', 'ResponsesRequest', 'responses');

/** For the API reference; `CallServer` validates it. */
export const callHeaders = Type.Object({
  [headerNames.dryRun]: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: ['true', 'false'],
      description: '`true`: return the request that would be sent and its upstream, without sending it.',
    }),
  ),
});

/** The response is the upstream's, so its schema is open. These headers are added by presetd. */
export const callResponse = {
  description: 'The response of the upstream, unchanged; for a dry run, the request that would be sent.',
  headers: {
    [headerNames.preset]: {
      type: 'string',
      description: 'The preset version that was applied, such as `support-bot@3` or `support-bot@draft`.',
    },
    'x-upstream-request-id': { type: 'string', description: "The upstream's id of the request." },
    [headerNames.upstream]: { type: 'string', description: 'The upstream that responded.' },
    [headerNames.overheadMs]: {
      type: 'number',
      description: 'Time spent in presetd itself, without waiting for the upstream.',
    },
    [headerNames.overriddenFields]: {
      type: 'string',
      description:
        'Preset fields that the request overrode or removed, by their names in the preset, percent-encoded; `system_prompt` first. Before them, what the policy of the preset changed about the request, as `model;preset`, or `system_prompt;both` if both texts are sent.',
    },
    [headerNames.droppedFields]: {
      type: 'string',
      description: 'Fields that the dialect or the upstream does not support, percent-encoded.',
    },
    [headerNames.fallbacks]: {
      type: 'string',
      description: 'Models that failed or were skipped before, each with the reason: `vendor%2Fmodel;429`.',
    },
  },
  content: {
    'application/json': { type: 'object', additionalProperties: true },
    'text/event-stream': { type: 'string' },
  },
};

/** The ids are OpenRouter's, so that generated clients have the same method names. */
const call = <Body extends Type.TSchema>(id: string, dialect: Dialect, body: Body) =>
  ({
    id,
    tag: 'Inference',
    access: 'model-call',
    accessFor: { 'dry-run': 'A dry run', 'draft-run': 'A call with `presetd.draft`' },
    summary: `Call a model or preset with a ${dialect} request`,
    description:
      'Reference a preset as `"model": "@preset/slug"`, `"model": "vendor/model@preset/slug"`, `"preset": "slug"` or `"prompt": {"id": "slug"}`, optionally pinned to a version: `slug@3` or `slug:label`. ' +
      'Fields of the request override those of the preset, unless its policy says otherwise; `tools` are merged. `prompt.variables` has the values for its variables. `presetd.draft` replaces the version with a request that is not saved. Without a preset the request is forwarded unchanged. ' +
      'Query parameters are forwarded to the upstream.',
    dialect,
    headers: callHeaders,
    body,
    response: callResponse,
    errors: [424, 502, 504],
  }) as const satisfies Operation;

/** OpenAPI has no WebSockets. This is the request that opens one, and the text says the rest. */
const connect = {
  id: 'connectResponses',
  tag: 'Inference',
  access: 'model-call',
  summary: 'Open a WebSocket for responses requests',
  description:
    'As the [Open Responses specification](https://www.openresponses.org/specification) describes it. Connect with the headers of RFC 6455 and your key in `Authorization`. ' +
    'Each message is the body of `POST /responses` (`ResponsesCall`) with `"type": "response.create"`, and presetd sends the events of its stream as messages. Requests of a connection run one after the other. ' +
    'A request that fails gets `{"type": "error", "status": 400, "error": {"type", "code", "message", "param"}}`. ' +
    'The next request can continue the last response by `previous_response_id` even if it is not stored.',
  dialect: 'responses',
  response: {
    status: 101,
    description: 'The connection is a WebSocket from now on.',
    headers: {
      upgrade: { type: 'string', enum: ['websocket'], description: 'The protocol.' },
    },
    body: Type.Null(),
  },
  errors: [400, 426],
} as const satisfies Operation;

export const inferenceOperations = operations({
  'POST /chat/completions': call('sendChatCompletionRequest', 'chat-completions', ref(ChatCompletionsCall)),
  'POST /messages': call('createMessages', 'messages', ref(MessagesCall)),
  'POST /responses': call('createResponses', 'responses', ref(ResponsesCall)),
  'GET /responses': connect,
});

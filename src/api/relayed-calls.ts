import { headerNames } from '../core/header-names.ts';
import type { Dialect } from '../core/presets/preset.ts';
import { Type } from '../core/type.ts';
import { callHeaders, callResponse, MessagesCall, modelFields, ResponsesCall } from './inference.ts';
import { type Operation, operations } from './operation.ts';
import { named, ref } from './schema-parts.ts';

/** Model calls that are passed on without translation, to an upstream that has the endpoint. */

const RelayedCall = named(
  'RelayedCall',
  Type.Unsafe<object>({
    type: 'object',
    description:
      'A request for an endpoint that is passed on. presetd validates `model`, `models` and `preset`; the upstream validates the rest.',
    properties: modelFields,
    examples: [{ model: 'openai/text-embedding-3-small', input: 'Where is my parcel?' }],
  }),
);

const RelayedForm = named(
  'RelayedForm',
  Type.Unsafe<object>({
    type: 'object',
    description:
      'A request for an endpoint that is passed on, as JSON or as a form. presetd reads `model` and `preset`, in JSON also `models`; the upstream validates the rest. Files reach it unchanged.',
    properties: modelFields,
  }),
);

interface RelayedEndpoint {
  readonly summary: string;
  /** If its requests are those of a dialect. */
  readonly dialect?: 'messages' | 'responses';
  /** Media types of responses besides JSON. */
  readonly responseTypes?: readonly string[];
}

const takesModel =
  'Passed on to an upstream that has this endpoint and serves the model, unchanged except for `model`. A preset as `"model": "@preset/slug"`, `"model": "vendor/model@preset/slug"` or `"preset": "slug"` stands for its model.';

const takesPreset = (dialect: Dialect) =>
  `Passed on to an upstream that has this endpoint and serves the model. A preset is applied as in a ${dialect} call, without the fields that this endpoint does not have.`;

const callOf = { messages: MessagesCall, responses: ResponsesCall };

function relay(id: string, { summary, dialect, responseTypes = [] }: RelayedEndpoint) {
  const content = ['application/json', ...responseTypes].map((type) => [
    type,
    type === 'application/json' ? callResponse.content[type] : { type: 'string' },
  ]);
  return {
    id,
    tag: 'Inference',
    access: 'model-call',
    accessFor: { 'dry-run': 'A dry run' },
    summary,
    description: dialect === undefined ? takesModel : takesPreset(dialect),
    dialect: dialect ?? 'chat-completions',
    headers: callHeaders,
    body: ref(dialect === undefined ? RelayedCall : callOf[dialect]),
    response: { ...callResponse, content: Object.fromEntries(content) },
    errors: [424, 502, 504],
  } as const satisfies Operation;
}

const relayForm = (id: string, endpoint: RelayedEndpoint) =>
  ({
    ...relay(id, endpoint),
    body: ref(RelayedForm),
    bodyTypes: ['application/json', 'multipart/form-data'],
  }) as const satisfies Operation;

const events = 'text/event-stream';

const countTokens = {
  ...relay('countMessagesTokens', { summary: 'Count the tokens of a messages request', dialect: 'messages' }),
  description:
    'Passed on if the upstream of the model has this endpoint. Otherwise presetd counts the tokens of the request that the upstream would get, and the response has the header `x-presetd-estimated: true`. A preset is applied as in a messages call.',
  response: {
    ...callResponse,
    headers: {
      ...callResponse.headers,
      [headerNames.estimated]: {
        type: 'string',
        enum: ['true'],
        description: 'Present if presetd counted the tokens itself.',
      },
    },
    content: { 'application/json': callResponse.content['application/json'] },
  },
} as const satisfies Operation;

/** The ids are OpenRouter's where it has the endpoint, and otherwise OpenAI's. */
export const relayedOperations = operations({
  'POST /completions': relay('createCompletion', { summary: 'Complete a text', responseTypes: [events] }),
  'POST /embeddings': relay('createEmbeddings', { summary: 'Create embeddings' }),
  'POST /rerank': relay('createRerank', { summary: 'Rank documents by relevance' }),
  'POST /moderations': relay('createModeration', { summary: 'Classify text or images as harmful' }),
  'POST /images': relay('createImages', {
    summary: "Create images with OpenRouter's endpoint",
    responseTypes: [events],
  }),
  'POST /images/generations': relay('createImage', { summary: 'Create images', responseTypes: [events] }),
  'POST /audio/speech': relay('createAudioSpeech', {
    summary: 'Turn text into speech',
    responseTypes: ['audio/*', 'application/octet-stream', events],
  }),
  'POST /messages/count_tokens': countTokens,
  'POST /responses/input_tokens': relay('countResponsesInputTokens', {
    summary: 'Count the tokens of a responses request',
    dialect: 'responses',
  }),
  'POST /responses/compact': relay('compactResponses', {
    summary: 'Compact a responses conversation',
    dialect: 'responses',
  }),
});

/** These take files, as a form. */
export const formOperations = operations({
  'POST /images/edits': relayForm('createImageEdit', { summary: 'Edit images', responseTypes: [events] }),
  'POST /images/variations': relayForm('createImageVariation', { summary: 'Create variations of an image' }),
  'POST /audio/transcriptions': relayForm('createAudioTranscriptions', {
    summary: 'Transcribe audio',
    responseTypes: ['text/plain', 'text/vtt', events],
  }),
  'POST /audio/translations': relayForm('createAudioTranslations', {
    summary: 'Translate audio into English text',
    responseTypes: ['text/plain', 'text/vtt'],
  }),
});

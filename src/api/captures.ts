import { headerNames } from '../core/header-names.ts';
import type { Dialect } from '../core/presets/preset.ts';
import { Type } from '../core/type.ts';
import { captureSchema } from '../dialects/presets/request-schema.ts';
import { uncapturedFieldsMax, uncapturedReasons } from '../dialects/presets/uncaptured-fields.ts';
import { type Operation, operations } from './operation.ts';
import { ifMatch, ifNoneMatchAny, slugParams, workspaceQuery } from './preset-parameters.ts';
import { Preset, PresetPreview } from './presets.ts';
import { named, ref, warnings } from './schema-parts.ts';

/** Captures: each creates a preset, or its next version, from a request in one of the dialects. */

/** The API reference shows these, and its "Try it out" sends them as they are: keep them valid. */
export const exampleRequests: Readonly<Record<Dialect, object>> = {
  'chat-completions': {
    model: 'openai/gpt-5',
    temperature: 0.2,
    messages: [
      { role: 'system', content: 'You answer for Acme. Be brief and kind.' },
      { role: 'user', content: 'Where is my parcel?' },
    ],
  },
  messages: {
    model: 'anthropic/claude-opus-5',
    max_tokens: 1024,
    system: 'You answer for Acme. Be brief and kind.',
    messages: [{ role: 'user', content: 'Where is my parcel?' }],
  },
  responses: {
    model: 'openai/gpt-5',
    reasoning: { effort: 'low' },
    instructions: 'You answer for Acme. Be brief and kind.',
    input: 'Where is my parcel?',
  },
};

const requestSchema = (name: string, dialect: Dialect) =>
  named(name, Type.Unsafe<object>({ ...captureSchema(dialect), examples: [exampleRequests[dialect]] }));

const ChatCompletionsRequest = requestSchema('ChatCompletionsRequest', 'chat-completions');
const MessagesRequest = requestSchema('MessagesRequest', 'messages');
const ResponsesRequest = requestSchema('ResponsesRequest', 'responses');

export const LeftOutField = named(
  'LeftOutField',
  Type.Object(
    {
      field: Type.String({ description: 'The name of the field, truncated if very long.' }),
      reason: Type.Enum([...uncapturedReasons]),
      message: Type.String({ description: 'The reason as a sentence.' }),
    },
    { additionalProperties: false, description: 'A field of a request that a version does not save.' },
  ),
);

export type LeftOutField = Type.Static<typeof LeftOutField.schema>;

/** For the OpenAPI document; `idempotencyKeyOf` and `preconditionOf` validate. */
const headers = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,255}$',
      description:
        '1 to 255 visible ASCII characters. A retry with the same key and body within 24 hours returns the first response and creates no second version; the same key with another body returns 409.',
    }),
  ),
  ...ifMatch.properties,
  ...ifNoneMatchAny('preset'),
});

const query = Type.Object({
  ...workspaceQuery.properties,
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Return what would be stored, with null ids, without storing it.' }),
  ),
});

const response = {
  description: 'The preset with its live version: the new one, unless it was saved with `designate: false`.',
  headers: {
    etag: { type: 'string', description: 'Changes whenever the preset changes. Absent on a dry run.' },
    [headerNames.preset]: {
      type: 'string',
      description: 'The new version as a reference, such as `support-bot@3`. Absent on a dry run.',
    },
    'idempotent-replayed': {
      type: 'string',
      enum: ['true'],
      description: 'This is the response of an earlier request with the same idempotency key.',
    },
    [headerNames.ignoredFields]: {
      type: 'string',
      description: 'Unknown top-level fields that were ignored, percent-encoded.',
    },
  },
  body: Type.Object({
    data: Type.Union([ref(Preset), ref(PresetPreview)]),
    left_out: Type.Optional(
      Type.Array(ref(LeftOutField), {
        maxItems: uncapturedFieldsMax,
        description:
          'Dry run only: the top-level fields that would not be saved, in the order of the request.',
      }),
    ),
    warnings: Type.Optional(
      warnings(
        'Dry run only: what is valid but most likely a mistake, such as a name that upstreams reject, and which calls of the live version would fail.',
      ),
    ),
    left_out_count: Type.Optional(
      Type.Integer({
        description: `Dry run only: the number of such fields, which may exceed the ${uncapturedFieldsMax} listed.`,
      }),
    ),
  }),
};

/** The ids are OpenRouter's, so that generated clients have the same method names. */
const capture = <Body extends Type.TSchema>(id: string, dialect: Dialect, body: Body) =>
  ({
    id,
    tag: 'Presets',
    access: 'write',
    accessFor: { release: 'Saving a new version of an existing preset without `designate: false`' },
    summary: `Create a preset, or its next version, from a ${dialect} request`,
    description:
      'Saves the configuration and the system prompt of the request as a new version, which becomes the live version. ' +
      'The conversation and per-call fields are not saved, and no model is called. ' +
      'Saved text must not contain the character U+0000.',
    params: slugParams,
    query,
    headers,
    body,
    response,
    errors: [409],
  }) as const satisfies Operation;

export const captureOperations = operations({
  'POST /presets/:slug/chat/completions': capture(
    'createPresetsChatCompletions',
    'chat-completions',
    ref(ChatCompletionsRequest),
  ),
  'POST /presets/:slug/messages': capture('createPresetsMessages', 'messages', ref(MessagesRequest)),
  'POST /presets/:slug/responses': capture('createPresetsResponses', 'responses', ref(ResponsesRequest)),
});

import { headerNames } from '../core/header-names.ts';
import { errorCodes } from '../core/ledger/call-error.ts';
import { type Purpose, purposes, type Selection, selections } from '../core/ledger/call-group.ts';
import { Type } from '../core/type.ts';
import { operations } from './operation.ts';
import {
  named,
  nullable,
  one,
  pageQuery,
  ref,
  timestamp,
  timestampInput,
  uuid,
  workspaceIdInput,
} from './schema-parts.ts';

const text = nullable(Type.String());
const number = nullable(Type.Number());
const count = nullable(Type.Integer());
const never = nullable(
  Type.Unsafe<null>({ type: 'null', description: 'Always null: presetd does not know it.' }),
);

const selection = Type.Unsafe<Selection>({
  type: 'string',
  enum: Object.keys(selections),
  description: 'How the version was chosen.',
});

const purpose = Type.Unsafe<Purpose>({
  type: 'string',
  enum: Object.keys(purposes),
  description: '`workbench` for runs of the dashboard.',
});

/** Details of a call for which OpenRouter's shape has no field. */
export const GenerationDetails = Type.Object(
  {
    workspace: nullable(Type.String({ description: 'The current slug of the workspace.' })),
    preset: nullable(Type.String({ description: 'The current slug of the preset.' })),
    preset_version: count,
    selection: nullable(selection),
    label: nullable(Type.String({ description: 'The label that chose the version.' })),
    purpose,
    dialect: Type.String({
      description: 'The dialect of the call, or the endpoint that it was passed on to.',
    }),
    upstream: nullable(Type.String({ description: 'The last upstream tried.' })),
    requested_model: text,
    responding_model: text,
    status: Type.Integer({ description: '499 if the client disconnected.' }),
    error_code: nullable(Type.Enum(errorCodes, { description: 'Why the call failed; null if it did not.' })),
    error_message: nullable(
      Type.String({
        description: "presetd's words for it, without any text of the request or the response.",
      }),
    ),
    requested_preset: nullable(
      Type.String({
        description:
          'The slug that the call named, if no version was called: one that does not exist, for example.',
      }),
    ),
    cost: nullable(Type.Number({ description: 'In US dollars; null if it is not known.' })),
    cost_source: nullable(
      Type.Unsafe<'upstream' | 'file' | 'library' | 'free'>({
        type: 'string',
        enum: ['upstream', 'file', 'library', 'free'],
        description: 'Who says so: the upstream, the upstream file or list prices.',
      }),
    ),
    price: nullable(
      Type.Object(
        {
          input_per_million: Type.Optional(Type.Number()),
          output_per_million: Type.Optional(Type.Number()),
          cached_input_per_million: Type.Optional(Type.Number()),
          cache_write_per_million: Type.Optional(Type.Number()),
          request: Type.Optional(Type.Number()),
        },
        {
          additionalProperties: false,
          description: 'The prices that the cost was computed with, in US dollars.',
        },
      ),
    ),
    is_estimated: Type.Boolean({
      description: 'Whether a part of the tokens is an estimate, because the response was cut off.',
    }),
    tokens_cache_write: count,
    first_token_ms: number,
    total_ms: Type.Number(),
    presetd_ms: Type.Number({ description: 'The part of the time that presetd added.' }),
    fallbacks: Type.Array(Type.String(), {
      description: 'Models and upstreams that were skipped or failed, as `model;reason`.',
    }),
    key_id: text,
    key_label: text,
    key_name: text,
    user_id: Type.String({ description: 'The owner of the key, or the person who was signed in.' }),
    user_email: text,
    app_title: text,
    feedback: Type.Array(
      Type.Object({ category: Type.String(), comment: text }, { additionalProperties: false }),
      { description: 'What was reported with `POST /generation/feedback`, oldest first.' },
    ),
  },
  { additionalProperties: false, description: "presetd's own details of the call." },
);

export const Generation = named(
  'Generation',
  Type.Object(
    {
      id: Type.String(),
      request_id: text,
      created_at: timestamp,
      model: Type.String(),
      preset_id: nullable(uuid),
      workspace_id: nullable(uuid),
      session_id: text,
      external_user: text,
      upstream_id: text,
      provider_name: text,
      api_type: text,
      streamed: nullable(Type.Boolean()),
      cancelled: nullable(Type.Boolean()),
      finish_reason: nullable(Type.String({ description: "OpenRouter's word for `native_finish_reason`." })),
      native_finish_reason: text,
      latency: nullable(Type.Number({ description: 'Milliseconds until the first token.' })),
      generation_time: nullable(Type.Number({ description: 'Milliseconds until the end of the response.' })),
      moderation_latency: never,
      tokens_prompt: count,
      tokens_completion: count,
      native_tokens_prompt: count,
      native_tokens_completion: count,
      native_tokens_reasoning: count,
      native_tokens_cached: count,
      native_tokens_completion_images: never,
      num_fetches: never,
      num_input_audio_prompt: never,
      num_media_completion: never,
      num_media_prompt: never,
      num_search_results: never,
      total_cost: Type.Number({
        description:
          'In US dollars. 0 if the cost is not known: SDKs require a number. `presetd.cost` is null then.',
      }),
      usage: Type.Number({ description: 'The same as `total_cost`.' }),
      upstream_inference_cost: number,
      cache_discount: never,
      is_byok: Type.Boolean(),
      origin: Type.String(),
      http_referer: text,
      user_agent: never,
      app_id: never,
      router: never,
      service_tier: never,
      web_search_engine: never,
      data_region: Type.Unsafe<'global'>({ type: 'string', enum: ['global'] }),
      response_cache_source_id: never,
      provider_responses: nullable(
        Type.Array(
          Type.Object(
            { provider_name: Type.Optional(Type.String()), status: nullable(Type.Integer()) },
            { additionalProperties: false },
          ),
        ),
      ),
      presetd: GenerationDetails,
    },
    {
      additionalProperties: false,
      description: 'The record of one call. It has no text of the request or response.',
    },
  ),
);

export type Generation = Type.Static<typeof Generation.schema>;

/** Filters combine with AND. */
const listQuery = Type.Object({
  workspace_id: Type.Optional(workspaceIdInput),
  api_key_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only calls with the key of this `hash`.' }),
  ),
  user: Type.Optional(Type.String({ maxLength: 300, description: 'Only calls by the person with this id.' })),
  preset: Type.Optional(
    Type.String({ maxLength: 300, description: 'Only calls of this preset, given as slug or id.' }),
  ),
  preset_version: Type.Optional(Type.Integer({ minimum: 1 })),
  selection: Type.Optional(selection),
  label: Type.Optional(Type.String({ maxLength: 300 })),
  model: Type.Optional(Type.String({ maxLength: 300 })),
  upstream: Type.Optional(Type.String({ maxLength: 300 })),
  dialect: Type.Optional(Type.String({ maxLength: 300 })),
  status: Type.Optional(
    Type.String({
      pattern: '^([1-5][0-9][0-9]|error|success)$',
      description: 'A status, or `error` or `success`.',
    }),
  ),
  purpose: Type.Optional(purpose),
  error_code: Type.Optional(
    Type.Enum(errorCodes, { description: 'Only calls that failed for this reason.' }),
  ),
  session_id: Type.Optional(Type.String({ maxLength: 300 })),
  external_user: Type.Optional(Type.String({ maxLength: 300 })),
  since: Type.Optional(timestampInput('Only calls at or after this time.')),
  until: Type.Optional(timestampInput('Only calls before this time.')),
  limit: pageQuery.properties.limit,
  cursor: Type.Optional(
    Type.String({ maxLength: 100, description: 'The `next_cursor` of the previous page.' }),
  ),
});

export const generationOperations = operations({
  'GET /generation': {
    id: 'getGeneration',
    tag: 'Usage',
    access: 'call',
    summary: 'Get a generation',
    description:
      'The record of one call, by the id in its `x-generation-id` header or by the id of the response. Keys that may only call see their own calls.',
    query: Type.Object({ id: Type.String({ minLength: 1, maxLength: 512 }) }),
    response: { description: 'The generation.', body: one(ref(Generation)) },
  },
  'GET /generations': {
    id: 'listGenerations',
    tag: 'Usage',
    access: 'read',
    summary: 'List generations',
    description:
      'Calls of a workspace, or of the organization with a management key, newest first. `Accept: text/csv` or `application/x-ndjson` selects another format. A search by error, session, end user or app may return a short or empty page with a cursor: continue it until `next_cursor` is null.',
    query: listQuery,
    response: {
      description: `A page of generations. The header \`${headerNames.nextCursor}\` has the cursor in the other formats.`,
      headers: {
        [headerNames.nextCursor]: { type: 'string', description: 'Absent on the last page.' },
      },
      body: Type.Object({
        data: Type.Array(ref(Generation)),
        next_cursor: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: 'Pass it as `cursor` to get the next page; null on the last page.',
        }),
      }),
      content: {
        'text/csv': { type: 'string' },
        'application/x-ndjson': { type: 'string' },
      },
    },
  },
});

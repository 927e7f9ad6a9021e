import { Type } from '../core/type.ts';
import { operations } from './operation.ts';
import { workspaceQuery } from './preset-parameters.ts';
import { named, nullable, one, pageQuery, ref } from './schema-parts.ts';

/** Presets and upstream models in one list, so that all clients with a model picker offer them. */

/** The list fills model pickers, where more entries would not help. */
export const presetsMax = 1_000;

/**
 * Only the fields that every entry has; upstreams may send many more, which are returned as they
 * are.
 */
const Model = named(
  'Model',
  Type.Object(
    {
      id: Type.String({
        description: 'The value to use as `model` in a request.',
        examples: ['@preset/support-bot'],
      }),
      object: Type.String(),
      name: Type.String(),
      description: Type.Optional(Type.String()),
      created: Type.Integer({ description: 'Unix time in seconds; 0 if the upstream does not say.' }),
      owned_by: Type.String({ description: '`presetd` for a preset.' }),
      context_length: nullable(Type.Integer({ description: 'Null if unknown.' })),
      pricing: Type.Object({
        prompt: Type.String({ description: 'As reported by the upstream; `-1` if it varies.' }),
        completion: Type.String(),
      }),
    },
    {
      description:
        "A preset or an upstream's model. It has all fields of an OpenRouter model, and any others that the upstream reports.",
    },
  ),
);

/** The names that OpenRouter's SDKs require; presetd knows only some of the values. */
const ModelEndpoint = named(
  'ModelEndpoint',
  Type.Object({
    name: Type.String(),
    model_id: Type.String(),
    model_name: Type.String(),
    provider_name: Type.String({ description: 'The name of the upstream.' }),
    tag: Type.String(),
    context_length: Type.Integer({ description: '0 if unknown.' }),
    max_completion_tokens: nullable(Type.Integer()),
    max_prompt_tokens: nullable(Type.Integer()),
    pricing: Model.schema.properties.pricing,
    quantization: nullable(Type.String()),
    service_tier: nullable(Type.String()),
    supported_parameters: Type.Array(Type.String()),
    native_tools: Type.Object({}),
    supports_tool_choice: Type.Object({
      auto: Type.Boolean(),
      function: Type.Boolean(),
      none: Type.Boolean(),
      required: Type.Boolean(),
    }),
    supports_implicit_caching: Type.Boolean(),
    supports_diarization: Type.Boolean(),
    latency_last_30m: Type.Null(),
    throughput_last_30m: Type.Null(),
    uptime_last_1d: Type.Null(),
    uptime_last_30m: Type.Null(),
    uptime_last_5m: Type.Null(),
  }),
);

const Provider = named(
  'Provider',
  Type.Object(
    {
      name: Type.String({ description: 'The name of the upstream.' }),
      slug: Type.String(),
      privacy_policy_url: Type.Null(),
      terms_of_service_url: Type.Null(),
      status_page_url: Type.Null(),
      headquarters: Type.Null(),
      datacenters: Type.Null(),
    },
    { description: 'An upstream. Only its name is known; the other fields are those of OpenRouter.' },
  ),
);

const entryId = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const listQuery = Type.Object({
  ...workspaceQuery.properties,
  // OpenRouter's SDK requests the next page after a long list. Without an offset it would get
  // the same list forever.
  offset: pageQuery.properties.offset,
});

const listResponse = {
  description: 'The whole list; it is not paginated. `offset` skips entries at the start.',
  // Three formats in one: OpenAI's `object`, Anthropic's ids and `has_more`, OpenRouter's count
  // and links.
  body: Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(ref(Model)),
    has_more: Type.Literal(false),
    first_id: entryId,
    last_id: entryId,
    total_count: Type.Integer({ description: 'Number of entries, including skipped ones.' }),
    links: Type.Object({ next: Type.Null() }),
  }),
};

const authorAndSlug = Type.Object({
  author: Type.String({ description: 'The id up to its first slash.', examples: ['@preset'] }),
  slug: Type.String({
    description: 'The rest of the id, with any further slashes as `%2F`.',
    examples: ['support-bot'],
  }),
});

export const modelOperations = operations({
  'GET /models': {
    id: 'getModels',
    tag: 'Inference',
    access: 'call',
    summary: 'List models and presets',
    description: `The active presets of the workspace as \`@preset/slug\`, most recently changed first and at most ${presetsMax}; then the models of the upstreams, cached for some minutes. Upstreams that cannot be reached are skipped. For clients that send \`anthropic-version\`, presets are listed as \`anthropic/@preset/slug\`, which calls the same preset.`,
    query: listQuery,
    response: listResponse,
  },
  'GET /models/user': {
    id: 'listModelsUser',
    tag: 'Inference',
    access: 'call',
    summary: 'List models and presets, as OpenRouter lists them for a user',
    description: 'The same list as `GET /models`.',
    query: listQuery,
    response: listResponse,
  },
  'GET /models/count': {
    id: 'listModelsCount',
    tag: 'Inference',
    access: 'call',
    summary: 'Count models and presets',
    query: workspaceQuery,
    response: {
      description: 'The length of the list of `GET /models`.',
      body: one(Type.Object({ count: Type.Integer() })),
    },
  },
  'GET /models/:id': {
    id: 'retrieveModel',
    tag: 'Inference',
    access: 'call',
    summary: 'Get a model or preset',
    description:
      'For the SDKs of OpenAI and Anthropic. The response has no envelope. A disabled preset is a 403.',
    params: Type.Object({
      id: Type.String({
        description:
          'The id from the list, or any other value that `model` can have, such as `@preset/support-bot@3`. Slashes may be encoded as `%2F` or not.',
        examples: ['@preset/support-bot'],
      }),
    }),
    query: workspaceQuery,
    response: { description: 'The model, under the id of the request.', body: ref(Model) },
  },
  'GET /model/:author/:slug': {
    id: 'getModel',
    tag: 'Inference',
    access: 'call',
    summary: "Get a model or preset in OpenRouter's envelope",
    description: 'A disabled preset is a 403.',
    params: authorAndSlug,
    query: workspaceQuery,
    response: { description: 'The model, under the id of the request.', body: one(ref(Model)) },
  },
  'GET /models/:author/:slug/endpoints': {
    id: 'listEndpoints',
    tag: 'Inference',
    access: 'call',
    summary: 'List the upstreams of a model or preset',
    description:
      'One endpoint for each upstream that calls to the model can go to, with what its own list says about the model. For a preset, the endpoints are those of its model.',
    params: authorAndSlug,
    query: workspaceQuery,
    response: {
      description: 'The model and its endpoints.',
      body: one(
        Type.Object({
          id: Type.String(),
          name: Type.String(),
          created: Type.Integer(),
          description: Type.String(),
          architecture: Type.Object({}),
          endpoints: Type.Array(ref(ModelEndpoint)),
        }),
      ),
    },
  },
  'GET /providers': {
    id: 'listProviders',
    tag: 'Inference',
    access: 'anyone',
    summary: 'List upstreams',
    description: 'The names of the upstreams, in the order in which they are tried.',
    response: { description: 'All upstreams.', body: one(Type.Array(ref(Provider))) },
  },
});

import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { errorResponses } from '../../api/errors.ts';
import { offsetQuery } from '../../api/page-query.ts';
import { nullable } from '../../api/schema-parts.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { type ModelEntry, presetToModelEntry } from '../../gateway/models/model-entry.ts';
import type { ModelList } from '../../gateway/models/model-list.ts';
import { callerOf } from '../authentication.ts';
import { workspaceQuery } from './preset-request.ts';

/** The list fills model pickers, in which nobody scrolls through more. */
const presetsMax = 1_000;

/**
 * Lists presets as models, so that every client with a model picker offers them. Presets come from
 * the database and are current; upstream models come from a cache, and an upstream that fails is
 * skipped.
 */
export function modelRoutes(scope: FastifyInstance, reader: PresetReader, models: ModelList): void {
  scope.get<{ Querystring: Type.Static<typeof query> }>('/models', { schema }, async (request, reply) => {
    const { workspace_id: workspaceId, offset = 0 } = request.query;
    const { presets } = await reader.list({
      caller: callerOf(request),
      workspaceId,
      status: 'active',
      query: undefined,
      page: { offset: 0, limit: presetsMax },
    });
    reply.type('application/json');
    return modelsResponse([...presets.map(presetToModelEntry), ...(await models())], offset);
  });
}

/**
 * Combines three formats: OpenAI's `object`, Anthropic's ids and `has_more`, OpenRouter's count and
 * links. Models are stored as JSON text, which is joined without parsing: there may be thousands.
 */
function modelsResponse(models: readonly ModelEntry[], offset: number): string {
  const page = models.slice(offset);
  const rest = JSON.stringify({
    has_more: false,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    total_count: models.length,
    links: { next: null },
  });
  return `{"object":"list","data":[${page.map(({ json }) => json).join(',')}],${rest.slice(1)}`;
}

const query = Type.Object({
  ...workspaceQuery.properties,
  // OpenRouter's SDK requests the next page after a long list. Without an offset it would get the
  // same list forever.
  offset: offsetQuery,
});

/**
 * Only the fields that every entry has; upstreams may send many more, which are returned as they
 * are.
 */
export const modelSchema = Type.Object(
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
);

const schema = {
  operationId: 'getModels',
  tags: ['Inference'],
  summary: 'List models and presets',
  description: `The active presets of the workspace as \`@preset/slug\`, most recently changed first and at most ${presetsMax}; then the models of the upstreams, cached for some minutes. Upstreams that cannot be reached are skipped.`,
  querystring: query,
  response: {
    200: {
      description: 'The whole list; it is not paginated. `offset` skips entries at the start.',
      type: 'object',
      required: ['object', 'data', 'has_more', 'first_id', 'last_id', 'total_count', 'links'],
      properties: {
        object: { type: 'string', const: 'list' },
        data: { type: 'array', items: { $ref: 'Model#' } },
        has_more: { type: 'boolean', const: false },
        first_id: { type: ['string', 'null'] },
        last_id: { type: ['string', 'null'] },
        total_count: { type: 'integer', description: 'Number of entries, including skipped ones.' },
        links: { type: 'object', required: ['next'], properties: { next: { type: 'null' } } },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

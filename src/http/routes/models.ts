import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { PresetReader } from '../../core/read-presets.ts';
import { type ModelEntry, presetToModelEntry } from '../../gateway/models/model-entry.ts';
import type { ModelList } from '../../gateway/models/model-list.ts';
import { callerOf } from '../authentication.ts';
import { errorResponses } from '../error-schema.ts';
import { offsetQuery } from '../page-query.ts';
import { workspaceQuery } from '../preset-request.ts';
import { nullable } from '../preset-response.ts';

/** Nobody looks for one among more; the list is for choosing. */
const presetsMax = 1_000;

/** Presets stand among the models, so that every client that lets people choose a model offers them too. */
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
    return answer([...presets.map(presetToModelEntry), ...(await models())], offset);
  });
}

/** In the words of all three: OpenAI's `object`, Anthropic's ids and `has_more`, OpenRouter's count and links. */
function answer(models: readonly ModelEntry[], offset: number): string {
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
  // OpenRouter's SDK asks for what follows a long list, and would do so for ever if it got the list again.
  offset: offsetQuery,
});

export const modelSchema = Type.Object(
  {
    id: Type.String({
      description: 'What a request names as its `model`.',
      examples: ['@preset/support-bot'],
    }),
    object: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    created: Type.Integer({ description: 'Seconds since 1970; 0 where the upstream does not tell.' }),
    owned_by: Type.String({ description: '`presetd` for a preset.' }),
    context_length: nullable(Type.Integer({ description: 'Null where it is not known.' })),
    pricing: Type.Object({
      prompt: Type.String({ description: 'As the upstream tells it, or `-1`: it depends.' }),
      completion: Type.String(),
    }),
  },
  {
    description:
      'A preset or a model of an upstream. It has all fields of a model of OpenRouter, and what else the upstream tells of it.',
  },
);

const schema = {
  operationId: 'getModels',
  tags: ['Inference'],
  summary: 'List the models that a request can name',
  description: `First the active presets of the workspace as \`@preset/slug\`, the one that was changed last before the others and at most ${presetsMax}; then the models of the upstreams, as they were told within the last minutes. An upstream that cannot be asked is left out.`,
  querystring: query,
  response: {
    200: {
      description: 'All of them: there are no pages, unless records are skipped.',
      type: 'object',
      required: ['object', 'data', 'has_more', 'first_id', 'last_id', 'total_count', 'links'],
      properties: {
        object: { type: 'string', const: 'list' },
        data: { type: 'array', items: { $ref: 'Model#' } },
        has_more: { type: 'boolean', const: false },
        first_id: { type: ['string', 'null'] },
        last_id: { type: ['string', 'null'] },
        total_count: { type: 'integer', description: 'How many there are, also of those that were skipped.' },
        links: { type: 'object', required: ['next'], properties: { next: { type: 'null' } } },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

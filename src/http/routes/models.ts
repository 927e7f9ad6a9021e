import type { FastifyInstance } from 'fastify';
import { modelOperations, presetsMax } from '../../api/models.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { type ModelEntry, presetToModelEntry } from '../../gateway/models/model-entry.ts';
import type { ModelList } from '../../gateway/models/model-list.ts';
import { callerOf } from '../authentication.ts';
import { serveOperations } from '../serve-operations.ts';

/**
 * Presets come from the database and are current; upstream models come from a cache, and an
 * upstream that fails is skipped.
 */
export function modelRoutes(scope: FastifyInstance, reader: PresetReader, models: ModelList): void {
  serveOperations(scope, modelOperations, {
    'GET /models': async (request, reply) => {
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
    },
  });
}

/** Models are stored as JSON text, which is joined without parsing: there may be thousands. */
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

import type { FastifyInstance } from 'fastify';
import { exportPresets } from '../../core/export-presets.ts';
import type { PresetStore } from '../../core/storage.ts';
import { readableWorkspace } from '../../core/workspace-access.ts';
import { callerOf } from '../authentication.ts';
import { errorResponses } from '../error-schema.ts';
import { ndjson } from '../ndjson.ts';
import { type PresetRoute, workspaceQuery } from '../preset-request.ts';
import { streamResponse } from '../stream-response.ts';

export function exportRoutes(scope: FastifyInstance, presets: PresetStore): void {
  scope.get<Pick<PresetRoute, 'Querystring'>>('/export', { schema }, async (request, reply) => {
    const workspace = readableWorkspace(callerOf(request), request.query.workspace_id);
    return streamResponse(reply, ndjson, exportPresets(presets, workspace));
  });
}

const schema = {
  operationId: 'exportPresets',
  tags: ['Presets'],
  summary: 'Export every preset of the workspace with its versions and labels',
  description:
    'A stream of JSON lines: one about the export, then each preset followed by its versions, and one at the end. ' +
    'It holds no ids and no people, and can be sent to `/api/v1/import` of another server.',
  querystring: workspaceQuery,
  response: {
    200: { description: 'The stream.', content: { [ndjson]: { schema: { type: 'string' } } } },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

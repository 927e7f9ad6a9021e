import type { FastifyInstance } from 'fastify';
import { errorResponses } from '../../api/errors.ts';
import { readableWorkspace } from '../../core/organization/workspace-access.ts';
import { exportPresets } from '../../core/presets/export-presets.ts';
import type { PresetStore } from '../../core/storage.ts';
import { callerOf } from '../authentication.ts';
import { ndjson } from '../body/ndjson.ts';
import { streamResponse } from '../protocol/stream-response.ts';
import { type PresetRoute, workspaceQuery } from './preset-request.ts';

/**
 * Exports a workspace for backup or for moving presets to another server. The export is streamed,
 * so its size is not limited by memory. A client recognizes an incomplete export by the missing
 * last line, which states the counts.
 */
export function exportRoutes(scope: FastifyInstance, presets: PresetStore): void {
  scope.get<Pick<PresetRoute, 'Querystring'>>('/export', { schema }, async (request, reply) => {
    const workspace = readableWorkspace(callerOf(request), request.query.workspace_id);
    return streamResponse(reply, ndjson, exportPresets(presets, workspace));
  });
}

const schema = {
  operationId: 'exportPresets',
  tags: ['Presets'],
  summary: 'Export all presets of a workspace with their versions and labels',
  description:
    'Newline-delimited JSON: a header line, then each preset followed by its versions, then a final line. ' +
    'It contains no ids or user data, and can be sent to `/api/v1/import` of another server.',
  querystring: workspaceQuery,
  response: {
    200: { description: 'The export, as a stream.', content: { [ndjson]: { schema: { type: 'string' } } } },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

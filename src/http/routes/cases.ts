import type { FastifyInstance } from 'fastify';
import { caseOperations } from '../../api/cases.ts';
import { pageOf } from '../../api/schema-parts.ts';
import type { CaseContent, Cases } from '../../core/presets/cases.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import type { PresetCase } from '../../core/presets/preset.ts';
import { setEtag } from '../protocol/conditional.ts';
import { streamResponse } from '../protocol/stream-response.ts';
import { serveOperations } from '../serve-operations.ts';
import { changeRequestOf, presetRequestOf } from './preset-request.ts';
import { pageResponse } from './preset-response.ts';

/** Like labels, cases are part of the preset: a change gets a new ETag and an event. */
export function caseRoutes(scope: FastifyInstance, cases: Cases): void {
  serveOperations(scope, caseOperations, {
    'GET /presets/:slug/cases': async (request, reply) => {
      const { cases: found, totalCount } = await cases.list(presetRequestOf(request), pageOf(request.query));
      return streamResponse(reply, 'application/json', pageResponse(found, caseText, totalCount));
    },
    'GET /presets/:slug/cases/:name': async (request, reply) => {
      const { name } = request.params;
      const found = await cases.get(presetRequestOf(request), name, request.query.at);
      reply.type('application/json');
      return `{"data":${caseText(found)}}`;
    },
    'PUT /presets/:slug/cases/:name': async (request, reply) => {
      const { name } = request.params;
      // Validated as `request.body`; saved with exact numbers.
      const content = request.exactBody as CaseContent;
      const change = changeRequestOf(request);
      const { preset, saved } = await cases.save(change, name, content, request.body.name);
      setEtag(reply, presetEtag(preset));
      reply.type('application/json');
      return `{"data":${caseText(saved)}}`;
    },
    'DELETE /presets/:slug/cases/:name': async (request, reply) => {
      const preset = await cases.remove(changeRequestOf(request), request.params.name);
      setEtag(reply, presetEtag(preset));
      return { deleted: true };
    },
  });
}

/** The stored text is copied as it is: parsing it could change numbers. */
function caseText({
  name,
  contentJson,
  eventNumber,
  updatedAt,
  updatedBy,
  updatedByEmail,
}: PresetCase): string {
  const origin = {
    event_number: eventNumber,
    updated_at: updatedAt,
    updated_by: updatedBy,
    updated_by_email: updatedByEmail,
  };
  return `{"name":${JSON.stringify(name)},${contentJson.slice(1, -1)},${JSON.stringify(origin).slice(1)}`;
}

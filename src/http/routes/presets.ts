import type { FastifyInstance, FastifyReply } from 'fastify';
import { PresetEdit, presetOperations } from '../../api/presets.ts';
import { pageOf } from '../../api/schema-parts.ts';
import type { Issue } from '../../core/errors.ts';
import { headerNames } from '../../core/header-names.ts';
import type { PresetEditor } from '../../core/presets/change-preset.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import type { Preset } from '../../core/presets/preset.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { callerOf } from '../authentication.ts';
import { sendWithEtag, setEtag } from '../protocol/conditional.ts';
import { serveOperations } from '../serve-operations.ts';
import { fromWireBy } from '../wire-fields.ts';
import { warningsOfMove } from './move-warnings.ts';
import { changeRequestOf, presetRequestOf } from './preset-request.ts';
import { cachedPresetResponse, presetResponse, summaryToWire } from './preset-response.ts';

/**
 * Reads come from the preset cache and are at most a second old. Every change checks `If-Match`,
 * returns the new ETag and is recorded as an event. Archiving and restoring are idempotent.
 */
export function presetRoutes(scope: FastifyInstance, reader: PresetReader, editor: PresetEditor): void {
  serveOperations(scope, presetOperations, {
    'GET /presets': async (request) => {
      const { workspace_id: workspaceId, status, q: query, tag } = request.query;
      const page = pageOf(request.query);
      const found = await reader.overview({
        caller: callerOf(request),
        workspaceId,
        status,
        query,
        tag,
        page,
      });
      return {
        data: found.presets.map(summaryToWire),
        total_count: found.totalCount,
        total_count_exact: found.isTotalExact,
      };
    },
    'GET /presets/:slug': (request, reply) => {
      const send = (preset: Preset) => {
        reply.header(headerNames.latestVersion, preset.latestVersion);
        return sendWithEtag(
          request.headers,
          reply,
          presetEtag(preset),
          () => cachedPresetResponse(preset).text,
        );
      };
      // Without a promise when the preset is cached, as in the fast path.
      const found = reader.get(presetRequestOf(request));
      return found instanceof Promise ? found.then(send) : send(found);
    },
    'GET /presets/:slug/tags': async (request, reply) => {
      const preset = await reader.state(presetRequestOf(request));
      setEtag(reply, presetEtag(preset));
      return { data: [...preset.tags], total_count: preset.tags.length };
    },
    'PATCH /presets/:slug': async (request, reply) => {
      const changes = editOf(request.body);
      const { designatedVersion } = changes;
      const { preset, before, after } = await editor.edit(changeRequestOf(request), changes);
      const warnings =
        designatedVersion === undefined
          ? undefined
          : await warningsOfMove(reader, after, before.designatedNumber, designatedVersion);
      return changedPreset(reply, preset, warnings);
    },
    'DELETE /presets/:slug': async (request, reply) =>
      changedPreset(reply, await editor.archive(changeRequestOf(request))),
    'POST /presets/:slug/restore': async (request, reply) =>
      changedPreset(reply, await editor.restore(changeRequestOf(request))),
  });
}

const editOf = fromWireBy(PresetEdit);

/** The changed preset with its new ETag. */
function changedPreset(reply: FastifyReply, preset: Preset, warnings?: readonly Issue[]): string {
  setEtag(reply, presetEtag(preset));
  reply.header(headerNames.latestVersion, preset.latestVersion);
  reply.type('application/json');
  return presetResponse(preset, warnings);
}

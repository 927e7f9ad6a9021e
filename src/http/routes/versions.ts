import type { FastifyInstance } from 'fastify';
import { pageOf } from '../../api/schema-parts.ts';
import { versionOperations } from '../../api/versions.ts';
import type { Issue } from '../../core/errors.ts';
import type { VersionDiff } from '../../core/presets/compare-versions.ts';
import type { PresetVersion } from '../../core/presets/preset.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { findBrokenCalls } from '../../dialects/presets/extension/broken-calls.ts';
import { sendWithEtag } from '../protocol/conditional.ts';
import { streamResponse } from '../protocol/stream-response.ts';
import { serveOperations } from '../serve-operations.ts';
import { presetRequestOf } from './preset-request.ts';
import { versionResponse, versionsResponse } from './preset-response.ts';

/** A page of versions is streamed, since each may be 1 MiB. */
export function versionRoutes(scope: FastifyInstance, reader: PresetReader): void {
  serveOperations(scope, versionOperations, {
    'GET /presets/:slug/versions': async (request, reply) => {
      const { versions, totalCount } = await reader.versions(presetRequestOf(request), pageOf(request.query));
      return streamResponse(reply, 'application/json', versionsResponse(versions, totalCount));
    },
    'GET /presets/:slug/versions/:version': async (request, reply) => {
      const version = await reader.version(presetRequestOf(request), request.params.version);
      return sendWithEtag(request.headers, reply, versionTag(version), () => versionResponse(version));
    },
    'GET /presets/:slug/versions/:version/diff': async (request, reply) => {
      const { against } = request.query;
      reply.type('application/json');
      const found = await reader.diff(presetRequestOf(request), request.params.version, against);
      return diffResponse(found.diff, findBrokenCalls(found.older, found.newer));
    },
  });
}

/**
 * The suffix changes with the response format: clients may have cached an older one under the bare
 * id.
 */
function versionTag({ id }: PresetVersion): string {
  return `${id}-3`;
}

/** The patches are JSON text with exact numbers and are copied as they are. */
function diffResponse(diff: VersionDiff, warnings: readonly Issue[]): string {
  return (
    `{"data":{"from":{"version":${diff.from}},"to":{"version":${diff.to}}` +
    `,"config_patch":${diff.configPatchJson},"system_prompt_diff":${JSON.stringify(diff.systemPromptDiff)}` +
    `,"presetd_patch":${diff.extensionPatchJson},"warnings":${JSON.stringify(warnings)}` +
    `,"coarse":${JSON.stringify(diff.coarse)}}}`
  );
}

import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { documentedPattern } from '../../api/documented-pattern.ts';
import { errorResponses } from '../../api/errors.ts';
import { pageOf, pageQuery } from '../../api/page-query.ts';
import { nullable } from '../../api/schema-parts.ts';
import type { VersionDiff } from '../../core/presets/compare-versions.ts';
import { versionReferencePattern } from '../../core/presets/label.ts';
import type { PresetVersion } from '../../core/presets/preset.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { ifNoneMatch, notModified, sendWithEtag } from '../protocol/conditional.ts';
import { streamResponse } from '../protocol/stream-response.ts';
import {
  type PresetRoute,
  presetRequestOf,
  slugParam,
  slugParams,
  workspaceQuery,
} from './preset-request.ts';
import { versionResponse, versionsResponse } from './preset-response.ts';

/** `:version` is text: the core parses it and explains what a version number looks like. */
interface VersionRoute extends PresetRoute {
  readonly Params: { readonly slug: string; readonly version: string };
}

/**
 * Versions of a preset and their differences. A page of versions is streamed, since each may be 1
 * MiB.
 */
export function presetVersionRoutes(scope: FastifyInstance, reader: PresetReader): void {
  scope.get<PresetRoute & { Querystring: Type.Static<typeof pageQuery> }>(
    '/presets/:slug/versions',
    { schema: listSchema },
    async (request, reply) => {
      const { versions, totalCount } = await reader.versions(presetRequestOf(request), pageOf(request.query));
      return streamResponse(reply, 'application/json', versionsResponse(versions, totalCount));
    },
  );

  scope.get<VersionRoute>(
    '/presets/:slug/versions/:version',
    { schema: getSchema },
    async (request, reply) => {
      const version = await reader.version(presetRequestOf(request), request.params.version);
      return sendWithEtag(request.headers, reply, versionTag(version), () => versionResponse(version));
    },
  );

  scope.get<VersionRoute & { Querystring: { against?: string } }>(
    '/presets/:slug/versions/:version/diff',
    { schema: diffSchema },
    async (request, reply) => {
      const { against } = request.query;
      reply.type('application/json');
      return diffResponse(await reader.diff(presetRequestOf(request), request.params.version, against));
    },
  );
}

/**
 * The suffix changes with the response format: clients may have cached an older one under the bare
 * id.
 */
function versionTag({ id }: PresetVersion): string {
  return `${id}-2`;
}

/** The patch is JSON text with exact numbers and is copied as it is. */
function diffResponse({ from, to, configPatchJson, systemPromptDiff, coarse }: VersionDiff): string {
  return (
    `{"data":{"from":{"version":${from}},"to":{"version":${to}},"config_patch":${configPatchJson}` +
    `,"system_prompt_diff":${JSON.stringify(systemPromptDiff)},"coarse":${JSON.stringify(coarse)}}}`
  );
}

const diffSide = Type.Object({ version: Type.Integer({ minimum: 1 }) }, { additionalProperties: false });

export const versionDiffSchema = Type.Object(
  {
    from: diffSide,
    to: diffSide,
    config_patch: Type.Array(
      Type.Object({
        op: Type.Enum(['add', 'remove', 'replace', 'move', 'copy', 'test']),
        path: Type.String({ description: 'JSON Pointer into the config.' }),
        value: Type.Optional(Type.Unknown()),
      }),
      { description: 'JSON Patch (RFC 6902) that turns the config of `from` into that of `to`.' },
    ),
    system_prompt_diff: nullable(
      Type.String({ description: 'Unified diff of the system prompts; null if they are equal.' }),
    ),
    // Comparing is bounded in time; past the bound whole values are replaced.
    coarse: Type.Array(Type.Enum(['config_patch', 'system_prompt_diff']), {
      description:
        'The parts that differ too much for a detailed comparison. They are correct, but replace more than necessary.',
    }),
  },
  { additionalProperties: false, description: 'The differences between two versions.' },
);

const versionParams = Type.Object({
  ...slugParam,
  version: Type.String({ pattern: '^[1-9][0-9]*$', description: 'Version number.' }),
});

const listSchema = {
  operationId: 'listPresetVersions',
  tags: ['Presets'],
  summary: 'List the versions of a preset',
  description: 'Oldest first.',
  params: slugParams,
  querystring: Type.Object({ ...workspaceQuery.properties, ...pageQuery.properties }),
  response: {
    200: {
      description: 'A page of versions; empty past the end.',
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'PresetVersionDetails#' } },
        total_count: { type: 'integer', description: 'Number of versions.' },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

const getSchema = {
  operationId: 'getPresetVersion',
  tags: ['Presets'],
  summary: 'Get a version of a preset',
  params: versionParams,
  querystring: workspaceQuery,
  headers: ifNoneMatch,
  response: {
    200: {
      description: 'The version.',
      headers: { etag: { type: 'string', description: 'Never changes, because versions do not.' } },
      type: 'object',
      required: ['data'],
      properties: { data: { $ref: 'PresetVersionDetails#' } },
    },
    304: notModified,
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

const diffSchema = {
  operationId: 'diffPresetVersions',
  tags: ['Presets'],
  summary: 'Compare two versions of a preset',
  params: versionParams,
  querystring: Type.Object({
    ...workspaceQuery.properties,
    against: Type.Optional(
      Type.String({
        ...documentedPattern(versionReferencePattern),
        description:
          'The version to compare with: a number, a label, `latest` or `designated`. Default: the previous version.',
      }),
    ),
  }),
  response: {
    200: {
      description: 'The changes from `against` to this version.',
      type: 'object',
      required: ['data'],
      properties: { data: { $ref: 'PresetVersionDiff#' } },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

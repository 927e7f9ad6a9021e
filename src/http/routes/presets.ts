import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { documentedPattern } from '../../api/documented-pattern.ts';
import { errorResponses } from '../../api/errors.ts';
import { pageOf, pageQuery } from '../../api/page-query.ts';
import { nullable } from '../../api/schema-parts.ts';
import { namePattern } from '../../core/name.ts';
import type { PresetEditor } from '../../core/presets/change-preset.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import type { Preset } from '../../core/presets/preset.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { storablePattern } from '../../core/storable-text.ts';
import { callerOf } from '../authentication.ts';
import { smallBodyLimit } from '../body/request-body.ts';
import { ifMatch, ifNoneMatch, notModified, sendWithEtag, setEtag } from '../protocol/conditional.ts';
import {
  changeRequestOf,
  type PresetRoute,
  presetRequestOf,
  slugParams,
  workspaceQuery,
} from './preset-request.ts';
import { cachedPresetResponse, presetResponse, summaryToWire } from './preset-response.ts';

/**
 * Reading, editing, archiving and restoring presets; captures create them.
 *
 * Reads come from the preset cache and are at most a second old. Every change checks `If-Match`,
 * returns the new ETag and is recorded as an event. Archiving and restoring are idempotent.
 */
export function presetRoutes(scope: FastifyInstance, reader: PresetReader, changer: PresetEditor): void {
  scope.get<{ Querystring: Type.Static<typeof listQuery> }>(
    '/presets',
    { schema: listSchema },
    async (request) => {
      const { workspace_id: workspaceId, status, q: query } = request.query;
      const page = pageOf(request.query);
      const found = await reader.overview({ caller: callerOf(request), workspaceId, status, query, page });
      return {
        data: found.presets.map(summaryToWire),
        total_count: found.totalCount,
        total_count_exact: found.isTotalExact,
      };
    },
  );

  scope.get<PresetRoute>('/presets/:slug', { schema: getSchema }, (request, reply) => {
    const send = (preset: Preset) =>
      sendWithEtag(request.headers, reply, presetEtag(preset), () => cachedPresetResponse(preset).text);
    // Without a promise when the preset is cached, as in the fast path.
    const found = reader.get(presetRequestOf(request));
    return found instanceof Promise ? found.then(send) : send(found);
  });

  scope.patch<PresetRoute & { Body: Type.Static<typeof presetEditSchema> }>(
    '/presets/:slug',
    { schema: patchSchema, ...smallBodyLimit(scope) },
    async (request, reply) => {
      const { designated_version: designatedVersion, ...texts } = request.body;
      const preset = await changer.edit(changeRequestOf(request), { ...texts, designatedVersion });
      return taggedResponse(reply, preset);
    },
  );

  scope.delete<PresetRoute>('/presets/:slug', { schema: archiveSchema }, async (request, reply) =>
    taggedResponse(reply, await changer.archive(changeRequestOf(request))),
  );

  scope.post<PresetRoute>('/presets/:slug/restore', { schema: restoreSchema }, async (request, reply) =>
    taggedResponse(reply, await changer.restore(changeRequestOf(request))),
  );
}

/** The changed preset with its new ETag. */
function taggedResponse(reply: FastifyReply, preset: Preset): string {
  setEtag(reply, presetEtag(preset));
  reply.type('application/json');
  return presetResponse(preset);
}

/** Filters combine with AND. */
const listQuery = Type.Object({
  ...workspaceQuery.properties,
  ...pageQuery.properties,
  status: Type.Optional(
    Type.Enum(['active', 'disabled', 'archived', 'all'], {
      description: 'Only presets with this status. Default: all except archived ones.',
    }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Only presets whose slug, name or description has, for each of these words, a word that starts with it.',
    }),
  ),
});

const listSchema = {
  operationId: 'listPresets',
  tags: ['Presets'],
  summary: 'List presets',
  description: 'Most recently changed first. Of the versions, only the model is included.',
  querystring: listQuery,
  response: {
    200: {
      description: 'A page of presets; empty past the end.',
      type: 'object',
      required: ['data', 'total_count', 'total_count_exact'],
      properties: {
        data: { type: 'array', items: { $ref: 'PresetSummary#' } },
        total_count: { type: 'integer', description: 'Number of presets that match the filters.' },
        total_count_exact: {
          type: 'boolean',
          description:
            'False if every word of `q` is too common to count its matches; `total_count` is then a lower bound.',
        },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

const tagged = {
  headers: { etag: { type: 'string', description: 'Changes whenever the preset changes.' } },
  type: 'object',
  required: ['data'],
  properties: { data: { $ref: 'Preset#' } },
};

const getSchema = {
  operationId: 'getPreset',
  tags: ['Presets'],
  summary: 'Get a preset with its live version',
  params: slugParams,
  querystring: workspaceQuery,
  headers: ifNoneMatch,
  response: {
    200: { description: 'The preset.', ...tagged },
    304: notModified,
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

/**
 * All fields are optional, but at least one is required: an empty edit is most likely a mistake.
 */
export const presetEditSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, ...documentedPattern(namePattern) })),
    description: Type.Optional(
      nullable(Type.String({ maxLength: 2_000, ...documentedPattern(storablePattern) })),
    ),
    status: Type.Optional(
      Type.Enum(['active', 'disabled'], { description: 'A disabled preset can be read but not called.' }),
    ),
    designated_version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description:
          'Makes this version live: calls to the preset use it from now on. For a rollback, set an earlier version.',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

// Restoring has no conflicts: a preset that is not archived stays as it is.
const restoreErrors = errorResponses(400, 401, 403, 404, 412, 413, 415, 429, 500, 503);
const changeErrors = { ...restoreErrors, ...errorResponses(409) };

const patchSchema = {
  operationId: 'updatePreset',
  tags: ['Presets'],
  summary: 'Update a preset',
  description:
    'Changes the name, description, status or live version. Omitted fields stay unchanged; unknown fields are rejected.',
  params: slugParams,
  querystring: workspaceQuery,
  headers: ifMatch,
  body: { $ref: 'PresetEdit#' },
  response: {
    200: { description: 'The updated preset.', ...tagged },
    ...changeErrors,
  },
};

const archiveSchema = {
  operationId: 'archivePreset',
  tags: ['Presets'],
  summary: 'Archive a preset',
  description:
    'The preset keeps its slug and versions, and can be restored. Returns 409 for a disabled preset.',
  params: slugParams,
  querystring: workspaceQuery,
  headers: ifMatch,
  response: { 200: { description: 'The archived preset.', ...tagged }, ...changeErrors },
};

const restoreSchema = {
  operationId: 'restorePreset',
  tags: ['Presets'],
  summary: 'Restore an archived preset',
  params: slugParams,
  querystring: workspaceQuery,
  headers: ifMatch,
  response: { 200: { description: 'The restored preset.', ...tagged }, ...restoreErrors },
};

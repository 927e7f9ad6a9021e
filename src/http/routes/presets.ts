import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { PresetChanger } from '../../core/change-preset.ts';
import { presetTag } from '../../core/precondition.ts';
import type { Preset } from '../../core/preset.ts';
import { namePattern } from '../../core/preset-name.ts';
import type { PresetReader } from '../../core/read-presets.ts';
import { storablePattern } from '../../core/storable-text.ts';
import { callerOf } from '../authentication.ts';
import { smallBodyLimit } from '../body-limits.ts';
import { ifMatch, ifNoneMatch, notModified, sendWithEtag, setEtag } from '../conditional.ts';
import { documentedPattern } from '../documented-pattern.ts';
import { errorResponses } from '../error-schema.ts';
import { pageOf, pageQuery } from '../page-query.ts';
import {
  changeRequestOf,
  type PresetRoute,
  presetRequestOf,
  slugParams,
  workspaceQuery,
} from '../preset-request.ts';
import { cachedPresetResponse, nullable, presetResponse, summaryToWire } from '../preset-response.ts';

export function presetRoutes(scope: FastifyInstance, reader: PresetReader, actor: PresetChanger): void {
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
    const answerWith = (preset: Preset) =>
      sendWithEtag(request.headers, reply, presetTag(preset), () => cachedPresetResponse(preset).text);
    const found = reader.get(presetRequestOf(request));
    return found instanceof Promise ? found.then(answerWith) : answerWith(found);
  });

  scope.patch<PresetRoute & { Body: Type.Static<typeof presetEditSchema> }>(
    '/presets/:slug',
    { schema: patchSchema, ...smallBodyLimit(scope) },
    async (request, reply) => {
      const { designated_version: designatedVersion, ...texts } = request.body;
      const preset = await actor.edit(changeRequestOf(request), { ...texts, designatedVersion });
      return answer(reply, preset);
    },
  );

  scope.delete<PresetRoute>('/presets/:slug', { schema: archiveSchema }, async (request, reply) =>
    answer(reply, await actor.archive(changeRequestOf(request))),
  );

  scope.post<PresetRoute>('/presets/:slug/restore', { schema: restoreSchema }, async (request, reply) =>
    answer(reply, await actor.restore(changeRequestOf(request))),
  );
}

function answer(reply: FastifyReply, preset: Preset): string {
  setEtag(reply, presetTag(preset));
  reply.type('application/json');
  return presetResponse(preset);
}

const listQuery = Type.Object({
  ...workspaceQuery.properties,
  ...pageQuery.properties,
  status: Type.Optional(
    Type.Enum(['active', 'disabled', 'archived', 'all'], {
      description: 'Only presets of this status. Without it, all but archived ones.',
    }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Only presets with words in slug, name or description that begin with each of these words.',
    }),
  ),
});

const listSchema = {
  operationId: 'listPresets',
  tags: ['Presets'],
  summary: 'List presets',
  description: 'The one that was changed last comes first. Versions are not in it, but for the model.',
  querystring: listQuery,
  response: {
    200: {
      description: 'A page of presets. Past the end it is empty.',
      type: 'object',
      required: ['data', 'total_count', 'total_count_exact'],
      properties: {
        data: { type: 'array', items: { $ref: 'PresetSummary#' } },
        total_count: { type: 'integer', description: 'How many presets there are under this filter.' },
        total_count_exact: {
          type: 'boolean',
          description:
            'False where `q` has only words so common that what they find is not counted: there are `total_count` at least.',
        },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

const tagged = {
  headers: { etag: { type: 'string', description: 'Changes with every change of the preset.' } },
  type: 'object',
  required: ['data'],
  properties: { data: { $ref: 'Preset#' } },
};

const getSchema = {
  operationId: 'getPreset',
  tags: ['Presets'],
  summary: 'Get a preset with its designated version',
  params: slugParams,
  querystring: workspaceQuery,
  headers: ifNoneMatch,
  response: {
    200: { description: 'The preset.', ...tagged },
    304: notModified,
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

export const presetEditSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, ...documentedPattern(namePattern) })),
    description: Type.Optional(
      nullable(Type.String({ maxLength: 2_000, ...documentedPattern(storablePattern) })),
    ),
    status: Type.Optional(
      Type.Enum(['active', 'disabled'], { description: 'A disabled preset refuses calls; it can be read.' }),
    ),
    designated_version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'The version that calls to the preset use from now on: a rollback, or a step forward.',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

const restoreErrors = errorResponses(400, 401, 403, 404, 412, 413, 415, 429, 500, 503);
const changeErrors = { ...restoreErrors, ...errorResponses(409) };

const patchSchema = {
  operationId: 'updatePreset',
  tags: ['Presets'],
  summary: 'Rename, describe, disable or roll back a preset',
  description: 'What is not given stays as it is. A field that is not known is an error.',
  params: slugParams,
  querystring: workspaceQuery,
  headers: ifMatch,
  body: { $ref: 'PresetEdit#' },
  response: {
    200: { description: 'The preset after the change.', ...tagged },
    ...changeErrors,
  },
};

const archiveSchema = {
  operationId: 'archivePreset',
  tags: ['Presets'],
  summary: 'Archive a preset',
  description:
    'It keeps its slug and its versions, and can be restored. A disabled preset is refused with 409.',
  params: slugParams,
  querystring: workspaceQuery,
  headers: ifMatch,
  response: { 200: { description: 'The archived preset.', ...tagged }, ...changeErrors },
};

const restoreSchema = {
  operationId: 'restorePreset',
  tags: ['Presets'],
  summary: 'Bring an archived preset back',
  params: slugParams,
  querystring: workspaceQuery,
  headers: ifMatch,
  response: { 200: { description: 'The preset, which is not archived.', ...tagged }, ...restoreErrors },
};

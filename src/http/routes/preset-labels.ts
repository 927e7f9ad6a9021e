import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { deletedResponse, errorResponses } from '../../api/errors.ts';
import { timestamp } from '../../api/schema-parts.ts';
import type { PresetEditor } from '../../core/presets/change-preset.ts';
import { labelsMax, settableLabelPattern } from '../../core/presets/label.ts';
import { presetEtag } from '../../core/presets/precondition.ts';
import type { Label } from '../../core/presets/preset.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { smallBodyLimit } from '../body/request-body.ts';
import { ifMatch, setEtag } from '../protocol/conditional.ts';
import {
  changeRequestOf,
  type PresetRoute,
  presetRequestOf,
  slugParam,
  slugParams,
  workspaceQuery,
} from './preset-request.ts';

interface LabelRoute extends PresetRoute {
  readonly Params: { readonly slug: string; readonly label: string };
}

/**
 * Labels: movable names for versions, such as `production`. Callers pin a preset to a label, so
 * moving one changes what they get without a deployment. Each change is a change of the preset: it
 * gets a new ETag and an event, and honors `If-Match`.
 */
export function presetLabelRoutes(scope: FastifyInstance, reader: PresetReader, changer: PresetEditor): void {
  scope.get<PresetRoute>('/presets/:slug/labels', { schema: listSchema }, async (request) => {
    const labels = await reader.labels(presetRequestOf(request));
    return { data: [...labels].map(([name, label]) => toWire(name, label)), total_count: labels.size };
  });

  scope.put<LabelRoute & { Body: Type.Static<typeof labelBody> }>(
    '/presets/:slug/labels/:label',
    { schema: putSchema, ...smallBodyLimit(scope) },
    async (request, reply) => {
      const { label } = request.params;
      const moved = await changer.moveLabel(changeRequestOf(request), label, request.body.version);
      setEtag(reply, presetEtag(moved.preset));
      return { data: toWire(label, moved.label) };
    },
  );

  scope.delete<LabelRoute>(
    '/presets/:slug/labels/:label',
    { schema: deleteSchema },
    async (request, reply) => {
      const preset = await changer.removeLabel(changeRequestOf(request), request.params.label);
      setEtag(reply, presetEtag(preset));
      return { deleted: true };
    },
  );
}

function toWire(label: string, { version, updatedAt }: Label): Type.Static<typeof presetLabelSchema> {
  return { label, version, updated_at: updatedAt };
}

export const presetLabelSchema = Type.Object(
  { label: Type.String(), version: Type.Integer({ minimum: 1 }), updated_at: timestamp },
  {
    additionalProperties: false,
    description: 'A movable name for a version, such as `production`.',
  },
);

/** The maximum is that of a 32-bit integer column. */
const labelBody = Type.Object(
  {
    version: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The version that the label points to.',
    }),
  },
  { additionalProperties: false },
);

/** The pattern is for the API reference; the core validates labels and explains the rule. */
const labelParams = Type.Object({
  ...slugParam,
  label: Type.String({
    pattern: settableLabelPattern,
    description: '1 to 63 characters of `a-z 0-9 -`, starting with a letter; not `latest` or `designated`.',
  }),
});

const listSchema = {
  operationId: 'listPresetLabels',
  tags: ['Presets'],
  summary: 'List the labels of a preset',
  description: `All labels, sorted by name; a preset has at most ${labelsMax}. The built-in labels \`latest\` and \`designated\` are not included.`,
  params: slugParams,
  querystring: workspaceQuery,
  response: {
    200: {
      description: 'The labels.',
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: 'PresetLabel#' } },
        total_count: { type: 'integer' },
      },
    },
    ...errorResponses(400, 401, 403, 404, 429, 500, 503),
  },
};

const etagOfPreset = { etag: { type: 'string', description: 'The new ETag of the preset.' } };

const putSchema = {
  operationId: 'setPresetLabel',
  tags: ['Presets'],
  summary: 'Create a label or move it to another version',
  params: labelParams,
  querystring: workspaceQuery,
  headers: ifMatch,
  body: labelBody,
  response: {
    200: {
      description: 'The label.',
      headers: etagOfPreset,
      type: 'object',
      required: ['data'],
      properties: { data: { $ref: 'PresetLabel#' } },
    },
    ...errorResponses(400, 401, 403, 404, 409, 412, 413, 415, 429, 500, 503),
  },
};

const deleteSchema = {
  operationId: 'removePresetLabel',
  tags: ['Presets'],
  summary: 'Remove a label',
  params: labelParams,
  querystring: workspaceQuery,
  headers: ifMatch,
  response: {
    200: { ...deletedResponse, headers: etagOfPreset },
    ...errorResponses(400, 401, 403, 404, 409, 412, 413, 415, 429, 500, 503),
  },
};

import { labelsMax, settableLabelPattern } from '../core/presets/label.ts';
import { Type } from '../core/type.ts';
import { operations } from './operation.ts';
import { ifMatch, slugParam, slugParams, workspaceQuery } from './preset-parameters.ts';
import { deleted, integerMax, named, page, ref, timestamp, warnings } from './schema-parts.ts';

/** Labels: movable names for versions, such as `production`. */

export const PresetLabel = named(
  'PresetLabel',
  Type.Object(
    { label: Type.String(), version: Type.Integer({ minimum: 1 }), updated_at: timestamp },
    { additionalProperties: false, description: 'A movable name for a version, such as `production`.' },
  ),
);

export type PresetLabel = Type.Static<typeof PresetLabel.schema>;

/** The pattern is for the API reference; the core validates labels and explains the rule. */
const params = Type.Object({
  ...slugParam,
  label: Type.String({
    pattern: settableLabelPattern,
    description: '1 to 63 characters of `a-z 0-9 -`, starting with a letter; not `latest` or `designated`.',
  }),
});

const tag = 'Presets';
const headers = { etag: { type: 'string', description: 'The new ETag of the preset.' } };

export const labelOperations = operations({
  'GET /presets/:slug/labels': {
    id: 'listPresetLabels',
    tag,
    access: 'read',
    summary: 'List the labels of a preset',
    description: `All labels, sorted by name; a preset has at most ${labelsMax}. The built-in labels \`latest\` and \`designated\` are not included.`,
    params: slugParams,
    query: workspaceQuery,
    response: { description: 'The labels.', body: page(ref(PresetLabel)) },
  },
  'PUT /presets/:slug/labels/:label': {
    id: 'setPresetLabel',
    tag,
    access: 'write',
    summary: 'Create a label or move it to another version',
    params,
    query: workspaceQuery,
    headers: ifMatch,
    body: Type.Object(
      {
        version: Type.Integer({
          minimum: 1,
          maximum: integerMax,
          description: 'The version that the label points to.',
        }),
      },
      { additionalProperties: false },
    ),
    bodySize: 'small',
    response: {
      description: 'The label.',
      headers,
      body: Type.Object({
        data: ref(PresetLabel),
        warnings: warnings('Which calls the version before it accepts and this one rejects.'),
      }),
    },
    errors: [409],
  },
  'DELETE /presets/:slug/labels/:label': {
    id: 'removePresetLabel',
    tag,
    access: 'write',
    summary: 'Remove a label',
    params,
    query: workspaceQuery,
    headers: ifMatch,
    response: { ...deleted, headers },
    errors: [409],
  },
});

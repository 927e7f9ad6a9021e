import { headerNames } from '../core/header-names.ts';
import { slugPattern, slugRule } from '../core/preset-slug.ts';
import { presetNameCharactersMax } from '../core/presets/preset.ts';
import { tagListPattern, tagsMax } from '../core/presets/tag.ts';
import { namePattern } from '../core/text/name.ts';
import { storablePattern } from '../core/text/storable-text.ts';
import { Type } from '../core/type.ts';
import { operations } from './operation.ts';
import {
  ifMatch,
  ifNoneMatch,
  slugParams,
  tagList,
  workspacePageQuery,
  workspaceQuery,
} from './preset-parameters.ts';
import {
  documentedPattern,
  integerMax,
  named,
  nullable,
  one,
  page,
  ref,
  timestamp,
  uuid,
  warnings,
} from './schema-parts.ts';
import { PresetVersion, versionFields } from './versions.ts';

/** Reading, editing, archiving and restoring presets. Captures create them. */

/** OpenRouter's fields of a preset. */
const presetFields = {
  id: uuid,
  name: Type.String(),
  slug: Type.String(),
  description: nullable(Type.String()),
  status: Type.Enum(['active', 'disabled', 'archived']),
  status_updated_at: nullable(timestamp),
  created_at: timestamp,
  updated_at: timestamp,
  creator_user_id: Type.String(),
  workspace_id: uuid,
  designated_version_id: uuid,
};

export const Preset = named(
  'Preset',
  Type.Object(
    { ...presetFields, designated_version: ref(PresetVersion) },
    {
      additionalProperties: false,
      description: 'A preset with its live (designated) version, which calls to the preset use.',
    },
  ),
);

/** For lists, which must not read configs and prompts: those can be megabytes per page. */
export const PresetSummary = named(
  'PresetSummary',
  Type.Object(
    {
      ...presetFields,
      designated_version_number: Type.Integer({ minimum: 1 }),
      latest_version: Type.Integer({ minimum: 1, description: 'The number of the latest version.' }),
      labels: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
        description: 'The version that each label points to.',
      }),
      aliases: Type.Array(Type.String(), { description: 'Other names of the preset, sorted.' }),
      tags: Type.Array(Type.String(), { description: 'Sorted.' }),
      model: nullable(
        Type.String({
          description:
            'The `model` of the live version, or the first of its `models`. Truncated to 256 characters.',
        }),
      ),
      updated_by: Type.String({ description: 'The user who made the last change.' }),
      updated_by_email: nullable(Type.String()),
      updated_by_name: nullable(Type.String({ description: 'First and last name.' })),
      last_called_at: nullable(timestamp),
    },
    {
      additionalProperties: false,
      description:
        'A preset without the content of its versions. `last_called_at` is when an API key last called it, up to a minute late.',
    },
  ),
);

/** A separate schema, because `Preset` has required ids. */
export const PresetPreview = named(
  'PresetPreview',
  Type.Object(
    {
      ...presetFields,
      id: Type.Null(),
      designated_version_id: Type.Null(),
      designated_version: Type.Object(
        { ...versionFields, id: Type.Null(), preset_id: Type.Null() },
        { additionalProperties: false },
      ),
    },
    {
      additionalProperties: false,
      description: 'The preset that a capture would store. Nothing has an id yet.',
    },
  ),
);

/**
 * All fields are optional, but at least one is required: an empty edit is most likely a mistake.
 */
export const PresetEdit = named(
  'PresetEdit',
  Type.Object(
    {
      slug: Type.Optional(
        Type.String({
          pattern: slugPattern,
          'x-must': slugRule,
          description: 'Renames the preset. The old slug becomes an alias, so that callers can still use it.',
        }),
      ),
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: presetNameCharactersMax, ...documentedPattern(namePattern) }),
      ),
      description: Type.Optional(
        nullable(Type.String({ maxLength: 2_000, ...documentedPattern(storablePattern) })),
      ),
      status: Type.Optional(
        Type.Enum(['active', 'disabled'], { description: 'A disabled preset can be read but not called.' }),
      ),
      tags: Type.Optional(tagList('All tags of the preset from now on; `[]` removes them.')),
      designated_version: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: integerMax,
          description:
            'Makes this version live: calls to the preset use it from now on. For a rollback, set an earlier version.',
        }),
      ),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
);

export type Preset = Type.Static<typeof Preset.schema>;
export type PresetSummary = Type.Static<typeof PresetSummary.schema>;

const tag = 'Presets';
const headers = { etag: { type: 'string', description: 'Changes whenever the preset changes.' } };
/** In a header, because the body has exactly the fields of OpenRouter's. */
const presetHeaders = {
  ...headers,
  [headerNames.latestVersion]: {
    type: 'integer',
    description: 'The number of the latest version, which need not be live.',
  },
};
const body = one(ref(Preset));
const editedBody = Type.Object({
  data: ref(Preset),
  warnings: Type.Optional(
    warnings('If `designated_version` was sent: which calls the version before it accepts and it rejects.'),
  ),
});

export const presetOperations = operations({
  'GET /presets': {
    id: 'listPresets',
    tag,
    access: 'read',
    summary: 'List presets',
    description: 'Most recently changed first. Of the versions, only the model is included.',
    // Filters combine with AND.
    query: Type.Object({
      ...workspacePageQuery.properties,
      status: Type.Optional(
        Type.Enum(['active', 'disabled', 'archived', 'all'], {
          description: 'Only presets with this status. Default: all except archived ones.',
        }),
      ),
      q: Type.Optional(
        Type.String({
          maxLength: 200,
          description:
            'Only presets that have, for each of these words, a word that starts with it: in the slug, name, description, ' +
            'a tag or an alias, or in the system prompt, note or models of the live version.',
        }),
      ),
      tag: Type.Optional(
        Type.String({
          maxLength: 1_300,
          ...documentedPattern(tagListPattern),
          description:
            'Only presets with this tag. Several, separated by commas: only presets with all of them.',
        }),
      ),
    }),
    response: {
      description: 'A page of presets; empty past the end.',
      body: Type.Object({
        data: Type.Array(ref(PresetSummary)),
        total_count: Type.Integer({ description: 'Number of presets that match the filters.' }),
        total_count_exact: Type.Boolean({
          description:
            'False if every word and tag is too common to count its matches; `total_count` is then a lower bound.',
        }),
      }),
    },
  },
  'GET /presets/:slug': {
    id: 'getPreset',
    tag,
    access: 'read',
    summary: 'Get a preset with its live version',
    params: slugParams,
    query: workspaceQuery,
    headers: ifNoneMatch,
    response: { description: 'The preset.', headers: presetHeaders, body },
  },
  'GET /presets/:slug/tags': {
    id: 'listPresetTags',
    tag,
    access: 'read',
    summary: 'List the tags of a preset',
    description: `All tags, sorted; a preset has at most ${tagsMax}. To change them, update the preset.`,
    params: slugParams,
    query: workspaceQuery,
    response: { description: 'The tags.', headers, body: page(Type.String()) },
  },
  'PATCH /presets/:slug': {
    id: 'updatePreset',
    tag,
    access: 'write',
    accessFor: { release: 'Changing the slug, the status or the live version' },
    summary: 'Update a preset',
    description:
      'Changes the slug, name, description, status, tags or live version. Omitted fields stay unchanged; unknown fields are rejected.',
    params: slugParams,
    query: workspaceQuery,
    headers: ifMatch,
    body: ref(PresetEdit),
    bodySize: 'small',
    response: { description: 'The updated preset.', headers: presetHeaders, body: editedBody },
    errors: [409],
  },
  'DELETE /presets/:slug': {
    id: 'archivePreset',
    tag,
    access: 'release',
    summary: 'Archive a preset',
    description:
      'The preset keeps its slug and versions, and can be restored. Returns 409 for a disabled preset.',
    params: slugParams,
    query: workspaceQuery,
    headers: ifMatch,
    response: { description: 'The archived preset.', headers: presetHeaders, body },
    errors: [409],
  },
  // Restoring has no conflicts: a preset that is not archived stays as it is.
  'POST /presets/:slug/restore': {
    id: 'restorePreset',
    tag,
    access: 'release',
    summary: 'Restore an archived preset',
    params: slugParams,
    query: workspaceQuery,
    headers: ifMatch,
    response: { description: 'The restored preset.', headers: presetHeaders, body },
  },
});

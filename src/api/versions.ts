import { versionReferencePattern } from '../core/presets/label.ts';
import { dialects } from '../core/presets/preset.ts';
import { Type } from '../core/type.ts';
import { extension } from '../dialects/presets/extension/schema.ts';
import { operations } from './operation.ts';
import {
  ifNoneMatch,
  slugParam,
  slugParams,
  workspacePageQuery,
  workspaceQuery,
} from './preset-parameters.ts';
import {
  documentedPattern,
  named,
  nullable,
  one,
  page,
  ref,
  timestamp,
  uuid,
  warnings,
} from './schema-parts.ts';

/** Versions of a preset, and their differences. Versions never change. */

/** The order of these fields is the order in the response. */
export const versionFields = {
  id: uuid,
  preset_id: uuid,
  version: Type.Integer({ minimum: 1 }),
  config: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The saved fields of the captured request.',
  }),
  system_prompt: nullable(Type.String()),
  creator_id: Type.String(),
  created_at: timestamp,
  updated_at: timestamp,
};

/** Inside a preset, with OpenRouter's exact fields. */
export const PresetVersion = named(
  'PresetVersion',
  Type.Object(versionFields, {
    additionalProperties: false,
    description: 'A version of a preset. Versions never change.',
  }),
);

const PresetExtension = named('PresetExtension', extension);

/** Where versions are read by themselves. */
export const PresetVersionDetails = named(
  'PresetVersionDetails',
  Type.Object(
    {
      ...versionFields,
      dialect: Type.Enum([...dialects], { description: 'The request format it was captured from.' }),
      creator_email: nullable(Type.String({ description: 'The email address of `creator_id`.' })),
      presetd: nullable(ref(PresetExtension)),
    },
    {
      additionalProperties: false,
      description: 'A version of a preset, with its origin. Versions never change.',
    },
  ),
);

const diffSide = Type.Object({ version: Type.Integer({ minimum: 1 }) }, { additionalProperties: false });

const patch = (description: string) =>
  Type.Array(
    Type.Object({
      op: Type.Enum(['add', 'remove', 'replace', 'move', 'copy', 'test']),
      path: Type.String({ description: 'JSON Pointer.' }),
      value: Type.Optional(Type.Unknown()),
    }),
    { description },
  );

export const PresetVersionDiff = named(
  'PresetVersionDiff',
  Type.Object(
    {
      from: diffSide,
      to: diffSide,
      config_patch: patch('JSON Patch (RFC 6902) that turns the config of `from` into that of `to`.'),
      system_prompt_diff: nullable(
        Type.String({ description: 'Unified diff of the system prompts; null if they are equal.' }),
      ),
      presetd_patch: patch('JSON Patch that turns the `presetd` object of `from` into that of `to`.'),
      warnings: warnings(
        'Which calls `from` accepts and `to` rejects, such as those without a new required variable.',
      ),
      // Comparing is bounded in time; past the bound whole values are replaced.
      coarse: Type.Array(Type.Enum(['config_patch', 'system_prompt_diff', 'presetd_patch']), {
        description:
          'The parts that differ too much for a detailed comparison. They are correct, but replace more than necessary.',
      }),
    },
    { additionalProperties: false, description: 'The differences between two versions.' },
  ),
);

export type PresetVersion = Type.Static<typeof PresetVersion.schema>;
export type PresetVersionDetails = Type.Static<typeof PresetVersionDetails.schema>;
export type PresetVersionDiff = Type.Static<typeof PresetVersionDiff.schema>;
export type PatchOperation = PresetVersionDiff['config_patch'][number];

/** Text, because the core parses it and explains what a version number looks like. */
const params = Type.Object({
  ...slugParam,
  version: Type.String({ pattern: '^[1-9][0-9]*$', description: 'Version number.' }),
});

const tag = 'Presets';

export const versionOperations = operations({
  'GET /presets/:slug/versions': {
    id: 'listPresetVersions',
    tag,
    access: 'read',
    summary: 'List the versions of a preset',
    description: 'Oldest first.',
    params: slugParams,
    query: workspacePageQuery,
    response: {
      description: 'A page of versions; empty past the end.',
      body: page(ref(PresetVersionDetails), 'Number of versions.'),
    },
  },
  'GET /presets/:slug/versions/:version': {
    id: 'getPresetVersion',
    tag,
    access: 'read',
    summary: 'Get a version of a preset',
    params,
    query: workspaceQuery,
    headers: ifNoneMatch,
    response: {
      description: 'The version.',
      headers: { etag: { type: 'string', description: 'Never changes, because versions do not.' } },
      body: one(ref(PresetVersionDetails)),
    },
  },
  'GET /presets/:slug/versions/:version/diff': {
    id: 'diffPresetVersions',
    tag,
    access: 'read',
    summary: 'Compare two versions of a preset',
    params,
    query: Type.Object({
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
      description: 'The changes from `against` to this version.',
      body: one(ref(PresetVersionDiff)),
    },
  },
});

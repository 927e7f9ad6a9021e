import { aliasesMax } from '../core/presets/alias.ts';
import { Type } from '../core/type.ts';
import { operations } from './operation.ts';
import { ifMatch, presetName, slugParam, slugParams, workspaceQuery } from './preset-parameters.ts';
import { deleted, named, one, page, ref, timestamp } from './schema-parts.ts';

/** Aliases: more names for a preset, such as the id it had elsewhere. */

export const PresetAlias = named(
  'PresetAlias',
  Type.Object(
    { alias: Type.String(), created_at: timestamp },
    {
      additionalProperties: false,
      description: 'Another name for a preset. Reads and calls accept it in place of the slug.',
    },
  ),
);

export type PresetAlias = Type.Static<typeof PresetAlias.schema>;

const params = Type.Object({ ...slugParam, alias: presetName('The alias') });

const tag = 'Presets';
const headers = { etag: { type: 'string', description: 'The new ETag of the preset.' } };

export const aliasOperations = operations({
  'GET /presets/:slug/aliases': {
    id: 'listPresetAliases',
    tag,
    access: 'read',
    summary: 'List the aliases of a preset',
    description: `All aliases, sorted; a preset has at most ${aliasesMax}.`,
    params: slugParams,
    query: workspaceQuery,
    response: { description: 'The aliases.', body: page(ref(PresetAlias)) },
  },
  'GET /presets/:slug/aliases/:alias': {
    id: 'getPresetAlias',
    tag,
    access: 'read',
    summary: 'Get an alias of a preset',
    params,
    query: workspaceQuery,
    response: { description: 'The alias.', body: one(ref(PresetAlias)) },
  },
  'PUT /presets/:slug/aliases/:alias': {
    id: 'addPresetAlias',
    tag,
    access: 'write',
    summary: 'Add an alias to a preset',
    description:
      'Everything that takes the slug then takes the alias, too; responses show the slug. Returns 409 if a preset of the ' +
      'workspace has the name, as its slug or an alias. Adding an alias again changes nothing.',
    params,
    query: workspaceQuery,
    headers: ifMatch,
    response: { description: 'The alias.', headers, body: one(ref(PresetAlias)) },
    errors: [409],
  },
  'DELETE /presets/:slug/aliases/:alias': {
    id: 'removePresetAlias',
    tag,
    access: 'release',
    summary: 'Remove an alias',
    params,
    query: workspaceQuery,
    headers: ifMatch,
    response: { ...deleted, headers },
    errors: [409],
  },
});

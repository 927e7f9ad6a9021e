import type { Command } from 'commander';
import type { PresetAlias } from '../api/aliases.ts';
import { assertSlug } from '../core/preset-slug.ts';
import { assertAlias } from '../core/presets/alias.ts';
import type { ApiClient } from './api-client.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from './api-command.ts';
import { ifFound, MisuseError } from './command-error.ts';
import { validatedArgument } from './options.ts';
import { slugArgument, slugToPrint } from './preset-reference.ts';
import { formatTable } from './ui/table.ts';
import { shortTime } from './ui/text.ts';

/** One command for three operations, like `preset label`. */
export function aliasCommand(): Command {
  return apiCommandWithJson('alias')
    .description('List the aliases of a preset, or add or remove one')
    .addArgument(slugArgument())
    .addArgument(validatedArgument('[alias]', 'Another name for the preset', assertAlias))
    .option('--remove', 'Remove the alias')
    .action(alias);
}

type AliasOptions = ApiOptions & { readonly remove?: true };

async function alias(slug: string, name: string | undefined, options: AliasOptions): Promise<void> {
  if (name === undefined && options.remove) throw new MisuseError('Name the alias to remove.');
  const api = connect(options);
  if (name === undefined) return listAliases(api, slug, options);
  return options.remove ? removeAlias(api, slug, name, options) : addAlias(api, slug, name, options);
}

async function listAliases(api: ApiClient, slug: string, options: ApiOptions): Promise<void> {
  const preset = await slugToPrint(api, slug, options);
  const response = await api.call('GET /presets/:slug/aliases', { params: { slug } });
  printResponse(response, options, ({ data }) =>
    data.length === 0
      ? `${preset} has no aliases.`
      : formatTable(
          ['ALIAS', 'CREATED'],
          data.map((item) => [item.alias, shortTime(item.created_at)]),
        ),
  );
}

async function addAlias(api: ApiClient, slug: string, name: string, options: ApiOptions): Promise<void> {
  const preset = await slugToPrint(api, slug, options);
  const response = await api.call('PUT /presets/:slug/aliases/:alias', { params: { slug, alias: name } });
  printResponse(response, options, ({ data }) => `${data.alias} is now an alias of ${preset}.`);
}

async function removeAlias(api: ApiClient, slug: string, name: string, options: ApiOptions): Promise<void> {
  const preset = await slugToPrint(api, slug, options);
  const response = await api.call('DELETE /presets/:slug/aliases/:alias', { params: { slug, alias: name } });
  printResponse(response, options, () => `Removed alias ${name} from ${preset}.`);
}

export function renameCommand(): Command {
  return apiCommandWithJson('rename')
    .description('Change the slug of a preset; the old one becomes an alias')
    .addArgument(slugArgument())
    .addArgument(validatedArgument('<new-slug>', 'New slug', assertSlug))
    .action(rename);
}

async function rename(slug: string, newSlug: string, options: ApiOptions): Promise<void> {
  const api = connect(options);
  const oldSlug = await slugToPrint(api, slug, options);
  const response = await api.call('PATCH /presets/:slug', { params: { slug }, body: { slug: newSlug } });
  printResponse(response, options, ({ data }) =>
    oldSlug === newSlug
      ? `${newSlug} already has this slug.`
      : `Renamed ${oldSlug} to ${data.slug}. The old slug is now an alias.`,
  );
}

/** Servers before 0.7.0 have no aliases. */
export async function fetchAliases(api: ApiClient, slug: string): Promise<readonly PresetAlias[]> {
  return (await ifFound(api.call('GET /presets/:slug/aliases', { params: { slug } })))?.content.data ?? [];
}

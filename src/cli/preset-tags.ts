import { Argument, type Command } from 'commander';
import { assertTag } from '../core/presets/tag.ts';
import type { ApiClient } from './api-client.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from './api-command.ts';
import { CommandError, ifFound, MisuseError } from './command-error.ts';
import { repeated, validated } from './options.ts';
import { slugArgument, slugToPrint } from './preset-reference.ts';

/** One command for three operations; which one follows from the arguments that are present. */
export function tagCommand(): Command {
  return apiCommandWithJson('tag')
    .description('List the tags of a preset, or add or remove some')
    .addArgument(slugArgument())
    .addArgument(new Argument('[tags...]', 'Tags, such as "support" or "team:growth"').argParser(parseTags))
    .option('--remove', 'Remove the tags')
    .action(tag);
}

/** A parser of tags that may be repeated. */
export const parseTags = repeated((text) => validated(text, assertTag));

async function tag(
  slug: string,
  tags: readonly string[],
  options: ApiOptions & { readonly remove?: true },
): Promise<void> {
  const api = connect(options);
  if (tags.length > 0) return changeTags(api, slug, tags, options);
  if (options.remove) throw new MisuseError('Name the tags to remove.');
  const [response, preset] = await Promise.all([
    api.call('GET /presets/:slug/tags', { params: { slug } }),
    slugToPrint(api, slug, options),
  ]);
  printResponse(response, options, ({ data }) => describeTags(preset, data));
}

/**
 * The server replaces all tags at once. `If-Match` keeps this from undoing a change that somebody
 * else makes meanwhile.
 */
async function changeTags(
  api: ApiClient,
  slug: string,
  tags: readonly string[],
  options: ApiOptions & { readonly remove?: true },
): Promise<void> {
  const { content, headers } = await api.call('GET /presets/:slug/tags', { params: { slug } });
  const missing = tags.find((tag) => !content.data.includes(tag));
  if (options.remove && missing !== undefined)
    throw new CommandError(`${slug} has no tag "${missing}". ${describeTags(slug, content.data)}`, {
      kind: 'not_found',
    });
  const changed = options.remove
    ? content.data.filter((tag) => !tags.includes(tag))
    : [...new Set([...content.data, ...tags])].sort();
  const response = await api.call('PATCH /presets/:slug', {
    params: { slug },
    headers: { 'if-match': headers.get('etag') ?? '*' },
    body: { tags: changed },
  });
  printResponse(response, options, ({ data }) => describeTags(data.slug, changed));
}

function describeTags(slug: string, tags: readonly string[]): string {
  return tags.length === 0 ? `${slug} has no tags.` : `Tags of ${slug}: ${tags.join(', ')}.`;
}

/** Empty for servers before 0.7.0, which have no tags. */
export async function fetchTags(api: ApiClient, slug: string): Promise<readonly string[]> {
  return (await ifFound(api.call('GET /presets/:slug/tags', { params: { slug } })))?.content.data ?? [];
}

import type { Argument } from 'commander';
import { assertSlug } from '../core/preset-slug.ts';
import type { ApiClient } from './api-client.ts';
import type { ServerOptions } from './api-command.ts';
import { CommandError } from './command-error.ts';
import { validatedArgument } from './options.ts';

/** How preset commands name a preset and one of its versions. */

export function slugArgument(): Argument {
  return validatedArgument('<slug>', 'Slug or alias of the preset', assertSlug);
}

/**
 * Resolves a version number, a label, "latest" or "designated" (the live version) to a number. A
 * number is returned unchecked; the request that uses it fails if there is no such version. An
 * unknown label throws a `CommandError` that lists the labels.
 */
export async function resolveVersion(api: ApiClient, slug: string, reference: string): Promise<number> {
  if (/^[1-9]\d{0,14}$/.test(reference)) return Number(reference);
  if (reference === 'latest') return latestVersion(api, slug);
  if (reference === 'designated') {
    const { content } = await api.call('GET /presets/:slug', { params: { slug } });
    return content.data.designated_version.version;
  }
  const { content } = await api.call('GET /presets/:slug/labels', { params: { slug } });
  const found = content.data.find(({ label }) => label === reference);
  if (found !== undefined) return found.version;
  const choices = [...content.data.map(({ label }) => label), 'latest', 'designated'].join(', ');
  throw new CommandError(
    `${slug} has no label "${reference}". Use a version number, or one of: ${choices}.`,
    { kind: 'not_found' },
  );
}

/** Versions are numbered from 1 without gaps, so their count is the latest number. */
export async function latestVersion(api: ApiClient, slug: string): Promise<number> {
  const { content } = await api.call('GET /presets/:slug/versions', {
    params: { slug },
    query: { limit: 1 },
  });
  return content.total_count;
}

/**
 * The slug to print for a preset that is named by its slug or an alias. Call it before a change,
 * which may remove the alias. `--json` prints no text, so nothing is looked up.
 */
export async function slugToPrint(
  api: ApiClient,
  slugOrAlias: string,
  { json }: ServerOptions,
): Promise<string> {
  if (json) return slugOrAlias;
  const { content } = await api.call('GET /presets/:slug', { params: { slug: slugOrAlias } });
  return content.data.slug;
}

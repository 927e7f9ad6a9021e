import type { Argument } from 'commander';
import type { ApiResponse, ResponseOf } from '../api/client.ts';
import { headerNames } from '../core/header-names.ts';
import { assertSlug } from '../core/preset-slug.ts';
import type { ApiClient } from './api-client.ts';
import type { ServerOptions } from './api-command.ts';
import { CommandError } from './command-error.ts';
import { validatedArgument } from './options.ts';

/** How preset commands name a preset and one of its versions. */

export function slugArgument(): Argument {
  return validatedArgument('<slug>', 'Slug or alias of the preset', assertSlug);
}

/** Also the form that other commands print, such as `support-bot@3`. */
export function versionedSlugArgument(): Argument {
  return validatedArgument('<slug>', 'Slug or alias of the preset, or <slug>@<version or label>', (name) => {
    const [slug = '', reference, ...others] = name.split('@');
    assertSlug(others.length > 0 || reference === '' ? name : slug);
  });
}

/**
 * Resolves a version number, a label, "latest" or "designated" (the live version) to a number. A
 * number is returned unchecked; the request that uses it fails if there is no such version. An
 * unknown label throws a `CommandError` that lists the labels.
 */
export async function resolveVersion(api: ApiClient, slug: string, reference: string): Promise<number> {
  if (/^[1-9]\d{0,14}$/.test(reference)) return Number(reference);
  if (reference === 'latest' || reference === 'designated') {
    const preset = await api.call('GET /presets/:slug', { params: { slug } });
    return reference === 'latest'
      ? latestVersion(api, preset)
      : preset.content.data.designated_version.version;
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

/**
 * The version that was live before `live`, from the history of the preset. An import makes a
 * version live without saying which one was live before, where it comes from.
 */
export async function formerLiveVersion(api: ApiClient, slug: string, live: number): Promise<number> {
  const importTimes = new Set<string>();
  for (let offset = 0; ; offset += eventsPerPage) {
    const query = { limit: eventsPerPage, offset };
    const { content } = await api.call('GET /presets/:slug/events', { params: { slug }, query });
    for (const { kind, created_at, before, after } of content.data) {
      if (kind === 'preset.imported') importTimes.add(created_at);
      const [from, to] = [before?.designated_version, after?.designated_version];
      if (to !== live || from === live) continue;
      if (typeof from === 'number' && !importTimes.has(created_at)) return from;
      throw unknownFormerVersion(slug, live);
    }
    if (offset + eventsPerPage >= content.total_count) throw unknownFormerVersion(slug, live);
  }
}

const eventsPerPage = 100;

function unknownFormerVersion(slug: string, live: number): CommandError {
  return new CommandError(
    `No version of ${slug} is known to have been live before version ${live}. Name the version to make live; "presetd preset versions ${slug}" lists them.`,
    { kind: 'not_found' },
  );
}

/**
 * The number of a preset's latest version. Servers up to 0.7.0 do not send it with the preset; they
 * number versions from 1 without gaps, so it is their count.
 */
export async function latestVersion(
  api: ApiClient,
  { headers, content }: ApiResponse<ResponseOf<'GET /presets/:slug'>>,
): Promise<number> {
  const sent = headers.get(headerNames.latestVersion);
  if (sent !== null) return Number(sent);
  const params = { slug: content.data.slug };
  const versions = await api.call('GET /presets/:slug/versions', { params, query: { limit: 1 } });
  return versions.content.total_count;
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

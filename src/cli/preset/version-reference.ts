import type { One, Page } from '../../client/answers.ts';
import type { Label, Preset, PresetVersion } from '../../client/preset-answers.ts';
import type { ApiClient } from '../api-client.ts';
import { CommandError } from '../command-error.ts';
import { presetPath } from './path.ts';

/** The number of a version that is given as a number, a label, "latest" or "designated". */
export async function resolveVersion(api: ApiClient, slug: string, reference: string): Promise<number> {
  if (/^[1-9]\d{0,14}$/.test(reference)) return Number(reference);
  if (reference === 'latest') return latestVersion(api, slug);
  if (reference === 'designated') {
    const { content } = await api.send<One<Preset>>({ path: presetPath(slug) });
    return content.data.designated_version.version;
  }
  const { content } = await api.send<Page<Label>>({ path: presetPath(slug, 'labels') });
  const found = content.data.find(({ label }) => label === reference);
  if (found !== undefined) return found.version;
  const known = [...content.data.map(({ label }) => label), 'latest', 'designated'].join(', ');
  throw new CommandError(
    `${slug} has no label "${reference}": give the number of a version, or one of ${known}.`,
    { kind: 'not_found' },
  );
}

/** Versions are numbered without gap, so that their count is the number of the last. */
export async function latestVersion(api: ApiClient, slug: string): Promise<number> {
  const path = presetPath(slug, 'versions');
  const { content } = await api.send<Page<PresetVersion>>({ path, query: { limit: 1 } });
  return content.total_count;
}

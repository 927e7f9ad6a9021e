import type { Command } from 'commander';
import type { One, Page } from '../../client/answers.ts';
import type { Label, Preset, PresetVersionDetails } from '../../client/preset-answers.ts';
import { truncate } from '../../client/printable.ts';
import { type ApiOptions, apiCommandWithJson, connect, printJson } from '../api-command.ts';
import { print } from '../output.ts';
import { type PageOptions, withPageOptions } from '../page-options.ts';
import { shortTime } from '../short-time.ts';
import { describePage, formatTable } from '../table.ts';
import { slugArgument } from './argument.ts';
import { presetPath } from './path.ts';
import { creatorOf } from './render-preset.ts';
import { latestVersion } from './version-reference.ts';

export function versionsCommand(): Command {
  return withPageOptions(apiCommandWithJson('versions'))
    .description('List the versions of a preset, newest first')
    .addArgument(slugArgument())
    .action(versions);
}

/** Text is newest first; `--json` prints the server's page unchanged, which is oldest first. */
async function versions(slug: string, options: ApiOptions & PageOptions): Promise<void> {
  const api = connect(options);
  const total = await latestVersion(api, slug);
  const query = { ...pageFromEnd(total, options) };
  const page = api.send<Page<PresetVersionDetails>>({ path: presetPath(slug, 'versions'), query });
  if (options.json) return printJson(await page);
  const [{ content }, preset, labels] = await Promise.all([
    page,
    api.send<One<Preset>>({ path: presetPath(slug) }),
    api.send<Page<Label>>({ path: presetPath(slug, 'labels') }),
  ]);
  const live = preset.content.data.designated_version.version;
  print(renderVersions(content.data, live, labels.content.data, total, options.offset));
}

/**
 * Converts a page that counts from the newest version to one that counts from the oldest, as the
 * server does. Past the end it asks for one row beyond the last, because the server requires a
 * limit of at least 1.
 */
export function pageFromEnd(total: number, { limit, offset }: PageOptions): PageOptions {
  const end = total - offset;
  if (end <= 0) return { offset: total, limit: 1 };
  const start = Math.max(end - limit, 0);
  return { offset: start, limit: end - start };
}

export function renderVersions(
  versions: readonly PresetVersionDetails[],
  live: number,
  labels: readonly Label[],
  total: number,
  offset: number,
): string {
  const rows = versions.toReversed().map((version) => [
    String(version.version),
    version.version === live ? 'live' : '',
    labels
      .filter((label) => label.version === version.version)
      .map(({ label }) => label)
      .join(' '),
    shortTime(version.created_at),
    creatorOf(version),
    modelOf(version),
  ]);
  return [
    formatTable(['VERSION', 'LIVE', 'LABELS', 'CREATED', 'BY', 'MODEL'], rows),
    describePage(offset, rows.length, total),
  ].join('\n');
}

/** The model, or the first of a list of fallbacks. Empty if the version sets neither. */
function modelOf({ config: { model, models } }: PresetVersionDetails): string {
  const name = model ?? (Array.isArray(models) ? models[0] : undefined);
  return typeof name === 'string' ? truncate(name, 60) : '';
}

import type { Command } from 'commander';
import type { PresetLabel } from '../api/labels.ts';
import type { PresetVersion, PresetVersionDetails } from '../api/versions.ts';
import { assertSettableLabel } from '../core/presets/label.ts';
import { printable } from '../core/text/printable.ts';
import type { ApiClient } from './api-client.ts';
import { type ApiOptions, apiCommandWithJson, connect, printJson, printResponse } from './api-command.ts';
import { type ConfirmOptions, confirmBrokenCalls, withConfirmation } from './broken-calls.ts';
import { MisuseError } from './command-error.ts';
import { type PageOptions, validatedArgument, withPageOptions } from './options.ts';
import {
  formerLiveVersion,
  latestVersion,
  resolveVersion,
  slugArgument,
  slugToPrint,
} from './preset-reference.ts';
import { type Paint, print } from './ui/output.ts';
import { formatPage, formatTable, textColumn } from './ui/table.ts';
import { shortTime } from './ui/text.ts';

export function versionsCommand(): Command {
  return withPageOptions(apiCommandWithJson('versions'))
    .description('List the versions of a preset, newest first')
    .addArgument(slugArgument())
    .action(versions);
}

/** Text is newest first; `--json` prints the server's page unchanged, which is oldest first. */
async function versions(slug: string, options: ApiOptions & PageOptions): Promise<void> {
  const api = connect(options);
  const params = { slug };
  const preset = await api.call('GET /presets/:slug', { params });
  const total = await latestVersion(api, preset);
  const page = api.call('GET /presets/:slug/versions', { params, query: pageFromEnd(total, options) });
  if (options.json) return printJson(await page);
  const [{ content }, labels] = await Promise.all([page, api.call('GET /presets/:slug/labels', { params })]);
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
  labels: readonly PresetLabel[],
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
    version.presetd?.note ?? '',
  ]);
  const header = [
    'VERSION',
    'LIVE',
    textColumn('LABELS'),
    'CREATED',
    textColumn('BY', 0),
    textColumn('MODEL', 1),
    textColumn('NOTE'),
  ];
  return formatPage(header, rows, offset, total);
}

/** The model, or the first of a list of fallbacks. Empty if the version sets neither. */
function modelOf({ config: { model, models } }: PresetVersionDetails): string {
  const name = model ?? (Array.isArray(models) ? models[0] : undefined);
  return typeof name === 'string' ? name : '';
}

/** The same change as a rollback, named for the version that goes live later than it was saved. */
export function promoteCommand(): Command {
  return withConfirmation(apiCommandWithJson('promote'))
    .description('Make a saved version of a preset live')
    .addArgument(slugArgument())
    .argument('[version]', 'Version number, label or "latest"', 'latest')
    .action(makeLive);
}

/** Makes any version live, newer or older; the name and the default are for the common case. */
export function rollbackCommand(): Command {
  return withConfirmation(apiCommandWithJson('rollback'))
    .description('Make the version live that was live before, or another one')
    .addArgument(slugArgument())
    .argument('[version]', 'Version number, label or "latest" (default: the one that was live before)')
    .action(makeLive);
}

/** Without a reference, goes back to the version that was live before. */
async function makeLive(slug: string, reference: string | undefined, options: ConfirmOptions): Promise<void> {
  const api = connect(options);
  // The previous live version is read first, because the response has only the new one.
  const [requested, previous] = await Promise.all([
    reference === undefined ? undefined : resolveVersion(api, slug, reference),
    resolveVersion(api, slug, 'designated'),
  ]);
  const version = requested ?? (await formerLiveVersion(api, slug, previous));
  const affects = { isLive: true, labels: [] };
  const move = { from: previous, to: version, question: `Make version ${version} live`, affects };
  await confirmBrokenCalls(api, slug, move, options);
  const response = await api.call('PATCH /presets/:slug', {
    params: { slug },
    body: { designated_version: version },
  });
  printResponse(response, options, ({ data }) =>
    version === previous
      ? `${data.slug}@${version} is already live.`
      : `${data.slug}@${version} is now live, replacing version ${previous}.`,
  );
}

/** One command for three operations; which one follows from the arguments that are present. */
export function labelCommand(): Command {
  return withConfirmation(apiCommandWithJson('label'))
    .description('List the labels of a preset, or set or remove one')
    .addArgument(slugArgument())
    .addArgument(validatedArgument('[label]', 'Label, such as "production"', assertSettableLabel))
    .argument('[version]', 'Version number, another label, "latest" or "designated", the live version')
    .option('--remove', 'Remove the label')
    .action(label);
}

type LabelOptions = ConfirmOptions & { readonly remove?: true };

async function label(
  slug: string,
  name: string | undefined,
  version: string | undefined,
  options: LabelOptions,
): Promise<void> {
  const api = connect(options);
  if (name !== undefined && version !== undefined && !options.remove)
    return setLabel(api, slug, name, version, options);
  if (name !== undefined && version === undefined && options.remove)
    return removeLabel(api, slug, name, options);
  if (name === undefined && !options.remove) return listLabels(api, slug, options);
  throw new MisuseError(
    options.remove
      ? '--remove takes a label and no version.'
      : `Name the version that ${name} should point to, or add --remove.`,
  );
}

async function listLabels(api: ApiClient, slug: string, options: ApiOptions): Promise<void> {
  const preset = await slugToPrint(api, slug, options);
  const response = await api.call('GET /presets/:slug/labels', { params: { slug } });
  printResponse(response, options, ({ data }) =>
    data.length === 0
      ? `${preset} has no labels.`
      : formatTable(
          ['LABEL', 'VERSION', 'UPDATED'],
          data.map((item) => [item.label, String(item.version), shortTime(item.updated_at)]),
        ),
  );
}

async function setLabel(
  api: ApiClient,
  slug: string,
  name: string,
  reference: string,
  options: ConfirmOptions,
): Promise<void> {
  const preset = await slugToPrint(api, slug, options);
  // A label points to a number: if it copies another label, it does not follow that one later.
  const version = await resolveVersion(api, slug, reference);
  const { content } = await api.call('GET /presets/:slug/labels', { params: { slug } });
  const from = content.data.find(({ label }) => label === name)?.version ?? version;
  const affects = { isLive: false, labels: [name] };
  const move = { from, to: version, question: `Move ${name}`, affects };
  await confirmBrokenCalls(api, slug, move, options);
  const response = await api.call('PUT /presets/:slug/labels/:label', {
    params: { slug, label: name },
    body: { version },
  });
  printResponse(
    response,
    options,
    ({ data }) => `Label ${data.label} now points to ${preset}@${data.version}.`,
  );
}

async function removeLabel(api: ApiClient, slug: string, name: string, options: ApiOptions): Promise<void> {
  const preset = await slugToPrint(api, slug, options);
  const response = await api.call('DELETE /presets/:slug/labels/:label', { params: { slug, label: name } });
  printResponse(response, options, () => `Removed label ${name} from ${preset}.`);
}

/**
 * Falls back to the ID for members who have left, and for servers before 0.5.0, which send no
 * address.
 */
export function creatorOf({ creator_email, creator_id }: PresetVersionDetails): string {
  return creator_email ?? creator_id;
}

/** The prompt is shown as text, separate from the config, which is how people edit it. */
export function renderVersion({ system_prompt, config, presetd }: RenderedVersion, paint: Paint): string {
  const { note: _note, ...extension } = presetd ?? {};
  return [
    paint('bold', 'System prompt'),
    indent(system_prompt === null ? paint('dim', '(none)') : printable(system_prompt)),
    '',
    paint('bold', 'Config'),
    indent(printable(JSON.stringify(config, null, 2))),
    ...(Object.keys(extension).length === 0
      ? []
      : ['', paint('bold', 'presetd'), indent(printable(JSON.stringify(extension, null, 2)))]),
  ].join('\n');
}

type RenderedVersion = Pick<PresetVersion, 'system_prompt' | 'config'> &
  Partial<Pick<PresetVersionDetails, 'presetd'>>;

/** Empty lines stay empty, without trailing spaces. */
function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

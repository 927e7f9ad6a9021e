import { Command, Option } from 'commander';
import type { PresetAlias } from '../api/aliases.ts';
import type { ResponseOf } from '../api/client.ts';
import type { PresetLabel } from '../api/labels.ts';
import type { PresetUsage } from '../api/preset-usage.ts';
import type { Preset } from '../api/presets.ts';
import type { PresetVersionDetails } from '../api/versions.ts';
import { definedFields } from '../core/json/defined-fields.ts';
import { type PresetStatus, presetStatuses } from '../core/presets/preset.ts';
import { nearestName } from '../core/text/nearest-name.ts';
import { oneLine } from '../core/text/printable.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { type ApiOptions, apiCommandWithJson, connect, printJson, printResponse } from './api-command.ts';
import { CommandError, ifFound, MisuseError } from './command-error.ts';
import { connectionFor } from './connection.ts';
import { type PageOptions, withPageOptions } from './options.ts';
import { aliasCommand, fetchAliases, renameCommand } from './preset-aliases.ts';
import { diffCommand } from './preset-diff.ts';
import { pushCommand } from './preset-push.ts';
import { latestVersion, resolveVersion, slugArgument, versionedSlugArgument } from './preset-reference.ts';
import { fetchTags, parseTags, tagCommand } from './preset-tags.ts';
import {
  creatorOf,
  labelCommand,
  promoteCommand,
  renderVersion,
  rollbackCommand,
  versionsCommand,
} from './preset-versions.ts';
import { type Paint, paintForStdout, print, printStderr } from './ui/output.ts';
import { formatPage, type KeyValue, optionalColumn, renderKeyValueList, textColumn } from './ui/table.ts';
import { formatEventChange, shortTime } from './ui/text.ts';

export function presetCommand(): Command {
  return new Command('preset')
    .description(
      'Manage presets on the server at PRESETD_URL, with the key in PRESETD_API_KEY, or on the server of your profile',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(versionsCommand())
    .addCommand(pushCommand())
    .addCommand(diffCommand())
    .addCommand(promoteCommand())
    .addCommand(rollbackCommand())
    .addCommand(labelCommand())
    .addCommand(aliasCommand())
    .addCommand(renameCommand())
    .addCommand(tagCommand())
    .addCommand(editCommand())
    .addCommand(archiveCommand())
    .addCommand(restoreCommand())
    .addCommand(eventsCommand());
}

function listCommand(): Command {
  return withPageOptions(apiCommandWithJson('list'))
    .description('List presets, most recently changed first')
    .addOption(
      new Option('--status <status>', 'Only presets with this status (default: all but archived)').choices([
        ...presetStatuses,
        'all',
      ]),
    )
    .option('--search <text>', 'Only presets that have words starting with this text')
    .option('--tag <tag>', 'Only presets with this tag; repeat it for several', parseTags)
    .action(list);
}

interface ListOptions extends ApiOptions, PageOptions {
  readonly status?: PresetStatus | 'all';
  readonly search?: string;
  readonly tag?: readonly string[];
}

/** The VERSION column shows the live version and the number of versions. */
async function list(options: ListOptions): Promise<void> {
  const { status, search, tag, limit, offset } = options;
  const query = { status, q: search, tag: tag?.join(), limit, offset };
  const response = await connect(options).call('GET /presets', { query });
  printResponse(response, options, (page) => renderList(page, offset));
  const isFiltered = [status, search, tag].some((filter) => filter !== undefined);
  if (!options.json && response.content.data.length === 0 && offset === 0 && !isFiltered)
    await explainEmptyList(options);
}

/** A management key can read other workspaces, which may have the presets that somebody misses. */
async function explainEmptyList({ profile, workspace: requested }: ListOptions): Promise<void> {
  const { workspace, ...connection } = connectionFor('api', profile);
  const account = await ifFound(createApiClient(connection).call('GET /account'));
  if (account === undefined || account.content.data.credential.kind === 'api') return;
  const name = requested ?? workspace?.slug;
  const place = name === undefined ? 'the default workspace' : `workspace ${oneLine(name)}`;
  printStderr(
    `There are no presets in ${place}. "presetd workspace list" shows the others; use --workspace to choose one.`,
  );
}

/**
 * Servers before 0.6.0 always count, and send no `total_count_exact`. Servers before 0.7.0 send no
 * tags.
 */
export function renderList(
  { data, total_count: total, total_count_exact: isTotalExact }: ResponseOf<'GET /presets'>,
  offset: number,
): string {
  const rows = data.map((preset) => [
    preset.slug,
    preset.status,
    `${preset.designated_version_number} of ${preset.latest_version}`,
    shortTime(preset.updated_at),
    fitItems(Object.entries(preset.labels).map(([label, version]) => `${label}=${version}`)),
    fitItems(preset.tags ?? []),
    preset.name,
  ]);
  const header = [
    'SLUG',
    'STATUS',
    'VERSION',
    'UPDATED',
    textColumn('LABELS'),
    textColumn('TAGS', 0),
    textColumn('NAME', 1),
  ];
  return formatPage(header, rows, offset, total, isTotalExact);
}

/** Keeps rows readable: a preset may have many labels and tags, and each may be long. */
const itemColumnWidthMax = 40;

/** As many items as fit, then the number of the others: "production=2 staging=3 +97". */
function fitItems(all: readonly string[]): string {
  const firstItems = (count: number) =>
    [...all.slice(0, count), ...(count < all.length ? [`+${all.length - count}`] : [])].join(' ');
  let count = all.length;
  while (count > 0 && firstItems(count).length > itemColumnWidthMax) count -= 1;
  return firstItems(count);
}

function showCommand(): Command {
  return apiCommandWithJson('show')
    .description('Show a preset with its system prompt and config')
    .addArgument(versionedSlugArgument())
    .option('--version <number or label>', 'Version to show (default: the live version)')
    .action(show);
}

/**
 * With `--json` this prints one response: the version if `--version` is given, otherwise the
 * preset. The text for people combines several.
 */
async function show(name: string, options: ApiOptions & { readonly version?: string }): Promise<void> {
  const api = connect(options);
  const [slug = '', named] = name.split('@');
  if (named !== undefined && options.version !== undefined)
    throw new MisuseError(`Name the version once: ${name}, or ${slug} with --version.`);
  const reference = named ?? options.version;
  const requestedVersion =
    reference === undefined
      ? undefined
      : await fetchVersion(api, slug, await resolveVersion(api, slug, reference));
  if (requestedVersion !== undefined && options.json) return printJson(requestedVersion);
  const response = await suggestPreset(api, slug, () => api.call('GET /presets/:slug', { params: { slug } }));
  if (options.json) return printJson(response);
  const preset = response.content.data;
  // The preset includes its live version, but only the version resource has the creator's address.
  const [version, labels, aliases, tags, latest, usage] = await Promise.all([
    requestedVersion ?? fetchVersion(api, slug, preset.designated_version.version),
    api.call('GET /presets/:slug/labels', { params: { slug } }),
    fetchAliases(api, slug),
    fetchTags(api, slug),
    latestVersion(api, response),
    fetchUsage(api, slug),
  ]);
  const shown = {
    preset,
    version: version.content.data,
    labels: labels.content.data,
    aliases,
    tags,
    latest,
    usage,
  };
  print(renderPreset(shown, paintForStdout));
}

/** A slug that does not exist is most likely misspelled. */
async function suggestPreset<Result>(
  api: ApiClient,
  slug: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof CommandError) || error.status !== 404) throw error;
    // Without the names there is no suggestion, but still the error.
    const nearest = nearestName(slug, await slugsOf(api).catch(() => []));
    throw nearest === undefined
      ? error
      : error.restated(`${error.message} Did you mean ${oneLine(nearest)}?`);
  }
}

async function slugsOf(api: ApiClient): Promise<readonly string[]> {
  const { content } = await api.call('GET /presets', { query: { limit: 100 } });
  return content.data.map(({ slug }) => slug);
}

function fetchVersion(api: ApiClient, slug: string, version: number) {
  return api.call('GET /presets/:slug/versions/:version', { params: { slug, version } });
}

/** Undefined for servers before 0.7.0, which do not note calls. */
async function fetchUsage(api: ApiClient, slug: string): Promise<PresetUsage | undefined> {
  return (await ifFound(api.call('GET /presets/:slug/usage', { params: { slug } })))?.content.data;
}

interface ShownPreset {
  readonly preset: Preset;
  /** The version to show, which need not be the live one. */
  readonly version: PresetVersionDetails;
  readonly labels: readonly PresetLabel[];
  readonly aliases: readonly PresetAlias[];
  readonly tags: readonly string[];
  readonly latest: number;
  readonly usage: PresetUsage | undefined;
}

/** The properties of a preset, followed by the contents of one version. */
export function renderPreset(
  { preset, version, labels, aliases, tags, latest, usage }: ShownPreset,
  paint: Paint,
): string {
  const live = preset.designated_version.version;
  const entries: readonly KeyValue[] = [
    ['name', preset.name],
    ['description', preset.description ?? ''],
    ['status', preset.status],
    [
      'version',
      `${version.version} of ${latest}${version.version === live ? ', live' : `; version ${live} is live`}`,
    ],
    ['saved', `${shortTime(version.created_at)} by ${creatorOf(version)}`],
    ['note', version.presetd?.note ?? ''],
    ['labels', labels.map(({ label, version: number }) => `${label}=${number}`).join(' ')],
    ['aliases', aliases.map(({ alias }) => alias).join(' ')],
    ['tags', tags.join(' ')],
    ['created', shortTime(preset.created_at)],
    ['updated', shortTime(preset.updated_at)],
    ['last called', describeLastCall(usage)],
  ];
  return [
    renderKeyValueList(`${preset.slug}@${version.version}`, entries, paint),
    '',
    renderVersion(version, paint),
  ].join('\n');
}

/** Empty if the server does not know. */
function describeLastCall(usage: PresetUsage | undefined): string {
  if (usage === undefined) return '';
  return usage.last_called_at === null ? 'never' : shortTime(usage.last_called_at);
}

/** Changes the preset itself. Its versions cannot be changed; `push` adds a new one. */
function editCommand(): Command {
  return apiCommandWithJson('edit')
    .description('Change the name, description or status of a preset')
    .addArgument(slugArgument())
    .option('--name <text>', 'Display name')
    .option('--description <text>', 'Description; "" removes it')
    .addOption(
      new Option('--status <status>', 'Whether the preset can be called').choices(['active', 'disabled']),
    )
    .action(edit);
}

interface EditOptions extends ApiOptions {
  readonly name?: string;
  readonly description?: string;
  readonly status?: 'active' | 'disabled';
}

async function edit(slug: string, options: EditOptions): Promise<void> {
  const { name, description, status } = options;
  // The API removes a description with null, a shell has only "".
  const changes = definedFields({ name, description: description === '' ? null : description, status });
  const changed = Object.keys(changes);
  if (changed.length === 0)
    throw new MisuseError('Nothing to change. Use --name, --description or --status.');
  const response = await connect(options).call('PATCH /presets/:slug', {
    params: { slug },
    body: changes,
  });
  printResponse(response, options, ({ data }) => `Updated ${changed.join(', ')} of ${data.slug}.`);
}

/** DELETE archives: the API never deletes a preset or a version. */
function archiveCommand(): Command {
  return apiCommandWithJson('archive')
    .description('Archive a preset, so that calls to it fail; "restore" brings it back')
    .addArgument(slugArgument())
    .action(archive);
}

async function archive(slug: string, options: ApiOptions): Promise<void> {
  const response = await connect(options).call('DELETE /presets/:slug', { params: { slug } });
  printResponse(
    response,
    options,
    ({ data }) => `Archived ${data.slug}. To bring it back, run "presetd preset restore ${data.slug}".`,
  );
}

function restoreCommand(): Command {
  return apiCommandWithJson('restore')
    .description('Restore an archived preset')
    .addArgument(slugArgument())
    .action(restore);
}

async function restore(slug: string, options: ApiOptions): Promise<void> {
  const response = await connect(options).call('POST /presets/:slug/restore', { params: { slug } });
  // Not always "active": a preset that was not archived keeps its status, which may be "disabled".
  printResponse(response, options, ({ data }) => `${data.slug} is ${data.status}.`);
}

/** Reads the preset's own events, which an API key may see; `audit` needs a management key. */
function eventsCommand(): Command {
  return withPageOptions(apiCommandWithJson('events'))
    .description('List the history of a preset, newest first')
    .addArgument(slugArgument())
    .action(events);
}

async function events(slug: string, options: ApiOptions & PageOptions): Promise<void> {
  const { limit, offset } = options;
  const response = await connect(options).call('GET /presets/:slug/events', {
    params: { slug },
    query: { limit, offset },
  });
  printResponse(response, options, (page) => renderEvents(page, offset));
}

export function renderEvents(
  { data, total_count }: ResponseOf<'GET /presets/:slug/events'>,
  offset: number,
): string {
  const rows = data.map((event) => [
    String(event.number),
    shortTime(event.created_at),
    // Every kind here starts with "preset.".
    event.kind.replace(/^preset\./, ''),
    event.actor_email ?? '',
    event.key_label ?? '',
    formatEventChange(event.before, event.after),
  ]);
  const header = ['#', 'TIME', 'EVENT', textColumn('ACTOR'), optionalColumn('KEY'), textColumn('CHANGE')];
  return formatPage(header, rows, offset, total_count);
}

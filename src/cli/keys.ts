import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { ApiResponse } from '../api/client.ts';
import type { CurrentKey, Key, KeyWithSecret } from '../api/keys.ts';
import { keysPerPage } from '../api/limits.ts';
import type { Workspace } from '../api/workspaces.ts';
import { systemClock } from '../core/clock.ts';
import { definedFields } from '../core/json/defined-fields.ts';
import { formatCost } from '../core/ledger/metric-text.ts';
import { hashSecret } from '../core/organization/api-key.ts';
import { type KeyScope, keyScopes } from '../core/organization/key-scope.ts';
import {
  type LimitReset,
  limitDollarsMax,
  limitResets,
  parseDollars,
} from '../core/organization/limit-reset.ts';
import { limitText } from '../core/organization/limit-text.ts';
import { oneLine } from '../core/text/printable.ts';
import { createApiClient } from './api-client.ts';
import {
  connectToOrganization,
  organizationCommand,
  printJson,
  printResponse,
  type ServerOptions,
  workspaceOrDefault,
} from './api-command.ts';
import { hintIfResponseLost } from './api-errors.ts';
import { MisuseError } from './command-error.ts';
import { connectionFor } from './connection.ts';
import { parseCount, parseDuration, parseIdentifier, parseName, parseTime, repeated } from './options.ts';
import { findMember, findWorkspace, workspaceIdOf } from './organization-lookup.ts';
import { type Paint, paintForStdout, print, printSecret } from './ui/output.ts';
import {
  describePage,
  formatTable,
  type KeyValue,
  optionalColumn,
  renderKeyValueList,
  textColumn,
} from './ui/table.ts';
import { describeExpiry, listNames, pluralize, shortTime } from './ui/text.ts';

export function keyCommand(): Command {
  return new Command('key')
    .description(
      'Manage API and management keys on the server at PRESETD_URL, with the key in PRESETD_MANAGEMENT_KEY, or on the server of your profile',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(currentCommand())
    .addCommand(createCommand())
    .addCommand(editCommand())
    .addCommand(rotateCommand())
    .addCommand(disableCommand())
    .addCommand(enableCommand())
    .addCommand(deleteCommand());
}

function listCommand(): Command {
  return organizationCommand('list')
    .description('List keys, newest first')
    .option(
      '--workspace <id or slug>',
      'Only API keys of this workspace (default: the workspace of your profile, or else the default workspace, with management keys)',
      parseIdentifier,
    )
    .option('--mine', 'Only your own keys, of all workspaces')
    .option('--all', 'Include disabled keys')
    .option('--offset <count>', 'Number of keys to skip', parseCount, 0)
    .action(list);
}

interface ListOptions extends ServerOptions {
  readonly workspace?: string;
  readonly mine?: true;
  readonly all?: true;
  readonly offset: number;
}

/**
 * Without a workspace the server lists management keys too, since they belong to none. There is no
 * `--limit`: the API has a fixed page size.
 */
async function list(options: ListOptions): Promise<void> {
  const { workspace, mine, all, offset } = options;
  if (mine && workspace !== undefined)
    throw new MisuseError('--mine lists your keys of all workspaces. Omit --workspace.');
  const api = connectToOrganization(options);
  const response = await api.call('GET /keys', {
    query: {
      mine,
      include_disabled: all,
      workspace_id: mine
        ? undefined
        : await workspaceIdOf(api, workspaceOrDefault(options.workspace, options)),
      offset,
    },
  });
  printResponse(response, options, ({ data }) => renderKeys(data, offset, systemClock()));
}

function showCommand(): Command {
  return organizationCommand('show').description('Show a key').addArgument(keyArgument()).action(show);
}

async function show(key: string, options: ServerOptions): Promise<void> {
  const api = connectToOrganization(options);
  const response = await api.call('GET /keys/:hash', { params: { hash: keyReference(key) } });
  if (options.json) return printJson(response);
  const { data } = response.content;
  // A management key works in all workspaces, although the server returns the ID of one.
  const workspace = data.kind === 'management' ? undefined : await findWorkspace(api, data.workspace_id);
  print(renderKey(data, workspace, systemClock(), paintForStdout));
}

/** Any valid key may read itself, so this also works with an API key. */
function currentCommand(): Command {
  return organizationCommand('current').description('Show the key that these commands use').action(current);
}

async function current(options: ServerOptions): Promise<void> {
  const connection = connectionFor('management', options.profile);
  const response = await createApiClient(connection).call('GET /key');
  printResponse(response, options, ({ data }) =>
    renderCurrentKey(data, connection.keySetting, systemClock(), paintForStdout),
  );
}

function createCommand(): Command {
  return organizationCommand('create')
    .description('Create a key and print its secret, which is shown only once')
    .requiredOption('--name <text>', 'What the key is for (required)', parseKeyName)
    .addOption(
      new Option(
        '--scope <scope>',
        'What an API key can do: call models and presets, also read presets, or also change them (default: call)',
      ).choices(keyScopes),
    )
    .option(
      '--preset <name>',
      'Limit an API key to this preset, by its slug or an alias; repeat it for more',
      repeated(parseIdentifier),
    )
    .option('--management', 'Create a management key instead of an API key')
    .option('--read-only', 'With --management: allow only reading')
    .option('--owner <email or id>', 'Member who owns the key (default: owner of your key)', parseIdentifier)
    .option(
      '--workspace <id or slug>',
      'Workspace of an API key (default: that of your profile, or else the default workspace)',
      parseIdentifier,
    )
    .option('--expires-at <time>', 'Expiration time, such as 2027-01-31 (default: never)', parseTime)
    .option(
      '--limit <dollars>',
      'What calls with the key may cost, such as 20 (default: no limit)',
      parseLimit,
    )
    .addOption(
      new Option('--limit-reset <period>', 'When the limit resets (default: never)').choices(limitResets),
    )
    .action(create);
}

function parseLimit(text: string): number {
  const dollars = parseDollars(text);
  if (dollars !== undefined) return dollars;
  throw new InvalidArgumentError(`${amountRule}.`);
}

const amountRule = `Must be US dollars such as 20 or 12.50, at most ${limitDollarsMax}`;

/** Members may have empty names, keys may not. */
function parseKeyName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Must not be empty.');
  return parseName(text);
}

interface CreateOptions extends ServerOptions {
  readonly name: string;
  readonly scope?: KeyScope;
  readonly preset?: readonly string[];
  readonly management?: true;
  readonly readOnly?: true;
  readonly owner?: string;
  readonly workspace?: string;
  readonly expiresAt?: string;
  readonly limit?: number;
  readonly limitReset?: LimitReset;
}

/**
 * Creates a key that can only call unless told otherwise: most keys end up in applications. Not
 * retried: a second attempt would create a second key.
 */
async function create(options: CreateOptions): Promise<void> {
  if (options.readOnly && !options.management)
    throw new MisuseError('--read-only applies only to management keys. Add --management.');
  if (options.management && options.workspace !== undefined)
    throw new MisuseError('A management key works in every workspace. Omit --workspace.');
  if (options.management && options.scope !== undefined)
    throw new MisuseError('--scope applies only to API keys. Use --read-only, or omit --management.');
  if (options.management && options.preset !== undefined)
    throw new MisuseError('--preset applies only to API keys. Omit --management.');
  if (options.limitReset !== undefined && options.limit === undefined)
    throw new MisuseError('--limit-reset says when a limit resets. Add --limit.');
  const api = connectToOrganization(options);
  const owner = options.owner === undefined ? undefined : await findMember(api, options.owner);
  const workspaceId = options.management
    ? undefined
    : await workspaceIdOf(api, workspaceOrDefault(options.workspace, options));
  const response = await api
    .call('POST /keys', {
      body: {
        name: options.name,
        kind: options.readOnly ? 'read_only' : options.management ? 'management' : 'api',
        ...definedFields({
          scope: options.management ? undefined : (options.scope ?? 'call'),
          presets: options.preset && [...new Set(options.preset)],
          creator_user_id: owner?.id,
          workspace_id: workspaceId,
          expires_at: options.expiresAt,
          limit: options.limit,
          limit_reset: options.limitReset,
        }),
      },
    })
    .catch(hintIfResponseLost('The key may have been created anyway; check with "presetd key list".'));
  printNewKey(response, options, ({ data }) => {
    const hint =
      data.kind === 'api' && options.scope === undefined
        ? ' It can only call; --scope read or --scope write allows more.'
        : '';
    return `Created ${describeNewKey(data)} for ${oneLine(data.creator_email)}.${hint} Copy it now; it is not shown again:`;
  });
}

function describeNewKey(key: Key): string {
  const { kind, read_only, scope, presets, limit } = key;
  if (kind === 'management') return read_only ? 'a read-only management key' : 'a management key';
  const limits = [
    ...(presets === null ? [] : [listNames(presets)]),
    ...(limit === null ? [] : [limitText({ ...key, limit })]),
  ];
  const limited = limits.length === 0 ? '' : `, limited to ${limits.join(' and to ')},`;
  return oneLine(`an API key with the scope ${scope}${limited}`);
}

function editCommand(): Command {
  return organizationCommand('edit')
    .description('Change the name, the expiration, the limit or the presets of a key')
    .addArgument(keyArgument())
    .option('--name <text>', 'What the key is for', parseKeyName)
    .option('--expires-at <time>', 'Expiration time, such as 2027-01-31, or "never"', parseExpiry)
    .option('--limit <dollars>', 'What calls with the key may cost, such as 20, or "none"', parseLimitOrNone)
    .addOption(new Option('--limit-reset <period>', 'When the limit resets').choices([...limitResets, never]))
    .option(
      '--preset <name>',
      'Limit an API key to this preset instead, by its slug or an alias; repeat it for more',
      repeated(parseIdentifier),
    )
    .option('--all-presets', 'Stop limiting an API key to presets')
    .action(edit);
}

interface EditOptions extends ServerOptions {
  readonly name?: string;
  readonly expiresAt?: string;
  readonly limit?: number | typeof none;
  readonly limitReset?: LimitReset | typeof never;
  readonly preset?: readonly string[];
  readonly allPresets?: true;
}

async function edit(key: string, options: EditOptions): Promise<void> {
  const { name, expiresAt, limit, limitReset, preset, allPresets } = options;
  if (preset !== undefined && allPresets)
    throw new MisuseError('--all-presets removes the limit that --preset sets. Omit one of them.');
  const changes = definedFields({
    name,
    expires_at: expiresAt === never ? null : expiresAt,
    limit: limit === none ? null : limit,
    limit_reset: limitReset === never ? null : limitReset,
    presets: allPresets ? null : preset && [...new Set(preset)],
  });
  if (Object.keys(changes).length === 0)
    throw new MisuseError(
      'Nothing to change. Use --name, --expires-at, --limit, --limit-reset, --preset or --all-presets.',
    );
  const response = await connectToOrganization(options).call('PATCH /keys/:hash', {
    params: { hash: keyReference(key) },
    body: changes,
  });
  printResponse(response, options, ({ data }) => {
    const expiry = data.expires_at === null ? 'it never expires' : `it expires ${shortTime(data.expires_at)}`;
    const spending =
      data.limit === null
        ? 'it has no spending limit'
        : `it can spend ${limitText({ ...data, limit: data.limit })}`;
    const reach =
      data.presets === null ? 'it is not limited to presets' : `it is limited to ${listNames(data.presets)}`;
    const news = [
      ...(expiresAt === undefined ? [] : [expiry]),
      ...(limit === undefined && limitReset === undefined ? [] : [spending]),
      ...(changes.presets === undefined ? [] : [oneLine(reach)]),
    ];
    return `Updated ${describeKey(data)}${news.length === 0 ? '' : `: ${news.join(', and ')}`}.`;
  });
}

/** An option cannot be null, so these words stand for "no expiration" and "no limit". */
const never = 'never';
const none = 'none';

function parseLimitOrNone(text: string): number | typeof none {
  const limit = text === none ? none : parseDollars(text);
  if (limit !== undefined) return limit;
  throw new InvalidArgumentError(`${amountRule}, or "${none}".`);
}

function parseExpiry(text: string): string {
  return text === never ? never : parseTime(text);
}

function rotateCommand(): Command {
  return organizationCommand('rotate')
    .description("Replace a key's secret and print the new one, which is shown only once")
    .addArgument(keyArgument())
    .option(
      '--grace <duration>',
      'How long the old secret keeps working: 0, or a duration such as 90s, 30m, 12h or 7d (default: 1h)',
      parseDuration,
    )
    .action(rotate);
}

/** Not retried: each rotation replaces the secret, so the first one would be lost. */
async function rotate(key: string, options: ServerOptions & { readonly grace?: number }): Promise<void> {
  const response = await connectToOrganization(options)
    .call('POST /keys/:hash/rotate', {
      params: { hash: keyReference(key) },
      body: definedFields({ grace_period_seconds: options.grace }),
    })
    .catch(
      hintIfResponseLost(
        'The secret may have been replaced anyway; rotate the key again to get one that you know.',
      ),
    );
  printNewKey(
    response,
    options,
    ({ data }) =>
      `Rotated ${describeKey(data)}: ${describeOldSecret(data)}. Copy the new one now; it is not shown again:`,
  );
}

function describeOldSecret(key: Key): string {
  if (key.disabled) return 'no secret works while the key is disabled';
  const end = oldSecretEnd(key, systemClock());
  return end === undefined
    ? 'the old secret no longer works'
    : `the old secret works until ${shortTime(end)}`;
}

function disableCommand(): Command {
  return organizationCommand('disable')
    .description('Disable a key; all servers reject it within a second')
    .addArgument(keyArgument())
    .action((key: string, options: ServerOptions) => setDisabled(key, true, options));
}

function enableCommand(): Command {
  return organizationCommand('enable')
    .description('Enable a disabled key')
    .addArgument(keyArgument())
    .action((key: string, options: ServerOptions) => setDisabled(key, false, options));
}

/** Unlike deleting, this is reversible. Servers cache keys for up to a second, hence the delay. */
async function setDisabled(key: string, disabled: boolean, options: ServerOptions): Promise<void> {
  const response = await connectToOrganization(options).call('PATCH /keys/:hash', {
    params: { hash: keyReference(key) },
    body: { disabled },
  });
  printResponse(
    response,
    options,
    ({ data }) => `${disabled ? 'Disabled' : 'Enabled'} ${describeKey(data)}.`,
  );
}

function deleteCommand(): Command {
  return organizationCommand('delete')
    .description('Delete a key permanently')
    .addArgument(keyArgument())
    .action(deleteKey);
}

/** Looks the key up first: the response to DELETE does not say which key it was. */
async function deleteKey(key: string, options: ServerOptions): Promise<void> {
  const api = connectToOrganization(options);
  const { content } = await api.call('GET /keys/:hash', { params: { hash: keyReference(key) } });
  const { data } = content;
  const response = await api.call('DELETE /keys/:hash', { params: { hash: data.hash } });
  printResponse(response, options, () => `Deleted ${describeKey(data)}.`);
}

/** `keyReference` also accepts a whole secret, for leaked keys; the help does not suggest it. */
function keyArgument(): Argument {
  return new Argument('<key>', 'Label or ID of the key, as shown by "key list"').argParser(parseIdentifier);
}

/**
 * The ID or label of a key, which the API calls its hash. In a label, `...` stands for `…`. A whole
 * secret works too, such as one that leaked: its hash is sent instead, because URLs are logged.
 */
export function keyReference(key: string): string {
  return /^sk-pst-v1-[0-9a-f]{64}$/.test(key) ? hashSecret(key) : key.replace('...', '…');
}

/** Prints the secret of a key that was created or rotated. The server keeps only its hash. */
function printNewKey(
  response: ApiResponse<KeyWithSecret>,
  { json }: ServerOptions,
  describe: (content: KeyWithSecret) => string,
): void {
  if (json) printJson(response);
  else printSecret(response.content.key, describe(response.content));
}

export function renderKeys(keys: readonly Key[], offset: number, now: string): string {
  const hasLimit = keys.some(({ limit }) => limit !== null);
  const rows = keys.map((key) => [
    key.label,
    kindOf(key),
    scopeOf(key),
    stateOf(key, now),
    ...(hasLimit ? [limitOf(key)] : []),
    key.last_used_at === null ? 'never' : shortTime(key.last_used_at),
    key.creator_email,
    key.name,
    key.hash,
  ]);
  const header = [
    'LABEL',
    optionalColumn('KIND', 3),
    'SCOPE',
    'STATE',
    ...(hasLimit ? [optionalColumn('LIMIT', 2)] : []),
    optionalColumn('LAST USED', 2),
    optionalColumn('OWNER', 1),
    textColumn('NAME'),
    optionalColumn('ID'),
  ];
  return [formatTable(header, rows), describeKeyPage(offset, keys.length)].join('\n');
}

/** Key lists have no total, so only a page that is not full is known to be the last. */
function describeKeyPage(offset: number, count: number): string {
  const end = offset + count;
  if (count < keysPerPage) return describePage(offset, count, end);
  return `Showing ${offset + 1}-${end}; use --offset ${end} for more, if any`;
}

/** `workspace` is undefined for a management key, which works in all of them. */
export function renderKey(
  key: Key,
  workspace: Pick<Workspace, 'id' | 'slug'> | undefined,
  now: string,
  paint: Paint,
): string {
  const oldEnd = oldSecretEnd(key, now);
  const entries: readonly KeyValue[] = [
    ...identityEntries(key, key.disabled, now),
    ['owner', `${key.creator_email}, ${key.creator_user_id}`],
    ['workspace', workspace === undefined ? '' : `${workspace.slug}, ${workspace.id}`],
    ['last used', key.last_used_at === null ? 'never' : shortTime(key.last_used_at)],
    ['created', shortTime(key.created_at)],
    ['updated', key.updated_at === null ? '' : shortTime(key.updated_at)],
    ['old secret', oldEnd === undefined ? '' : `works until ${shortTime(oldEnd)}`],
    ['id', key.hash],
  ];
  return renderKeyValueList(key.label, entries, paint);
}

/** `setting` is where the key was read from, which answers "why does this key not work?". */
export function renderCurrentKey(key: CurrentKey, setting: string, now: string, paint: Paint): string {
  const { requests, interval } = key.rate_limit;
  const entries: readonly KeyValue[] = [
    // The server accepted the key, so it is not disabled.
    ...identityEntries(key, false, now),
    ['owner', key.creator_user_id],
    ['organization', key.organization_id ?? 'none'],
    ['workspace', key.workspace_id ?? ''],
    ['rate limit', requests < 0 ? 'none' : `${requests} requests per ${interval}`],
    ['id', key.hash],
    ['from', setting],
  ];
  return renderKeyValueList(key.label, entries, paint);
}

/** The entries that describe a key and its permissions. */
function identityEntries(key: Key | CurrentKey, disabled: boolean, now: string): readonly KeyValue[] {
  const { name, kind, scope, presets, expires_at } = key;
  return [
    ['name', name],
    ['kind', kindOf(key)],
    ['scope', kind === 'management' ? '' : scope],
    ['presets', listNames(presets ?? [])],
    ['limit', limitOf(key)],
    ['state', stateOf({ disabled, expires_at }, now)],
  ];
}

/** "sk-pst-v1-ab1…9f2 (For the pipeline)" */
function describeKey({ label, name }: Pick<Key, 'label' | 'name'>): string {
  return oneLine(`${label} (${name})`);
}

function kindOf({ kind, read_only }: Pick<Key, 'kind' | 'read_only'>): string {
  return read_only ? 'read-only' : kind;
}

/** Management keys have their own kinds instead. */
function scopeOf({ kind, scope, presets }: Key): string {
  if (kind === 'management') return '';
  return presets === null ? scope : `${scope}, ${pluralize(presets.length, 'preset')}`;
}

/** "$37.60 left of $50 per month", or nothing for a key without a limit. */
export function limitOf(key: Pick<Key, 'limit' | 'limit_remaining' | 'limit_reset'>): string {
  const { limit, limit_remaining: left } = key;
  return limit === null ? '' : `${formatCost(left)} left of ${limitText({ ...key, limit })}`;
}

function stateOf({ disabled, expires_at }: Pick<Key, 'disabled' | 'expires_at'>, now: string): string {
  return disabled ? 'disabled' : describeExpiry(expires_at, now);
}

/** Undefined unless a rotation left an old secret that still works. */
function oldSecretEnd({ previous_secret_expires_at: end }: Key, now: string): string | undefined {
  return end === null || Date.parse(end) <= Date.parse(now) ? undefined : end;
}

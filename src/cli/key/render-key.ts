import type { Workspace } from '../../api/workspaces.ts';
import type { CurrentKey, Key } from '../../client/organization-answers.ts';
import { oneLine } from '../../client/printable.ts';
import { type KeyValue, renderKeyValueList } from '../key-value-list.ts';
import type { Paint } from '../paint.ts';
import { shortTime } from '../short-time.ts';
import { describePage, formatTable } from '../table.ts';

/** The page size of the server, which `GET /keys` does not let a client choose. */
const keysPerPage = 100;

export function renderKeys(keys: readonly Key[], offset: number, now: string): string {
  const rows = keys.map((key) => [
    key.label,
    kindOf(key),
    stateOf(key, now),
    key.last_used_at === null ? 'never' : shortTime(key.last_used_at),
    key.creator_email ?? key.creator_user_id,
    key.name,
    key.hash,
  ]);
  return [
    formatTable(['LABEL', 'KIND', 'STATE', 'LAST USED', 'OWNER', 'NAME', 'ID'], rows),
    describeKeyPage(offset, keys.length),
  ].join('\n');
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
  const entries: readonly KeyValue[] = [
    ['name', key.name],
    ['kind', kindOf(key)],
    ['state', stateOf(key, now)],
    ['owner', `${key.creator_email === null ? '' : `${key.creator_email}, `}${key.creator_user_id}`],
    ['workspace', workspace === undefined ? '' : `${workspace.slug}, ${workspace.id}`],
    ['last used', key.last_used_at === null ? 'never' : shortTime(key.last_used_at)],
    ['created', shortTime(key.created_at)],
    ['updated', key.updated_at === null ? '' : shortTime(key.updated_at)],
    ['old secret', describeOldSecret(key, now)],
    ['id', key.hash],
  ];
  return renderKeyValueList(key.label, entries, paint);
}

/** `setting` is where the key was read from, which answers "why does this key not work?". */
export function renderCurrentKey(key: CurrentKey, setting: string, now: string, paint: Paint): string {
  const { requests, interval } = key.rate_limit;
  const entries: readonly KeyValue[] = [
    ['name', key.name],
    ['kind', kindOf(key)],
    // The server accepted the key, so it is not disabled.
    ['state', stateOf({ ...key, disabled: false }, now)],
    ['owner', key.creator_user_id],
    ['organization', key.organization_id ?? 'none'],
    ['workspace', key.workspace_id ?? ''],
    ['rate limit', requests < 0 ? 'none' : `${requests} requests per ${interval}`],
    ['id', key.hash],
    ['from', setting],
  ];
  return renderKeyValueList(key.label, entries, paint);
}

/** "sk-pst-v1-ab1…9f2 (For the pipeline)" */
export function describeKey({ label, name }: Pick<Key, 'label' | 'name'>): string {
  return oneLine(`${label} (${name})`);
}

function kindOf({ kind, read_only }: Pick<Key, 'kind' | 'read_only'>): string {
  return read_only ? 'read-only' : kind;
}

function stateOf({ disabled, expires_at }: Pick<Key, 'disabled' | 'expires_at'>, now: string): string {
  if (disabled) return 'disabled';
  if (expires_at === null) return 'active';
  return Date.parse(expires_at) <= Date.parse(now) ? 'expired' : `expires ${shortTime(expires_at)}`;
}

/** Empty, and so omitted, unless a rotation left an old secret that still works. */
function describeOldSecret({ previous_secret_expires_at: end }: Key, now: string): string {
  return end === null || Date.parse(end) <= Date.parse(now) ? '' : `works until ${shortTime(end)}`;
}

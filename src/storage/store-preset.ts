import type { Author } from '../core/event.ts';
import type { WorkspaceAddress } from '../core/organization/workspace.ts';
import { addedNames, nameTaken } from '../core/presets/alias.ts';
import type { Preset, PresetAddress, PresetState, PresetVersion } from '../core/presets/preset.ts';
import type { PresetChange } from '../core/presets/preset-change.ts';
import type { NewEvent } from '../core/presets/preset-event.ts';
import { insertEvents, type StoredEvent } from './audit.ts';
import { storeCases } from './cases.ts';
import { LostRace, type Query } from './database.ts';
import { recordTypes } from './preset-columns.ts';
import { presetByNameStatement } from './read-presets.ts';
import { statement } from './statement.ts';
import { changedWords, differenceOf } from './word-index.ts';
import { deleteFrom, insertInto, typed, updateIn } from './write-rows.ts';

/**
 * Stores a change and its events inside a transaction that holds the preset's lock. Writes only
 * what differs: labels that moved, names, tags and words that came or went. Throws `conflict` if
 * another preset has a name that the change adds.
 */
export async function storeChange(
  query: Query,
  address: PresetAddress,
  author: Author,
  current: PresetState | undefined,
  { at, next, versions, cases = [], events }: PresetChange,
): Promise<void> {
  await storeNames(query, current, next);
  await insertVersions(query, versions);
  await storeLabels(query, current, next);
  await storeTags(query, current, next);
  if (cases.length > 0) await storeCases(query, next.id, cases);
  const { removed, added } = changedWords(current, next);
  await removeWords(query, wordRows(next, removed));
  await insertWords(query, wordRows(next, added));
  const first = (current?.revision ?? 0) + 1;
  const rows = events.map((event, index) => eventRow(address, next.id, first + index, author, at, event));
  await insertEvents(query, rows);
}

/** An event for `insertEvents`. */
export function eventRow(
  { organizationId, workspaceId }: WorkspaceAddress,
  presetId: string,
  number: number,
  { userId, keyLabel }: Author,
  at: string,
  event: NewEvent,
): StoredEvent {
  const place = { organizationId, workspaceId, presetId, number, subjectId: null, subjectName: null };
  return { ...event, ...place, actorId: userId, keyLabel, createdAt: at };
}

/** Words for `insertWords` and `removeWords`. */
export function wordRows(
  { id, workspaceId }: Pick<PresetState, 'id' | 'workspaceId'>,
  words: readonly string[],
) {
  return words.map((word) => ({ presetId: id, word, workspaceId }));
}

/** Removes aliases first: one of them may become the slug. */
async function storeNames(query: Query, current: PresetState | undefined, next: PresetState): Promise<void> {
  const { id: presetId, workspaceId } = next;
  const removed = [...(current?.aliases.keys() ?? [])].filter((alias) => !next.aliases.has(alias));
  const added = [...next.aliases].filter(([alias]) => !current?.aliases.has(alias));
  const hasNewSlug = current !== undefined && current.slug !== next.slug;
  if (added.length > 0 || hasNewSlug) await claimNames(query, current, next);
  await removeAliases(
    query,
    removed.map((alias) => ({ workspaceId, alias })),
  );
  await storeRow(query, next, current === undefined);
  const aliases = added.map(([alias, { createdAt }]) => ({ workspaceId, presetId, alias, createdAt }));
  await addAliases(query, aliases);
}

/**
 * Locks the names of the workspace and checks that those to add are free. Triggers take the same
 * lock, but after a new preset has shared it: two transactions would wait for each other.
 */
async function claimNames(query: Query, current: PresetState | undefined, next: PresetState): Promise<void> {
  await query(lockNames, [next.workspaceId]);
  for (const name of addedNames(current, next)) {
    const [owner] = await query(presetByNameStatement, [next.workspaceId, name]);
    if (owner !== undefined) throw nameTaken(name, owner.slug);
  }
}

/** Throws `LostRace` when another transaction has created the preset in the meantime. */
async function storeRow(query: Query, next: PresetState, isNew: boolean): Promise<void> {
  const row = { ...next, designatedVersion: next.designatedNumber };
  if (!isNew) await updatePresets(query, [row]);
  else if ((await insertPresets(query, [row])).length === 0) throw new LostRace();
}

async function storeLabels(query: Query, current: PresetState | undefined, next: PresetState): Promise<void> {
  const removed = [...(current?.labels.keys() ?? [])].filter((label) => !next.labels.has(label));
  await removeLabels(
    query,
    removed.map((label) => ({ presetId: next.id, label })),
  );
  const moved = [...next.labels]
    .filter(([label, { version }]) => current?.labels.get(label)?.version !== version)
    .map(([label, { version, updatedAt }]) => ({ presetId: next.id, label, version, updatedAt }));
  await setLabels(query, moved);
}

async function storeTags(query: Query, current: PresetState | undefined, next: PresetState): Promise<void> {
  const { removed, added } = differenceOf(current?.tags ?? [], next.tags);
  const rowsOf = (tags: readonly string[]) => tags.map((tag) => ({ presetId: next.id, tag }));
  await removeTags(query, rowsOf(removed));
  await addTags(query, rowsOf(added));
}

interface PresetRow extends Omit<Preset, 'designatedVersion'> {
  readonly designatedVersion: number;
}

const { workspaceId, creatorUserId, ...changedTypes } = recordTypes;

const insertPresets = insertInto<PresetRow>(
  'insert-preset',
  'presets',
  { ...recordTypes, designatedVersion: 'integer' },
  'ON CONFLICT (workspace_id, slug) DO NOTHING RETURNING id',
);

const updatePresets = updateIn<Omit<PresetRow, 'workspaceId' | 'creatorUserId'>>(
  'update-preset',
  'presets',
  ['id'],
  { ...changedTypes, designatedVersion: 'integer' },
);

/** SQLite has only one writer at a time. */
const lockNames = statement('lock-names', {
  sqlite: 'SELECT $1',
  postgres: 'SELECT pg_advisory_xact_lock(preset_names_lock($1))',
});

const removeAliases = deleteFrom('remove-aliases', 'preset_aliases', { workspaceId: 'uuid', alias: 'text' });

const addAliases = insertInto('add-aliases', 'preset_aliases', {
  workspaceId: 'uuid',
  presetId: 'uuid',
  alias: 'text',
  createdAt: 'timestamptz',
});

export const insertVersions = insertInto<PresetVersion>('insert-versions', 'preset_versions', {
  ...typed('uuid', 'id', 'presetId'),
  ...typed('text', 'dialect', 'systemPrompt', 'creatorId'),
  ...typed('json text', 'configJson', 'extensionJson'),
  version: 'integer',
  createdAt: 'timestamptz',
});

const removeLabels = deleteFrom('remove-labels', 'preset_labels', { presetId: 'uuid', label: 'text' });

const setLabels = insertInto(
  'set-labels',
  'preset_labels',
  { presetId: 'uuid', label: 'text', version: 'integer', updatedAt: 'timestamptz' },
  'ON CONFLICT (preset_id, label) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at',
);

const tagTypes = { presetId: 'uuid', tag: 'text' } as const;
const removeTags = deleteFrom('remove-tags', 'preset_tags', tagTypes);
const addTags = insertInto('add-tags', 'preset_tags', tagTypes);

const wordTypes = { presetId: 'uuid', word: 'text' } as const;
const removeWords = deleteFrom('remove-words', 'preset_words', wordTypes);
export const insertWords = insertInto('insert-words', 'preset_words', { ...wordTypes, workspaceId: 'uuid' });

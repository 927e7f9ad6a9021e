import { addedNames, nameTaken } from '../../core/presets/alias.ts';
import type { PresetAddress, PresetState, PresetVersion } from '../../core/presets/preset.ts';
import type { PresetChange } from '../../core/presets/preset-change.ts';
import type { Author } from '../../core/presets/preset-event.ts';
import { changedWords, differenceOf } from '../word-index.ts';
import { storeCases } from './cases.ts';
import { LostRace, type Query } from './connection.ts';
import { presetByNameStatement } from './preset-names.ts';
import { statement } from './statement.ts';

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
  if (versions.length > 0) await query(insertVersions, columnsOf(versions));
  await storeLabels(query, current, next);
  await storeTags(query, current, next);
  if (cases.length > 0) await storeCases(query, next.id, cases);
  const { removed, added } = changedWords(current, next);
  if (removed.length > 0) await query(removeWords, [next.id, removed]);
  if (added.length > 0) await query(insertWords, [next.id, next.workspaceId, added]);
  const { organizationId, workspaceId } = address;
  const { userId, keyLabel } = author;
  const column = <T>(select: (event: (typeof events)[number]) => T) => events.map(select);
  await query(insertEvents, [
    ...[organizationId, workspaceId, next.id, current?.revision ?? 0, userId, keyLabel, at],
    column((event) => event.id),
    column((event) => event.kind),
    column((event) => event.before && JSON.stringify(event.before)),
    column((event) => event.after && JSON.stringify(event.after)),
  ]);
}

/** Removes aliases first: one of them may become the slug. */
async function storeNames(query: Query, current: PresetState | undefined, next: PresetState): Promise<void> {
  const { id, workspaceId } = next;
  const removed = [...(current?.aliases.keys() ?? [])].filter((alias) => !next.aliases.has(alias));
  const added = [...next.aliases].filter(([alias]) => !current?.aliases.has(alias));
  const hasNewSlug = current !== undefined && current.slug !== next.slug;
  if (added.length > 0 || hasNewSlug) await claimNames(query, current, next);
  if (removed.length > 0) await query(removeAliases, [workspaceId, removed]);
  await storeRow(query, next, current === undefined);
  if (added.length === 0) return;
  const columns = [added.map(([alias]) => alias), added.map(([, { createdAt }]) => createdAt)];
  await query(addAliases, [workspaceId, id, ...columns]);
}

/**
 * Locks the names of the workspace and checks that those to add are free. Triggers take the same
 * lock, but after a new preset has shared it: two transactions would wait for each other.
 */
async function claimNames(query: Query, current: PresetState | undefined, next: PresetState): Promise<void> {
  await query(lockNames, [next.workspaceId]);
  for (const name of addedNames(current, next)) {
    const [owner] = await query<{ slug: string }>(presetByNameStatement, [next.workspaceId, name]);
    if (owner !== undefined) throw nameTaken(name, owner.slug);
  }
}

/** Throws `LostRace` when another transaction has created the preset in the meantime. */
async function storeRow(query: Query, next: PresetState, isNew: boolean): Promise<void> {
  const { id, workspaceId, slug, name, description, status, statusUpdatedAt, creatorUserId } = next;
  const { createdAt, updatedAt, latestVersion, designatedNumber, revision } = next;
  const state = [name, description, status, statusUpdatedAt, latestVersion, designatedNumber, revision];
  const values = [id, ...state, createdAt, updatedAt, slug];
  if (!isNew) await query(updatePreset, values);
  else if ((await query(insertPreset, [...values, workspaceId, creatorUserId])).length === 0)
    throw new LostRace();
}

async function storeLabels(query: Query, current: PresetState | undefined, next: PresetState): Promise<void> {
  const removed = [...(current?.labels.keys() ?? [])].filter((label) => !next.labels.has(label));
  if (removed.length > 0) await query(removeLabels, [next.id, removed]);
  const moved = [...next.labels].filter(
    ([label, { version }]) => current?.labels.get(label)?.version !== version,
  );
  if (moved.length === 0) return;
  await query(setLabels, [
    next.id,
    moved.map(([label]) => label),
    moved.map(([, { version }]) => version),
    moved.map(([, { updatedAt }]) => updatedAt),
  ]);
}

async function storeTags(query: Query, current: PresetState | undefined, next: PresetState): Promise<void> {
  const { removed, added } = differenceOf(current?.tags ?? [], next.tags);
  if (removed.length > 0) await query(removeTags, [next.id, removed]);
  if (added.length > 0) await query(addTags, [next.id, added]);
}

/** One array per column, for `unnest`. */
function columnsOf(versions: readonly PresetVersion[]): readonly unknown[] {
  const column = <T>(select: (version: PresetVersion) => T) => versions.map(select);
  return [
    column((version) => version.id),
    column((version) => version.presetId),
    column((version) => version.version),
    column((version) => version.dialect),
    column((version) => version.configJson),
    column((version) => version.systemPrompt),
    column((version) => version.extensionJson),
    column((version) => version.creatorId),
    column((version) => version.createdAt),
  ];
}

const insertPreset = statement(
  'insert-preset',
  `INSERT INTO presets (
     id, name, description, status, status_updated_at, latest_version, designated_version, revision, created_at,
     updated_at, slug, workspace_id, creator_user_id
   ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   ON CONFLICT (workspace_id, slug) DO NOTHING RETURNING id`,
);

const updatePreset = statement(
  'update-preset',
  `UPDATE presets SET name = $2, description = $3, status = $4, status_updated_at = $5, latest_version = $6,
     designated_version = $7, revision = $8, created_at = $9, updated_at = $10, slug = $11
   WHERE id = $1`,
);

const lockNames = statement('lock-names', 'SELECT pg_advisory_xact_lock(preset_names_lock($1))');

const removeAliases = statement(
  'remove-aliases',
  'DELETE FROM preset_aliases WHERE workspace_id = $1 AND alias = ANY ($2::text[])',
);

const addAliases = statement(
  'add-aliases',
  `INSERT INTO preset_aliases (workspace_id, preset_id, alias, created_at)
   SELECT $1, $2, alias, created_at FROM unnest($3::text[], $4::timestamptz[]) AS a (alias, created_at)`,
);

const insertVersions = statement(
  'insert-versions',
  `INSERT INTO preset_versions (
     id, preset_id, version, dialect, config, system_prompt, extension, creator_id, created_at
   )
   SELECT id, preset_id, version, dialect, config::json, system_prompt, extension::json, creator_id, created_at
   FROM unnest(
     $1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
     $9::timestamptz[]
   ) AS v (id, preset_id, version, dialect, config, system_prompt, extension, creator_id, created_at)`,
);

const removeLabels = statement(
  'remove-labels',
  'DELETE FROM preset_labels WHERE preset_id = $1 AND label = ANY ($2::text[])',
);

const setLabels = statement(
  'set-labels',
  `INSERT INTO preset_labels (preset_id, label, version, updated_at)
   SELECT $1, label, version, updated_at
   FROM unnest($2::text[], $3::int[], $4::timestamptz[]) AS l (label, version, updated_at)
   ON CONFLICT (preset_id, label) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at`,
);

const removeTags = statement(
  'remove-tags',
  'DELETE FROM preset_tags WHERE preset_id = $1 AND tag = ANY ($2::text[])',
);

const addTags = statement(
  'add-tags',
  'INSERT INTO preset_tags (preset_id, tag) SELECT $1, unnest($2::text[])',
);

const removeWords = statement(
  'remove-words',
  'DELETE FROM preset_words WHERE preset_id = $1 AND word = ANY ($2::text[])',
);

const insertWords = statement(
  'insert-words',
  `INSERT INTO preset_words (preset_id, word, workspace_id) SELECT $1, unnest($3::text[]), $2`,
);

const insertEvents = statement(
  'insert-events',
  `INSERT INTO audit_events (
     id, organization_id, workspace_id, preset_id, number, kind, actor_id, key_label, before, after, created_at
   )
   SELECT e.id, $1, $2, $3, $4::int + e.ordinal, e.kind, $5, $6, e.before::json, e.after::json, $7
   FROM unnest($8::uuid[], $9::text[], $10::text[], $11::text[]) WITH ORDINALITY
     AS e (id, kind, before, after, ordinal)`,
);

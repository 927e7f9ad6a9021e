import { PresetdError } from '../core/errors.ts';
import type { Caller } from '../core/organization/caller.ts';
import { unknownWorkspace } from '../core/organization/workspace-access.ts';
import type { Preset, PresetVersion } from '../core/presets/preset.ts';
import { archivedPreset } from '../core/presets/preset-change.ts';
import { versionEvent } from '../core/presets/preset-event.ts';
import type { NewVersion } from '../core/presets/preset-storage.ts';
import { splitWords } from '../core/text/words.ts';
import { insertEvents, type StoredEvent } from './audit.ts';
import { assertAuthorized, findKeys } from './change-organization.ts';
import { LostRace, type Query } from './database.ts';
import { recordColumns } from './preset-columns.ts';
import { returning, select } from './select.ts';
import { eventRow, insertVersions, insertWords, wordRows } from './store-preset.ts';
import { typed } from './write-rows.ts';

/** The result of one create. */
type CreateResult = { readonly preset: Preset } | { readonly error: unknown };

/** The creates of one batch that are for the same preset, in order. */
interface PresetCreates {
  readonly slug: string;
  /** The designated version before the batch, if it was known when the batch started. */
  readonly designatedBefore: number | null;
  readonly versions: NewVersion[];
}

/**
 * An upsert that takes longer than this has waited for another transaction, and an author can have
 * lost their rights meanwhile. Checking them every time would make creates more expensive.
 */
const waitMs = 100;

/**
 * Creates any number of versions in one transaction, with a few statements for all of them. A name
 * may be an alias; the version then belongs to the preset that has it. Returns a result for each
 * create: one that fails does not affect the others. Throws `LostRace` if an author has lost rights
 * meanwhile.
 */
export async function createVersions(
  query: Query,
  versions: readonly NewVersion[],
): Promise<readonly CreateResult[]> {
  const [refused, found] = await Promise.all([
    findRefused(query, versions),
    query(findPresets, [
      versions.map(({ organizationId, workspaceId, slug }) => ({ organizationId, workspaceId, name: slug })),
    ]),
  ]);
  const authorized = versions.filter((version) => !refused.has(version));
  const presetOf = new Map(found.map((row) => [versions[row.ordinal - 1], row]));
  const groups = groupByPreset(authorized, presetOf);
  const startedAt = performance.now();
  const presets = groups.length === 0 ? [] : await query(upsertPresets, [groups.map(presetRow)]);
  if (performance.now() - startedAt > waitMs && (await findRefused(query, authorized)).size > 0)
    throw new LostRace();
  const created = await storeCreates(query, groups, presets);
  return versions.map((version) => {
    if (refused.has(version)) return { error: refused.get(version) };
    return created.get(version) ?? { error: unknownWorkspace(version.workspaceId) };
  });
}

/** The creates whose authors have lost the right to make them, with the errors that say so. */
async function findRefused(
  query: Query,
  versions: readonly NewVersion[],
): Promise<ReadonlyMap<NewVersion, unknown>> {
  const refused = new Map<NewVersion, unknown>();
  const hashes = new Set<string>();
  for (const { author } of versions)
    if (author.authorization?.kind === 'key') hashes.add(author.authorization.secretHash);
  const rows = hashes.size === 0 ? [] : await query(findKeys, [[...hashes]]);
  const keys = new Map<string, Caller>(rows.map((key) => [key.wantedHash, key]));
  for (const version of versions) {
    const { author } = version;
    try {
      if (author.authorization?.kind === 'session') await assertAuthorized(query, author);
      else author.authorization?.assertStillAuthorized(keys.get(author.authorization.secretHash));
    } catch (error) {
      if (!(error instanceof PresetdError)) throw error;
      refused.set(version, error);
    }
  }
  return refused;
}

/**
 * Groups creates by preset, in the order in which all servers lock presets, so that two batches
 * cannot deadlock. Leaves out those whose workspace does not exist.
 */
function groupByPreset(
  versions: readonly NewVersion[],
  presetOf: ReadonlyMap<NewVersion | undefined, FoundRow>,
): readonly PresetCreates[] {
  const groups = new Map<string, PresetCreates>();
  for (const version of versions) {
    const row = presetOf.get(version);
    if (row === undefined) continue;
    const { slug, designatedVersion: designatedBefore } = row;
    const key = `${version.workspaceId} ${slug}`;
    const group = groups.get(key) ?? { slug, designatedBefore, versions: [] };
    groups.set(key, group);
    group.versions.push(version);
  }
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

/** A row that reserves the version numbers of the batch, whether the preset exists or not. */
function presetRow({ slug, versions }: PresetCreates) {
  const [first] = versions;
  const times = versions.map(({ createdAt }) => createdAt);
  return {
    id: first?.presetId,
    workspaceId: first?.workspaceId,
    slug,
    versions: versions.length,
    creatorId: first?.author.userId,
    createdAt: first?.createdAt,
    updatedAt: times.reduce((latest, time) => (time > latest ? time : latest)),
  };
}

/** Stores the creates of presets that are locked. A preset without a row is archived. */
async function storeCreates(
  query: Query,
  groups: readonly PresetCreates[],
  presets: readonly UpsertedRow[],
): Promise<ReadonlyMap<NewVersion, CreateResult>> {
  const rows = new Map(presets.map((row) => [`${row.workspaceId} ${row.slug}`, row]));
  const results = new Map<NewVersion, CreateResult>();
  const stored: PresetVersion[] = [];
  const events: StoredEvent[] = [];
  const words: ReturnType<typeof wordRows> = [];
  for (const { slug, versions, designatedBefore } of groups) {
    const row = rows.get(`${versions[0]?.workspaceId} ${slug}`);
    for (const [index, version] of versions.entries()) {
      if (row === undefined) {
        results.set(version, { error: archivedPreset(slug) });
        continue;
      }
      // The row is that after the last version of the batch.
      const later = versions.length - 1 - index;
      const preset = createdPreset(version, row, later);
      const { designatedVersion, latestVersion, revision, id } = preset;
      const before = index > 0 ? latestVersion - 1 : (row.designatedBefore ?? designatedBefore ?? 0);
      const event = versionEvent(designatedVersion, before);
      stored.push(designatedVersion);
      events.push(eventRow(version, id, revision, version.author, version.createdAt, event));
      if (latestVersion === 1) words.push(...wordRows(preset, splitWords(slug)));
      results.set(version, { preset });
    }
  }
  await Promise.all([insertVersions(query, stored), insertEvents(query, events), insertWords(query, words)]);
  return results;
}

/** The preset right after this version, which the batch followed by this many others. */
function createdPreset(version: NewVersion, row: UpsertedRow, later: number): Preset {
  const { designatedBefore: _, ...record } = row;
  const { versionId, dialect, configJson, systemPrompt, extensionJson, author, createdAt } = version;
  const latestVersion = record.latestVersion - later;
  return {
    ...record,
    latestVersion,
    revision: record.revision - later,
    updatedAt: createdAt,
    designatedVersion: {
      id: versionId,
      presetId: record.id,
      version: latestVersion,
      dialect,
      configJson,
      systemPrompt,
      extensionJson,
      creatorId: author.userId,
      createdAt,
    },
  };
}

interface FoundRow {
  readonly ordinal: number;
  readonly slug: string;
  readonly designatedVersion: number | null;
}

/** The preset of each name, or the name itself if it is new. No row without such a workspace. */
const findPresets = select<FoundRow>(
  'find-presets-to-create',
  { ordinal: 'n.ordinal', slug: 'coalesce(p.slug, n.name)', designatedVersion: 'p.designated_version' },
  ({
    rows,
    joinOne,
    leftJoinOne,
  }) => `FROM ${rows('$1', { organizationId: 'uuid', workspaceId: 'uuid', name: 'text' })} n
    ${joinOne(
      'workspaces w',
      'w.id = n.workspace_id AND w.organization_id = n.organization_id AND w.deleted_at IS NULL',
    )}
    ${leftJoinOne(
      'presets p',
      `p.id = coalesce(
        (SELECT id FROM presets WHERE workspace_id = n.workspace_id AND slug = n.name),
        (SELECT preset_id FROM preset_aliases WHERE workspace_id = n.workspace_id AND alias = n.name)
      )`,
    )}`,
);

const createTypes = {
  ...typed('uuid', 'id', 'workspaceId'),
  ...typed('text', 'slug', 'creatorId'),
  ...typed('timestamptz', 'createdAt', 'updatedAt'),
  versions: 'integer',
} as const;

interface UpsertedRow extends Omit<Preset, 'designatedVersion'> {
  readonly designatedBefore: number | null;
}

/**
 * Creates or locks the presets of a batch and increments their numbers. Skips archived ones.
 *
 * On PostgreSQL, another transaction can designate a version after `findPresets` and before this
 * one locks the preset, so a column carries the old value into the result. SQLite has one writer at
 * a time.
 */
const upsertPresets = returning<UpsertedRow>(
  'upsert-presets',
  {
    ...recordColumns('presets'),
    designatedBefore: ({ engine }) => (engine === 'postgres' ? 'designated_before' : 'NULL'),
  },
  ({ rows, engine }) => `INSERT INTO presets (
      id, workspace_id, slug, name, status, latest_version, designated_version, revision, creator_user_id, created_at,
      updated_at
    )
    SELECT id, workspace_id, slug, slug, 'active', versions, versions, versions, creator_id, created_at, updated_at
    FROM ${rows('$1', createTypes)} n WHERE true
    ON CONFLICT (workspace_id, slug) DO UPDATE SET
      latest_version = presets.latest_version + excluded.latest_version,
      designated_version = presets.latest_version + excluded.latest_version,
      ${engine === 'postgres' ? 'designated_before = presets.designated_version,' : ''}
      revision = presets.revision + excluded.revision,
      updated_at = excluded.updated_at
    WHERE presets.status <> 'archived'`,
);

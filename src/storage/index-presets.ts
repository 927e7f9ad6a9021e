import { yieldToEventLoop } from '../core/concurrency/cooperative-scheduler.ts';
import type { Database, Query } from './database.ts';
import {
  beforeFirstPreset,
  type ContentsChange,
  changedContents,
  type PresetContents,
  promptCharactersMax,
  wordToCheck,
} from './preset-contents.ts';
import { fields, json, select } from './select.ts';
import { type Engine, statement } from './statement.ts';
import { countedHitsMax } from './word-index.ts';
import { deleteFrom, insertInto } from './write-rows.ts';

/** A batch takes a few dozen ms on PostgreSQL, during which other servers wait for the lock. */
const batchPresetsMax = 50;

/**
 * SQLite is synchronous: a batch of this many words blocks other requests for about ten
 * milliseconds. It ends with the preset that exceeds it, so presets are read one by one. Smaller
 * batches would write the same pages more often.
 */
const batchLimits: Readonly<Record<Engine, { readonly readAtOnce: number; readonly words: number }>> = {
  sqlite: { readAtOnce: 1, words: 2_000 },
  postgres: { readAtOnce: batchPresetsMax, words: Number.POSITIVE_INFINITY },
};

/** A row of `unindexed_presets`. */
interface ListedPreset {
  readonly id: string;
  readonly revision: number;
}

/** A preset whose words have changed. */
type ChangedPreset = ContentsChange & Pick<PresetContents, 'id' | 'workspaceId'>;

/** A row of `content_words`, which has numbers for workspaces and presets. */
interface ContentWord {
  readonly workspace: number | undefined;
  readonly word: string;
  readonly preset: number | undefined;
}

/**
 * Creates a function that indexes a batch of listed presets, then of those from before the index,
 * in its own transaction. It returns how many; undefined when nothing is left. Locks no preset: a
 * change that is made meanwhile is listed separately, and indexed next.
 */
export function createPresetIndexing(database: Database): () => Promise<number | undefined> {
  /** Continues here: a preset that changes all the time must not keep others from being indexed. */
  let lastId = beforeFirstPreset;
  return () =>
    database.transaction(async (query) => {
      await query(lockPresetIndexing);
      const listed = await nextListed(query, lastId);
      if (listed.length === 0) return indexOlder(query);
      const indexed = listed.slice(0, await indexPresets(query, listed));
      await query(unlistPresets, [indexed]);
      lastId = indexed.at(-1)?.id ?? beforeFirstPreset;
      return indexed.length;
    });
}

async function nextListed(query: Query, afterId: string): Promise<readonly ListedPreset[]> {
  const next = await query(listedPresets, [afterId]);
  return next.length > 0 ? next : query(listedPresets, [beforeFirstPreset]);
}

/** Indexes the next presets from before the index. Undefined when there are none. */
async function indexOlder(query: Query): Promise<number | undefined> {
  const [cursor] = await query(backfill);
  if (cursor === undefined) return undefined;
  const presets = await query(presetsAfter, [cursor.id]);
  const count = await indexPresets(query, presets);
  const last = presets[count - 1];
  if (last === undefined) await query(finishBackfill);
  else await query(advanceBackfill, [last.id]);
  return count;
}

/** Indexes presets until the batch is full, and returns how many. */
async function indexPresets(query: Query, presets: readonly { readonly id: string }[]): Promise<number> {
  const { readAtOnce, words: wordsMax } = batchLimits[query.engine];
  const changed: ChangedPreset[] = [];
  let [words, count] = [0, 0];
  while (count < presets.length && words <= wordsMax) {
    const ids = presets.slice(count, count + readAtOnce).map(({ id }) => id);
    count += ids.length;
    for (const preset of await query(readContents, [ids])) {
      const change = changedContents(preset);
      if (change !== undefined) changed.push({ ...change, id: preset.id, workspaceId: preset.workspaceId });
      words += change === undefined ? 0 : change.added.length + change.removed.length;
      // Nothing else may run inside a transaction of SQLite.
      if (query.engine === 'postgres') await yieldToEventLoop();
    }
  }
  if (changed.length > 0) await storeChanges(query, changed);
  return count;
}

async function storeChanges(query: Query, changed: readonly ChangedPreset[]): Promise<void> {
  const workspaceIds = [...new Set(changed.map(({ workspaceId }) => workspaceId))];
  await query(addWorkspaces, [workspaceIds]);
  const workspaces = await query(findWorkspaces, [workspaceIds]);
  const workspaceNumbers = new Map(workspaces.map(({ id, number }) => [id, number]));
  const contents = await query(storeContents, [changed.map(({ id, words }) => ({ id, words }))]);
  const presetNumbers = new Map(contents.map(({ id, number }) => [id, number]));
  const wordsOf = (select: (change: ChangedPreset) => readonly string[]): readonly ContentWord[] =>
    changed.flatMap((change) => {
      const workspace = workspaceNumbers.get(change.workspaceId);
      const preset = presetNumbers.get(change.id);
      return select(change).map((word) => ({ workspace, word, preset }));
    });
  await removeWords(
    query,
    wordsOf(({ removed }) => removed),
  );
  await query(addWords, [wordsOf(({ added }) => added)]);
  const common = await query(findCommonWords, [wordsOf((change) => [wordToCheck(change) ?? []].flat())]);
  if (common.length === 0) return;
  await addCommonWords(query, common);
  await dropLists(query, common);
}

/**
 * Lets one server index at a time. Waits, because a server that gives up could miss presets: those
 * listed after the other one has read the list. SQLite has only one writer anyway.
 */
const lockPresetIndexing = statement('wait-to-index-presets', {
  sqlite: 'SELECT 1',
  postgres: `SELECT pg_advisory_xact_lock(hashtext('presetd preset contents'))`,
});

const listedPresets = statement<ListedPreset>(
  'list-unindexed-presets',
  `SELECT preset_id AS id, max(revision) AS revision FROM unindexed_presets
   WHERE preset_id > $1 GROUP BY preset_id ORDER BY preset_id LIMIT ${batchPresetsMax}`,
);

const unlistPresets = statement(
  'unlist-unindexed-presets',
  ({ rows }) => `DELETE FROM unindexed_presets WHERE (preset_id, revision) IN (
     SELECT l.preset_id, l.revision
     FROM ${rows('$1', { id: 'uuid', revision: 'integer' })} done CROSS JOIN unindexed_presets l
     WHERE l.preset_id = done.id AND l.revision <= done.revision
   )`,
);

const backfill = statement<{ readonly id: string }>(
  'preset-backfill',
  'SELECT after_preset_id AS id FROM preset_backfill',
);

const presetsAfter = statement<{ readonly id: string }>(
  'presets-after',
  `SELECT id FROM presets WHERE id > $1 ORDER BY id LIMIT ${batchPresetsMax}`,
);

const advanceBackfill = statement(
  'advance-preset-backfill',
  'UPDATE preset_backfill SET after_preset_id = $1',
);

const finishBackfill = statement('finish-preset-backfill', 'DELETE FROM preset_backfill');

const readContents = select<PresetContents>(
  'preset-contents',
  {
    ...fields('p', 'id', 'workspaceId'),
    tags: json(({ arrayOf }) => `(SELECT ${arrayOf('tag', 'tag')} FROM preset_tags WHERE preset_id = p.id)`),
    aliases: json(
      ({ arrayOf }) => `(SELECT ${arrayOf('alias', 'alias')} FROM preset_aliases WHERE preset_id = p.id)`,
    ),
    models: json(({ array }) =>
      array(`v.config -> 'model'`, `v.config -> 'models'`, `v.config -> 'fallbacks'`),
    ),
    note: `v.extension ->> 'note'`,
    systemPrompt: `substr(v.system_prompt, 1, ${promptCharactersMax})`,
    words: 'c.words',
  },
  ({ values, joinOne, leftJoinOne }) => `FROM ${values('$1', 'uuid')} wanted
    ${joinOne('presets p', 'p.id = wanted.value')}
    ${joinOne('preset_versions v', 'v.preset_id = p.id AND v.version = p.designated_version')}
    ${leftJoinOne('preset_contents c', 'c.preset_id = p.id')}`,
);

/** The next number is free: only one server indexes at a time. */
const addWorkspaces = statement(
  'number-content-workspaces',
  ({ values }) => `INSERT INTO content_workspaces (number, workspace_id)
    SELECT (SELECT coalesce(max(number), 0) FROM content_workspaces) + w.ordinal, w.value
    FROM ${values('$1', 'uuid')} w WHERE true
    ON CONFLICT (workspace_id) DO NOTHING`,
);

const findWorkspaces = statement<{ readonly id: string; readonly number: number }>(
  'content-workspaces',
  ({ isIn }) =>
    `SELECT workspace_id AS id, number FROM content_workspaces WHERE ${isIn('workspace_id', '$1', 'uuid')}`,
);

/** A preset that is already indexed keeps its number. */
const storeContents = statement<{ readonly id: string; readonly number: number }>(
  'store-preset-contents',
  ({ rows }) => `INSERT INTO preset_contents (number, preset_id, words)
    SELECT (SELECT coalesce(max(number), 0) FROM preset_contents) + w.ordinal, w.id, w.words
    FROM ${rows('$1', { id: 'uuid', words: 'text' })} w WHERE true
    ON CONFLICT (preset_id) DO UPDATE SET words = excluded.words
    RETURNING preset_id AS id, number`,
);

const wordTypes = { workspace: 'integer', word: 'text', preset: 'integer' } as const;

/** Skips common words. In the order of the index, which is a fifth faster. */
const addWords = statement(
  'add-content-words',
  ({ rows, leftJoinOne }) => `INSERT INTO content_words (workspace, word, preset)
    SELECT w.workspace, w.word, w.preset
    FROM ${rows('$1', wordTypes)} w
    ${leftJoinOne('common_words c', 'c.workspace = w.workspace AND c.word = w.word')}
    WHERE c.word IS NULL
    ORDER BY w.workspace, w.word`,
);

const removeWords = deleteFrom<ContentWord>('remove-content-words', 'content_words', wordTypes);

const commonWordTypes = { workspace: 'integer', word: 'text' } as const;

/** The given words that more than `countedHitsMax` presets have. */
const findCommonWords = statement<Pick<ContentWord, 'workspace' | 'word'>>(
  'find-common-content-words',
  ({ rows }) => `SELECT w.workspace, w.word FROM ${rows('$1', commonWordTypes)} w
    WHERE (
      SELECT count(*) FROM (
        SELECT 1 FROM content_words c WHERE c.workspace = w.workspace AND c.word = w.word
        LIMIT ${countedHitsMax + 1}
      ) counted
    ) > ${countedHitsMax}`,
);

const addCommonWords = insertInto(
  'add-common-words',
  'common_words',
  commonWordTypes,
  'ON CONFLICT DO NOTHING',
);

const dropLists = deleteFrom('drop-common-content-words', 'content_words', commonWordTypes);

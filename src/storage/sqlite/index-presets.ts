import type { DatabaseSync } from 'node:sqlite';
import {
  beforeFirstPreset,
  type ContentsRow,
  changedContents,
  promptCharactersMax,
  wordToCheck,
} from '../preset-contents.ts';
import { countedHitsMax } from '../word-index.ts';
import { statement } from './statement.ts';

/**
 * SQLite is synchronous: a batch of this size blocks other requests for about ten milliseconds. It
 * ends with the preset that exceeds the number of words written. Smaller ones would write the same
 * pages more often.
 */
const batchWordsMax = 4_000;
const batchPresetsMax = 100;

const listedPresetsSql = statement(
  'list-unindexed-presets',
  `SELECT preset_id AS id, max(revision) AS revision FROM unindexed_presets
  WHERE preset_id > ? GROUP BY preset_id ORDER BY preset_id LIMIT ${batchPresetsMax}`,
);

const readContentsSql = statement(
  'preset-contents',
  `SELECT p.id, p.workspace_id, v.extension ->> '$.note' AS note,
    json_array(v.config -> '$.model', v.config -> '$.models', v.config -> '$.fallbacks') AS models,
    (SELECT json_group_array(tag) FROM preset_tags WHERE preset_id = p.id) AS tags,
    (SELECT json_group_array(alias) FROM preset_aliases WHERE preset_id = p.id) AS aliases,
    substr(v.system_prompt, 1, ${promptCharactersMax}) AS system_prompt, c.words
  FROM presets p CROSS JOIN preset_versions v ON v.preset_id = p.id AND v.version = p.designated_version
  LEFT JOIN preset_contents c ON c.preset_id = p.id
  WHERE p.id = ?`,
);

/** Skips common words. */
const addWordsSql = statement(
  'add-content-words',
  `INSERT INTO content_words (workspace, word, preset)
  SELECT ?1, w.value, ?2 FROM json_each(?3) w
  WHERE NOT EXISTS (SELECT 1 FROM common_words c WHERE c.workspace = ?1 AND c.word = w.value)`,
);

const removeWordsSql = statement(
  'remove-content-words',
  `DELETE FROM content_words
  WHERE workspace = ?1 AND word IN (SELECT value FROM json_each(?3)) AND preset = ?2`,
);

const countPresetsSql = statement(
  'count-presets-with-word',
  `SELECT count(*) AS presets FROM (
    SELECT 1 FROM content_words WHERE workspace = ? AND word = ? LIMIT ${countedHitsMax + 1}
  )`,
);

const presetsAfterSql = statement(
  'presets-after',
  `SELECT id FROM presets WHERE id > ? ORDER BY id LIMIT ${batchPresetsMax}`,
);

/**
 * Prepares the statements that maintain the index of `preset-contents.ts`, for use inside an open
 * transaction. Indexes a batch of listed presets, then of those from before the index. Returns how
 * many; undefined when nothing is left.
 */
export function preparePresetIndexing(database: DatabaseSync): () => number | undefined {
  const listed = database.prepare(listedPresetsSql);
  const unlist = database.prepare('DELETE FROM unindexed_presets WHERE preset_id = ? AND revision <= ?');
  const backfill = database.prepare('SELECT after_preset_id AS id FROM preset_backfill');
  const presetsAfter = database.prepare(presetsAfterSql);
  const advanceBackfill = database.prepare('UPDATE preset_backfill SET after_preset_id = ?');
  const finishBackfill = database.prepare('DELETE FROM preset_backfill');
  const index = prepareIndexPreset(database);
  /** Continues here: a preset that changes all the time must not keep others from being indexed. */
  let lastId = beforeFirstPreset;

  /** Indexes presets until the batch is full, and returns how many. */
  const indexSome = (rows: readonly object[], finish: (row: ListedPreset) => void): number => {
    let [words, count] = [0, 0];
    for (const row of rows as ListedPreset[]) {
      words += index(row.id);
      finish(row);
      count += 1;
      if (words > batchWordsMax) break;
    }
    return count;
  };
  const indexOlder = () => {
    const cursor = backfill.get();
    if (cursor === undefined) return undefined;
    const older = presetsAfter.all(String(cursor.id));
    if (older.length === 0) finishBackfill.run();
    return indexSome(older, ({ id }) => advanceBackfill.run(id));
  };
  return () => {
    const next = listed.all(lastId);
    const rows = next.length > 0 ? next : listed.all(beforeFirstPreset);
    if (rows.length === 0) return indexOlder();
    return indexSome(rows, ({ id, revision }) => {
      unlist.run(id, revision);
      lastId = id;
    });
  };
}

/** A row of `unindexed_presets`; one of `presets` has no revision. */
interface ListedPreset {
  readonly id: string;
  readonly revision: number;
}

/** Prepares a function that updates the index of one preset and returns how many words changed. */
function prepareIndexPreset(database: DatabaseSync): (id: string) => number {
  const read = database.prepare(readContentsSql);
  const findWorkspace = database.prepare('SELECT number FROM content_workspaces WHERE workspace_id = ?');
  const addWorkspace = database.prepare(
    'INSERT INTO content_workspaces (workspace_id) VALUES (?) RETURNING number',
  );
  const store = database.prepare(
    `INSERT INTO preset_contents (preset_id, words) VALUES (?, ?)
     ON CONFLICT (preset_id) DO UPDATE SET words = excluded.words RETURNING number`,
  );
  const addWords = database.prepare(addWordsSql);
  const removeWords = database.prepare(removeWordsSql);
  const countPresets = database.prepare(countPresetsSql);
  const addCommonWord = database.prepare(
    'INSERT INTO common_words (workspace, word) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const dropList = database.prepare('DELETE FROM content_words WHERE workspace = ? AND word = ?');

  return (id) => {
    const row = read.get(id) as unknown as ContentsRow;
    const change = changedContents(row);
    if (change === undefined) return 0;
    const found = findWorkspace.get(row.workspace_id) ?? addWorkspace.get(row.workspace_id);
    const workspace = Number(found?.number);
    const preset = Number(store.get(id, change.words)?.number);
    removeWords.run(workspace, preset, JSON.stringify(change.removed));
    addWords.run(workspace, preset, JSON.stringify(change.added));
    const word = wordToCheck(change);
    if (word !== undefined && Number(countPresets.get(workspace, word)?.presets) > countedHitsMax) {
      addCommonWord.run(workspace, word);
      dropList.run(workspace, word);
    }
    return change.added.length + change.removed.length;
  };
}

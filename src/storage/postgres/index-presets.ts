import type { QueryResultRow } from 'pg';
import { yieldToEventLoop } from '../../core/cooperative-scheduler.ts';
import {
  beforeFirstPreset,
  type ContentsChange,
  type ContentsRow,
  changedContents,
  promptCharactersMax,
  wordToCheck,
} from '../preset-contents.ts';
import { countedHitsMax } from '../word-index.ts';
import { type PostgresConnection, type Query, queryOf } from './connection.ts';
import { statement } from './statement.ts';

/** A batch takes a few dozen milliseconds, during which other servers wait for the lock. */
const batchPresetsMax = 50;

/** A row of `unindexed_presets`. */
interface ListedPreset {
  readonly id: string;
  readonly revision: number;
}

/** The words to store for a preset, and the numbers to store them under. */
interface StoredChange extends ContentsChange {
  readonly workspace: number;
  readonly preset: number;
}

/**
 * Creates a function that indexes a batch of listed presets, then of those from before the index,
 * in its own transaction. It returns how many; undefined when nothing is left. Locks no preset: a
 * change that is made meanwhile is listed separately, and indexed next.
 */
export function createPresetIndexing(connection: PostgresConnection): () => Promise<number | undefined> {
  /** Continues here: a preset that changes all the time must not keep others from being indexed. */
  let lastId = beforeFirstPreset;
  return () =>
    connection.transaction(async (client) => {
      const query = queryOf(client);
      await query(lockPresetIndexing, []);
      const listed = await nextListed(query, lastId);
      if (listed.length === 0) return indexOlder(query);
      await indexPresets(
        query,
        listed.map(({ id }) => id),
      );
      await query(unlistPresets, [listed.map(({ id }) => id), listed.map(({ revision }) => revision)]);
      lastId = listed.at(-1)?.id ?? beforeFirstPreset;
      return listed.length;
    });
}

async function nextListed(query: Query, afterId: string): Promise<readonly ListedPreset[]> {
  const after = (id: string) => query<ListedPreset & QueryResultRow>(listedPresetsStatement, [id]);
  const next = await after(afterId);
  return next.length > 0 ? next : after(beforeFirstPreset);
}

/** Indexes the next presets from before the index. Undefined when there are none. */
async function indexOlder(query: Query): Promise<number | undefined> {
  const [cursor] = await query<{ id: string }>(backfill, []);
  if (cursor === undefined) return undefined;
  const ids = (await query<{ id: string }>(presetsAfterStatement, [cursor.id])).map(({ id }) => id);
  const last = ids.at(-1);
  if (last === undefined) await query(finishBackfill, []);
  else {
    await indexPresets(query, ids);
    await query(advanceBackfill, [last]);
  }
  return ids.length;
}

async function indexPresets(query: Query, ids: readonly string[]): Promise<void> {
  const changed: (ContentsChange & Pick<ContentsRow, 'id' | 'workspace_id'>)[] = [];
  for (const row of await query<ContentsRow & QueryResultRow>(readContentsStatement, [ids])) {
    const change = changedContents(row);
    if (change !== undefined) changed.push({ ...change, id: row.id, workspace_id: row.workspace_id });
    await yieldToEventLoop();
  }
  if (changed.length === 0) return;
  await query(addWorkspaces, [changed.map(({ workspace_id }) => workspace_id)]);
  const columns = [changed.map(({ id }) => id), changed.map(({ words }) => words)];
  const numbers = await query<{ workspace: number; preset: number }>(storeContents, [
    ...columns,
    changed.map(({ workspace_id }) => workspace_id),
  ]);
  const changes = changed.map((change, index) => ({ ...change, ...numbers[index] }) as StoredChange);
  await query(
    removeWordsStatement,
    wordColumns(changes, ({ removed }) => removed),
  );
  await query(
    addWordsStatement,
    wordColumns(changes, ({ added }) => added),
  );
  const [workspaces, words] = wordColumns(changes, (change) => wordToCheck(change) ?? []);
  await query(dropCommonWordsStatement, [workspaces, words]);
}

/** One array per column, for `unnest`: workspace, word and preset. */
function wordColumns(
  changes: readonly StoredChange[],
  select: (change: StoredChange) => string | readonly string[],
): readonly (readonly (string | number)[])[] {
  const rows = changes.flatMap((change) =>
    [select(change)].flat().map((word) => [change.workspace, word, change.preset] as const),
  );
  return [
    rows.map(([workspace]) => workspace),
    rows.map(([, word]) => word),
    rows.map(([, , preset]) => preset),
  ];
}

/**
 * Lets one server index at a time. Waits, because a server that gives up could miss presets: those
 * listed after the other one has read the list.
 */
const lockPresetIndexing = statement(
  'wait-to-index-presets',
  `SELECT pg_advisory_xact_lock(hashtext('presetd preset contents'))`,
);

const listedPresetsStatement = statement(
  'list-unindexed-presets',
  `SELECT preset_id AS id, max(revision) AS revision FROM unindexed_presets
   WHERE preset_id > $1 GROUP BY preset_id ORDER BY preset_id LIMIT ${batchPresetsMax}`,
);

const unlistPresets = statement(
  'unlist-unindexed-presets',
  `DELETE FROM unindexed_presets l USING unnest($1::uuid[], $2::integer[]) AS done (preset_id, revision)
   WHERE l.preset_id = done.preset_id AND l.revision <= done.revision`,
);

const backfill = statement('preset-backfill', 'SELECT after_preset_id AS id FROM preset_backfill');

const presetsAfterStatement = statement(
  'presets-after',
  `SELECT id FROM presets WHERE id > $1 ORDER BY id LIMIT ${batchPresetsMax}`,
);

const advanceBackfill = statement(
  'advance-preset-backfill',
  'UPDATE preset_backfill SET after_preset_id = $1',
);

const finishBackfill = statement('finish-preset-backfill', 'DELETE FROM preset_backfill');

const readContentsStatement = statement(
  'preset-contents',
  `SELECT p.id, p.workspace_id, v.note, v.models, v.system_prompt, c.words,
     (SELECT coalesce(json_agg(tag ORDER BY tag), '[]') FROM preset_tags WHERE preset_id = p.id) AS tags,
     (SELECT coalesce(json_agg(alias ORDER BY alias), '[]') FROM preset_aliases WHERE preset_id = p.id) AS aliases
   FROM unnest($1::uuid[]) AS wanted (id)
   CROSS JOIN LATERAL (SELECT * FROM presets WHERE id = wanted.id LIMIT 1) p
   CROSS JOIN LATERAL (
     SELECT left(system_prompt, ${promptCharactersMax}) AS system_prompt, extension ->> 'note' AS note,
       json_build_array(config -> 'model', config -> 'models', config -> 'fallbacks') AS models
     FROM preset_versions WHERE preset_id = p.id AND version = p.designated_version LIMIT 1
   ) v
   LEFT JOIN LATERAL (SELECT words FROM preset_contents WHERE preset_id = p.id LIMIT 1) c ON true`,
);

/** The next number is free: only one server indexes at a time. */
const addWorkspaces = statement(
  'number-content-workspaces',
  `INSERT INTO content_workspaces (number, workspace_id)
   SELECT (SELECT coalesce(max(number), 0) FROM content_workspaces) + row_number() OVER (), w.id
   FROM (SELECT DISTINCT id FROM unnest($1::uuid[]) AS w (id)) w
   WHERE NOT EXISTS (SELECT 1 FROM content_workspaces known WHERE known.workspace_id = w.id OFFSET 0)`,
);

/** Returns the numbers of each preset and its workspace, in order. */
const storeContents = statement(
  'store-preset-contents',
  `WITH wanted AS (
     SELECT w.*, (SELECT number FROM preset_contents WHERE preset_id = w.id) AS known
     FROM unnest($1::uuid[], $2::text[], $3::uuid[]) WITH ORDINALITY AS w (id, words, workspace_id, place)
   ), stored AS (
     INSERT INTO preset_contents (number, preset_id, words)
     SELECT coalesce(known, (SELECT coalesce(max(number), 0) FROM preset_contents) + place), id, words FROM wanted
     ON CONFLICT (number) DO UPDATE SET words = excluded.words
     RETURNING preset_id, number
   )
   SELECT stored.number AS preset, (SELECT number FROM content_workspaces c WHERE c.workspace_id = w.workspace_id) AS workspace
   FROM wanted w JOIN stored ON stored.preset_id = w.id ORDER BY w.place`,
);

/** Skips common words. In the order of the index, which is a fifth faster. */
const addWordsStatement = statement(
  'add-content-words',
  `INSERT INTO content_words (workspace, word, preset)
   SELECT * FROM unnest($1::int[], $2::text[], $3::int[]) AS w (workspace, word, preset)
   WHERE NOT EXISTS (
     SELECT 1 FROM common_words c WHERE c.workspace = w.workspace AND c.word = w.word OFFSET 0
   )
   ORDER BY w.workspace, w.word COLLATE "C"`,
);

const removeWordsStatement = statement(
  'remove-content-words',
  `DELETE FROM content_words w USING unnest($1::int[], $2::text[], $3::int[]) AS gone (workspace, word, preset)
   WHERE w.workspace = gone.workspace AND w.word = gone.word AND w.preset = gone.preset`,
);

/** Of these words, makes those common that too many presets have, and drops their lists. */
const dropCommonWordsStatement = statement(
  'drop-common-content-words',
  `WITH common AS (
     INSERT INTO common_words (workspace, word)
     SELECT DISTINCT w.workspace, w.word FROM unnest($1::int[], $2::text[]) AS w (workspace, word)
     WHERE (
       SELECT count(*) FROM (
         SELECT 1 FROM content_words c WHERE c.workspace = w.workspace AND c.word = w.word
         LIMIT ${countedHitsMax + 1}
       ) counted
     ) > ${countedHitsMax}
     ON CONFLICT DO NOTHING RETURNING workspace, word
   )
   DELETE FROM content_words c USING common WHERE c.workspace = common.workspace AND c.word = common.word`,
);

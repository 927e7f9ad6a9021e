import { splitWords } from '../../src/core/text/words.ts';
import { changedContents, type PresetContents } from '../../src/storage/preset-contents.ts';
import type { TestDatabase } from '../support/database.ts';

/**
 * Throws unless the database is consistent: the engine's own checks pass, and stored counts,
 * version numbers and search words match the rows that they describe.
 */
export async function assertSound(database: TestDatabase): Promise<void> {
  const wrong: unknown[] = [];
  if (database.engine === 'sqlite') {
    const check = await database.sql('PRAGMA integrity_check');
    wrong.push(...check.filter((row) => row.integrity_check !== 'ok'));
    wrong.push(...(await database.sql('PRAGMA foreign_key_check')));
  }
  for (const [rule, query] of Object.entries(violations))
    wrong.push(...(await database.sql(query)).map((row) => ({ rule, ...row })));
  wrong.push(...(await wronglyIndexedPresets(database)));
  wrong.push(...(await outdatedContents(database)));
  if (wrong.length > 0)
    throw new Error(`the database is inconsistent: ${JSON.stringify(wrong.slice(0, 20))}`);
}

/** Each query finds rows that violate a rule. */
const violations: Readonly<Record<string, string>> = {
  'preset counts by workspace and status are correct': `
    SELECT c.workspace_id, c.status, c.presets, count(p.id) AS found FROM preset_counts c
    LEFT JOIN presets p ON p.workspace_id = c.workspace_id AND p.status = c.status
    GROUP BY c.workspace_id, c.status, c.presets HAVING c.presets <> count(p.id)`,
  'every preset is counted': `
    SELECT p.id FROM presets p WHERE NOT EXISTS
      (SELECT 1 FROM preset_counts c WHERE c.workspace_id = p.workspace_id AND c.status = p.status)`,
  'member counts are correct': `
    SELECT o.id, o.member_count, count(m.user_id) AS found FROM organizations o
    LEFT JOIN memberships m ON m.organization_id = o.id GROUP BY o.id, o.member_count
    HAVING o.member_count <> count(m.user_id)`,
  'workspace counts are correct': `
    SELECT o.id, o.workspace_count, count(w.id) AS found FROM organizations o
    LEFT JOIN workspaces w ON w.organization_id = o.id AND w.deleted_at IS NULL GROUP BY o.id, o.workspace_count
    HAVING o.workspace_count <> count(w.id)`,
  'there is one organization': 'SELECT count(*) AS organizations FROM organizations HAVING count(*) <> 1',
  'versions are numbered from 1 to the latest': `
    SELECT p.slug, p.latest_version, count(v.id) AS found, max(v.version) AS highest FROM presets p
    LEFT JOIN preset_versions v ON v.preset_id = p.id GROUP BY p.id, p.slug, p.latest_version
    HAVING p.latest_version <> count(v.id) OR p.latest_version <> max(v.version)`,
  'events are numbered from 1 to the revision': `
    SELECT p.slug, p.revision, count(e.id) AS found, max(e.number) AS highest FROM presets p
    LEFT JOIN audit_events e ON e.preset_id = p.id GROUP BY p.id, p.slug, p.revision
    HAVING p.revision <> count(e.id) OR p.revision <> max(e.number)`,
  'every version has its event': `
    SELECT v.id FROM preset_versions v LEFT JOIN audit_events e ON e.id = v.id AND e.preset_id = v.preset_id
    WHERE e.id IS NULL`,
  'every version event has its version': `
    SELECT e.id FROM audit_events e LEFT JOIN preset_versions v ON v.id = e.id
    WHERE e.kind IN ('preset.created', 'preset.version_added') AND v.id IS NULL`,
  'a case is current if it is the last of its name and has content': `
    SELECT c.preset_id, c.name, c.number FROM preset_cases c
    WHERE c.is_current <> (c.content IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM preset_cases later
      WHERE later.preset_id = c.preset_id AND later.name = c.name AND later.number > c.number
    ))`,
  'every case has its event': `
    SELECT c.preset_id, c.name FROM preset_cases c
    LEFT JOIN audit_events e ON e.preset_id = c.preset_id AND e.number = c.number WHERE e.id IS NULL`,
  'every idempotency key has its version': `
    SELECT k.key FROM idempotency_keys k
    LEFT JOIN preset_versions v ON v.preset_id = k.preset_id AND v.version = k.version WHERE v.id IS NULL`,
};

/** Presets whose stored search words differ from the words of their name and description. */
async function wronglyIndexedPresets(database: TestDatabase): Promise<readonly unknown[]> {
  const indexed = new Map<string, string[]>();
  for (const { preset_id, word } of await database.sql('SELECT preset_id, word FROM preset_words'))
    indexed.set(String(preset_id), [...(indexed.get(String(preset_id)) ?? []), String(word)]);
  const tags = new Map<string, string[]>();
  for (const { preset_id, tag } of await database.sql('SELECT preset_id, tag FROM preset_tags'))
    tags.set(String(preset_id), [...(tags.get(String(preset_id)) ?? []), `#${tag}#`]);
  const presets = await database.sql('SELECT id, slug, name, description FROM presets');
  return presets
    .map(({ id, slug, name, description }) => ({
      slug,
      words: [
        ...splitWords(String(slug), String(name), description as string | null),
        ...(tags.get(String(id)) ?? []),
      ].sort(),
      indexed: (indexed.get(String(id)) ?? []).sort(),
    }))
    .filter(({ words, indexed }) => words.join(' ') !== indexed.join(' '));
}

/** Presets whose indexed contents are outdated, although they are not listed for the indexer. */
async function outdatedContents(database: TestDatabase): Promise<readonly unknown[]> {
  const rows = await database.sql(
    `SELECT p.id, p.slug, p.workspace_id, v.config, v.extension, v.system_prompt AS "systemPrompt", c.words
     FROM presets p
     JOIN preset_versions v ON v.preset_id = p.id AND v.version = p.designated_version
     LEFT JOIN preset_contents c ON c.preset_id = p.id
     WHERE NOT EXISTS (SELECT 1 FROM unindexed_presets u WHERE u.preset_id = p.id)
       AND NOT EXISTS (SELECT 1 FROM preset_backfill)`,
  );
  const tags = await database.sql('SELECT preset_id, tag FROM preset_tags ORDER BY tag');
  const aliases = await database.sql('SELECT preset_id, alias FROM preset_aliases ORDER BY alias');
  return rows
    .filter(({ id, config, extension, ...row }) => {
      const { model, models, fallbacks } = parsed(config);
      const own = (all: readonly Record<string, unknown>[]) =>
        all.filter(({ preset_id }) => preset_id === id);
      const contents = {
        note: parsed(extension).note ?? null,
        tags: own(tags).map(({ tag }) => tag),
        aliases: own(aliases).map(({ alias }) => alias),
        models: [model, models, fallbacks],
      };
      return changedContents({ ...row, ...contents } as unknown as PresetContents);
    })
    .map(({ slug, words }) => ({ rule: 'indexed contents are up to date', slug, words }));
}

/** JSON columns are text on SQLite and values on PostgreSQL. */
function parsed(json: unknown): Record<string, unknown> {
  return Object(typeof json === 'string' ? JSON.parse(json) : json);
}

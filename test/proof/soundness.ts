import { splitWords } from '../../src/core/words.ts';
import type { TestDatabase } from '../support/database.ts';

/**
 * Throws unless the database is one that no crash has left a trace in: whole for the engine, and every number that is
 * kept beside what it counts is right.
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
  wrong.push(...(await misfiledPresets(database)));
  if (wrong.length > 0) throw new Error(`the database is not sound: ${JSON.stringify(wrong.slice(0, 20))}`);
}

/** Each finds rows that must not be. */
const violations: Readonly<Record<string, string>> = {
  'presets are counted by workspace and status': `
    SELECT c.workspace_id, c.status, c.presets, count(p.id) AS found FROM preset_counts c
    LEFT JOIN presets p ON p.workspace_id = c.workspace_id AND p.status = c.status
    GROUP BY c.workspace_id, c.status, c.presets HAVING c.presets <> count(p.id)`,
  'no preset is left out of the counts': `
    SELECT p.id FROM presets p WHERE NOT EXISTS
      (SELECT 1 FROM preset_counts c WHERE c.workspace_id = p.workspace_id AND c.status = p.status)`,
  'members are counted': `
    SELECT o.id, o.member_count, count(m.user_id) AS found FROM organizations o
    LEFT JOIN memberships m ON m.organization_id = o.id GROUP BY o.id, o.member_count
    HAVING o.member_count <> count(m.user_id)`,
  'workspaces are counted': `
    SELECT o.id, o.workspace_count, count(w.id) AS found FROM organizations o
    LEFT JOIN workspaces w ON w.organization_id = o.id AND w.deleted_at IS NULL GROUP BY o.id, o.workspace_count
    HAVING o.workspace_count <> count(w.id)`,
  'there is one organization': 'SELECT count(*) AS organizations FROM organizations HAVING count(*) <> 1',
  'versions are 1 to the latest': `
    SELECT p.slug, p.latest_version, count(v.id) AS found, max(v.version) AS highest FROM presets p
    LEFT JOIN preset_versions v ON v.preset_id = p.id GROUP BY p.id, p.slug, p.latest_version
    HAVING p.latest_version <> count(v.id) OR p.latest_version <> max(v.version)`,
  'events are 1 to the revision': `
    SELECT p.slug, p.revision, count(e.id) AS found, max(e.number) AS highest FROM presets p
    LEFT JOIN audit_events e ON e.preset_id = p.id GROUP BY p.id, p.slug, p.revision
    HAVING p.revision <> count(e.id) OR p.revision <> max(e.number)`,
  'every version has its event': `
    SELECT v.id FROM preset_versions v LEFT JOIN audit_events e ON e.id = v.id AND e.preset_id = v.preset_id
    WHERE e.id IS NULL`,
  'every event of a version has its version': `
    SELECT e.id FROM audit_events e LEFT JOIN preset_versions v ON v.id = e.id
    WHERE e.kind IN ('preset.created', 'preset.version_added') AND v.id IS NULL`,
  'every key of a repeated request has its version': `
    SELECT k.key FROM idempotency_keys k
    LEFT JOIN preset_versions v ON v.preset_id = k.preset_id AND v.version = k.version WHERE v.id IS NULL`,
};

/** Presets that are not found by just the words that they have. */
async function misfiledPresets(database: TestDatabase): Promise<readonly unknown[]> {
  const filed = new Map<string, string[]>();
  for (const { preset_id, word } of await database.sql('SELECT preset_id, word FROM preset_words'))
    filed.set(String(preset_id), [...(filed.get(String(preset_id)) ?? []), String(word)]);
  const presets = await database.sql('SELECT id, slug, name, description FROM presets');
  return presets
    .map(({ id, slug, name, description }) => ({
      slug,
      words: [...splitWords(String(slug), String(name), description as string | null)].sort(),
      filed: (filed.get(String(id)) ?? []).sort(),
    }))
    .filter(({ words, filed }) => words.join(' ') !== filed.join(' '));
}

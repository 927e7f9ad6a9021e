import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateStorage } from '../../src/storage/open.ts';
import { forgetAnswers } from '../../src/storage/postgres/answers.ts';
import { sessionSettings } from '../../src/storage/postgres/connection.ts';
import { createVersionsStatement } from '../../src/storage/postgres/create-versions.ts';
import { findKeyStatement } from '../../src/storage/postgres/keys.ts';
import { findMemberStatement, listMembersStatement } from '../../src/storage/postgres/members.ts';
import {
  countFoundStatement,
  countPresetsStatement,
  eventsStatement,
  findPresetStatement,
  listBySlugStatement,
  listPresetsStatement,
  presetStateStatement,
  rarestWordsStatement,
  searchPresetsStatement,
  versionsStatement,
} from '../../src/storage/postgres/read-presets.ts';
import { findKeySql } from '../../src/storage/sqlite/keys.ts';
import { listMembersSql } from '../../src/storage/sqlite/members.ts';
import {
  countFoundSql,
  countPresetsSql,
  countWordSql,
  eventsSql,
  findPresetSql,
  listBySlugSql,
  listPresetsSql,
  searchPresetsSql,
  stateSql,
  versionsSql,
} from '../../src/storage/sqlite/read-presets.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { storageOptions } from '../support/storage-options.ts';

// What costs the same at a million rows as at a thousand reads by index, in the order of the index.

describe.runIf(engines.includes('sqlite'))('statements of the hot paths on SQLite', () => {
  let database: TestDatabase;
  let connection: DatabaseSync;
  beforeAll(async () => {
    database = await createDatabase('sqlite');
    await migrateStorage(storageOptions(database));
    connection = new DatabaseSync(database.url.slice('sqlite:'.length));
  });
  afterAll(async () => {
    connection.close();
    await database.drop();
  });

  const planOf = (sql: string) => {
    const plan = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(plan.length).toBeGreaterThan(0);
    return plan.map((row) => String(row.detail));
  };
  const byIndex = /^SEARCH .* USING (COVERING )?INDEX|^SEARCH .* USING PRIMARY KEY/;

  it.each([
    ['a page of members', listMembersSql],
    ['a key', findKeySql],
    ['a preset', findPresetSql],
    ['the count of presets', countPresetsSql],
    ['a page of versions', versionsSql],
    ['a page of events', eventsSql],
  ])('find %s by index alone', (_, sql) => {
    for (const detail of planOf(sql)) expect(detail).toMatch(byIndex);
  });

  // The labels of a preset are few, and put in order; nothing else is.
  const labels = /^CORRELATED SCALAR SUBQUERY|^USE TEMP B-TREE FOR json_group_array\(ORDER BY\)$/;

  it.each([
    ['the state of a preset', stateSql],
    ['presets by slug', listBySlugSql],
  ])('find %s by index, with its labels', (_, sql) => {
    for (const detail of planOf(sql)) if (!labels.test(detail)) expect(detail).toMatch(byIndex);
  });

  it('merge a page of presets from the index, and read only what is on it', () => {
    const details = planOf(listPresetsSql).filter((detail) => !labels.test(detail));
    expect(details.filter((detail) => detail === 'MERGE (UNION ALL)')).toHaveLength(2);
    expect(details.filter((detail) => detail.includes('INDEX presets_by_update'))).toHaveLength(3);
    for (const detail of details)
      expect(detail).toMatch(/^(CO-ROUTINE page|SCAN page|MERGE \(UNION ALL\)|LEFT|RIGHT|SEARCH .*)$/);
    for (const detail of details.filter((each) => each.startsWith('SEARCH'))) expect(detail).toMatch(byIndex);
  });

  it.each([
    ['weigh', countWordSql],
    ['count', countFoundSql],
    ['find', searchPresetsSql],
  ])('%s the presets with a word without reading those that do not have it', (_, sql) => {
    const details = planOf(sql);
    expect(details).toContain(
      'SEARCH preset_words USING COVERING INDEX preset_words_by_word (workspace_id=? AND word>? AND word<?)',
    );
    for (const detail of details.filter((each) => each.startsWith('SCAN')))
      expect(detail).toMatch(/^SCAN (hit|page|\(subquery-\d+\))$|^SCAN wanted VIRTUAL TABLE/);
    for (const detail of details.filter((each) => each.startsWith('SEARCH'))) expect(detail).toMatch(byIndex);
  });
});

const nobody = `'00000000-0000-0000-0000-000000000000'`;
const statuses = `'active', 'disabled', NULL`;

describe.runIf(engines.includes('postgres'))('statements of the hot paths on PostgreSQL', () => {
  let database: TestDatabase;
  let connection: pg.Client;
  const plans = new Map<string, string>();

  const statements = [
    ['a page of members', listMembersStatement, 'uuid, int, int', `${nobody}, 50, 0`],
    ['a key', findKeyStatement, 'text', `'x'`],
    ['a preset', findPresetStatement, 'uuid, text, uuid', `${nobody}, 'a', ${nobody}`],
    ['the state of a preset', presetStateStatement, 'uuid, text, uuid', `${nobody}, 'a', ${nobody}`],
    [
      'the count of presets',
      countPresetsStatement,
      'uuid, text, text, text, uuid',
      `${nobody}, ${statuses}, ${nobody}`,
    ],
    ['presets by slug', listBySlugStatement, 'uuid, text, uuid, int', `${nobody}, 'a', ${nobody}, 100`],
    ['a page of versions', versionsStatement, 'uuid, int, int', `${nobody}, 0, 50`],
    ['a page of events', eventsStatement, 'uuid, int, int', `${nobody}, 0, 50`],
    [
      'a page of presets',
      listPresetsStatement,
      'uuid, text, text, text, int, int',
      `${nobody}, ${statuses}, 50, 0`,
    ],
    [
      'a count of matches',
      countFoundStatement,
      'uuid, text, text, text, text, text[]',
      `${nobody}, ${statuses}, 'a', '{b}'`,
    ],
    [
      'a page of matches',
      searchPresetsStatement,
      'uuid, text, text, text, text, text[], int, int',
      `${nobody}, ${statuses}, 'a', '{b}', 50, 0`,
    ],
    ['the rarest words', rarestWordsStatement, 'uuid, text[]', `${nobody}, '{a,b}'`],
    ['a member', findMemberStatement, 'uuid, text, text', `${nobody}, 'a', 'a'`],
    ['keys of the past', forgetAnswers, 'timestamptz', 'now()'],
    [
      'versions to create',
      createVersionsStatement,
      'uuid[], uuid[], text[], uuid[], uuid[], text[], text[], text[], text[], timestamptz[], text[], text[]',
      Array(12).fill(`'{}'`).join(),
    ],
  ] as const;
  /** A plan is made when a connection first needs it, and kept while the tables grow. */
  const moments = ['empty', 'full', 'full and analyzed'] as const;

  beforeAll(async () => {
    database = await createDatabase('postgres');
    await migrateStorage(storageOptions(database));
    connection = new pg.Client({ connectionString: database.url, options: sessionSettings });
    await connection.connect();
    for (const moment of moments) {
      if (moment === 'full') await connection.query(manyRows);
      if (moment === 'full and analyzed') await connection.query('ANALYZE');
      for (const [title, { text }, types, values] of statements) {
        await connection.query(`DEALLOCATE ALL; PREPARE statement (${types}) AS ${text}`);
        const { rows } = await connection.query(`EXPLAIN EXECUTE statement (${values})`);
        plans.set(`${moment} ${title}`, rows.map((row) => String(row['QUERY PLAN'])).join('\n'));
      }
    }
  });
  afterAll(async () => {
    await connection.end();
    await database.drop();
  });

  const planOf = (moment: string, title: string) => plans.get(`${moment} ${title}`) ?? '';
  const sorts = /\bSort {2}\(/;

  describe.each(moments)('planned while the tables are %s', (moment) => {
    it.each(statements.slice(0, 8).map(([title]) => title))('find %s by index alone', (title) => {
      const plan = planOf(moment, title);
      expect(plan).toMatch(/Index/);
      expect(plan).not.toMatch(/Seq Scan|Hash|Bitmap/);
      expect(plan).not.toMatch(sorts);
    });

    it('merge a page of presets from the index', () => {
      const plan = planOf(moment, 'a page of presets');
      expect(plan).toMatch(/Merge Append/);
      expect(plan.match(/Index (Only )?Scan using presets_by_update/g)).toHaveLength(3);
      expect(plan).not.toMatch(/Seq Scan|Hash/);
      expect(plan).not.toMatch(sorts);
    });

    it.each(['a count of matches', 'a page of matches'])('find %s without reading a table', (title) => {
      const plan = planOf(moment, title);
      expect(plan).toMatch(/preset_words_by_word/);
      expect(plan).toMatch(/Index (Only )?Scan using preset_words_pkey/);
      expect(plan).not.toMatch(/Seq Scan|Hash Join|Bitmap/);
    });

    it('count the presets that words lead to by index alone', () => {
      const plan = planOf(moment, 'the rarest words');
      expect(plan).toMatch(/Index Only Scan using preset_words_by_word/);
      expect(plan).not.toMatch(/Seq Scan|Hash|Bitmap/);
    });

    it('find a member by id or address without reading the others', () => {
      const plan = planOf(moment, 'a member');
      expect(plan).toMatch(/users_pkey/);
      expect(plan).toMatch(/users_email_key_key/);
      expect(plan).not.toMatch(/Seq Scan|Hash|Filter/);
    });

    it('create versions without reading more than their workspaces', () => {
      const plan = planOf(moment, 'versions to create');
      expect(plan).toMatch(/Index Cond: .*organization_id = r(_1)?\.organization_id\)/);
      expect(plan).toMatch(/Index Cond: .*id = r(_1)?\.workspace_id\)/);
      expect(plan).not.toMatch(/Seq Scan/);
    });

    it('find the few keys of the past that go, by their age', () => {
      const plan = planOf(moment, 'keys of the past');
      expect(plan).toMatch(/Index Scan using idempotency_keys_by_age/);
      expect(plan).not.toMatch(/Seq Scan|Hash (Semi )?Join/);
      expect(plan).not.toMatch(sorts);
    });
  });
});

/** In several workspaces, with presets of every status. */
const manyRows = `
  BEGIN;
  INSERT INTO organizations SELECT gen_random_uuid(), 'x', gen_random_uuid(), 0, now() FROM generate_series(1, 4);
  INSERT INTO workspaces SELECT default_workspace_id, id, 'default', 'Default', now() FROM organizations;
  INSERT INTO users SELECT 'user_' || g, 'e' || g, 'e' || g, '', '', now() FROM generate_series(1, 5000) g;
  INSERT INTO memberships SELECT (SELECT id FROM organizations LIMIT 1), id, 'org:member', now() FROM users;
  INSERT INTO presets (
    id, workspace_id, slug, name, status, latest_version, designated_version, revision, creator_user_id, created_at,
    updated_at
  )
  SELECT gen_random_uuid(), w.id, 'preset-' || g, 'A preset',
    (ARRAY['active', 'active', 'active', 'disabled', 'archived'])[1 + g % 5], 2, 2, 2, 'user_' || g, now(),
    now() - g * interval '1 second'
  FROM workspaces w, generate_series(1, 4000) g;
  INSERT INTO preset_versions
  SELECT gen_random_uuid(), id, version, 'messages', '{}', NULL, creator_user_id, now()
  FROM presets, generate_series(1, 2) version;
  INSERT INTO preset_labels SELECT id, 'production', 1, now() FROM presets;
  INSERT INTO preset_words SELECT id, unnest(string_to_array(slug, '-')), workspace_id FROM presets;
  INSERT INTO audit_events
  SELECT v.id, w.organization_id, w.id, p.id, v.version, 'preset.created', p.creator_user_id, NULL, NULL, NULL, now()
  FROM presets p JOIN preset_versions v ON v.preset_id = p.id JOIN workspaces w ON w.id = p.workspace_id;
  INSERT INTO idempotency_keys
  SELECT workspace_id, slug, 'hash', '{}', id, 1, now() - random() * interval '30 days' FROM presets;
  COMMIT`;

import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { migrateStorage } from '../../src/storage/open.ts';
import { findKeyStatement } from '../../src/storage/postgres/keys.ts';
import { listMembersStatement } from '../../src/storage/postgres/members.ts';
import { findKeySql } from '../../src/storage/sqlite/keys.ts';
import { listMembersSql } from '../../src/storage/sqlite/members.ts';
import { createDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { storageOptions } from '../support/storage-options.ts';

/** What costs the same at a million rows as at a thousand reads by index, in the order of the index. */
describe('statements of the hot paths', () => {
  it.each([
    ['a page of members', listMembersSql],
    ['a key', findKeySql],
  ])('find %s on SQLite by index alone', async (_, sql) => {
    const database = await createDatabase('sqlite');
    await migrateStorage(storageOptions(database));
    const connection = new DatabaseSync(database.url.slice('sqlite:'.length));
    const plan = connection
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row.detail));
    expect(plan.length).toBeGreaterThan(0);
    for (const step of plan)
      expect(step).toMatch(/^SEARCH .* USING (COVERING )?INDEX|^SEARCH .* USING PRIMARY KEY/);
    connection.close();
    await database.drop();
  });

  it.runIf(engines.includes('postgres')).each([
    [
      'a page of members',
      listMembersStatement.text,
      '(uuid, int, int)',
      `('00000000-0000-0000-0000-000000000000', 50, 0)`,
    ],
    ['a key', findKeyStatement.text, '(text)', `('x')`],
  ])(
    'find %s on PostgreSQL by index alone, even with a table full of rows',
    async (_, sql, types, values) => {
      const database = await createDatabase('postgres');
      await migrateStorage(storageOptions(database));
      const connection = new pg.Client({
        connectionString: database.url,
        options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off',
      });
      await connection.connect();
      await connection.query(`
      BEGIN;
      INSERT INTO organizations SELECT gen_random_uuid(), 'x', gen_random_uuid(), 0, now() FROM generate_series(1, 3);
      INSERT INTO workspaces SELECT default_workspace_id, id, 'default', 'Default', now() FROM organizations;
      INSERT INTO users SELECT 'user_' || g, 'e' || g, 'e' || g, '', '', now() FROM generate_series(1, 20000) g;
      INSERT INTO memberships SELECT (SELECT id FROM organizations LIMIT 1), id, 'org:member', now() FROM users;
      COMMIT;
      ANALYZE;
      PREPARE statement ${types} AS ${sql}`);
      const { rows } = await connection.query(`EXPLAIN EXECUTE statement ${values}`);
      const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
      expect(plan).toMatch(/Index/);
      expect(plan).not.toMatch(/Seq Scan|Sort|Hash|Bitmap/);
      await connection.end();
      await database.drop();
    },
  );
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fill } from '../../bench/scale/fill.ts';
import { growingOperations, operations } from '../../bench/scale/operations.ts';
import { personOf, requestOf, slugOf, versionsOf } from '../../bench/scale/population.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { isLong, scale } from './scale.ts';

// `npm run bench:scale` measures a million presets. The result is only meaningful if the generated
// rows equal those that a server writes.

const size = { presets: scale(12, 300), members: scale(12, 300) };

describe.each(engines)('a database filled for the benchmark on %s', (engine) => {
  let server: TestServer;
  let filled: TestDatabase;

  beforeAll(async () => {
    server = await startTestServer(engine);
    filled = await createDatabase(engine);
    const notStopped = new AbortController().signal;
    // In two parts, as by an interrupted run and one that continues it.
    await fill(filled.url, { ...size, presets: 7, members: 5 }, () => {}, notStopped);
    await fill(filled.url, size, () => {}, notStopped);
    for (let index = 1; index < size.members; index += 1) {
      const { email, firstName, lastName } = personOf(index);
      const person = { email, first_name: firstName, last_name: lastName };
      const { status } = await server.post('/api/v1/organization/members', person, { key: managementKey });
      expect(status).toBe(201);
    }
    for (let index = 0; index < size.presets; index += 1) {
      for (let version = 1; version <= versionsOf(index); version += 1) {
        const path = `/api/v1/presets/${slugOf(index, size)}/chat/completions`;
        expect((await server.post(path, requestOf(index, version, size))).status).toBeLessThan(300);
      }
    }
  });
  afterAll(async () => {
    await server.stop();
    await filled.drop();
  });

  it('indexes the contents of presets as a server does', async () => {
    const contents = `SELECT p.slug, c.words FROM preset_contents c JOIN presets p ON p.id = c.preset_id ORDER BY p.slug`;
    const rows = await filled.sql(contents);
    expect(rows).toHaveLength(size.presets);
    // The server does so in the background.
    await expect.poll(() => server.database.sql(contents)).toEqual(rows);
    const words = `SELECT p.slug, w.word FROM content_words w JOIN preset_contents c ON c.number = w.preset
      JOIN presets p ON p.id = c.preset_id ORDER BY p.slug, w.word`;
    await expect.poll(() => server.database.sql(words)).toEqual(await filled.sql(words));
    for (const { sql } of [filled, server.database])
      expect(await sql('SELECT * FROM unindexed_presets')).toEqual([]);
  });

  const eventColumns = `e.number, e.kind, e.key_label IS NULL AS without_key, e.subject_name, e.before, e.after,
    e.workspace_id IS NULL AS of_organization`;

  it.each([
    [
      'presets',
      `SELECT p.slug, p.name, p.description, p.status, p.status_updated_at, p.latest_version, p.designated_version, p.revision,
         p.updated_at = (SELECT max(created_at) FROM preset_versions v WHERE v.preset_id = p.id) AS last_time,
         p.created_at = (SELECT min(created_at) FROM preset_versions v WHERE v.preset_id = p.id) AS first_time
       FROM presets p ORDER BY p.slug`,
    ],
    [
      'versions',
      `SELECT p.slug, v.version, v.dialect, v.config, v.system_prompt, v.creator_id = p.creator_user_id AS by_creator
       FROM preset_versions v JOIN presets p ON p.id = v.preset_id ORDER BY p.slug, v.version`,
    ],
    [
      'words',
      `SELECT p.slug, w.word, w.workspace_id = p.workspace_id AS at_home
       FROM preset_words w JOIN presets p ON p.id = w.preset_id ORDER BY p.slug, w.word`,
    ],
    [
      'events of presets',
      `SELECT p.slug, v.version, ${eventColumns} FROM audit_events e
       JOIN presets p ON p.id = e.preset_id JOIN preset_versions v ON v.id = e.id AND v.created_at = e.created_at
       ORDER BY p.slug, e.number`,
    ],
    [
      'people',
      `SELECT u.email, u.email_key, u.first_name, u.last_name, m.role, u.created_at = m.joined_at AS joined_at_once
       FROM users u JOIN memberships m ON m.user_id = u.id WHERE u.email LIKE 'firstname%' ORDER BY u.email`,
    ],
    [
      'words of people',
      `SELECT u.email, w.word FROM member_words w JOIN users u ON u.id = w.user_id
       WHERE u.email LIKE 'firstname%' ORDER BY u.email, w.word`,
    ],
    [
      'events of people',
      `SELECT u.email, ${eventColumns}, e.created_at = u.created_at AS at_once
       FROM audit_events e JOIN users u ON u.id = e.subject_id WHERE e.kind LIKE 'member.%' ORDER BY u.email`,
    ],
    ['counts of presets', 'SELECT status, presets FROM preset_counts'],
    ['counts of members', 'SELECT member_count, workspace_count FROM organizations'],
    ['all events', 'SELECT kind, count(*) AS events FROM audit_events GROUP BY kind ORDER BY kind'],
  ])('has the same %s as one written by a server', async (_, query) => {
    const rows = await filled.sql(query);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toEqual(await server.database.sql(query));
  });

  it('enforces references again, and has only valid ones', async () => {
    const wrong =
      engine === 'sqlite'
        ? 'PRAGMA foreign_key_check'
        : `SELECT tgname FROM pg_trigger WHERE tgenabled <> 'O'
           UNION SELECT conname FROM pg_constraint WHERE NOT convalidated`;
    expect(await filled.sql(wrong)).toEqual([]);
    if (engine === 'sqlite') return;
    // Recreating a constraint checks rows that were written while it was disabled.
    const constraints = await filled.sql(
      `SELECT conname AS name, conrelid::regclass AS owner, pg_get_constraintdef(oid) AS definition
       FROM pg_constraint WHERE contype = 'f'`,
    );
    expect(constraints.length).toBeGreaterThan(10);
    for (const { name, owner, definition } of constraints)
      await filled.sql(`ALTER TABLE ${owner} DROP CONSTRAINT ${name}, ADD CONSTRAINT ${name} ${definition}`);
  });
});

describe('npm run bench:scale', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'presetd-test-scale-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const file = fileURLToPath(new URL('../../bench/scale.ts', import.meta.url));
  const run = (...args: readonly string[]) => {
    const { DATABASE_URL: _, ...environment } = process.env;
    const sizes = ['--small', '20', '--large', String(scale(60, 2_000))];
    const short = ['--slices', '2', '--slice-ms', '10', '--connections', '2'];
    return spawnSync(process.execPath, [file, ...sizes, ...short, ...args], {
      encoding: 'utf8',
      env: { ...environment, TMPDIR: folder },
    });
  };

  /** The short run measures one write: every operation starts two servers. */
  const measured = isLong ? [...operations, ...growingOperations] : [operations.at(-1)];
  const names = measured.map((operation) => operation?.name ?? expect.fail('unknown operation'));

  it.each(isLong ? engines : (['sqlite'] as const))(
    'measures the requested operations on %s and removes its files',
    (engine) => {
      const picture = join(folder, 'growth.svg');
      const only = names.flatMap((name) => ['--only', name]);
      const { stdout, stderr, status } = run('--engine', engine, '--json', '--plot', picture, ...only);
      expect([status, stderr]).toEqual([0, expect.stringContaining(`${engine} create: `)]);
      const rows = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(rows.map(({ name }) => name)).toEqual(names.map((name) => `${name}-${engine}`));
      for (const { ratio, smallMs, largeMs } of rows)
        for (const figure of [ratio, smallMs, largeMs]) expect(figure).toBeGreaterThan(0);
      expect(readFileSync(picture, 'utf8')).toContain('presets and members, compared with 20</title>');
      rmSync(picture);
      expect(readdirSync(folder)).toEqual([]);
    },
    timeoutMs,
  );

  it.runIf(isLong)(
    'reuses a database that it kept',
    () => {
      const kept = join(folder, 'kept');
      const large = 'presets_2000_members_2000: optimizing';
      const first = run('--engine', 'sqlite', '--folder', kept, '--only', 'get');
      expect([first.status, first.stderr]).toEqual([0, expect.stringContaining(large)]);
      const second = run('--engine', 'sqlite', '--folder', kept, '--only', 'create');
      expect([second.status, second.stderr]).toEqual([0, expect.not.stringContaining(large)]);
    },
    timeoutMs,
  );

  it.runIf(isLong)('rejects an unknown operation', () => {
    const stderr = expect.stringContaining('Unknown operation "nothing". Choose from: ');
    expect(run('--only', 'nothing')).toMatchObject({ status: 1, stderr });
  });
});

/** Servers take seconds to start, and longer on a busy machine. */
const timeoutMs = 600_000;

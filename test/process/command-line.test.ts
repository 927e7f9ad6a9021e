import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMigrations } from '../../src/storage/migrate.ts';
import { createWorkingDirectory } from '../support/command.ts';
import { createDatabase, describeTestDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { addMember, newMember } from '../support/members.ts';
import { runCommand } from '../support/run-command.ts';
import { startServerOn, type TestServer } from '../support/server.ts';
import { withStorage } from '../support/storage-access.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe.each(engines)('the command line on %s', (engine) => {
  let database: TestDatabase;
  let server: TestServer;
  const directory = createWorkingDirectory();
  const presetd = (...args: string[]) => runCommand(args, directory.path, { DATABASE_URL: database.url });
  const members = (key: string) =>
    fetch(`${server.url}/api/v1/organization/members`, { headers: { authorization: `Bearer ${key}` } });

  beforeAll(async () => {
    database = await createDatabase(engine);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
    directory.remove();
  });

  it('recover on an empty database says what to do first', async () => {
    expect(await presetd('recover')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `The database (${describeTestDatabase(database.url)}) is empty. Set DATABASE_URL to the server's database, or start the server once to initialize it.\n`,
    });
  });

  it('recover does not change a database of an older version', async () => {
    const older = await createDatabase(engine);
    const run = (...args: string[]) => runCommand(args, directory.path, { DATABASE_URL: older.url });
    await run('migrate');
    await older.sql('DELETE FROM schema_migrations WHERE number >= 2 RETURNING number');
    const { code, stderr } = await run('recover');
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The database schema is older than this presetd (missing migration 0002-lifecycle). Stop the older servers, then start this version or run "presetd migrate".\n',
    );
    expect(await older.sql('SELECT number FROM schema_migrations')).toEqual([{ number: 1 }]);
    await older.drop();
  });

  it('migrate upgrades a database once', async () => {
    const fresh = await createDatabase(engine);
    const migrate = () => runCommand(['migrate'], directory.path, { DATABASE_URL: fresh.url });
    const place = describeTestDatabase(fresh.url);
    const applied = readMigrations(engine)
      .map(({ name }) => `applied ${name}\n`)
      .join('');
    expect(await migrate()).toEqual({
      code: 0,
      stdout: `${applied}The database (${place}) is now up to date.\n`,
      stderr: '',
    });
    expect((await migrate()).stdout).toBe(`The database (${place}) is up to date.\n`);
    await fresh.drop();
  });

  it('recover creates a management key for an admin, which works at once', async () => {
    server = await startServerOn(database);
    for (const options of [[], ['--owner', 'OWNER@localhost']]) {
      const { code, stdout, stderr } = await presetd('recover', ...options);
      expect([code, stderr]).toEqual([
        0,
        `Created a management key for owner@localhost (${describeTestDatabase(database.url)}). Copy it now; it is not shown again:\n`,
      ]);
      expect(stdout).toMatch(/^sk-pst-v1-[0-9a-f]{64}\n$/);
      expect((await members(stdout.trim())).status).toBe(200);
    }
  });

  it('recover rejects an owner who is not an admin', async () => {
    await withStorage(database, ({ storage, organization }) =>
      addMember(storage, organization.id, newMember({ email: 'grace@example.com' })),
    );
    expect(await presetd('recover', '--owner', 'grace@example.com')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'grace@example.com is org:member and cannot manage the organization. Name an org:admin, such as owner@localhost.\n',
    });
    expect(await presetd('recover', '--owner', 'nobody@example.com')).toMatchObject({
      code: 4,
      stderr: 'nobody@example.com is not a member.\n',
    });
  });
});

describe('usage errors', () => {
  it.each([
    [['member', 'add', 'not an address'], 'Must be an email address.'],
    [['member', 'add', 'a@b.c', '--role', 'boss'], 'Must be org:admin or org:member.'],
    [['member', 'add', 'a@b.c', '--first-name', '\u001b[31m'], 'no line breaks'],
    [['member', 'edit', 'a@b.c'], 'Nothing to change. Use --email, --first-name'],
    [['member', 'edit', 'a@b.c', '--email', 'b'], 'Must be an email address.'],
    [['member', 'list', '--limit', '0'], 'Must be from 1 to 100.'],
    [['member', 'show', '..'], 'Must not be empty, "." or "..".'],
    [['member', 'remove', ''], 'Must not be empty, "." or "..".'],
    [['key', 'create'], "required option '--name <text>' not specified"],
    [['key', 'create', '--name', ' '], 'Must not be empty.'],
    [['key', 'create', '--name', 'two\nlines'], 'no line breaks'],
    [['key', 'create', '--name', 'x', '--expires-at', 'soon'], 'Must be a time such as'],
    [['key', 'create', '--name', 'x', '--management', '--workspace', 'w'], 'Omit --workspace.'],
    [
      ['key', 'create', '--name', 'x', '--read-only'],
      '--read-only applies only to management keys. Add --management.',
    ],
    [['key', 'create', '--name', 'x', '--read-only', '--workspace', 'w'], 'Add --management'],
    [['key', 'edit', 'x'], 'Nothing to change. Use --name, --expires-at, --limit, --limit-reset'],
    [['key', 'edit', 'x', '--expires-at', 'now'], 'Must be a time such as'],
    [['key', 'rotate', 'x', '--grace', '5'], 'Must be 0 or a duration such as 90s'],
    [['key', 'delete', '.'], 'Must not be empty, "." or "..".'],
    [['workspace', 'edit', 'x'], 'Nothing to change. Use --name, --slug or --description.'],
    [['workspace', 'delete', '..'], 'Must not be empty, "." or "..".'],
    [
      ['workspace', 'add-member', 'x', ...Array.from({ length: 101 }, String)],
      'Name at most 100 members at a time.',
    ],
    [['audit', '--since', 'yesterday'], 'Must be a time such as'],
    [['preset', 'list', '--workspace', '..'], 'Must not be empty, "." or "..".'],
    [['recover', '--owner', ''], 'Must not be empty, "." or "..".'],
    [['frobnicate'], "unknown command 'frobnicate'"],
  ])('the usage error in %j is explained: %s', async (args, message) => {
    // Before anything is sent: there is no server at this address.
    const { code, stdout, stderr } = await runCommand(args, root, {
      PRESETD_API_KEY: 'x',
      PRESETD_URL: 'http://127.0.0.1:1',
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

describe('the executable', () => {
  it('npm exec finds the executable in a checkout', () => {
    expect(
      execFileSync('npm', ['exec', 'presetd', '--', '--version'], { cwd: root, encoding: 'utf8' }),
    ).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('--help lists all commands', async () => {
    const { stdout } = await runCommand(['--help'], root);
    for (const command of [
      ...['serve', 'migrate', 'recover', 'backup', 'restore', 'health', 'preset', 'export', 'import'],
      ...['usage', 'calls', 'key', 'workspace', 'member', 'audit', 'completion'],
    ])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });
});

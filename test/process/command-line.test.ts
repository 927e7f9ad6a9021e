import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorkingDirectory,
  runCommand,
  type ServerProcess,
  startServerProcess,
} from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { statusWithinOneSecond } from '../support/refusal.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe.each(engines)('the command line on %s', (engine) => {
  let database: TestDatabase;
  let server: ServerProcess;
  const directory = createWorkingDirectory();
  const presetd = (...args: string[]) => runCommand(args, directory.path, { DATABASE_URL: database.url });
  const request = (path: string, key: string, init: RequestInit = {}) =>
    fetch(server.url + path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
  const members = (key: string) => request('/api/v1/organization/members', key);
  const create = (key: string) =>
    request('/api/v1/presets/cli/responses', key, { method: 'POST', body: '{}' });

  beforeAll(async () => {
    database = await createDatabase(engine);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
    directory.remove();
  });

  it('says on an empty database what to do first', async () => {
    expect(await presetd('key', 'list')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'The database is empty. Start the server once; it makes the organization.\n',
    });
  });

  it('leaves the database of an older version, which may have servers, as it is', async () => {
    const older = await createDatabase(engine);
    const run = (...args: string[]) => runCommand(args, directory.path, { DATABASE_URL: older.url });
    await run('migrate');
    await older.sql('DELETE FROM schema_migrations WHERE number = 2 RETURNING number');
    const { code, stderr } = await run('key', 'list');
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The database is that of an older version (it lacks 0002-lifecycle). Stop the servers of that version, then start this one or run "presetd migrate".\n',
    );
    expect(await older.sql('SELECT number FROM schema_migrations')).toEqual([{ number: 1 }]);
    await older.drop();
  });

  it('migrates, once', async () => {
    const fresh = await createDatabase(engine);
    const migrate = () => runCommand(['migrate'], directory.path, { DATABASE_URL: fresh.url });
    expect(await migrate()).toEqual({
      code: 0,
      stdout: 'applied 0001-foundation\napplied 0002-lifecycle\nThe database is now up to date.\n',
      stderr: '',
    });
    expect((await migrate()).stdout).toBe('The database is up to date.\n');
    await fresh.drop();
  });

  it('makes keys that a running server knows at once: API, management, read-only, personal', async () => {
    server = await startServerProcess(directory.path, { DATABASE_URL: database.url });
    const keyFrom = async (...options: string[]) => {
      const { code, stdout } = await presetd('key', 'create', ...options);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^sk-pst-v1-[0-9a-f]{64}\n$/);
      return stdout.trim();
    };
    const statuses = async (key: string) => [(await create(key)).status, (await members(key)).status];
    expect(await statuses(await keyFrom())).toEqual([200, 401]);
    expect(await statuses(await keyFrom('--management'))).toEqual([200, 200]);
    expect(await statuses(await keyFrom('--management', '--read-only'))).toEqual([403, 200]);
    expect(await statuses(await keyFrom('--management', '--personal'))).toEqual([404, 404]);
    expect(await statuses(await keyFrom('--expires-at', '2020-01-01'))).toEqual([401, 401]);
  });

  it('lists keys and disables one, which a running server refuses within a second', async () => {
    const key = (await presetd('key', 'create', '--name', 'For the pipeline')).stdout.trim();
    expect((await create(key)).status).toBe(200);
    const list = (await presetd('key', 'list')).stdout.split('\n');
    expect(list[0]).toMatch(/^LABEL +KIND +ACCESS +STATE +CREATED +ID +OWNER +NAME$/);
    expect(list[1]).toMatch(
      /^sk-pst-v1-[0-9a-f]{3}…[0-9a-f]{3} +api +read-write +active +\S+Z +\S+ +owner@localhost +For the pipeline$/,
    );
    const label = list[1]?.split(' ')[0] ?? '';
    expect((await presetd('key', 'disable', label)).stdout).toBe(`Disabled ${label} (For the pipeline).\n`);
    expect(await statusWithinOneSecond(() => create(key))).toBe(401);
    expect((await presetd('key', 'list')).stdout).toMatch(/ disabled .*For the pipeline/);
    expect(await presetd('key', 'disable', 'nothing')).toMatchObject({
      code: 1,
      stderr: 'There is no key nothing. See "presetd key list".\n',
    });
  });

  it('adds, lists and removes members, whose keys are then refused', async () => {
    const added = await presetd(
      'member',
      'add',
      'Grace@Example.com',
      '--first-name',
      'Grace',
      '--last-name',
      'Hopper',
    );
    expect(added.stdout).toMatch(/^Added Grace@Example\.com as org:member \(user_[0-9a-f]{32}\)\.\n$/);
    expect(await presetd('member', 'add', 'grace@example.com')).toMatchObject({
      code: 1,
      stderr: 'Grace@Example.com is a member of the organization already.\n',
    });
    const { stdout } = await presetd('member', 'list');
    expect(stdout).toMatch(
      /^EMAIL +ROLE +NAME +ID\nowner@localhost +org:admin +Preset Owner +user_\S+\nGrace@Example.com +org:member +Grace Hopper +user_\S+\n1 to 2 of 2\n$/,
    );
    const key = (await presetd('key', 'create', '--owner', 'GRACE@example.com')).stdout.trim();
    expect((await create(key)).status).toBe(200);
    expect((await presetd('member', 'remove', 'grace@example.com')).stdout).toBe(
      'Removed Grace@Example.com.\n',
    );
    expect(await statusWithinOneSecond(() => create(key))).toBe(403);
    expect((await presetd('member', 'remove', 'owner@localhost')).stderr).toBe(
      'owner@localhost is the last org:admin. Add another one first.\n',
    );
  });

  it.each([
    [['member', 'add', 'not an address'], 'It must be an e-mail address.'],
    [['member', 'add', 'a@b.c', '--role', 'boss'], 'Allowed choices are org:admin, org:member.'],
    [['key', 'create', '--expires-at', 'soon'], 'It must be a time such as'],
    [['key', 'create', '--name', 'two\nlines'], 'no line breaks'],
    [['member', 'add', 'a@b.c', '--first-name', '\u001b[31m'], 'no line breaks'],
    [['member', 'list', '--limit', '0'], 'It must be from 1 to 10000.'],
    [['key', 'create', '--owner', 'nobody@example.com'], 'nobody@example.com is not a member.'],
    [['key', 'create', '--workspace', 'nowhere'], 'There is no workspace nowhere.'],
    [['key', 'create', '--management', '--workspace', 'default'], 'leave --workspace out'],
    [['frobnicate'], "unknown command 'frobnicate'"],
  ])('refuses %j and says what to change', async (args, message) => {
    const { code, stdout, stderr } = await presetd(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });
});

describe('the executable', () => {
  it('is found by npm exec in a checkout', () => {
    expect(
      execFileSync('npm', ['exec', 'presetd', '--', '--version'], { cwd: root, encoding: 'utf8' }),
    ).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('lists its commands', async () => {
    const { stdout } = await runCommand(['--help'], root);
    for (const command of ['serve', 'migrate', 'key', 'member', 'preset', 'export', 'import'])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });
});

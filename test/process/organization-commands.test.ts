import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkingDirectory } from '../support/command.ts';
import { anyEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';

const apiKey = 'the-api-key-of-the-commands';
const managementKey = 'the-management-key-of-the-commands';
const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\dZ`;
const id = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const label = 'sk-pst-v1-[0-9a-f]{3}…[0-9a-f]{3}';

describe('the commands of an organization', () => {
  let server: TestServer;
  const directory = createWorkingDirectory();

  beforeAll(async () => {
    server = await startTestServer(anyEngine, {
      PRESETD_BOOTSTRAP_API_KEY: apiKey,
      PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    });
  });
  afterAll(async () => {
    await server.stop();
    directory.remove();
  });

  const presetdWith = (key: string, args: readonly string[], input?: string) =>
    runCommand(args, directory.path, { PRESETD_URL: server.url, PRESETD_MANAGEMENT_KEY: key }, input);
  const presetd = (...args: string[]) => presetdWith(managementKey, args);

  /** Runs a command that must succeed without writing to standard error, and returns its output. */
  async function output(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await presetd(...args);
    expect([args, code, stderr]).toEqual([args, 0, '']);
    return stdout;
  }

  async function jsonOf(...args: string[]) {
    return JSON.parse(await output(...args, '--json'));
  }

  /** Creates a key for a test, which may also write presets, and returns its secret and label. */
  async function createKey(...options: string[]) {
    const scope = options.includes('--management') ? [] : ['--scope', 'write'];
    const { code, stdout, stderr } = await presetd('key', 'create', ...scope, ...options);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^Created an? .* Copy it now; it is not shown again:\n$/),
    ]);
    expect(stdout).toMatch(/^sk-pst-v1-[0-9a-f]{64}\n$/);
    const secret = stdout.trim();
    return { secret, label: `${secret.slice(0, 13)}…${secret.slice(-3)}` };
  }

  const statusOf = async (key: string, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return fetch(
      `${server.url}/api/v1${path}`,
      body === undefined ? { headers } : { headers, method: 'POST', body },
    );
  };
  const pushStatus = async (key: string) => (await statusOf(key, '/presets/cli/responses', '{}')).status;
  const membersStatus = async (key: string) => (await statusOf(key, '/organization/members')).status;

  describe('key', () => {
    it('key create creates API, management and read-only keys that work at once', async () => {
      const statuses = async ({ secret }: { secret: string }) => [
        await pushStatus(secret),
        await membersStatus(secret),
      ];
      expect(await statuses(await createKey('--name', 'a'))).toEqual([200, 401]);
      expect(await statuses(await createKey('--name', 'b', '--management'))).toEqual([200, 200]);
      expect(await statuses(await createKey('--name', 'c', '--management', '--read-only'))).toEqual([
        403, 200,
      ]);
    });

    it('key create creates a key that can only call, unless --scope allows more', async () => {
      const secretOf = async (...options: string[]) =>
        (await presetd('key', 'create', '--name', 'x', ...options)).stdout.trim();
      const readStatus = async (key: string) => (await statusOf(key, '/presets')).status;
      const statuses = async (key: string) => [await readStatus(key), await pushStatus(key)];
      expect(await statuses(await secretOf())).toEqual([403, 403]);
      expect(await statuses(await secretOf('--scope', 'read'))).toEqual([200, 403]);
      expect(await statuses(await secretOf('--scope', 'write'))).toEqual([200, 200]);
    });

    it('key list --mine lists only keys of the owner of the key', async () => {
      await output('member', 'add', 'mia@example.com');
      const mine = (await createKey('--management', '--name', 'Of Mia', '--owner', 'mia@example.com')).secret;
      const { stdout } = await presetdWith(mine, ['key', 'list', '--mine', '--json']);
      expect(JSON.parse(stdout).data.map(({ name }: { name: string }) => name)).toEqual(['Of Mia']);
      await output('member', 'remove', 'mia@example.com');
    });

    it('key list shows keys newest first', async () => {
      const created = await createKey('--name', 'For the pipeline', '--expires-at', '2999-01-31');
      const lines = (await output('key', 'list')).split('\n');
      expect(lines[0]).toMatch(/^LABEL +KIND +SCOPE +STATE +LAST USED +OWNER +NAME +ID$/);
      expect(lines[1]).toMatch(
        new RegExp(
          `^${created.label} +api +write +expires 2999-01-31 00:00Z +never +owner@localhost +For the pipeline +${id}$`,
        ),
      );
      expect(lines.slice(2).some((line) => / read-only +active /.test(line))).toBe(true);
      expect(lines.at(-2)).toMatch(/^Showing 1-(\d+) of \1$/);
      expect((await jsonOf('key', 'list')).data[0]).toMatchObject({ label: created.label, kind: 'api' });
    });

    it('key show finds a key by label or ID', async () => {
      const { label: name } = await createKey('--name', 'Shown');
      const shown = await output('key', 'show', name);
      expect(shown).toMatch(
        new RegExp(
          `^${label}\nname +Shown\nkind +api\nscope +write\nstate +active\nowner +owner@localhost, user_\\w+\nworkspace +default, ${id}\nlast used +never\ncreated +${time}\n(updated .*\n)?id +${id}\n$`,
        ),
      );
      const { data } = await jsonOf('key', 'show', name);
      expect(await output('key', 'show', data.hash)).toBe(shown);
    });

    it('key current shows the key that the commands use', async () => {
      expect(await output('key', 'current')).toMatch(
        /\nkind +management\nstate +active\n(.*\n)*from +PRESETD_MANAGEMENT_KEY\n$/,
      );
      const { stdout } = await runCommand(['key', 'current'], directory.path, {
        PRESETD_URL: server.url,
        PRESETD_API_KEY: apiKey,
      });
      expect(stdout).toMatch(/\nkind +api\n(.*\n)*from +PRESETD_API_KEY\n$/);
    });

    it('key edit changes name and expiration', async () => {
      const { label: name } = await createKey('--name', 'Before', '--expires-at', '2999-01-31');
      expect(await output('key', 'edit', name, '--name', 'After')).toBe(`Updated ${name} (After).\n`);
      expect(await output('key', 'edit', name, '--expires-at', '2998-01-31')).toBe(
        `Updated ${name} (After): it expires 2998-01-31 00:00Z.\n`,
      );
      expect(await output('key', 'edit', name, '--expires-at', 'never')).toBe(
        `Updated ${name} (After): it never expires.\n`,
      );
      expect((await jsonOf('key', 'show', name)).data).toMatchObject({ name: 'After', expires_at: null });
    });

    it('key disable, enable and delete take effect within a second', async () => {
      const { secret, label: name } = await createKey('--name', 'Switched');
      expect(await pushStatus(secret)).toBe(200);
      const attempt = async () => ({ status: await pushStatus(secret) });
      expect(await output('key', 'disable', name)).toBe(`Disabled ${name} (Switched).\n`);
      expect(await statusWithinOneSecond(attempt)).toBe(401);
      expect(await output('key', 'list')).not.toContain('Switched');
      expect(await output('key', 'list', '--all')).toMatch(/ disabled +.*Switched/);
      expect(await output('key', 'enable', name)).toBe(`Enabled ${name} (Switched).\n`);
      await expect.poll(() => pushStatus(secret)).toBe(200);
      // By its secret, as after a leak.
      expect(await output('key', 'delete', secret)).toBe(`Deleted ${name} (Switched).\n`);
      expect(await statusWithinOneSecond(attempt)).toBe(401);
      expect((await presetd('key', 'show', name)).stderr).toContain(`There is no key ${name}`);
    });

    it('key rotate creates a new secret and keeps the old one for the grace period', async () => {
      const { secret, label: name } = await createKey('--name', 'Rotated');
      const { code, stdout, stderr } = await presetd('key', 'rotate', name, '--grace', '2h');
      expect(code).toBe(0);
      expect(stderr).toMatch(
        new RegExp(
          `^Rotated ${label} \\(Rotated\\): the old secret works until ${time}\\. Copy the new one now; it is not shown again:\n$`,
        ),
      );
      const next = stdout.trim();
      expect([await pushStatus(secret), await pushStatus(next)]).toEqual([200, 200]);
      const hash = (await jsonOf('key', 'show', next)).data.hash;
      const last = await presetd('key', 'rotate', hash, '--grace', '0');
      expect(last.stderr).toContain('the old secret no longer works');
      for (const old of [secret, next])
        expect(await statusWithinOneSecond(async () => ({ status: await pushStatus(old) }))).toBe(401);
      expect(await pushStatus(last.stdout.trim())).toBe(200);
    });

    it.each([
      [['key', 'show', 'nothing'], 4, /^There is no key nothing/],
      [['key', 'delete', 'nothing'], 4, /^There is no key nothing/],
      [['key', 'create', '--name', 'x', '--owner', 'nobody@example.com'], 4, /nobody@example\.com/],
      [['key', 'create', '--name', 'x', '--workspace', 'nowhere'], 4, /^There is no workspace "nowhere"/],
      [['key', 'create', '--name', 'x', '--expires-at', '2020-01-01'], 1, /expires_at/],
      [['key', 'list', '--workspace', 'nowhere'], 4, /^There is no workspace "nowhere"/],
    ])('%j fails with the exit code %i and a reason', async (args, exitCode, message) => {
      const { code, stdout, stderr } = await presetd(...args);
      expect([code, stdout]).toEqual([exitCode, '']);
      expect(stderr).toMatch(message);
    });
  });

  describe('workspace', () => {
    it('a workspace is created, shown, edited and listed', async () => {
      expect(await output('workspace', 'create', 'support', '--name', 'Support')).toMatch(
        new RegExp(`^Created workspace support \\(${id}\\)\\.\n$`),
      );
      expect(await output('workspace', 'edit', 'support', '--description', 'Answers people')).toBe(
        'Updated description of workspace support.\n',
      );
      expect(await output('workspace', 'show', 'support')).toMatch(
        new RegExp(
          `^support\nname +Support\ndescription +Answers people\nmembers +1\ncreated +${time} by owner@localhost\nupdated +${time}\nid +${id}\n$`,
        ),
      );
      expect(await output('workspace', 'list')).toMatch(
        new RegExp(
          `^SLUG +MEMBERS +CREATED +NAME +ID\ndefault +\\d+ \\(everyone\\) +${time} +.* +${id}\nsupport +1 +${time} +Support +${id}\nShowing 1-2 of 2\n$`,
        ),
      );
      expect((await presetd('workspace', 'create', 'support')).stderr).toContain('slug');
    });

    it('a workspace has its own members and keys, and preset commands find it by slug', async () => {
      await output('member', 'add', 'sue@example.com');
      expect(await output('workspace', 'add-member', 'support', 'SUE@example.com')).toBe(
        'Added sue@example.com to support.\n',
      );
      expect(await output('workspace', 'add-member', 'support', 'sue@example.com')).toBe(
        'Nobody was added: all of them are already members of support.\n',
      );
      expect(await output('workspace', 'members', 'support')).toMatch(
        new RegExp(
          `^EMAIL +ROLE +ORGANIZATION +JOINED +ID\nowner@localhost +admin +org:admin +${time} +user_\\w+\nsue@example.com +admin +org:member +${time} +user_\\w+\nShowing 1-2 of 2\n$`,
        ),
      );
      const options = ['--owner', 'sue@example.com', '--workspace', 'support'];
      const { secret, label: name } = await createKey('--name', 'Of Sue', ...options);
      expect(await pushStatus(secret)).toBe(200);
      expect(await output('key', 'list', '--workspace', 'support')).toContain('Of Sue');
      expect(await output('key', 'list')).not.toContain('Of Sue');
      const list = await runCommand(['preset', 'list', '--workspace', 'support'], directory.path, {
        PRESETD_URL: server.url,
        PRESETD_API_KEY: managementKey,
      });
      expect(list.stdout).toMatch(/^SLUG .*\ncli .*\nShowing 1-1 of 1\n$/);
      const rejected = await presetd('workspace', 'remove-member', 'support', 'sue@example.com');
      expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining('key')]);
      await output('key', 'delete', name);
      expect(await output('workspace', 'remove-member', 'support', 'sue@example.com')).toBe(
        'Removed sue@example.com from support.\n',
      );
      expect(await output('workspace', 'remove-member', 'support', 'sue@example.com')).toBe(
        'Nobody was removed: none of them is a member of support.\n',
      );
    });

    it('workspace edit-member changes what a member may do there', async () => {
      await output('workspace', 'create', 'roles');
      await output('member', 'add', 'rita@example.com');
      expect(await output('workspace', 'add-member', 'roles', 'rita@example.com', '--role', 'editor')).toBe(
        'Added rita@example.com to roles as editor.\n',
      );
      const options = ['--owner', 'rita@example.com', '--workspace', 'roles'];
      const { secret } = await createKey('--name', 'Of Rita', ...options);
      // An editor creates presets, but the next version of one goes live, which takes an admin.
      let count = 0;
      const create = async () => {
        count += 1;
        return statusOf(secret, `/presets/of-rita-${count}/responses`, '{}');
      };
      expect((await create()).status).toBe(200);
      expect(await output('workspace', 'edit-member', 'roles', 'rita@example.com', '--role', 'viewer')).toBe(
        'rita@example.com is now viewer of roles.\n',
      );
      expect(await statusWithinOneSecond(create)).toBe(403);
    });

    it('an editor who pushes or imports a live version sees what to do next', async () => {
      await output('workspace', 'create', 'edited');
      await output('member', 'add', 'edith@example.com');
      await output('workspace', 'add-member', 'edited', 'edith@example.com', '--role', 'editor');
      const { secret } = await createKey(
        '--name',
        'x',
        '--owner',
        'edith@example.com',
        '--workspace',
        'edited',
      );
      const environment = { PRESETD_URL: server.url, PRESETD_API_KEY: secret };
      const run = (command: string, body: object = { model: 'm', input: 'Hi' }) =>
        runCommand(command.split(' '), directory.path, environment, JSON.stringify(body));
      expect((await run('preset push pmpt_1 -')).code).toBe(0);
      for (const command of ['preset push pmpt_1 -', 'preset push pmpt_1 - --dry-run'])
        expect(await run(command)).toEqual({
          code: 3,
          stdout: '',
          stderr:
            'Detected a responses request.\nAn editor of this workspace cannot change the live version. Add --no-live to save the version without making it live.\n',
        });
      expect((await run('preset push pmpt_1 - --no-live')).stdout).toBe('pmpt_1@2\n');
      const prompt = { id: 'pmpt_1', version: '3', model: 'm', input: 'Hi' };
      expect(await run('import openai -', prompt)).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(
          /An editor of this workspace cannot change the live version\. Ask a workspace admin to import the file\.\n$/,
        ),
      });
    });

    it('a workspace is deleted unless it is the default one or has active keys', async () => {
      await output('workspace', 'create', 'short-lived');
      const { label: name } = await createKey('--name', 'x', '--workspace', 'short-lived');
      expect((await presetd('workspace', 'delete', 'short-lived')).code).toBe(1);
      await output('key', 'disable', name);
      expect(await output('workspace', 'delete', 'short-lived')).toBe('Deleted workspace short-lived.\n');
      expect((await presetd('workspace', 'show', 'short-lived')).stderr).toMatch(
        /^There is no workspace "short-lived"/,
      );
      expect((await presetd('workspace', 'delete', 'default')).code).toBe(1);
    });
  });

  describe('member', () => {
    it('a member is added, shown, edited and removed, and their keys stop working', async () => {
      const added = await output('member', 'add', 'Grace@Example.com', '--first-name', 'Grace');
      expect(added).toMatch(/^Added Grace@Example\.com as org:member \(user_[0-9a-f]{32}\)\.\n$/);
      expect(await presetd('member', 'add', 'grace@example.com')).toMatchObject({
        code: 5,
        stderr: 'Grace@Example.com is already a member of the organization.\n',
      });
      const changes = ['--last-name', 'Hopper', '--role', 'admin'];
      expect(await output('member', 'edit', 'grace@example.com', ...changes)).toBe(
        'Updated last name, role of Grace@Example.com.\n',
      );
      expect(await output('member', 'show', 'grace@example.com')).toMatch(
        /^Grace@Example\.com\nname +Grace Hopper\nrole +org:admin\nid +user_\w+\n$/,
      );
      expect(await output('member', 'list')).toMatch(/^Grace@Example\.com +org:admin +Grace Hopper +user_/m);
      const { secret } = await createKey('--name', 'x', '--owner', 'GRACE@example.com');
      expect(await pushStatus(secret)).toBe(200);
      const found = await output('member', 'list', '--search', 'hop gra');
      expect(found).toMatch(
        /^EMAIL.*\nGrace@Example\.com +org:admin +Grace Hopper +user_.*\nShowing 1-1 of 1\n$/,
      );
      expect(await output('member', 'list', '--search', 'GRACE@example.com')).toBe(found);
      expect((await jsonOf('member', 'list', '--search', 'hopp')).total_count).toBe(1);
      expect(await output('member', 'list', '--search', 'opper')).toMatch(/\nNo results\n$/);
      expect(await output('member', 'remove', 'grace@example.com')).toBe('Removed Grace@Example.com.\n');
      expect(await statusWithinOneSecond(async () => ({ status: await pushStatus(secret) }))).toBe(403);
    });

    it('the last admin can be neither removed nor demoted', async () => {
      const message = 'owner@localhost is the last org:admin. Add another one first.\n';
      expect((await presetd('member', 'remove', 'owner@localhost')).stderr).toBe(message);
      expect((await presetd('member', 'edit', 'owner@localhost', '--role', 'member')).stderr).toBe(message);
    });

    it('a member who is not an admin manages only their own keys', async () => {
      await output('member', 'add', 'alan@example.com');
      const { secret } = await createKey('--name', 'x', '--management', '--owner', 'alan@example.com');
      const asAlan = (...args: string[]) => presetdWith(secret, args);
      expect((await asAlan('member', 'list')).code).toBe(0);
      expect((await asAlan('member', 'add', 'x@example.com')).code).toBe(3);
      expect((await asAlan('workspace', 'create', 'of-alan')).code).toBe(3);
      expect((await asAlan('key', 'create', '--name', 'mine')).code).toBe(0);
      expect((await asAlan('key', 'create', '--name', 'yours', '--owner', 'owner@localhost')).code).toBe(3);
      const { code, stderr } = await presetdWith(apiKey, ['member', 'list']);
      expect([code, stderr]).toEqual([3, expect.stringMatching(/PRESETD_MANAGEMENT_KEY: .*management key/)]);
    });
  });

  describe('member import', () => {
    const lines = Array.from({ length: 1_234 }, (_, index) => `p${index}@example.com,Person,${index},`);
    const content = `email,first_name,last_name,role\n${lines.join('\n')}\n`;
    const importing = (file: string, ...options: string[]) => presetd('member', 'import', file, ...options);
    const write = (text: string) => {
      writeFileSync(join(directory.path, 'people.csv'), text);
      return 'people.csv';
    };

    it('member import adds each person once', async () => {
      const before = (await jsonOf('member', 'list', '--limit', '1')).total_count;
      expect(await importing(write(content))).toEqual({
        code: 0,
        stdout: '',
        stderr: 'Added 1,234 people.\n',
      });
      expect(await importing('people.csv')).toEqual({
        code: 0,
        stdout: '',
        stderr: 'Added 0 people; 1,234 were already members.\n',
      });
      expect((await jsonOf('member', 'list', '--limit', '1')).total_count).toBe(before + 1_234);
    });

    it('member import skips members who differ, unless --update is given', async () => {
      const changed = write(
        content.replace('p7@example.com,Person', 'P7@example.com,Changed').replace('1233,', '1233,admin'),
      );
      expect(await importing(changed)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^Line 9: .*\nLine 1235: .*\nAdded 0 people; 1,232 were already members; 2 differ and were skipped \(use --update\)\.\n$/,
        ),
      });
      expect((await importing(changed, '--update')).stderr).toBe(
        'Added 0 people; updated 2; 1,232 were already members.\n',
      );
      expect(await output('member', 'show', 'p7@example.com')).toContain('Changed 7');
      expect(await output('member', 'show', 'p1233@example.com')).toContain('org:admin');
      await output('member', 'edit', 'p1233@example.com', '--role', 'member');
    });

    it('member import does not demote the last admin', async () => {
      const { code, stderr } = await importing(write('email,role\nowner@localhost,member\n'), '--update');
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^Line 2: .*owner@localhost.*last org:admin.*\nAdded 0 people; 1 line was rejected\.\n$/,
      );
    });
  });

  describe('audit', () => {
    it('audit shows who did what with which key', async () => {
      const { label: name } = await createKey('--name', 'Watched');
      await output('key', 'edit', name, '--name', 'Seen');
      const [header, latest, before] = (await output('audit', '--kind', 'key', '--limit', '2')).split('\n');
      expect(header).toMatch(/^TIME +EVENT +WORKSPACE +SUBJECT +ACTOR +KEY +CHANGE$/);
      const who = 'owner@localhost +th…ds';
      expect(latest).toMatch(
        new RegExp(`^${time} +key\\.renamed +default +${name} +${who} +name Watched → Seen$`),
      );
      expect(before).toMatch(new RegExp(`^${time} +key\\.created +default +${name} +${who} `));
    });

    it('audit pages through events, and filters by actor, kind and time', async () => {
      const first = await output('audit', '--limit', '1');
      const cursor = /^Use --cursor (\S+) for more$/m.exec(first)?.[1] ?? '';
      const second = await output('audit', '--limit', '1', '--cursor', cursor);
      const both = await jsonOf('audit', '--limit', '2');
      const shown = [first, second].map((page) => page.split('\n')[1]?.split(/ {2,}/)[1]);
      expect(shown).toEqual(both.data.map(({ kind }: { kind: string }) => kind));
      const renamed = await jsonOf('audit', '--kind', 'key.renamed', '--actor', 'owner@localhost');
      expect(renamed.data.length).toBeGreaterThan(0);
      expect(new Set(renamed.data.map(({ kind }: { kind: string }) => kind))).toEqual(
        new Set(['key.renamed']),
      );
      expect(await output('audit', '--until', '2020-01-01')).toBe('No events found.\n');
      expect(await output('audit', '--actor', 'nobody@example.com')).toBe('No events found.\n');
      expect((await presetd('audit', '--kind', 'frob')).code).toBe(1);
    });

    it('audit shows the workspace of each event, and filters by workspace', async () => {
      await output('workspace', 'create', 'audited', '--name', 'Audited');
      for (const workspace of ['default', 'audited'])
        await createKey('--name', `Key of ${workspace}`, '--workspace', workspace);
      const rows = (await output('audit', '--kind', 'key.created', '--limit', '2'))
        .trim()
        .split('\n')
        .slice(1, 3);
      expect(rows.map((row) => row.split(/ {2,}/)[2])).toEqual(['audited', 'default']);
      const found = await jsonOf('audit', '--workspace', 'audited');
      expect(found.data.map(({ workspace_name }: { workspace_name: string }) => workspace_name)).toEqual(
        Array(found.data.length).fill('Audited'),
      );
      expect(found.data.length).toBeGreaterThan(1);
      const { code, stderr } = await presetd('audit', '--preset', 'summary');
      expect([code, stderr]).toEqual([1, expect.stringContaining('/preset requires a workspace')]);
      expect((await presetd('audit', '--workspace', 'none')).stderr).toContain('no workspace "none"');
    });
  });
});

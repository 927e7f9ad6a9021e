import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../test/support/run-command.ts';
import { type StubServer, startStubServer } from '../../test/support/stub-server.ts';
import { type Profile, writeProfiles } from '../config/profiles.ts';
import { hashSecret } from '../core/organization/api-key.ts';

/** Without it, every sign-in would wait for a second before its first poll. */
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: () => Promise.resolve(),
}));

const root = mkdtempSync(join(tmpdir(), 'presetd-login-'));
afterAll(() => rmSync(root, { recursive: true }));

const newKey = 'sk-pst-v1-new';
const account = {
  id: 'user_1',
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  organization: { id: 'o', name: 'Example', role: 'org:admin' },
  workspaces: [
    { id: 'w', slug: 'default', name: 'Default', is_default: true, role: 'admin' },
    { id: 'x', slug: 'support', name: 'Support', is_default: false, role: 'editor' },
  ],
  has_password: true,
  can_set_password: true,
  credential: {
    ...{ kind: 'management', id: 'k', label: 'sk-pst-v1-ab1…9f2', scope: 'write', method: null },
    expires_at: '2999-01-31T00:00:00.000Z',
  },
};

let folder: string;
let path: string;
let server: StubServer;
/** Method, path and key of each request. */
let requests: string[];
let bodies: unknown[];
let overrides: Record<string, { status: number; body: object }>;

beforeEach(async () => {
  folder = mkdtempSync(join(root, 'x'));
  path = join(folder, '.config', 'presetd', 'profiles.json');
  requests = [];
  bodies = [];
  overrides = {};
  server = await startStubServer(respond);
});

const responses: Record<string, object> = {
  'POST /sign-in/device': {
    data: {
      device_code: 'secret',
      user_code: 'TEST-CODE',
      verification_url: 'https://presets.example.com/sign-in/device',
      expires_at: '2999-01-31T00:00:00.000Z',
      interval_seconds: 1,
    },
  },
  'POST /sign-in/device/token': { data: { status: 'approved', key: newKey } },
  'GET /account': { data: account },
};

const respond: RequestListener = async (request, response) => {
  const { method, url = '', headers } = request;
  const route = `${method} ${url.replace('/api/v1', '')}`;
  requests.push(`${route} ${headers.authorization?.replace('Bearer ', '') ?? 'no key'}`);
  const sent = await text(request);
  if (sent !== '') bodies.push(JSON.parse(sent));
  const { status, body } = overrides[route] ?? { status: 200, body: responses[route] ?? { deleted: true } };
  response.writeHead(status).end(JSON.stringify(body));
};

const presetd = (args: readonly string[], environment = {}, input = '') =>
  runCommand(args, folder, environment, input);

const stored = () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);

function profile(name: string, fields: Partial<Profile> = {}): Profile {
  const { url } = server;
  return {
    name,
    url,
    key: `key-of-${name}`,
    method: 'browser',
    email: null,
    expiresAt: null,
    workspace: null,
    ...fields,
  };
}

function store(...profiles: Profile[]): void {
  writeProfiles({ current: profiles[0]?.name ?? null, profiles }, path);
}

const host = () => new URL(server.url).host;
const failure = (status: number) => ({ status, body: { error: { message: 'No.' } } });

const shown = () => `ada@example.com
name          Ada Lovelace
organization  Example, org:admin
workspaces    default (admin), support (editor)
key           sk-pst-v1-ab1…9f2, management
scope         write
state         expires 2999-01-31 00:00Z
from          profile ${host()}
server        ${server.url}
id            user_1
`;

describe('presetd login', () => {
  it('login shows the code, waits for approval and saves the key in a profile', async () => {
    expect(await presetd(['login', `${server.url}/api/v1/`])).toEqual({
      code: 0,
      stdout: shown(),
      stderr: `To sign in to ${server.url}, open this page and enter the code TEST-CODE:

  https://presets.example.com/sign-in/device

Waiting for approval.
Signed in to ${server.url}. Commands now use profile ${host()}.
Commands use the default workspace. To use another, run "presetd workspace use <slug>".
`,
    });
    expect(requests).toEqual([
      'POST /sign-in/device no key',
      'POST /sign-in/device/token no key',
      `GET /account ${newKey}`,
    ]);
    expect(stored()).toEqual({
      current: host(),
      profiles: [
        {
          name: host(),
          url: server.url,
          key: newKey,
          method: 'browser',
          email: 'ada@example.com',
          expires_at: '2999-01-31T00:00:00.000Z',
          workspace: null,
        },
      ],
    });
    expect((await presetd(['whoami'])).stdout).toBe(shown());
  });

  it('login --with-key saves a key from standard input', async () => {
    const { code, stdout } = await presetd(
      ['login', server.url, '--with-key', '--profile', 'ci'],
      {},
      'some-key\n',
    );
    expect([code, stdout]).toEqual([0, shown().replace(`profile ${host()}`, 'profile ci')]);
    expect(requests).toEqual(['GET /account some-key']);
    expect(stored().profiles).toMatchObject([{ name: 'ci', key: 'some-key', method: 'key' }]);
  });

  it.each([
    ['\n', 2, 'There is no key on standard input.\n'],
    ['two words', 1, 'The key must be at most 256 visible ASCII characters without spaces.\n'],
  ])('login --with-key rejects %j without repeating it', async (input, exitCode, message) => {
    const { code, stderr } = await presetd(['login', server.url, '--with-key'], {}, input);
    expect([code, stderr]).toEqual([exitCode, message]);
    expect(requests).toEqual([]);
  });

  it('a supplied key that the server rejects is not saved', async () => {
    overrides['GET /account'] = failure(401);
    const { code, stderr } = await presetd(['login', server.url, '--with-key'], {}, 'wrong');
    expect([code, stderr]).toEqual([
      3,
      `The server at ${server.url} rejected the key in standard input: No.\n`,
    ]);
    expect(stored()).toEqual({ current: null, profiles: [] });
  });

  it('a key that the server created is saved even if nothing else works', async () => {
    overrides['GET /account'] = failure(500);
    expect((await presetd(['login', server.url])).code).toBe(1);
    expect(stored().profiles).toMatchObject([{ key: newKey, email: null, expires_at: null }]);
  });

  it.each([
    ['denied', 'Sign-in was denied in the browser.\n'],
    ['approved', 'The code has expired. Run "presetd login" again.\n'],
  ])('no profile is saved if there is no key after "%s"', async (status, message) => {
    overrides['POST /sign-in/device/token'] = { status: 200, body: { data: { status, key: null } } };
    const { code, stderr } = await presetd(['login', server.url]);
    expect([code, stderr.split('\n').slice(-2).join('\n')]).toEqual([3, message]);
    expect(stored()).toEqual({ current: null, profiles: [] });
  });

  it('a server without sign-in is reported as such', async () => {
    overrides['POST /sign-in/device'] = failure(404);
    const { code, stderr } = await presetd(['login', server.url]);
    expect([code, stderr]).toEqual([
      4,
      'This server has no sign-in. Upgrade it, or supply a key with --with-key.\n',
    ]);
  });

  it('signing in again replaces the key of the profile and deletes the old one on the server', async () => {
    store(profile('work', { key: 'old-key' }));
    expect((await presetd(['login'])).code).toBe(0);
    expect(stored().profiles).toMatchObject([{ name: 'work', key: newKey }]);
    expect(requests.at(-1)).toBe(`DELETE /keys/${hashSecret('old-key')} old-key`);
  });

  it('signing in again keeps an old key that the person supplied', async () => {
    store(profile('work', { method: 'key' }));
    expect((await presetd(['login'])).code).toBe(0);
    expect(requests.filter((request) => request.startsWith('DELETE'))).toEqual([]);
  });

  it('login --with-key keeps the key of the profile if that is the key', async () => {
    store(profile('work', { key: newKey }));
    expect((await presetd(['login', '--with-key'], {}, newKey)).code).toBe(0);
    expect(requests.filter((request) => request.startsWith('DELETE'))).toEqual([]);
  });

  it('a profile is not silently moved to another server', async () => {
    store(profile('work', { url: 'https://presets.example.com' }));
    const { code, stderr } = await presetd(['login', server.url, '--profile', 'work']);
    expect([code, stderr]).toEqual([
      2,
      'Profile work is for https://presets.example.com. Choose another name with --profile, or run "presetd logout --profile work" first.\n',
    ]);
    expect(requests).toEqual([]);
  });

  it.each<[args: readonly string[], environment: Readonly<Record<string, string>>, name: string]>([
    [['here'], {}, 'host'],
    [[], { PRESETD_URL: 'here' }, 'host'],
    [['here', '--profile', 'new'], {}, 'new'],
    [['--profile', 'home'], {}, 'home'],
    [[], { PRESETD_PROFILE: 'home' }, 'home'],
    [['--profile', 'home'], { PRESETD_PROFILE: 'elsewhere' }, 'home'],
  ])(
    'login %j with %j leaves the current profile of another server: %s',
    async (args, environment, expected) => {
      const here = (text: string) => (text === 'here' ? server.url : text);
      const elsewhere = profile('elsewhere', { url: 'https://presets.example.com' });
      store(elsewhere, profile('home'));
      const variables = Object.entries(environment).map(([name, value]) => [name, here(value)]);
      const { code, stderr } = await presetd(['login', ...args.map(here)], Object.fromEntries(variables));
      const name = expected === 'host' ? host() : expected;
      expect([code, stderr]).toEqual([0, expect.stringContaining(`Signed in to ${server.url}.`)]);
      expect(stored().current).toBe(name);
      expect(stored().profiles).toContainEqual(
        expect.objectContaining({ name, url: server.url, key: newKey }),
      );
      expect(stored().profiles).toContainEqual(
        expect.objectContaining({ name: 'elsewhere', key: elsewhere.key }),
      );
    },
  );

  it.each([
    [[], { PRESETD_URL: 'here' }],
    [['here'], { PRESETD_URL: 'http://127.0.0.1:1' }],
  ])('login %j with %j signs in here', async (args, environment) => {
    const here = (text: string) => (text === 'here' ? server.url : text);
    const { code } = await presetd(['login', '--profile', 'new', ...args.map(here)], {
      PRESETD_URL: here(environment.PRESETD_URL),
    });
    expect([code, stored().current]).toEqual([0, 'new']);
  });

  const apiKeyNotice =
    'Commands about presets use PRESETD_API_KEY (from the environment or .env) instead of this profile.';
  const organizationNotice = (name: string) =>
    `Commands about the organization use ${name} (from the environment or .env) instead of this profile.`;
  it.each<[environment: Readonly<Record<string, string>>, notices: readonly string[]]>([
    [{}, []],
    [
      { PRESETD_API_KEY: 'k', PRESETD_MANAGEMENT_KEY: 'm' },
      [apiKeyNotice, organizationNotice('PRESETD_MANAGEMENT_KEY')],
    ],
    [{ PRESETD_MANAGEMENT_KEY: 'm' }, [organizationNotice('PRESETD_MANAGEMENT_KEY')]],
    [{ PRESETD_API_KEY: 'k' }, [apiKeyNotice, organizationNotice('PRESETD_API_KEY')]],
    [{ PRESETD_API_KEY: 'k', PRESETD_PROFILE: 'new' }, [apiKeyNotice]],
  ])('keys in the environment %j that hide the profile are mentioned', async (environment, notices) => {
    const { stderr } = await presetd(['login', server.url], environment);
    expect(stderr.split('\n').filter((line) => line.startsWith('Commands about'))).toEqual(notices);
  });

  it('a broken file of profiles is reported before anything is sent', async () => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '{', { mode: 0o600 });
    const { code, stderr } = await presetd(['login', server.url]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('The file is not JSON')]);
    expect(requests).toEqual([]);
  });

  it('an invalid URL is a usage error that does not repeat a password', async () => {
    const { code, stderr } = await presetd(['login', 'https://ada:hush@example.com']);
    expect([code, stderr.includes('hush')]).toEqual([2, false]);
    expect(stderr).toContain('The server must be a URL without user name');
  });

  it('the working directory cannot choose where keys are saved', async () => {
    writeFileSync(join(folder, '.env'), `XDG_CONFIG_HOME=${join(folder, 'trap')}\n`);
    await presetd(['login', server.url]);
    expect([existsSync(join(folder, 'trap')), existsSync(path)]).toEqual([false, true]);
  });
});

describe('presetd logout', () => {
  it('logout deletes the key on the server and the profile', async () => {
    store(profile('work'), profile('home'));
    expect(await presetd(['logout'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Deleted profile work. Its key no longer works.\n',
    });
    expect(requests).toEqual([`DELETE /keys/${hashSecret('key-of-work')} key-of-work`]);
    expect(stored()).toMatchObject({ current: null, profiles: [{ name: 'home' }] });
  });

  it.each([
    [['--profile', 'home'], {}],
    [[], { PRESETD_PROFILE: 'home' }],
  ])('logout %j with %j signs out of the named profile', async (args, environment) => {
    store(profile('work'), profile('home'));
    expect((await presetd(['logout', ...args], environment)).code).toBe(0);
    expect(stored()).toMatchObject({ current: 'work', profiles: [{ name: 'work' }] });
  });

  it('a key that the person supplied stays on the server', async () => {
    store(profile('ci', { method: 'key' }));
    expect((await presetd(['logout'])).stderr).toBe(
      'Deleted profile ci. Its key was not created by "presetd login" and stays valid.\n',
    );
    expect(requests).toEqual([]);
  });

  it('a key that no longer works needs no deleting', async () => {
    store(profile('work'));
    overrides[`DELETE /keys/${hashSecret('key-of-work')}`] = failure(401);
    expect((await presetd(['logout'])).stderr).toBe(
      'Deleted profile work. Its key had already stopped working.\n',
    );
    expect(stored().profiles).toEqual([]);
  });

  it('logout without the server deletes the profile only with --force, and says that the key still works', async () => {
    store(profile('work', { expiresAt: '2999-01-31T00:00:00.000Z' }));
    await server.stop();
    const { code, stderr } = await presetd(['logout']);
    expect([code, stderr]).toEqual([
      6,
      `The key of profile work was not deleted. Cannot reach the server at ${server.url}: connection refused. Check that it is running and that the URL of profile work is correct.
To delete only the profile, add --force; the key then works until 2999-01-31 00:00Z.
`,
    ]);
    expect(stored().profiles).toHaveLength(1);
    const forced = await presetd(['logout', '--force']);
    expect([forced.code, forced.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Deleted profile work\. Its key was not deleted and works until 2999-01-31 00:00Z\. Cannot reach/,
      ),
    ]);
    expect(stored().profiles).toEqual([]);
  });

  it('logout without a profile says that there is nothing to sign out of', async () => {
    expect(await presetd(['logout'])).toMatchObject({
      code: 4,
      stderr: 'You are not signed in. Name a profile with --profile.\n',
    });
  });
});

const support = { id: '5b0c1f4e-7c3d-4f6a-9a51-3f2f9a7e6d10', slug: 'support' };

describe('the workspace of a profile', () => {
  const emptyList = { data: [], total_count: 0 };
  beforeEach(() => {
    overrides['GET /workspaces/support'] = { status: 200, body: { data: { ...support, name: 'Support' } } };
  });

  it('login --workspace saves the workspace, and signing in again keeps it', async () => {
    const { code, stdout, stderr } = await presetd(['login', server.url, '--workspace', 'support']);
    expect([code, stdout]).toEqual([0, shown().replace('id    ', 'workspace     support\nid    ')]);
    expect(stderr).not.toContain('default workspace');
    await presetd(['login']);
    expect(stored().profiles).toMatchObject([{ workspace: support }]);
  });

  it('login with a workspace that does not exist saves the key and says what is wrong', async () => {
    overrides['GET /workspaces/gone'] = {
      status: 404,
      body: { error: { message: 'There is no workspace gone.' } },
    };
    const { code, stderr } = await presetd(['login', server.url, '--workspace', 'gone']);
    expect([code, stderr.split('\n').at(-2)]).toEqual([4, 'There is no workspace gone.']);
    expect(stored().profiles).toMatchObject([{ key: newKey, workspace: null }]);
  });

  it('commands use the workspace of the profile unless they name another', async () => {
    store(profile('work'), profile('home'));
    expect(await presetd(['workspace', 'use', 'support'])).toMatchObject({
      code: 0,
      stdout: 'Commands with profile work now use workspace support.\n',
    });
    const other = '00000000-0000-4000-8000-000000000000';
    const lists = [
      [['preset', 'list'], `GET /presets?limit=50&offset=0&workspace_id=${support.id}`],
      [['preset', 'list', '--workspace', other], `GET /presets?limit=50&offset=0&workspace_id=${other}`],
      [['key', 'list'], `GET /keys?workspace_id=${support.id}&offset=0`],
      [['key', 'list', '--mine'], 'GET /keys?mine=true&offset=0'],
      [['audit'], 'GET /audit?limit=50'],
      [['audit', '--preset', 'bot'], `GET /audit?limit=50&preset=bot&workspace=${support.id}`],
      [['preset', 'list', '--profile', 'home'], 'GET /presets?limit=50&offset=0'],
    ] as const;
    for (const [args, request] of lists) {
      overrides[request] = { status: 200, body: { ...emptyList, next_cursor: null } };
      expect(await presetd(args), args.join(' ')).toMatchObject({ code: 0 });
      expect(requests).toContainEqual(expect.stringMatching(new RegExp(`^${RegExp.escape(request)} `)));
    }
  });

  it('a new API key belongs to the workspace of the profile', async () => {
    store(profile('work', { workspace: support }));
    await presetd(['key', 'create', '--name', 'App']);
    expect(bodies.at(-1)).toMatchObject({ workspace_id: support.id });
    await presetd(['key', 'create', '--name', 'Admin', '--management']);
    expect(bodies.at(-1)).not.toHaveProperty('workspace_id');
  });

  it('a preset that is not found is reported with the workspace of the profile', async () => {
    store(profile('work', { workspace: support }));
    overrides[`GET /presets/bot?workspace_id=${support.id}`] = failure(404);
    expect(await presetd(['preset', 'show', 'bot'])).toMatchObject({
      code: 4,
      stderr: 'No. (workspace: support, from profile work)\n',
    });
  });

  it('a preset that is not found is reported with the nearest slug', async () => {
    store(profile('work', { workspace: support }));
    overrides[`GET /presets/supports-bot?workspace_id=${support.id}`] = failure(404);
    overrides[`GET /presets?limit=100&workspace_id=${support.id}`] = {
      status: 200,
      body: { data: [{ slug: 'faq' }, { slug: 'support-bot' }], total_count: 2 },
    };
    expect(await presetd(['preset', 'show', 'supports-bot'])).toMatchObject({
      code: 4,
      stderr: 'No. (workspace: support, from profile work) Did you mean support-bot?\n',
    });
  });

  it.each([
    [
      'management',
      'There are no presets in workspace support. "presetd workspace list" shows the others; use --workspace to choose one.\n',
    ],
    ['api', ''],
  ])('an empty list with a key of the kind %s prints %j', async (kind, stderr) => {
    store(profile('work', { workspace: support }));
    overrides[`GET /presets?limit=50&offset=0&workspace_id=${support.id}`] = { status: 200, body: emptyList };
    overrides['GET /account'] = { status: 200, body: { data: { credential: { kind } } } };
    expect(await presetd(['preset', 'list'])).toMatchObject({ code: 0, stderr });
  });

  it('a key of the environment has its own workspace', async () => {
    store(profile('work', { workspace: support }));
    const environment = { PRESETD_URL: server.url, PRESETD_API_KEY: 'k' };
    overrides['GET /presets?limit=50&offset=0'] = { status: 200, body: emptyList };
    expect(await presetd(['preset', 'list'], environment)).toMatchObject({ code: 0 });
    expect(await presetd(['workspace', 'use', 'support'], environment)).toMatchObject({
      code: 2,
      stderr:
        'The key is in PRESETD_API_KEY, and only a profile has a workspace. Name a profile with --profile, or sign in with "presetd login".\n',
    });
  });
});

describe('presetd profile', () => {
  it('profile list shows every profile without its key', async () => {
    store(
      profile('work', {
        email: 'ada@example.com',
        expiresAt: '2001-01-31T00:00:00.000Z',
        workspace: support,
      }),
      profile('home'),
    );
    const { stdout } = await presetd(['profile', 'list']);
    expect(stdout.replaceAll(server.url, 'URL')).toBe(
      `   NAME  SERVER                  EMAIL            WORKSPACE  KEY
*  work  URL  ada@example.com  support    expired
   home  URL  unknown                     active
`.replace(/SERVER +/, `SERVER${' '.repeat(server.url.length - 4)}`),
    );
    expect(stdout).not.toContain('key-of');
  });

  it('profile list without profiles says how to create one', async () => {
    expect((await presetd(['profile', 'list'])).stdout).toBe('No profiles. "presetd login" creates one.\n');
  });

  it('profile use changes the current profile', async () => {
    store(profile('work'), profile('home'));
    expect(await presetd(['profile', 'use', 'home'])).toMatchObject({
      code: 0,
      stdout: `Commands now use profile home (${server.url}).\n`,
    });
    await presetd(['whoami']);
    expect(requests).toEqual(['GET /account key-of-home']);
    expect(await presetd(['profile', 'use', 'gone'])).toMatchObject({ code: 4 });
  });
});

describe('presetd whoami', () => {
  it('whoami --json prints the response of the server', async () => {
    const { stdout } = await presetd(['whoami', '--json'], { PRESETD_URL: server.url, PRESETD_API_KEY: 'k' });
    expect(JSON.parse(stdout)).toEqual({ data: account });
  });

  it('whoami shows what is left of the limit of an API key', async () => {
    const credential = { ...account.credential, kind: 'api', scope: 'call' };
    overrides['GET /account'] = { status: 200, body: { data: { ...account, credential } } };
    const limit = { limit: 20, limit_remaining: 7.5, limit_reset: 'daily' };
    overrides['GET /key'] = { status: 200, body: { data: limit } };
    const { stdout } = await presetd(['whoami'], { PRESETD_URL: server.url, PRESETD_API_KEY: 'k' });
    expect(stdout).toMatch(/^limit +\$7\.50 left of \$20 per day$/m);
  });

  it('an expired profile says how to sign in again', async () => {
    store(profile('work'));
    overrides['GET /account'] = failure(401);
    expect(await presetd(['whoami'])).toMatchObject({
      code: 3,
      stderr: `The server at ${server.url} rejected the key in profile work: No. Sign in again with "presetd login --profile work".\n`,
    });
  });
});

import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorkingDirectory, runCommand } from '../support/command.ts';
import { type StubServer, startStubServer } from '../support/stub-server.ts';

/** What the commands ask a server for and print of its answers; organization-commands.test.ts has a real one. */

const directory = createWorkingDirectory();
const uuid = '0198a2b4-0000-7000-8000-00000000000a';
const keyId = '0198a2b4-0000-7000-8000-000000000001';
const secret = `sk-pst-v1-${'a'.repeat(64)}`;
const time = '2026-08-01T09:30:00.000Z';

const key = {
  ...{ hash: keyId, label: 'sk-pst-v1-ab1…9f2', name: 'CI', kind: 'api', read_only: false, disabled: false },
  ...{ created_at: time, updated_at: null, expires_at: null, last_used_at: null },
  ...{ previous_secret_expires_at: null, creator_user_id: 'user_1', creator_email: 'ann@example.com' },
  workspace_id: uuid,
};
const workspace = {
  ...{ id: uuid, name: 'Support', slug: 'support', description: null, created_at: time, updated_at: null },
  ...{ created_by: 'user_1', is_default: false, member_count: 1 },
};
const ann = { id: 'user_1', email: 'ann@example.com', first_name: 'Ann', last_name: 'A', role: 'org:admin' };
const bo = { ...ann, id: 'user_2', email: 'bo@example.com', role: 'org:member' };
const keyPath = `/keys/${encodeURIComponent(key.label)}`;
const inWorkspace = (member: typeof ann) => ({
  ...{ id: uuid, workspace_id: uuid, user_id: member.id, role: 'member', created_at: time },
  email: member.email,
});

/** By method and path; what is not here is not there. */
const answers: Readonly<Record<string, object>> = {
  'GET /key': {
    data: { ...key, organization_id: 'o', workspace_id: null, rate_limit: { requests: -1, interval: '1m' } },
  },
  'GET /keys': { data: [key] },
  'POST /keys': { data: key, key: secret },
  [`GET ${keyPath}`]: { data: key },
  [`PATCH ${keyPath}`]: { data: key },
  [`DELETE /keys/${keyId}`]: { deleted: true },
  [`POST ${keyPath}/rotate`]: {
    data: { ...key, previous_secret_expires_at: '2999-08-01T10:30:00.000Z' },
    key: secret,
  },
  'GET /workspaces': { data: [workspace], total_count: 1 },
  'POST /workspaces': { data: workspace },
  'GET /workspaces/support': { data: workspace },
  'GET /workspaces/orphan': { data: { ...workspace, created_by: 'user_9' } },
  'PATCH /workspaces/support': { data: { ...workspace, slug: 'help' } },
  [`GET /workspaces/${uuid}`]: { data: workspace },
  [`DELETE /workspaces/${uuid}`]: { deleted: true },
  'GET /workspaces/support/members': { data: [inWorkspace(ann)], total_count: 1 },
  'POST /workspaces/support/members/add': { data: [inWorkspace(bo)], added_count: 1 },
  'POST /workspaces/support/members/remove': { removed_count: 2 },
  'GET /organization/members': { data: [ann, bo], total_count: 2 },
  'POST /organization/members': { data: bo },
  'GET /organization/members/user_1': { data: ann },
  'GET /organization/members/ann%40example.com': { data: ann },
  'GET /organization/members/bo%40example.com': { data: bo },
  'PATCH /organization/members/bo%40example.com': { data: bo },
  'DELETE /organization/members/user_2': { deleted: true },
  'GET /audit': { data: [], next_cursor: null },
  'GET /presets': { data: [], total_count: 0 },
};

let stub: StubServer;
const asked: string[] = [];
const keys = new Set<string | undefined>();

beforeAll(async () => {
  stub = await startStubServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://stub');
    const path = url.pathname.replace('/api/v1', '');
    keys.add(request.headers.authorization);
    asked.push(`${request.method} ${path}${decodeURIComponent(url.search)} ${await text(request)}`.trim());
    const answer = answers[`${request.method} ${path}`];
    const missing = { error: { code: 404, message: `There is no ${path}.` } };
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? missing));
  });
});
afterEach(() => {
  asked.length = 0;
  keys.clear();
});
afterAll(async () => {
  await stub.stop();
  directory.remove();
});

const presetd = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand(args, directory.path, {
    PRESETD_URL: stub.url,
    PRESETD_API_KEY: 'the-api-key',
    PRESETD_MANAGEMENT_KEY: 'the-management-key',
    ...environment,
  });

describe('a command asks and prints', () => {
  const made = (kind: string) => `Made ${kind} key for ann@example.com. It is shown only now:\n`;
  const changed = /^Changed sk-pst-v1-ab1…9f2 \(CI\)/;

  it.each<[readonly string[], readonly string[], string | RegExp, string?]>([
    [['key', 'list'], ['GET /keys?offset=0'], /^LABEL .*\nsk-pst-v1-ab1…9f2 .*\n1 to 1 of 1\n$/],
    [
      ['key', 'list', '--all', '--offset', '100', '--workspace', 'support'],
      ['GET /workspaces/support', `GET /keys?include_disabled=true&workspace_id=${uuid}&offset=100`],
      /101 to 101 of 101\n$/,
    ],
    [['key', 'list', '--workspace', uuid], [`GET /keys?workspace_id=${uuid}&offset=0`], /1 to 1 of 1\n$/],
    [
      ['key', 'show', key.label],
      [`GET ${keyPath}`, `GET /workspaces/${uuid}`],
      /^sk-pst-v1-ab1…9f2\nname .*CI\n.*\nworkspace .*support/s,
    ],
    [['key', 'show', 'sk-pst-v1-ab1...9f2', '--json'], [`GET ${keyPath}`], /^\{\n {2}"data": \{\n/],
    [['key', 'current'], ['GET /key'], /\nfrom +PRESETD_MANAGEMENT_KEY\n$/],
    [
      ['key', 'create', '--name', 'CI'],
      ['POST /keys {"name":"CI","kind":"api"}'],
      `${secret}\n`,
      made('an API'),
    ],
    [
      ['key', 'create', '--name', 'CI', '--management', '--expires-at', '2027-01-31'],
      ['POST /keys {"name":"CI","kind":"management","expires_at":"2027-01-31T00:00:00.000Z"}'],
      `${secret}\n`,
      made('an API'),
    ],
    [
      ['key', 'create', '--name', 'CI', '--management', '--read-only'],
      ['POST /keys {"name":"CI","kind":"read_only"}'],
      `${secret}\n`,
      made('an API'),
    ],
    [
      ['key', 'create', '--name', 'CI', '--owner', 'bo@example.com', '--workspace', 'support'],
      [
        'GET /organization/members/bo%40example.com',
        'GET /workspaces/support',
        `POST /keys {"name":"CI","kind":"api","creator_user_id":"user_2","workspace_id":"${uuid}"}`,
      ],
      `${secret}\n`,
      made('an API'),
    ],
    [
      ['key', 'create', '--name', 'CI', '--json'],
      ['POST /keys {"name":"CI","kind":"api"}'],
      /"key": "sk-pst-v1-a+"\n\}\n$/,
    ],
    [['key', 'edit', key.label, '--name', 'CI'], [`PATCH ${keyPath} {"name":"CI"}`], changed],
    [
      ['key', 'edit', key.label, '--expires-at', 'never'],
      [`PATCH ${keyPath} {"expires_at":null}`],
      'Changed sk-pst-v1-ab1…9f2 (CI): it never ends.\n',
    ],
    [
      ['key', 'disable', key.label],
      [`PATCH ${keyPath} {"disabled":true}`],
      'Disabled sk-pst-v1-ab1…9f2 (CI).\n',
    ],
    [
      ['key', 'enable', key.label],
      [`PATCH ${keyPath} {"disabled":false}`],
      'Enabled sk-pst-v1-ab1…9f2 (CI).\n',
    ],
    [
      ['key', 'delete', key.label],
      [`GET ${keyPath}`, `DELETE /keys/${keyId}`],
      'Deleted sk-pst-v1-ab1…9f2 (CI).\n',
    ],
    [
      ['key', 'rotate', key.label, '--grace', '7d'],
      [`POST ${keyPath}/rotate {"grace_period_seconds":604800}`],
      `${secret}\n`,
      'sk-pst-v1-ab1…9f2 (CI) has a new secret; the older one works until 2999-08-01 10:30Z. The new one is shown only now:\n',
    ],
    [
      ['key', 'rotate', key.label, '--grace', '0', '--json'],
      [`POST ${keyPath}/rotate {"grace_period_seconds":0}`],
      /"key": "sk-pst-v1-a+"\n\}\n$/,
    ],
    [['key', 'rotate', key.label, '--json'], [`POST ${keyPath}/rotate {}`], /^\{\n/],
    [['workspace', 'list'], ['GET /workspaces?limit=50&offset=0'], /^SLUG .*\nsupport .*\n1 to 1 of 1\n$/],
    [
      ['workspace', 'show', 'support'],
      ['GET /workspaces/support', 'GET /organization/members/user_1'],
      /^support\nname +Support\n(.*\n)*created .* by ann@example\.com\n/,
    ],
    [
      ['workspace', 'show', 'orphan'],
      ['GET /workspaces/orphan', 'GET /organization/members/user_9'],
      /\ncreated .* by user_9\n/,
    ],
    [
      ['workspace', 'create', 'support'],
      ['POST /workspaces {"slug":"support","name":"support"}'],
      `Made the workspace support (${uuid}).\n`,
    ],
    [
      ['workspace', 'create', 'support', '--name', 'Support', '--description', 'x'],
      ['POST /workspaces {"slug":"support","name":"Support","description":"x"}'],
      /^Made /,
    ],
    [
      ['workspace', 'edit', 'support', '--slug', 'help', '--description', ''],
      ['PATCH /workspaces/support {"slug":"help","description":null}'],
      'Changed slug, description of the workspace help.\n',
    ],
    [
      ['workspace', 'delete', 'support'],
      ['GET /workspaces/support', `DELETE /workspaces/${uuid}`],
      'Deleted the workspace support.\n',
    ],
    [
      ['workspace', 'members', 'support'],
      ['GET /workspaces/support/members?limit=50&offset=0'],
      /^EMAIL .*\nann@example\.com .*\n1 to 1 of 1\n$/,
    ],
    [
      ['workspace', 'add-member', 'support', 'bo@example.com'],
      [
        'GET /organization/members/bo%40example.com',
        'POST /workspaces/support/members/add {"user_ids":["user_2"]}',
      ],
      'Added bo@example.com to support.\n',
    ],
    [
      ['workspace', 'remove-member', 'support', 'ann@example.com', 'bo@example.com', 'ann@example.com'],
      [
        'GET /organization/members/ann%40example.com',
        'GET /organization/members/bo%40example.com',
        'GET /organization/members/ann%40example.com',
        'POST /workspaces/support/members/remove {"user_ids":["user_1","user_2"]}',
      ],
      'Removed ann@example.com, bo@example.com from support.\n',
    ],
    [
      ['member', 'list', '--limit', '2', '--offset', '1'],
      ['GET /organization/members?limit=2&offset=1'],
      /^EMAIL .*\nann@example\.com .*\nbo@example\.com .*\n2 to 3 of 2\n$/,
    ],
    [
      ['member', 'show', 'bo@example.com'],
      ['GET /organization/members/bo%40example.com'],
      /^bo@example\.com\n/,
    ],
    [
      ['member', 'add', 'bo@example.com'],
      ['POST /organization/members {"email":"bo@example.com"}'],
      'Added bo@example.com as org:member (user_2).\n',
    ],
    [
      ['member', 'add', 'bo@example.com', '--first-name', 'Bo', '--last-name', '', '--role', 'admin'],
      [
        'POST /organization/members {"email":"bo@example.com","first_name":"Bo","last_name":"","role":"org:admin"}',
      ],
      /^Added /,
    ],
    [
      ['member', 'edit', 'bo@example.com', '--role', 'org:member', '--last-name', 'B'],
      ['PATCH /organization/members/bo%40example.com {"last_name":"B","role":"org:member"}'],
      'Changed last name, role of bo@example.com.\n',
    ],
    [
      ['member', 'remove', 'bo@example.com'],
      ['GET /organization/members/bo%40example.com', 'DELETE /organization/members/user_2'],
      'Removed bo@example.com.\n',
    ],
    [['audit'], ['GET /audit?limit=50'], 'Nothing was found.\n'],
    [
      ['audit', '--workspace', 'search', '--preset', 'summary'],
      ['GET /audit?limit=50&workspace=search&preset=summary'],
      'Nothing was found.\n',
    ],
    [
      [
        ...['audit', '--actor', 'ann@example.com', '--kind', 'key', '--since', '2026-08-01'],
        ...['--until', '2026-08-02T12:00:00+02:00', '--limit', '10', '--cursor', 'abc', '--json'],
      ],
      [
        'GET /audit?limit=10&actor=ann@example.com&kind=key&since=2026-08-01T00:00:00.000Z&until=2026-08-02T10:00:00.000Z&cursor=abc',
      ],
      '{\n  "data": [],\n  "next_cursor": null\n}\n',
    ],
  ])('%j', async (args, requests, printed, told = '') => {
    const { code, stdout, stderr } = await presetd(args);
    expect([code, stderr]).toEqual([0, told]);
    if (typeof printed === 'string') expect(stdout).toBe(printed);
    else expect(stdout).toMatch(printed);
    expect(asked).toEqual(requests);
    expect([...keys]).toEqual(['Bearer the-management-key']);
  });

  it('for a secret that leaked sends its hash, since URLs are logged', async () => {
    expect((await presetd(['key', 'delete', secret])).stderr).toMatch(
      /^There is no \/keys\/[0-9a-f]{64}\.\n$/,
    );
    expect(asked.join()).not.toContain(secret);
  });
});

describe('the key that is sent', () => {
  it('is that of PRESETD_API_KEY where no other is set', async () => {
    const { stdout } = await presetd(['key', 'current'], { PRESETD_MANAGEMENT_KEY: '' });
    expect(stdout).toMatch(/\nfrom +PRESETD_API_KEY\n$/);
    expect([...keys]).toEqual(['Bearer the-api-key']);
  });

  it('has to be set', async () => {
    const unset = { PRESETD_API_KEY: '', PRESETD_MANAGEMENT_KEY: '' };
    expect(await presetd(['member', 'list'], unset)).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'No key is set: put a management key in PRESETD_MANAGEMENT_KEY, in the environment or in .env; the server shows one at its first start, and "presetd recover" makes one where all are lost.\n',
    });
  });

  it('is the other one for presets, also where a workspace is looked up', async () => {
    const { code } = await presetd(['preset', 'list', '--workspace', 'support']);
    expect(code).toBe(0);
    expect(asked).toEqual(['GET /workspaces/support', `GET /presets?limit=50&offset=0&workspace_id=${uuid}`]);
    expect([...keys]).toEqual(['Bearer the-api-key']);
  });
});

describe('an answer that is not heard', () => {
  it.each([
    [
      ['key', 'create', '--name', 'x'],
      'The key may have been made all the same: "presetd key list" tells.\n',
    ],
    [
      ['key', 'rotate', 'x'],
      'The key may have a new secret all the same; rotate it once more to have one that you know.\n',
    ],
  ])('to %j may have had a secret', async (args, advice) => {
    const mute = await startStubServer((request) => void request.socket.destroy());
    const { code, stdout, stderr } = await presetd(args, { PRESETD_URL: mute.url });
    await mute.stop();
    expect([code, stdout, stderr.split('\n').at(-2)]).toEqual([6, '', advice.trimEnd()]);
  });
});

import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { commandTree } from '../../src/cli/command-tree.ts';
import { loadProgram } from '../../src/cli/run.ts';
import { createWorkingDirectory } from '../support/command.ts';
import { runCommand } from '../support/run-command.ts';
import { type StubServer, startStubServer } from '../support/stub-server.ts';

/**
 * The requests and output of commands against a stub; organization-commands.test.ts uses a real
 * server.
 */

const directory = createWorkingDirectory();
const uuid = '0198a2b4-0000-7000-8000-00000000000a';
const keyId = '0198a2b4-0000-7000-8000-000000000001';
const secret = `sk-pst-v1-${'a'.repeat(64)}`;
const time = '2026-08-01T09:30:00.000Z';

const key = {
  ...{ hash: keyId, label: 'sk-pst-v1-ab1…9f2', name: 'CI', kind: 'api', read_only: false, disabled: false },
  ...{
    scope: 'call',
    presets: null,
    limit: null,
    limit_remaining: null,
    limit_reset: null,
    created_at: time,
    updated_at: null,
    expires_at: null,
    last_used_at: null,
  },
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
const contentLog = {
  enabled: false,
  sampling_rate: 0.125,
  redaction_patterns: ['a+', 'b'],
  retention_days: 1,
  bytes_max: 4_096,
};
const inWorkspace = (member: typeof ann) => ({
  ...{ id: uuid, workspace_id: uuid, user_id: member.id, role: 'member', workspace_role: 'editor' },
  created_at: time,
  email: member.email,
});

const person = {
  ...bo,
  ...{ status: 'invited', last_active_at: null, has_password: false, providers: [], is_provisioned: false },
  workspaces: [
    {
      id: uuid,
      slug: 'support',
      name: 'Support',
      is_default: false,
      is_content_logged: false,
      role: 'editor',
    },
  ],
};
const personPath = '/organization/people/bo%40example.com';
const link = { url: 'https://presets.example.com/sign-in/link#token', expires_at: time };
const session = {
  ...{ id: uuid, label: 'session 3f2a91c0', method: 'password', address: '10.0.0.1', user_agent: 'Firefox' },
  ...{ created_at: time, last_used_at: time, expires_at: time, is_current: false },
};

/** Responses by method and path; anything else is 404. */
const responses: Readonly<Record<string, object>> = {
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
  'GET /workspaces/support/content-log': { data: contentLog },
  'PATCH /workspaces/support/content-log': { data: { ...contentLog, enabled: true } },
  [`GET /workspaces/${uuid}`]: { data: workspace },
  [`DELETE /workspaces/${uuid}`]: { deleted: true },
  'GET /workspaces/support/members': { data: [inWorkspace(ann)], total_count: 1 },
  'POST /workspaces/support/members/add': { data: [inWorkspace(bo)], added_count: 1 },
  'POST /workspaces/support/members/remove': { removed_count: 2 },
  'GET /organization/members': { data: [ann, bo], total_count: 3 },
  'POST /organization/members': { data: bo },
  'GET /organization/members/user_1': { data: ann },
  'GET /organization/members/ann%40example.com': { data: ann },
  'GET /organization/members/bo%40example.com': { data: bo },
  'PATCH /organization/members/bo%40example.com': { data: bo },
  'DELETE /organization/members/user_2': { deleted: true },
  'PATCH /workspaces/support/members/user_2': { data: inWorkspace(bo) },
  'GET /organization/people': { data: [person], total_count: 2 },
  [`GET ${personPath}`]: { data: person },
  'POST /organization/invitations': { data: person, ...link },
  [`POST ${personPath}/sign-in-link`]: { data: link },
  [`POST ${personPath}/deactivate`]: { data: person },
  [`POST ${personPath}/reactivate`]: { data: person },
  [`GET ${personPath}/sessions`]: { data: [session] },
  [`DELETE ${personPath}/sessions`]: { deleted: true },
  [`DELETE ${personPath}/sessions/${uuid}`]: { deleted: true },
  'GET /audit': { data: [], next_cursor: null },
  'GET /presets': { data: [], total_count: 0 },
};

/** The responses of one test that differ, by method and path; undefined is a failure. */
let changed: Readonly<Record<string, object | undefined>> = {};

let stub: StubServer;
const received: string[] = [];
const keys = new Set<string | undefined>();

beforeAll(async () => {
  stub = await startStubServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://stub');
    const path = url.pathname.replace('/api/v1', '');
    keys.add(request.headers.authorization);
    received.push(`${request.method} ${path}${decodeURIComponent(url.search)} ${await text(request)}`.trim());
    const body = { ...responses, ...changed }[`${request.method} ${path}`];
    const status = `${request.method} ${path}` in changed ? 500 : 404;
    const missing = { error: { code: status, message: `There is no ${path}.` } };
    response.writeHead(body === undefined ? status : 200).end(JSON.stringify(body ?? missing));
  });
});
afterEach(() => {
  changed = {};
  received.length = 0;
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

describe('a command sends requests and prints their result', () => {
  const created = (hint = '') =>
    `Created an API key with the scope call for ann@example.com.${hint} Copy it now; it is not shown again:\n`;
  const canOnlyCall = ' It can only call; --scope read or --scope write allows more.';
  const updated = /^Updated sk-pst-v1-ab1…9f2 \(CI\)/;

  const rows: readonly [
    args: readonly string[],
    requests: readonly string[],
    printed: string | RegExp,
    notice?: string,
  ][] = [
    [['key', 'list'], ['GET /keys?offset=0'], /^LABEL .*\nsk-pst-v1-ab1…9f2 .*\nShowing 1-1 of 1\n$/],
    [
      ['key', 'list', '--all', '--offset', '100', '--workspace', 'support'],
      ['GET /workspaces/support', `GET /keys?include_disabled=true&workspace_id=${uuid}&offset=100`],
      /Showing 101-101 of 101\n$/,
    ],
    [['key', 'list', '--mine'], ['GET /keys?mine=true&offset=0'], /Showing 1-1 of 1\n$/],
    [
      ['key', 'list', '--workspace', uuid],
      [`GET /keys?workspace_id=${uuid}&offset=0`],
      /Showing 1-1 of 1\n$/,
    ],
    [
      ['key', 'show', key.label],
      [`GET ${keyPath}`, `GET /workspaces/${uuid}`],
      /^sk-pst-v1-ab1…9f2\nname .*CI\n.*\nworkspace .*support/s,
    ],
    [['key', 'show', 'sk-pst-v1-ab1...9f2', '--json'], [`GET ${keyPath}`], /^\{\n {2}"data": \{\n/],
    [['key', 'current'], ['GET /key'], /\nfrom +PRESETD_MANAGEMENT_KEY\n$/],
    [
      ['key', 'create', '--name', 'CI'],
      ['POST /keys {"name":"CI","kind":"api","scope":"call"}'],
      `${secret}\n`,
      created(canOnlyCall),
    ],
    [
      ['key', 'create', '--name', 'CI', '--scope', 'write', '--preset', 'bot', '--preset', 'faq'],
      ['POST /keys {"name":"CI","kind":"api","scope":"write","presets":["bot","faq"]}'],
      `${secret}\n`,
      created(),
    ],
    [
      ['key', 'create', '--name', 'CI', '--limit', '12.50', '--limit-reset', 'weekly'],
      ['POST /keys {"name":"CI","kind":"api","scope":"call","limit":12.5,"limit_reset":"weekly"}'],
      `${secret}\n`,
      created(canOnlyCall),
    ],
    [
      ['key', 'create', '--name', 'CI', '--management', '--expires-at', '2027-01-31'],
      ['POST /keys {"name":"CI","kind":"management","expires_at":"2027-01-31T00:00:00.000Z"}'],
      `${secret}\n`,
      created(canOnlyCall),
    ],
    [
      ['key', 'create', '--name', 'CI', '--management', '--read-only'],
      ['POST /keys {"name":"CI","kind":"read_only"}'],
      `${secret}\n`,
      created(canOnlyCall),
    ],
    [
      ['key', 'create', '--name', 'CI', '--owner', 'bo@example.com', '--workspace', 'support'],
      [
        'GET /organization/members/bo%40example.com',
        'GET /workspaces/support',
        `POST /keys {"name":"CI","kind":"api","scope":"call","creator_user_id":"user_2","workspace_id":"${uuid}"}`,
      ],
      `${secret}\n`,
      created(canOnlyCall),
    ],
    [
      ['key', 'create', '--name', 'CI', '--json'],
      ['POST /keys {"name":"CI","kind":"api","scope":"call"}'],
      /"key": "sk-pst-v1-a+"\n\}\n$/,
    ],
    [['key', 'edit', key.label, '--name', 'CI'], [`PATCH ${keyPath} {"name":"CI"}`], updated],
    [
      ['key', 'edit', key.label, '--preset', 'bot', '--preset', 'faq', '--preset', 'bot'],
      [`PATCH ${keyPath} {"presets":["bot","faq"]}`],
      /^Updated .*: it is /,
    ],
    [
      ['key', 'edit', key.label, '--all-presets'],
      [`PATCH ${keyPath} {"presets":null}`],
      /^Updated .*: it is /,
    ],
    [
      ['key', 'edit', key.label, '--limit', '50', '--limit-reset', 'monthly'],
      [`PATCH ${keyPath} {"limit":50,"limit_reset":"monthly"}`],
      updated,
    ],
    [
      ['key', 'edit', key.label, '--limit', 'none', '--limit-reset', 'never'],
      [`PATCH ${keyPath} {"limit":null,"limit_reset":null}`],
      updated,
    ],
    [
      ['key', 'edit', key.label, '--expires-at', 'never'],
      [`PATCH ${keyPath} {"expires_at":null}`],
      'Updated sk-pst-v1-ab1…9f2 (CI): it never expires.\n',
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
      'Rotated sk-pst-v1-ab1…9f2 (CI): the old secret works until 2999-08-01 10:30Z. Copy the new one now; it is not shown again:\n',
    ],
    [
      ['key', 'rotate', key.label, '--grace', '0', '--json'],
      [`POST ${keyPath}/rotate {"grace_period_seconds":0}`],
      /"key": "sk-pst-v1-a+"\n\}\n$/,
    ],
    [['key', 'rotate', key.label, '--json'], [`POST ${keyPath}/rotate {}`], /^\{\n/],
    [
      ['workspace', 'list'],
      ['GET /workspaces?limit=50&offset=0'],
      /^SLUG .*\nsupport .*\nShowing 1-1 of 1\n$/,
    ],
    [
      ['workspace', 'list', '--limit', '5', '--offset', '2'],
      ['GET /workspaces?limit=5&offset=2'],
      /\nShowing 3-3 of 1\n$/,
    ],
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
      `Created workspace support (${uuid}).\n`,
    ],
    [
      ['workspace', 'create', 'support', '--name', 'Support', '--description', 'x'],
      ['POST /workspaces {"slug":"support","name":"Support","description":"x"}'],
      /^Created /,
    ],
    [
      ['workspace', 'edit', 'support', '--slug', 'help', '--description', ''],
      ['PATCH /workspaces/support {"slug":"help","description":null}'],
      'Updated slug, description of workspace help.\n',
    ],
    [
      ['workspace', 'edit', 'support', '--name', 'Help', '--description', 'x'],
      ['PATCH /workspaces/support {"name":"Help","description":"x"}'],
      'Updated name, description of workspace help.\n',
    ],
    [
      ['workspace', 'content-log', 'support'],
      ['GET /workspaces/support/content-log'],
      'support\ncontent log  off\nsampling     12.5% of calls\nretention    1 day\nsize         4 KiB per call\nredaction    a+\n             b\n',
    ],
    [
      ['workspace', 'content-log', 'support', '--on', '--sampling', '0.5', '--days', '7', '--bytes', '2048'],
      [
        'PATCH /workspaces/support/content-log {"enabled":true,"sampling_rate":0.5,"retention_days":7,"bytes_max":2048}',
      ],
      /^support\ncontent log {2}on\n/,
    ],
    [
      ['workspace', 'content-log', 'support', '--redact', 'a', '--redact', 'b,c'],
      ['PATCH /workspaces/support/content-log {"redaction_patterns":["a","b,c"]}'],
      /^support\n/,
    ],
    [
      ['workspace', 'content-log', 'support', '--off', '--redact', ''],
      ['PATCH /workspaces/support/content-log {"enabled":false,"redaction_patterns":[]}'],
      /^support\n/,
    ],
    [
      ['workspace', 'delete', 'support'],
      ['GET /workspaces/support', `DELETE /workspaces/${uuid}`],
      'Deleted workspace support.\n',
    ],
    [
      ['workspace', 'members', 'support'],
      ['GET /workspaces/support/members?limit=50&offset=0'],
      /^EMAIL .*\nann@example\.com .*\nShowing 1-1 of 1\n$/,
    ],
    [
      ['workspace', 'members', 'support', '--limit', '5', '--offset', '2'],
      ['GET /workspaces/support/members?limit=5&offset=2'],
      /\nShowing 3-3 of 1\n$/,
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
      ['workspace', 'add-member', 'support', 'bo@example.com', '--role', 'editor'],
      [
        'GET /organization/members/bo%40example.com',
        'POST /workspaces/support/members/add {"user_ids":["user_2"],"role":"editor"}',
      ],
      'Added bo@example.com to support as editor.\n',
    ],
    [
      ['workspace', 'edit-member', 'support', 'bo@example.com', '--role', 'editor'],
      [
        'GET /organization/members/bo%40example.com',
        'PATCH /workspaces/support/members/user_2 {"role":"editor"}',
      ],
      'bo@example.com is now editor of support.\n',
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
      ['member', 'list', '--search', 'b'],
      ['GET /organization/members?q=b&limit=50&offset=0'],
      /\nShowing 1-2 of more than 2; use --offset 2 for more\n$/,
    ],
    [
      ['member', 'list', '--limit', '2', '--offset', '1'],
      ['GET /organization/members?limit=2&offset=1'],
      /^EMAIL .*\nann@example\.com .*\nbo@example\.com .*\nShowing 2-3 of 3\n$/,
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
      'Updated last name, role of bo@example.com.\n',
    ],
    [
      ['member', 'edit', 'bo@example.com', '--email', 'bo@example.org', '--first-name', 'Bo'],
      ['PATCH /organization/members/bo%40example.com {"email":"bo@example.org","first_name":"Bo"}'],
      'Updated email, first name of bo@example.com.\n',
    ],
    [
      ['member', 'remove', 'bo@example.com'],
      ['GET /organization/members/bo%40example.com', 'DELETE /organization/members/user_2'],
      'Removed bo@example.com.\n',
    ],
    [
      ['member', 'list', '--details', '--search', 'b'],
      ['GET /organization/people?q=b&limit=50&offset=0'],
      /^EMAIL .*\nbo@example\.com +invited +org:member +never +support \(editor\) +Ann A +user_2\nShowing 1-1 of more than 1; use --offset 1 for more\n$/,
    ],
    [
      ['member', 'show', 'bo@example.com', '--details'],
      [`GET ${personPath}`],
      /^bo@example\.com\nname .*\nstatus +invited\n/,
    ],
    [
      ['member', 'invite', 'bo@example.com'],
      ['POST /organization/invitations {"email":"bo@example.com"}'],
      `${link.url}\n`,
      'Invited bo@example.com as org:member. Send them this link; it signs in the first person who opens it, until 2026-08-01 09:30Z:\n',
    ],
    [
      [
        ...['member', 'invite', 'bo@example.com', '--role', 'member', '--first-name', 'Bo'],
        ...['--last-name', 'B', '--workspace', 'support=editor', '--workspace', `${uuid}=viewer`, '--json'],
      ],
      [
        `POST /organization/invitations {"email":"bo@example.com","first_name":"Bo","last_name":"B","role":"org:member","workspaces":[{"id":"support","role":"editor"},{"id":"${uuid}","role":"viewer"}]}`,
      ],
      /"url": "https:/,
    ],
    [
      ['member', 'sign-in-link', 'bo@example.com'],
      [`POST ${personPath}/sign-in-link`],
      `${link.url}\n`,
      'Send this link to bo@example.com; it signs in the first person who opens it, until 2026-08-01 09:30Z:\n',
    ],
    [
      ['member', 'deactivate', 'bo@example.com'],
      [`POST ${personPath}/deactivate`],
      'Deactivated bo@example.com: they cannot sign in, and their keys do not work.\n',
    ],
    [
      ['member', 'reactivate', 'bo@example.com'],
      [`POST ${personPath}/reactivate`],
      'Reactivated bo@example.com: their keys work again.\n',
    ],
    [
      ['member', 'sessions', 'bo@example.com'],
      [`GET ${personPath}/sessions`],
      new RegExp(`^ID .*\n${uuid} +password +10\\.0\\.0\\.1 .* Firefox\n$`),
    ],
    [
      ['member', 'sessions', 'bo@example.com', '--end'],
      [`DELETE ${personPath}/sessions`],
      'Ended all sessions of bo@example.com. This does not change their keys.\n',
    ],
    [
      ['member', 'sessions', 'bo@example.com', '--end', uuid],
      [`DELETE ${personPath}/sessions/${uuid}`],
      `Ended session ${uuid} of bo@example.com. This does not change their keys.\n`,
    ],
    [['audit'], ['GET /audit?limit=50'], 'No events found.\n'],
    [
      ['audit', '--workspace', 'search', '--preset', 'summary'],
      ['GET /audit?limit=50&workspace=search&preset=summary'],
      'No events found.\n',
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
  ];

  it.each(rows)('%j sends %j', async (args, requests, printed, notice = '') => {
    const { code, stdout, stderr } = await presetd(args);
    expect([code, stderr]).toEqual([0, notice]);
    if (typeof printed === 'string') expect(stdout).toBe(printed);
    else expect(stdout).toMatch(printed);
    expect(received).toEqual(requests);
    expect([...keys]).toEqual(['Bearer the-management-key']);
  });

  it.each(rows.filter(([args]) => !args.includes('--json')))('%j --json prints only JSON', async (args) => {
    const { code, stdout, stderr } = await presetd([...args, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(Object.keys(JSON.parse(stdout))).toContainEqual(
      expect.stringMatching(/^(data|deleted|removed_count)$/),
    );
  });

  it('every option of these commands has a row', async () => {
    const options = commandTree(await loadProgram(() => true))
      .filter(({ path }) => /^presetd (audit|(key|workspace|member) (?!help|import))/.test(path))
      .flatMap(({ path, options }) => options.map(({ flags }) => `${path} ${flags.at(-1)}`))
      .filter((option) => !/ --(profile|json|help)$/.test(option));
    const tried = rows.flatMap(([[group, ...rest]]) =>
      rest.flatMap((word) => [`presetd ${group} ${word}`, `presetd ${group} ${rest[0]} ${word}`]),
    );
    expect(options.filter((option) => !tried.includes(option))).toEqual([]);
  });

  it('a leaked secret is sent as its hash, because URLs are logged', async () => {
    expect((await presetd(['key', 'delete', secret])).stderr).toMatch(
      /^There is no \/keys\/[0-9a-f]{64}\.\n$/,
    );
    expect(received.join()).not.toContain(secret);
  });
});

describe('a command prints what the response says', () => {
  const created = (kind: string) =>
    `Created ${kind} for ann@example.com. Copy it now; it is not shown again:\n`;
  const limited = 'an API key with the scope read, limited to bot, faq,';

  it.each<[readonly string[], Readonly<Record<string, object>>, string | RegExp, number?]>([
    [
      ['key', 'create', '--name', 'CI', '--management'],
      { 'POST /keys': { data: { ...key, kind: 'management' }, key: secret } },
      created('a management key'),
    ],
    [
      ['key', 'create', '--name', 'CI', '--management', '--read-only'],
      { 'POST /keys': { data: { ...key, kind: 'management', read_only: true }, key: secret } },
      created('a read-only management key'),
    ],
    [
      ['key', 'create', '--name', 'CI', '--scope', 'read', '--preset', 'bot', '--preset', 'faq'],
      { 'POST /keys': { data: { ...key, scope: 'read', presets: ['bot', 'faq'] }, key: secret } },
      created(limited),
    ],
    [
      ['key', 'create', '--name', 'CI', '--scope', 'read', '--preset', 'bot', '--limit', '12.5'],
      { 'POST /keys': { data: { ...key, scope: 'read', presets: ['bot'], limit: 12.5 }, key: secret } },
      created('an API key with the scope read, limited to bot and to $12.50,'),
    ],
    [
      ['key', 'edit', key.label, '--limit', '50'],
      { [`PATCH ${keyPath}`]: { data: { ...key, limit: 50, limit_reset: 'monthly' } } },
      'Updated sk-pst-v1-ab1…9f2 (CI): it can spend $50 per month.\n',
    ],
    [
      ['key', 'edit', key.label, '--limit', 'none', '--preset', 'bot'],
      { [`PATCH ${keyPath}`]: { data: { ...key, presets: ['bot'] } } },
      'Updated sk-pst-v1-ab1…9f2 (CI): it has no spending limit, and it is limited to bot.\n',
    ],
    [
      ['key', 'rotate', key.label],
      { [`POST ${keyPath}/rotate`]: { data: { ...key, disabled: true }, key: secret } },
      /: no secret works while the key is disabled\. /,
    ],
    [
      ['key', 'show', key.label],
      { [`GET ${keyPath}`]: { data: { ...key, kind: 'management', last_used_at: time } } },
      /\nowner +ann@example\.com, user_1\nlast used +2026-08-01 09:30Z\n/,
      1,
    ],
    [
      ['workspace', 'show', 'support'],
      { 'GET /workspaces/support': { data: { ...workspace, created_by: null, updated_at: time } } },
      /\ncreated +2026-08-01 09:30Z\nupdated +2026-08-01 09:30Z\n/,
      1,
    ],
    [
      ['workspace', 'add-member', 'support', 'bo@example.com'],
      { 'POST /workspaces/support/members/add': { data: [] } },
      'Nobody was added: all of them are already members of support.\n',
    ],
    [
      ['workspace', 'remove-member', 'support', 'ann@example.com', 'bo@example.com'],
      { 'POST /workspaces/support/members/remove': { removed_count: 1 } },
      'Removed 1 of 2 people from support; the others were not members.\n',
    ],
    [
      ['workspace', 'remove-member', 'support', 'ann@example.com', 'bo@example.com'],
      { 'POST /workspaces/support/members/remove': { removed_count: 0 } },
      'Nobody was removed: none of them is a member of support.\n',
    ],
  ])('%j with the response %j', async (args, response, printed, requestCount) => {
    changed = response;
    const { code, stdout, stderr } = await presetd(args);
    const output = stdout.replace(`${secret}\n`, '') + stderr;
    expect(code).toBe(0);
    if (typeof printed === 'string') expect(output).toBe(printed);
    else expect(output).toMatch(printed);
    if (requestCount !== undefined) expect(received).toHaveLength(requestCount);
  });

  it('workspace show fails if the member who created it cannot be read', async () => {
    changed = { 'GET /organization/members/user_1': undefined };
    expect(await presetd(['workspace', 'show', 'support'])).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('the key that is sent', () => {
  it('organization commands fall back to PRESETD_API_KEY', async () => {
    const { stdout } = await presetd(['key', 'current'], { PRESETD_MANAGEMENT_KEY: '' });
    expect(stdout).toMatch(/\nfrom +PRESETD_API_KEY\n$/);
    expect([...keys]).toEqual(['Bearer the-api-key']);
  });

  it('organization commands fail without a key', async () => {
    const unset = { PRESETD_API_KEY: '', PRESETD_MANAGEMENT_KEY: '' };
    expect(await presetd(['member', 'list'], unset)).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'No management key is set. Sign in with "presetd login", or set PRESETD_MANAGEMENT_KEY in the environment or in .env.\n',
    });
  });

  it('preset commands send PRESETD_API_KEY, also to look up a workspace', async () => {
    const { code } = await presetd(['preset', 'list', '--workspace', 'support']);
    expect(code).toBe(0);
    expect(received).toEqual([
      'GET /workspaces/support',
      `GET /presets?limit=50&offset=0&workspace_id=${uuid}`,
      // The list is empty, so it says in which workspace it looked.
      'GET /account',
    ]);
    expect([...keys]).toEqual(['Bearer the-api-key']);
  });
});

describe('options that cannot be right', () => {
  it.each([
    [['key', 'list', '--mine', '--workspace', 'support'], /^--mine lists your keys of all workspaces\./],
    [
      ['key', 'create', '--name', 'x', '--management', '--scope', 'call'],
      /^--scope applies only to API keys\./,
    ],
    [
      ['key', 'create', '--name', 'x', '--management', '--preset', 'a'],
      /^--preset applies only to API keys\./,
    ],
    [
      ['key', 'create', '--name', 'x', '--read-only'],
      /^--read-only applies only to management keys\. Add --management\.\n$/,
    ],
    [
      ['key', 'create', '--name', 'x', '--management', '--workspace', 'support'],
      /^A management key works in every workspace\. Omit --workspace\.\n$/,
    ],
    [['key', 'create', '--name', ' '], /Must not be empty\./],
    [['key', 'create', '--name', 'a\nb'], /The name must have at most 200 characters and no line breaks/],
    [
      ['key', 'edit', 'x'],
      /^Nothing to change\. Use --name, --expires-at, --limit, --limit-reset, --preset or --all-presets\.\n$/,
    ],
    [
      ['key', 'create', '--name', 'x', '--limit-reset', 'daily'],
      /^--limit-reset says when a limit resets\. Add --limit\.\n$/,
    ],
    [['key', 'create', '--name', 'x', '--limit', 'none'], /Must be US dollars such as 20 or 12\.50/],
    [['key', 'edit', 'x', '--limit', '9000000.01'], /at most 9000000, or "none"\./],
    [['key', 'edit', 'x', '--limit', '-1'], /Must be US dollars/],
    [['key', 'edit', 'x', '--limit', '0.0000000001'], /Must be US dollars/],
    [['key', 'edit', 'x', '--limit-reset', 'yearly'], /Allowed choices are daily, weekly, monthly, never/],
    [['workspace', 'edit', 'x'], /^Nothing to change\. Use --name, --slug or --description\.\n$/],
    [['workspace', 'content-log', 'x', '--on', '--off'], /^Choose --on or --off\.\n$/],
    [['workspace', 'content-log', 'x', '--sampling', '2'], /Must be from 0\.0001 to 1\./],
    [['member', 'edit', 'x'], /^Nothing to change\. Use --email, --first-name, --last-name or --role\.\n$/],
    [['member', 'add', 'bo'], /Must be an email address\./],
    [['member', 'edit', 'x', '--role', 'owner'], /Must be org:admin or org:member\./],
    [['member', 'list', '--profile', 'a b'], /The name must be at most 100 letters, digits or any of/],
    [['workspace', 'add-member', 'support', ...Array(101).fill('x')], /^Name at most 100 members at a time/],
    [['key', 'create', '--name', 'x', '--scope', 'all'], /Allowed choices are call, read, write/],
    [['member', 'invite', 'bo@example.com', '--workspace', 'support'], /such as support=editor/],
    [['member', 'invite', 'bo@example.com', '--workspace', 'support=owner'], /such as support=editor/],
    [['member', 'invite', 'bo@example.com', '--workspace', 'support=editor=x'], /such as support=editor/],
    [['member', 'invite', 'bo@example.com', '--workspace', '=viewer'], /Must not be empty/],
    [['workspace', 'edit-member', 'support', 'bo@example.com'], /required option '--role <role>'/],
  ])('%j is a usage error, and nothing is sent', async (args, message) => {
    const { code, stderr } = await presetd(args);
    expect([code, stderr, received]).toEqual([2, expect.stringMatching(message), []]);
  });
});

describe('a lost response', () => {
  it.each([
    [
      ['key', 'create', '--name', 'x'],
      'The key may have been created anyway; check with "presetd key list".\n',
    ],
    [
      ['member', 'invite', 'bo@example.com'],
      'The member may have been added anyway; invite them again to get a link.\n',
    ],
    [
      ['key', 'rotate', 'x'],
      'The secret may have been replaced anyway; rotate the key again to get one that you know.\n',
    ],
  ])('a lost response to %j is reported with what to do about the secret', async (args, advice) => {
    const mute = await startStubServer((request) => void request.socket.destroy());
    const { code, stdout, stderr } = await presetd(args, { PRESETD_URL: mute.url });
    await mute.stop();
    expect([code, stdout, stderr.split('\n').at(-2)]).toEqual([6, '', advice.trimEnd()]);
  });
});

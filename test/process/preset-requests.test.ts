import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { commandTree } from '../../src/cli/command-tree.ts';
import { loadProgram } from '../../src/cli/run.ts';
import { createWorkingDirectory } from '../support/command.ts';
import { runCommand } from '../support/run-command.ts';
import { type StubServer, startStubServer } from '../support/stub-server.ts';

/**
 * The requests and output of commands against a stub; preset-commands.test.ts uses a real server.
 */

const directory = createWorkingDirectory();
const time = '2026-08-01T09:30:00.000Z';
const version = {
  ...{ version: 2, config: { model: 'm' }, system_prompt: null, creator_id: 'user_1' },
  ...{ creator_email: 'ann@example.com', created_at: time },
};
const preset = {
  ...{ slug: 'bot', name: 'Bot', description: null, status: 'active', created_at: time, updated_at: time },
  designated_version: version,
};
const summary = { ...preset, designated_version_number: 2, latest_version: 3, labels: { beta: 1 }, tags: [] };
const saved = {
  name: 'Late',
  variables: {},
  messages: [],
  note: null,
  updated_at: time,
  updated_by: 'user_1',
};
const long = { ['v'.repeat(41)]: 1 };
const diff = { from: { version: 1 }, to: { version: 3 }, config_patch: [], system_prompt_diff: null };
const event = {
  ...{ number: 7, created_at: time, kind: 'preset.archived', actor_email: null, key_label: null },
  ...{ before: null, after: null },
};

/**
 * Responses by method and path; anything else is 404. The server of `old` has neither aliases nor
 * tags and does not note calls.
 */
const responses: Readonly<Record<string, object>> = {
  'GET /presets': { data: [summary], total_count: 9, total_count_exact: false },
  'GET /presets/bot': { data: preset },
  'GET /presets/old': { data: { ...preset, slug: 'old' } },
  'GET /presets/old/versions': { data: [version], total_count: 3 },
  'GET /presets/old/versions/2': { data: version },
  'GET /presets/old/labels': { data: [], total_count: 0 },
  'PATCH /presets/bot': { data: preset },
  'DELETE /presets/bot': { data: preset },
  'POST /presets/bot/restore': { data: { ...preset, status: 'disabled' } },
  'GET /presets/bot/versions': { data: [version], total_count: 3 },
  'GET /presets/bot/versions/1': { data: version },
  'GET /presets/bot/versions/2': { data: version },
  'GET /presets/bot/versions/3': { data: { ...version, version: 3 } },
  'GET /presets/bot/versions/3/diff': { data: diff },
  'GET /presets/bot/versions/1/diff': {
    data: { ...diff, warnings: [{ path: '/presetd/variables/name', message: 'must be there' }] },
  },
  'GET /presets/bot/labels': { data: [{ label: 'beta', version: 1, updated_at: time }], total_count: 1 },
  'PUT /presets/bot/labels/beta': { data: { label: 'beta', version: 3 } },
  'DELETE /presets/bot/labels/beta': { deleted: true },
  'GET /presets/bot/aliases': { data: [{ alias: 'help', created_at: time }], total_count: 1 },
  'PUT /presets/bot/aliases/help': { data: { alias: 'help' } },
  'DELETE /presets/bot/aliases/help': { deleted: true },
  'GET /presets/bot/tags': { data: ['mail'], total_count: 1 },
  'GET /presets/bot/usage': { data: { last_called_at: time } },
  'GET /presets/bot/events': { data: [event], total_count: 9 },
  'GET /presets/bot/cases': {
    data: [saved, { ...saved, updated_by_email: 'ann@example.com', variables: long, note: 'n'.repeat(61) }],
    total_count: 9,
  },
  'GET /presets/bot/cases/Late': { data: saved },
  'PUT /presets/bot/cases/Late': { data: saved },
  'DELETE /presets/bot/cases/Late': { deleted: true },
  'POST /presets/bot/messages': { data: { ...preset, designated_version: { ...version, version: 3 } } },
  'POST /presets/bot/responses': { data: { ...preset, designated_version: { ...version, version: 1 } } },
};

let stub: StubServer;
const received: string[] = [];

beforeAll(async () => {
  writeFileSync(join(directory.path, 'request.json'), '{"input":[]}');
  stub = await startStubServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://stub');
    const path = url.pathname.replace('/api/v1', '');
    const { 'if-match': condition, 'idempotency-key': key } = request.headers;
    const parts = [
      ...[`${request.method} ${path}${decodeURIComponent(url.search)}`, await text(request)],
      ...[condition === undefined ? '' : `if ${condition}`, key === undefined ? '' : 'once'],
    ];
    received.push(parts.filter((part) => part !== '').join(' '));
    const body = responses[`${request.method} ${path}`];
    const missing = { error: { code: 404, message: `There is no ${path}.` } };
    response
      .writeHead(body === undefined ? 404 : 200, {
        ...{ etag: '"7"', 'x-presetd-preset': 'bot@3' },
        ...(path === '/presets/bot' && { 'x-presetd-latest-version': '3' }),
        ...(path.endsWith('/messages') && { 'x-presetd-ignored-fields': 'input' }),
      })
      .end(JSON.stringify(body ?? missing));
  });
});
afterEach(() => {
  received.length = 0;
});
afterAll(async () => {
  await stub.stop();
  directory.remove();
});

const presetd = (args: readonly string[]) =>
  runCommand(args, directory.path, { PRESETD_URL: stub.url, PRESETD_API_KEY: 'the-api-key' });

describe('a command about presets sends requests and prints their result', () => {
  const rows: readonly [
    args: readonly string[],
    requests: readonly string[],
    printed: string | RegExp,
    notice?: string,
  ][] = [
    [
      ['preset', 'list'],
      ['GET /presets?limit=50&offset=0'],
      /^SLUG .*\nbot +active +2 of 3 .* beta=1 +Bot\nShowing 1-1 of more than 8; use --offset 1 for more\n$/,
    ],
    [
      [
        ...['preset', 'list', '--status', 'archived', '--search', 'bo', '--tag', 'a', '--tag', 'b'],
        ...['--limit', '5', '--offset', '4', '--json'],
      ],
      ['GET /presets?status=archived&q=bo&tag=a,b&limit=5&offset=4'],
      /^\{\n {2}"data": \[\n/,
    ],
    [
      ['preset', 'show', 'bot'],
      [
        'GET /presets/bot',
        'GET /presets/bot/versions/2',
        'GET /presets/bot/labels',
        'GET /presets/bot/aliases',
        'GET /presets/bot/tags',
        'GET /presets/bot/usage',
      ],
      /^bot@2\n(.*\n)*version +2 of 3, live\n(.*\n)*aliases +help\ntags +mail\n(.*\n)*last called +2026-08-01 09:30Z\n/,
    ],
    [
      ['preset', 'show', 'old'],
      [
        'GET /presets/old',
        'GET /presets/old/versions/2',
        'GET /presets/old/labels',
        'GET /presets/old/aliases',
        'GET /presets/old/tags',
        'GET /presets/old/versions?limit=1',
        'GET /presets/old/usage',
      ],
      /\nsaved +2026-08-01 09:30Z by ann@example\.com\ncreated .*\nupdated .*\n\nSystem prompt\n/,
    ],
    [
      ['preset', 'show', 'bot', '--version', 'latest', '--json'],
      ['GET /presets/bot', 'GET /presets/bot/versions/3'],
      /"version": 3,/,
    ],
    [['preset', 'show', 'bot', '--json'], ['GET /presets/bot'], /"slug": "bot"/],
    [
      ['preset', 'versions', 'bot', '--limit', '1', '--offset', '1'],
      ['GET /presets/bot', 'GET /presets/bot/versions?offset=1&limit=1', 'GET /presets/bot/labels'],
      /\n2 +live .* m\nShowing 2-2 of 3; use --offset 2 for more\n$/,
    ],
    [
      ['preset', 'push', 'bot', 'request.json'],
      [
        'POST /presets/bot/responses?dry_run=true {"input":[]}',
        'POST /presets/bot/responses {"input":[]} once',
      ],
      'bot@3\n',
      'Detected a responses request.\nVersion 3 is saved; version 1 stays live. Make it live with "presetd preset promote bot 3".\n',
    ],
    [
      ['preset', 'push', 'bot', 'request.json', '--dialect', 'messages'],
      [
        'POST /presets/bot/messages?dry_run=true {"input":[]}',
        'POST /presets/bot/messages {"input":[]} once',
      ],
      'bot@3\n',
      'Warning: ignored fields that messages does not have: input.\nVersion 3 is live: calls to @preset/bot now use it.\n',
    ],
    [
      ['preset', 'push', 'bot', 'request.json', '--dry-run', '--no-live', '--note', 'New'],
      ['POST /presets/bot/responses?dry_run=true {"input":[],"presetd": {"note":"New","designate": false}}'],
      /^bot@3 would be saved, but not go live\.\n\nNote: New\n/,
      'Detected a responses request.\n',
    ],
    [
      ['preset', 'diff', 'bot', 'beta', '--json'],
      ['GET /presets/bot/labels', 'GET /presets/bot', 'GET /presets/bot/versions/3/diff?against=1'],
      /"config_patch": \[\]/,
    ],
    [
      ['preset', 'diff', 'bot'],
      [
        'GET /presets/bot',
        'GET /presets/bot/versions/3/diff',
        'GET /presets/bot/versions/1',
        'GET /presets/bot',
      ],
      'bot@1 and bot@3 are identical.\n',
    ],
    [
      ['preset', 'promote', 'bot', '--yes'],
      [
        'GET /presets/bot',
        'GET /presets/bot',
        'GET /presets/bot',
        'GET /presets/bot/versions/3/diff?against=2',
        'POST /analytics/query',
        'PATCH /presets/bot {"designated_version":3}',
      ],
      'bot@3 is now live, replacing version 2.\n',
    ],
    [
      ['preset', 'rollback', 'bot', 'designated', '--json'],
      ['GET /presets/bot', 'GET /presets/bot', 'PATCH /presets/bot {"designated_version":2}'],
      /"slug": "bot"/,
    ],
    [
      ['preset', 'rollback', 'bot', '1', '--yes'],
      [
        'GET /presets/bot',
        'GET /presets/bot',
        'GET /presets/bot/versions/1/diff?against=2',
        'GET /presets/bot/usage',
        'POST /analytics/query',
        'PATCH /presets/bot {"designated_version":1}',
      ],
      'bot@1 is now live, replacing version 2.\n',
      'Some calls to bot that version 2 accepts will fail with version 1:\n  name must be there\nIt was last called on 2026-08-01 09:30Z.\n',
    ],
    [['preset', 'label', 'bot', '--json'], ['GET /presets/bot/labels'], /"label": "beta"/],
    [
      ['preset', 'label', 'bot', 'beta', 'latest', '--yes'],
      [
        'GET /presets/bot',
        'GET /presets/bot',
        'GET /presets/bot',
        'GET /presets/bot/labels',
        'GET /presets/bot/versions/3/diff?against=1',
        'POST /analytics/query',
        'PUT /presets/bot/labels/beta {"version":3}',
      ],
      'Label beta now points to bot@3.\n',
    ],
    [
      ['preset', 'label', 'bot', 'beta', '--remove'],
      ['GET /presets/bot', 'DELETE /presets/bot/labels/beta'],
      'Removed label beta from bot.\n',
    ],
    [
      ['preset', 'alias', 'bot', 'help'],
      ['GET /presets/bot', 'PUT /presets/bot/aliases/help'],
      'help is now an alias of bot.\n',
    ],
    [
      ['preset', 'alias', 'bot', 'help', '--remove', '--json'],
      ['DELETE /presets/bot/aliases/help'],
      '{\n  "deleted": true\n}\n',
    ],
    [
      ['preset', 'rename', 'bot', 'robot'],
      ['GET /presets/bot', 'PATCH /presets/bot {"slug":"robot"}'],
      'Renamed bot to bot. The old slug is now an alias.\n',
    ],
    [
      ['preset', 'tag', 'bot', 'chat', 'mail'],
      ['GET /presets/bot/tags', 'PATCH /presets/bot {"tags":["chat","mail"]} if "7"'],
      'Tags of bot: chat, mail.\n',
    ],
    [
      ['preset', 'tag', 'bot', 'mail', '--remove'],
      ['GET /presets/bot/tags', 'PATCH /presets/bot {"tags":[]} if "7"'],
      'bot has no tags.\n',
    ],
    [
      ['preset', 'edit', 'bot', '--name', 'B', '--description', '', '--status', 'disabled'],
      ['PATCH /presets/bot {"name":"B","description":null,"status":"disabled"}'],
      'Updated name, description, status of bot.\n',
    ],
    [['preset', 'archive', 'bot', '--json'], ['DELETE /presets/bot'], /"slug": "bot"/],
    [['preset', 'restore', 'bot'], ['POST /presets/bot/restore'], 'bot is disabled.\n'],
    [
      ['preset', 'events', 'bot', '--limit', '1', '--offset', '2'],
      ['GET /presets/bot/events?limit=1&offset=2'],
      /\n7 +2026-08-01 09:30Z +archived\nShowing 3-3 of 9; use --offset 3 for more\n$/,
    ],
    [
      ['case', 'list', 'bot', '--limit', '1', '--offset', '2'],
      ['GET /presets/bot/cases?limit=1&offset=2'],
      /\nLate +0 +2026-08-01 09:30Z +user_1\nLate +0 +v{41} +2026-08-01 09:30Z +ann@example\.com +n{61}\nShowing 3-4 of 9; use --offset 4 for more\n$/,
    ],
    [
      ['case', 'show', 'bot', 'Late'],
      ['GET /presets/bot/cases/Late'],
      '{\n  "variables": {},\n  "messages": []\n}\n',
    ],
    [
      ['case', 'show', 'bot', 'Late', '--at', '7', '--json'],
      ['GET /presets/bot/cases/Late?at=7'],
      /"name": /,
    ],
    [
      ['case', 'set', 'bot', 'Late', 'request.json'],
      ['PUT /presets/bot/cases/Late {"input":[]}'],
      'Saved case "Late" of bot.\n',
    ],
    [
      ['case', 'remove', 'bot', 'Late', '--json'],
      ['DELETE /presets/bot/cases/Late'],
      '{\n  "deleted": true\n}\n',
    ],
  ];

  it.each(rows)('%j sends %j', async (args, requests, printed, notice = '') => {
    const { code, stdout, stderr } = await presetd(args);
    expect([code, stderr]).toEqual([0, notice]);
    if (typeof printed === 'string') expect(stdout).toBe(printed);
    else expect(stdout).toMatch(printed);
    // Reads may be sent at the same time, but never after a change.
    // A query names the current time.
    const sent = received.map((text) => text.replace(/^(POST \/analytics\/query) .*/, '$1'));
    expect(sent.toSorted()).toEqual(requests.toSorted());
    const [last = ''] = requests.slice(-1);
    if (!last.startsWith('GET ')) expect(received.at(-1)).toBe(last);
  });

  it.each(rows.filter(([args]) => !args.includes('--json')))('%j --json prints only JSON', async (args) => {
    const { code, stdout, stderr } = await presetd([...args, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(Object.keys(JSON.parse(stdout))).toContainEqual(expect.stringMatching(/^(data|deleted)$/));
  });

  it('every option of these commands, and of those that no other test is about, has a row', async () => {
    const isTestedElsewhere =
      /^presetd (audit|calls|key|workspace|member|export|import|login|logout|usage|whoami)\b/;
    const options = commandTree(await loadProgram(() => true))
      .filter(({ path }) => !isTestedElsewhere.test(path))
      .filter(({ options }) => options.some(({ flags }) => flags.includes('--profile')))
      .flatMap(({ path, options }) => options.map(({ flags }) => `${path} ${flags.at(-1)}`))
      .filter((option) => !/ --(profile|workspace|json|help)$/.test(option));
    const tried = rows.flatMap(([[group, name, ...rest]]) =>
      rest.map((word) => `presetd ${group} ${name} ${word}`),
    );
    expect(options.filter((option) => !tried.includes(option))).toEqual([]);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { callRecord } from '../support/call-records.ts';
import { createWorkingDirectory, startCommand } from '../support/command.ts';
import { anyEngine } from '../support/engines.ts';
import { freePort } from '../support/postgres-server.ts';
import { runCommand } from '../support/run-command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { withStorage } from '../support/storage-access.ts';
import { startStubServer } from '../support/stub-server.ts';
import { execFileInTest } from '../support/test-scope.ts';

const key = 'the-key-of-the-commands';
const directory = createWorkingDirectory();
let server: TestServer;

const presetdAt = (url: string, args: readonly string[], input?: string | Uint8Array) =>
  runCommand(args, directory.path, { PRESETD_URL: url, PRESETD_API_KEY: key }, input);
const presetd = (...args: string[]) => presetdAt(server.url, args);
const push = (slug: string, body: object, ...options: string[]) =>
  presetdAt(server.url, ['preset', 'push', slug, '-', ...options], JSON.stringify(body));

/** Runs a command that must succeed without writing to standard error, and returns its output. */
async function output(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await presetd(...args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const file = (name: string, content: string) => {
  writeFileSync(join(directory.path, name), content);
  return name;
};

const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\dZ`;
const first = {
  model: 'openai/gpt-5',
  temperature: 0.2,
  stop: ['END'],
  messages: [{ role: 'system', content: 'You answer for Acme.\nBe brief.' }],
};
const second = {
  model: 'openai/gpt-5',
  temperature: 0.7,
  messages: [{ role: 'system', content: 'You answer for Acme.\nBe kind.' }],
};

beforeAll(async () => {
  server = await startTestServer(anyEngine, { PRESETD_BOOTSTRAP_API_KEY: key });
});
afterAll(async () => {
  await server.stop();
  directory.remove();
});

describe('preset push', () => {
  it('push saves a file byte for byte, and prints the version and the detected dialect', async () => {
    const request = file(
      'request.json',
      '{"messages":[{"role":"user","content":"Hi"}],"seed":18446744073709551615}',
    );
    expect(await presetd('preset', 'push', 'pushed', request)).toEqual({
      code: 0,
      stdout: 'pushed@1\n',
      stderr:
        'Detected a chat-completions request.\nVersion 1 is live: calls to @preset/pushed now use it.\n',
    });
    expect(await output('preset', 'show', 'pushed')).toContain('"seed": 18446744073709551615\n');
  });

  it('push reads standard input, and names unknown fields', async () => {
    expect(
      await push('pushed', { model: 'm', system: 'x', messages: [], 'an ütterly new, field': 1 }),
    ).toEqual({
      code: 0,
      stdout: 'pushed@2\n',
      stderr:
        'Detected a messages request.\n' +
        'Warning: ignored fields that messages does not have: an ütterly new, field.\n' +
        'Version 2 is live: calls to @preset/pushed now use it.\n',
    });
  });

  it('push uses the dialect given with --dialect', async () => {
    expect(await push('pushed', { model: 'm' }, '--dialect', 'responses')).toEqual({
      code: 0,
      stdout: 'pushed@3\n',
      stderr: 'Version 3 is live: calls to @preset/pushed now use it.\n',
    });
  });

  it('push --dry-run shows what would be saved, and saves nothing', async () => {
    const { stdout } = await push(
      'dry',
      { input: 'Hi', instructions: 'Be brief.', temperature: 1 },
      '--dry-run',
    );
    expect(stdout).toBe(
      'dry@1 would be saved and go live.\n\nSystem prompt\n  Be brief.\n\nConfig\n  {\n    "temperature": 1\n  }\n\n' +
        'Ignored\n  input: Without instructions, the text of system and developer items is saved as the ' +
        'system prompt; the rest is part of the conversation, which each call provides.\n' +
        '  instructions: Saved as the system prompt, not in the config.\n',
    );
    expect((await presetd('preset', 'show', 'dry')).code).toBe(4);
  });

  it('push --dry-run shows the presetd object and warnings', async () => {
    const presetd = { variables: { unused: { type: 'string' } }, policy: { locked: ['model'] } };
    const { stdout } = await push('dry', { model: 'm', input: 'Hi', presetd }, '--dry-run', '--note', 'New');
    expect(stdout).toContain('dry@1 would be saved and go live.\n\nNote: New\n\nSystem prompt');
    expect(stdout).toContain('\n\npresetd\n  {\n    "variables": {');
    expect(stdout).toContain('\n\nWarnings\n  /presetd/variables/unused is declared, but no text uses it\n');
  });

  it('push --dry-run says that a first version goes live, even with --no-live', async () => {
    const { stdout } = await push('dry', { input: 'Hi', presetd: null }, '--dry-run', '--no-live');
    expect(stdout).toMatch(/^dry@1 would be saved and go live\.\n/);
  });

  it.each([
    ['{"input":[],"presetd":null}', ['--note', 'New']],
    ['\uFEFF{"input":[]}', ['--note', 'New']],
    ['\uFEFF{"input":[],"presetd":{"note":"New"}}', []],
  ])('push --dry-run reads the note from %j with %j', async (request, options) => {
    const args = ['preset', 'push', 'dry', '-', '--dry-run', ...options];
    const { stdout } = await presetdAt(server.url, args, request);
    expect(stdout).toContain('dry@1 would be saved and go live.\n\nNote: New\n');
  });

  it('push --dry-run lists no ignored fields if there are none', async () => {
    const { stdout } = await push('dry', { temperature: 1 }, '--dry-run', '--dialect', 'responses');
    expect(stdout).toBe(
      'dry@1 would be saved and go live.\n\nSystem prompt\n  (none)\n\nConfig\n  {\n    "temperature": 1\n  }\n',
    );
  });

  it('push --dry-run --json prints the ignored fields as the API returns them', async () => {
    const { stdout } = await push('dry', { input: 'Hi', stream: true }, '--dry-run', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      left_out: [{ reason: 'conversation' }, { field: 'stream', reason: 'delivery' }],
      left_out_count: 2,
    });
  });

  it('push warns that a disabled preset cannot be called', async () => {
    await push('off', first);
    await output('preset', 'edit', 'off', '--status', 'disabled');
    expect((await push('off', first)).stderr).toContain(
      'Version 2 is live, but the preset is disabled: calls to it fail until it is active.\n',
    );
  });

  it('push --json prints only the response and the number of the new version', async () => {
    const { stdout, stderr } = await push('json', first, '--json');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      data: { slug: 'json', designated_version: { version: 1 } },
      saved_version: 1,
    });
  });

  it('push --no-live --json prints the live version and the number of the new one', async () => {
    await push('quiet', first);
    const { stdout } = await push('quiet', second, '--no-live', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      data: { designated_version: { version: 1 } },
      saved_version: 2,
    });
    const dryRun = await push('quiet', second, '--no-live', '--json', '--dry-run');
    expect(JSON.parse(dryRun.stdout)).not.toHaveProperty('saved_version');
  });

  it('push --json escapes control characters and keeps the value', async () => {
    const instructions = 'a\u009b2J\u007f\u202e\u2028\u2066\u001b z\n🙂';
    const { stdout } = await push('steering', { input: 'Hi', instructions }, '--json');
    expect(stdout).toContain(String.raw`"a\u009b2J\u007f\u202e\u2028\u2066\u001b z\n🙂"`);
    expect(JSON.parse(stdout).data.designated_version.system_prompt).toBe(instructions);
  });

  it('push retries after a lost response and saves one version', async () => {
    const idempotencyKeys: string[] = [];
    const flaky = await startStubServer(async (request, response) => {
      const body = await buffer(request);
      const attempt = idempotencyKeys.push(String(request.headers['idempotency-key']));
      if (attempt === 1)
        return response.writeHead(503, { 'retry-after': '0' }).end('{"error":{"message":"busy"}}');
      if (attempt === 2) return request.socket.destroy();
      const { authorization = '', 'idempotency-key': idempotencyKey = '' } = request.headers;
      const headers = {
        authorization,
        'idempotency-key': String(idempotencyKey),
        'content-type': 'application/json',
      };
      const stored = await fetch(server.url + request.url, { method: 'POST', headers, body });
      // The third attempt is saved, but its response is lost.
      if (attempt === 3) return request.socket.destroy();
      return response.writeHead(stored.status).end(await stored.text());
    });
    // Without a dry run before it.
    const args = ['preset', 'push', 'flaky', '-', '--no-live'];
    const pushed = await presetdAt(flaky.url, args, JSON.stringify(first));
    await flaky.stop();
    expect(pushed).toMatchObject({ code: 0, stdout: 'flaky@1\n' });
    expect(idempotencyKeys).toHaveLength(4);
    expect(new Set(idempotencyKeys).size).toBe(1);
    expect(await output('preset', 'show', 'flaky')).toContain('1 of 1');
  });

  it('push does not retry if the response says that a retry cannot help', async () => {
    let attempts = 0;
    const full = await startStubServer(async (request, response) => {
      await buffer(request);
      attempts += 1;
      const headers = { 'retry-after': '0', 'x-should-retry': 'false', 'content-type': 'application/json' };
      response.writeHead(503, headers).end('{"error":{"code":503,"message":"The disk is full."}}');
    });
    const pushed = await presetdAt(full.url, ['preset', 'push', 'full', '-'], JSON.stringify(first));
    await full.stop();
    expect([pushed.code, pushed.stderr, attempts]).toEqual([
      6,
      expect.stringContaining('The disk is full.'),
      1,
    ]);
  });

  it.each([
    [['--no-live'], 'The version may have been saved anyway; check with "presetd preset events mute".\n'],
    [['--dry-run'], ''],
  ])('push %j, whose response is lost, says if a version may have been saved', async (options, hint) => {
    let agent: string | undefined;
    const mute = await startStubServer(async (request) => {
      await buffer(request);
      agent = request.headers['user-agent'];
      await mute.stop();
    });
    const args = ['preset', 'push', 'mute', '-', '--dialect', 'responses', ...options];
    const { code, stderr } = await presetdAt(mute.url, args, '{}');
    expect([code, stderr.replace(mute.url, 'URL')]).toEqual([
      6,
      'Cannot reach the server at URL: the connection was lost. Check that it is running and that PRESETD_URL is correct.\n' +
        hint,
    ]);
    expect(agent).toMatch(/^presetd\/\d+\.\d+\.\d+$/);
  });

  it.each([
    [
      'a file that does not exist',
      ['no.json'],
      undefined,
      'Cannot read no.json: no such file or directory.\n',
    ],
    [
      'invalid JSON',
      ['-'],
      '{\n  "model": }',
      'Standard input is not valid JSON at line 2, column 12: value expected.\n',
    ],
    [
      'a duplicate key',
      ['-'],
      '{"model":"a","model":"b"}',
      /^Standard input repeats the key "model" in one object \(line 1, column 14\)\. /,
    ],
    ['invalid UTF-8', ['-'], Buffer.from([0xff]), /^Standard input is not valid UTF-8\. /],
    ['an empty file', ['-'], '\uFEFF \n', 'Standard input is empty.\n'],
    ['a JSON array', ['-'], '[]', 'Standard input must contain a JSON object.\n'],
    [
      'a request with one problem',
      ['-', '--dialect', 'messages'],
      '{"model":"m"}',
      'The request body is not valid: /messages is required.\n',
    ],
    [
      'a request with several problems',
      ['-', '--dialect', 'responses'],
      '{"temperature":3,"top_p":"x"}',
      'The request body is not valid:\n  /temperature must be at most 2\n  /top_p must be a number or null\n',
    ],
  ])('push rejects %s', async (_title, args, input, message) => {
    const { code, stdout, stderr } = await presetdAt(server.url, ['preset', 'push', 'x', ...args], input);
    expect([code, stdout]).toEqual([1, '']);
    if (typeof message === 'string') expect(stderr).toBe(message);
    else expect(stderr).toMatch(message);
  });

  it('push requires --dialect for a request that fits several dialects', async () => {
    expect(await push('x', { model: 'm' })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'Standard input does not reveal its dialect. Set --dialect to one of chat-completions, messages, responses.\n',
    });
  });
});

describe('a preset', () => {
  beforeAll(async () => {
    await push('support', first);
    await push('support', second);
  });

  it('tags are listed, added and removed', async () => {
    const tag = (...args: string[]) => output('preset', 'tag', 'support', ...args);
    expect(await tag()).toBe('support has no tags.\n');
    expect(await tag('mobile', 'eu/prod')).toBe('Tags of support: eu/prod, mobile.\n');
    expect(await tag('beta', 'mobile')).toBe('Tags of support: beta, eu/prod, mobile.\n');
    expect(await tag('beta', 'eu/prod', '--remove')).toBe('Tags of support: mobile.\n');
    expect(await tag()).toBe('Tags of support: mobile.\n');
    expect(JSON.parse(await tag('--json'))).toEqual({ data: ['mobile'], total_count: 1 });
    expect(await output('preset', 'list', '--tag', 'mobile')).toMatch(/^support .* mobile /m);
    expect(await output('preset', 'list', '--tag', 'mobile', '--tag', 'beta')).toContain('No results');
  });

  it('labels are listed, set and removed', async () => {
    expect(await output('preset', 'label', 'support')).toBe('support has no labels.\n');
    expect(await output('preset', 'label', 'support', 'production', '1')).toBe(
      'Label production now points to support@1.\n',
    );
    expect(await output('preset', 'label', 'support', 'staging', 'latest')).toBe(
      'Label staging now points to support@2.\n',
    );
    expect(await output('preset', 'label', 'support', 'canary', 'staging')).toBe(
      'Label canary now points to support@2.\n',
    );
    expect(await output('preset', 'label', 'support', 'canary', '--remove')).toBe(
      'Removed label canary from support.\n',
    );
    expect(await output('preset', 'label', 'support')).toMatch(
      new RegExp(
        `^LABEL       VERSION  UPDATED\nproduction  1        ${time}\nstaging     2        ${time}\n$`,
      ),
    );
    const json = JSON.parse(await output('preset', 'label', 'support', '--json'));
    expect(json).toMatchObject({
      data: [{ label: 'production', version: 1 }, { label: 'staging' }],
      total_count: 2,
    });
  });

  it('aliases are listed, added and removed', async () => {
    expect(await output('preset', 'alias', 'support')).toBe('support has no aliases.\n');
    expect(await output('preset', 'alias', 'support', 'pmpt_68a4')).toBe(
      'pmpt_68a4 is now an alias of support.\n',
    );
    expect(await output('preset', 'alias', 'support', 'help')).toBe('help is now an alias of support.\n');
    expect(await output('preset', 'alias', 'help')).toMatch(
      new RegExp(`^ALIAS      CREATED\nhelp       ${time}\npmpt_68a4  ${time}\n$`),
    );
    expect(await output('preset', 'show', 'help')).toContain('\naliases      help pmpt_68a4\n');
    expect(await output('preset', 'alias', 'support', 'help', '--remove')).toBe(
      'Removed alias help from support.\n',
    );
    const json = JSON.parse(await output('preset', 'alias', 'support', '--json'));
    expect(json).toMatchObject({ data: [{ alias: 'pmpt_68a4' }], total_count: 1 });
    await output('preset', 'alias', 'support', 'pmpt_68a4', '--remove');
  });

  it('test cases are set, listed, shown and removed', async () => {
    const set = (name: string, body: string) =>
      presetdAt(server.url, ['case', 'set', 'support', name, '-'], body);
    expect(await output('case', 'list', 'support')).toMatch(/^NAME .*\n/);
    const content = '{"variables":{"id":18446744073709551615},"note":"Two days late"}';
    expect(await set('Late parcel', content)).toMatchObject({
      code: 0,
      stdout: 'Saved case "Late parcel" of support.\n',
    });
    expect(await output('case', 'list', 'support')).toMatch(/\nLate parcel +0 +id +.* Two days late\n/);
    const shown = await output('case', 'show', 'support', 'Late parcel');
    expect(shown).toContain('"id": 18446744073709551615');
    // The output of "show" is what "set" reads.
    expect((await set('Late parcel', shown)).code).toBe(0);
    const { data } = JSON.parse(await output('case', 'show', 'support', 'Late parcel', '--json'));
    expect(await set('Late parcel', '{"name":"Later"}')).toMatchObject({
      stdout: 'Saved case "Late parcel" of support as "Later".\n',
    });
    const at = String(data.event_number);
    expect(await output('case', 'show', 'support', 'Late parcel', '--at', at)).toBe(shown);
    expect(await output('case', 'remove', 'support', 'Later')).toBe('Removed case "Later" from support.\n');
    expect((await presetd('case', 'show', 'support', 'Later')).code).toBe(4);
    expect((await presetd('case', 'show', 'support', '..')).code).toBe(2);
    expect((await set('x', '[]')).stderr).toBe('Standard input must contain a JSON object.\n');
  });

  it('commands that are given an alias print the slug', async () => {
    await push('aliased', first);
    await push('aliased', { ...first, temperature: 1.5 });
    await output('preset', 'alias', 'aliased', 'pmpt_1');
    const commands: readonly (readonly [args: readonly string[], printed: string])[] = [
      [['alias', 'pmpt_1', 'pmpt_2'], 'pmpt_2 is now an alias of aliased.'],
      [['diff', 'pmpt_1', '1', '2'], 'aliased@1 → aliased@2'],
      [['rollback', 'pmpt_1', '1'], 'aliased@1 is now live, replacing version 2.'],
      [['label', 'pmpt_1'], 'aliased has no labels.'],
      [['label', 'pmpt_1', 'beta', '2'], 'Label beta now points to aliased@2.'],
      [['label', 'pmpt_1', 'beta', '--remove'], 'Removed label beta from aliased.'],
      [['tag', 'pmpt_1'], 'aliased has no tags.'],
      [['tag', 'pmpt_1', 'mail'], 'Tags of aliased: mail.'],
      [['edit', 'pmpt_1', '--name', 'A'], 'Updated name of aliased.'],
      [['archive', 'pmpt_1'], 'Archived aliased.'],
      [['restore', 'pmpt_1'], 'aliased is active.'],
      [['alias', 'pmpt_1', 'pmpt_1', '--remove'], 'Removed alias pmpt_1 from aliased.'],
      [['rename', 'pmpt_2', 'new-name'], 'Renamed aliased to new-name.'],
    ];
    for (const [args, printed] of commands) expect(await output('preset', ...args)).toContain(printed);
  });

  it('a renamed preset keeps its old slug as an alias', async () => {
    await push('early', first);
    expect(await output('preset', 'rename', 'early', 'late')).toBe(
      'Renamed early to late. The old slug is now an alias.\n',
    );
    expect(await output('preset', 'show', 'early')).toMatch(/^late@1\n(.*\n)*aliases +early\n/);
    expect(await output('preset', 'rename', 'late', 'late')).toBe('late already has this slug.\n');
    const json = JSON.parse(await output('preset', 'rename', 'early', 'early', '--json'));
    expect(json).toMatchObject({ data: { slug: 'early' } });
  });

  it('a preset is edited and shown', async () => {
    const args = ['--name', 'Support', '--description', 'Answers\n\u001b[31mcustomers'];
    expect(await output('preset', 'edit', 'support', ...args)).toBe(
      'Updated name, description of support.\n',
    );
    expect(await output('preset', 'show', 'support')).toMatch(
      new RegExp(
        String.raw`^support@2
name         Support
description  Answers\\n\\u001b\[31mcustomers
status       active
version      2 of 2, live
saved        ${time} by owner@localhost
labels       production=1 staging=2
tags         mobile
created      ${time}
updated      ${time}
last called  never

System prompt
  You answer for Acme.
  Be kind.

Config
  \{
    "model": "openai/gpt-5",
    "temperature": 0.7
  \}
$`,
      ),
    );
  });

  it('versions are listed newest first', async () => {
    const list = await output('preset', 'versions', 'support');
    expect(list).toMatch(
      new RegExp(
        `^VERSION  LIVE  LABELS      CREATED            BY               MODEL         NOTE
2        live  staging     ${time}  owner@localhost  openai/gpt-5
1              production  ${time}  owner@localhost  openai/gpt-5
Showing 1-2 of 2
$`,
      ),
    );
    const latest = await output('preset', 'versions', 'support', '--limit', '1');
    expect(latest).toMatch(/\n2 .*\nShowing 1-1 of 2; use --offset 1 for more\n$/);
    expect(await output('preset', 'versions', 'support', '--offset', '1')).toMatch(
      /\n1 .*\nShowing 2-2 of 2\n$/,
    );
    expect(await output('preset', 'versions', 'support', '--offset', '2')).toMatch(
      /MODEL {2}NOTE\nNo results after 2\n$/,
    );
    const json = JSON.parse(await output('preset', 'versions', 'support', '--limit', '1', '--json'));
    expect(json).toMatchObject({
      data: [{ version: 2, creator_email: 'owner@localhost' }],
      total_count: 2,
    });
    expect((await presetd('preset', 'versions', 'nothing')).code).toBe(4);
  });

  it('show --version takes a number or a label', async () => {
    const shown = await output('preset', 'show', 'support', '--version', '1');
    expect(shown).toMatch(/^saved .* by owner@localhost$/m);
    expect(shown).toContain('support@1\n');
    expect(shown).toContain('version      1 of 2; version 2 is live\n');
    expect(await output('preset', 'show', 'support', '--version', 'production')).toBe(shown);
    const json = await output('preset', 'show', 'support', '--version', 'production', '--json');
    expect(JSON.parse(json)).toMatchObject({ data: { version: 1, config: { stop: ['END'] } } });
    expect(json).toBe(`${JSON.stringify(JSON.parse(json), null, 2)}\n`);
  });

  it('diff compares versions by number, label, latest and designated', async () => {
    const diff = await output('preset', 'diff', 'support', 'production', 'latest');
    expect(diff).toBe(`support@1 → support@2

Config
- /stop: ["END"]
- /temperature: 0.2
+ /temperature: 0.7

System prompt
@@ -1,2 +1,2 @@
 You answer for Acme.
-Be brief.
+Be kind.
`);
    expect(await output('preset', 'diff', 'support')).toBe(diff);
    expect(await output('preset', 'diff', 'support', '1')).toBe(diff);
    expect(await output('preset', 'diff', 'support', '1', 'designated')).toBe(diff);
    expect(await output('preset', 'diff', 'support', '2', '2')).toBe(
      'support@2 and support@2 are identical.\n',
    );
    expect(JSON.parse(await output('preset', 'diff', 'support', '2', '1', '--json'))).toMatchObject({
      data: { from: { version: 2 }, to: { version: 1 } },
    });
  });

  it('rollback makes an older version live, and a newer one again', async () => {
    expect(await output('preset', 'rollback', 'support', 'production')).toBe(
      'support@1 is now live, replacing version 2.\n',
    );
    expect(await output('preset', 'rollback', 'support', '1')).toBe('support@1 is already live.\n');
    expect(await output('preset', 'show', 'support')).toContain('version      1 of 2, live\n');
    const json = JSON.parse(await output('preset', 'rollback', 'support', 'latest', '--json'));
    expect(json).toMatchObject({ data: { designated_version: { version: 2 } } });
  });

  it('promote and label say who makes the calls that move', async () => {
    for (const content of ['A', 'B'])
      await push('called', { model: 'm', messages: [{ role: 'system', content }] });
    await output('preset', 'label', 'called', 'qa', '1');
    const presetId = JSON.parse(await output('preset', 'show', 'called', '--json')).data.id;
    await withStorage(server.database, async ({ storage, organization }) => {
      const [owned] = JSON.parse((await server.get('/api/v1/keys')).text).data;
      const address = { organizationId: organization.id, workspaceId: organization.defaultWorkspaceId };
      const call = (selection: 'live' | 'label', label: string | null = null) =>
        callRecord(address, { group: { presetId, keyId: owned.hash, version: 2, selection, label } });
      const calls = [call('live'), call('live'), call('label', 'qa')];
      await storage.ledger.write({ id: newId(), calls }, true);
    });
    const { stdout, stderr } = await presetd('preset', 'promote', 'called', '1');
    expect(stdout).toBe('called@1 is now live, replacing version 2.\n');
    expect(stderr).toMatch(/^Called 2 times in the last 7 days by 1 key: .+\.\n$/);
    expect((await presetd('preset', 'label', 'called', 'qa', '2')).stderr).toMatch(
      /^Called 1 time with label qa in the last 7 days by 1 key: .+\.\n$/,
    );
    expect(await output('preset', 'label', 'called', 'new', '2')).toContain('called@2');
    expect(JSON.parse(await output('preset', 'promote', 'called', '2', '--json'))).toMatchObject({
      data: { designated_version: { version: 2 } },
    });
  });

  it('rollback without a version makes the version live that was live before', async () => {
    for (const content of ['A', 'B', 'C'])
      await push('thrice', { model: 'm', messages: [{ role: 'system', content }] });
    await output('preset', 'promote', 'thrice', '1');
    expect(await output('preset', 'rollback', 'thrice')).toBe('thrice@3 is now live, replacing version 1.\n');
    await output('preset', 'edit', 'thrice', '--name', 'Thrice');
    expect(await output('preset', 'rollback', 'thrice')).toBe('thrice@1 is now live, replacing version 3.\n');
  });

  it('rollback without a version fails if no other version is known to have been live', async () => {
    await push('once', { model: 'm', messages: [{ role: 'system', content: 'A' }] });
    const unknown = (slug: string, live: number) =>
      `No version of ${slug} is known to have been live before version ${live}. Name the version to make live; "presetd preset versions ${slug}" lists them.\n`;
    expect(await presetd('preset', 'rollback', 'once')).toEqual({
      code: 4,
      stdout: '',
      stderr: unknown('once', 1),
    });
    await push('moved', { model: 'm', messages: [{ role: 'system', content: 'A' }] });
    await push('moved', { model: 'm', messages: [{ role: 'system', content: 'B' }] });
    const exported = (await presetd('export')).stdout.split('\n');
    const moved = exported.filter((line) => line.includes('"moved"')).join('\n');
    const end = JSON.stringify({ type: 'end', presets: 1, versions: 2 });
    file('copied.ndjson', [exported[0], moved.replaceAll('"moved"', '"copied"'), end, ''].join('\n'));
    expect(await presetd('import', 'copied.ndjson')).toMatchObject({ code: 0 });
    expect((await presetd('preset', 'rollback', 'copied')).stderr).toBe(unknown('copied', 2));
  });

  it('moving the live version or a label says which calls break, and needs --yes', async () => {
    const withCustomer = {
      model: 'm',
      messages: [{ role: 'system', content: 'Be kind to {{customer}}.' }],
      presetd: { variables: { customer: { type: 'string' } } },
    };
    await push('broken', first);
    const breaks = 'customer is a new variable without a default: calls without `customer` fail';
    expect(await push('broken', withCustomer)).toMatchObject({
      code: 0,
      stdout: 'broken@2\n',
      stderr: expect.stringContaining(`Warning: /presetd/variables/${breaks}.\n`),
    });
    const back =
      'Some calls to broken that version 2 accepts will fail with version 1:\n' +
      '  customer is no longer a variable: calls with `customer` fail\nIt was never called.\n';
    const refusal = 'Nothing was changed. To go ahead, add --yes.\n';
    expect(await presetd('preset', 'rollback', 'broken', '1')).toEqual({
      code: 2,
      stdout: '',
      stderr: back + refusal,
    });
    expect(await output('preset', 'show', 'broken')).toContain('version      2 of 2, live\n');
    expect(await presetd('preset', 'rollback', 'broken', '1', '--yes')).toEqual({
      code: 0,
      stdout: 'broken@1 is now live, replacing version 2.\n',
      stderr: back,
    });
    // Without a version, this goes back to the one that was live before: version 2.
    expect(await presetd('preset', 'rollback', 'broken')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`will fail with version 2:\n  ${breaks}\n`),
    });
    expect((await presetd('preset', 'promote', 'broken')).stderr).toContain(`  ${breaks}\n`);
    await output('preset', 'promote', 'broken', '--yes', '--json');
    await output('preset', 'label', 'broken', 'beta', '1');
    expect(await presetd('preset', 'label', 'broken', 'beta', '2')).toMatchObject({ code: 2, stdout: '' });
    expect(await presetd('preset', 'label', 'broken', 'beta', '2', '-y')).toMatchObject({
      code: 0,
      stdout: 'Label beta now points to broken@2.\n',
      stderr: expect.stringContaining(breaks),
    });
    // Nothing moves, so nothing breaks.
    await output('preset', 'label', 'broken', 'beta', '2');
    await output('preset', 'promote', 'broken', '2');
  });

  it('show accepts the form that other commands print', async () => {
    expect(await output('preset', 'show', 'support@1')).toMatch(/^support@1\n/);
    expect(await output('preset', 'show', 'support@latest')).toMatch(/^support@2\n/);
    expect(await presetd('preset', 'show', 'support@1', '--version', '2')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Name the version once: support@1, or support with --version.\n',
    });
    for (const name of ['support@', 'support@1@2', '@1'])
      expect(await presetd('preset', 'show', name)).toMatchObject({ code: 2, stdout: '' });
  });

  it('a preset is disabled, enabled, archived and restored', async () => {
    expect(await output('preset', 'edit', 'support', '--status', 'disabled')).toBe(
      'Updated status of support.\n',
    );
    expect(await output('preset', 'list', '--status', 'disabled')).toContain('support  disabled');
    expect((await presetd('preset', 'archive', 'support')).stderr).toMatch(/is disabled. Enable it/);
    await output('preset', 'edit', 'support', '--status', 'active', '--description', '', '--json');
    expect(await output('preset', 'archive', 'support')).toBe(
      'Archived support. To bring it back, run "presetd preset restore support".\n',
    );
    expect(JSON.parse(await output('preset', 'archive', 'support', '--json'))).toMatchObject({
      data: { status: 'archived', description: null },
    });
    expect(await output('preset', 'restore', 'support')).toBe('support is active.\n');
    expect(JSON.parse(await output('preset', 'restore', 'support', '--json'))).toMatchObject({
      data: { status: 'active' },
    });
  });

  it('events lists the history of a preset', async () => {
    const events = (await output('preset', 'events', 'support')).split('\n');
    expect(events[0]).toMatch(/^# +TIME +EVENT +ACTOR +KEY +CHANGE$/);
    expect(events[1]).toMatch(/ restored +owner@localhost +\S+ +status archived → active$/);
    expect(events.find((line) => line.includes(' label_removed '))).toMatch(
      / label canary, version 2 → none$/,
    );
    expect(events.at(-2)).toMatch(/^Showing 1-(\d+) of \1$/);
    const page = await output('preset', 'events', 'support', '--limit', '1', '--offset', '2', '--json');
    expect(JSON.parse(page).data).toHaveLength(1);
  });
});

describe('preset list', () => {
  it('list searches and pages through presets', async () => {
    await push('listed-one', first);
    await push('listed-two', first);
    const list = await output('preset', 'list', '--search', 'listed', '--limit', '1');
    expect(list).toMatch(
      new RegExp(
        `^SLUG        STATUS  VERSION  UPDATED            LABELS  TAGS  NAME\nlisted-two  active  1 of 1   ${time}                listed-two\nShowing 1-1 of 2; use --offset 1 for more\n$`,
      ),
    );
    expect(await output('preset', 'list', '--search', 'listed', '--offset', '1')).toMatch(
      /^listed-one .*\nShowing 2-2 of 2\n/m,
    );
    expect(await output('preset', 'list', '--search', 'nothing')).toMatch(/\nNo results\n$/);
    const json = JSON.parse(await output('preset', 'list', '--search', 'listed', '--json'));
    expect(json).toMatchObject({ data: [{ slug: 'listed-two' }, { slug: 'listed-one' }], total_count: 2 });
  });

  it('list --workspace reads that workspace', async () => {
    const { stderr } = await presetd('preset', 'list', '--workspace', '00000000-0000-4000-8000-000000000000');
    expect(stderr).toBe(
      'There is no workspace "00000000-0000-4000-8000-000000000000" that you can access.\n',
    );
  });
});

describe('a failing command', () => {
  it.each([
    [['preset', 'show', 'nothing'], 4, 'There is no preset "nothing" that you can access.\n'],
    [
      ['preset', 'show', 'support', '--version', '9'],
      4,
      'The preset "support" has no version 9; it has versions 1 to 2.\n',
    ],
    [
      ['preset', 'rollback', 'support', 'nowhere'],
      4,
      'support has no label "nowhere". Use a version number, or one of: production, staging, latest, designated.\n',
    ],
    [['preset', 'diff', 'json'], 1, 'json has only one version, so there is nothing to compare it with.\n'],
    [['preset', 'edit', 'support'], 2, 'Nothing to change. Use --name, --description or --status.\n'],
    [
      ['preset', 'label', 'support', 'production'],
      2,
      'Name the version that production should point to, or add --remove.\n',
    ],
    [['preset', 'label', 'support', '--remove'], 2, '--remove takes a label and no version.\n'],
    [
      ['preset', 'label', 'support', 'production', '1', '--remove'],
      2,
      '--remove takes a label and no version.\n',
    ],
    [['preset', 'rollback', 'support', '01'], 4, /^support has no label "01"/],
    [['preset', 'rollback', 'support', '1234567890123456'], 4, /^support has no label "1234567890123456"/],
    [
      ['preset', 'tag', 'support', 'mobile', 'absent', '--remove'],
      4,
      'support has no tag "absent". Tags of support: mobile.\n',
    ],
    [['preset', 'alias', 'support', '--remove'], 2, 'Name the alias to remove.\n'],
    [
      ['preset', 'alias', 'support', '..'],
      2,
      /^"\.\." is not valid\. The preset alias must be 1 to 128 characters/,
    ],
    [['preset', 'rename', 'support', 'a b'], 2, /The preset slug must be 1 to 128 characters/],
    [['preset', 'tag', 'support', '--remove'], 2, 'Name the tags to remove.\n'],
    [['preset', 'tag', 'support', 'Mobile'], 2, /A tag must be 1 to 64 characters from a-z 0-9/],
    [['preset', 'list', '--tag', 'a b'], 2, /A tag must be 1 to 64 characters from a-z 0-9/],
    [
      ['preset', 'tag', 'support', 'absent', '--remove'],
      4,
      'support has no tag "absent". Tags of support: mobile.\n',
    ],
    [['preset', 'tag', 'nothing'], 4, /There is no preset "nothing"/],
    [['preset', 'label', 'support', '..', '1'], 2, /A label must be 1 to 63 characters from a-z 0-9 -/],
    [['preset', 'label', 'support', 'latest', '1'], 2, /always means the newest version/],
    [['preset', 'show', '..'], 2, /The preset slug must be 1 to 128/],
    [['preset', 'list', '--limit', '101'], 2, /Must be from 1 to 100\./],
    [['preset', 'list', '--status', 'gone'], 2, /Allowed choices are active, disabled, archived, all\./],
    [
      ['preset', 'push', 'x', '-', '--dialect', 'morse'],
      2,
      /Allowed choices are chat-completions, messages, responses\./,
    ],
  ])('%j fails with one sentence and the exit code %i', async (args, exitCode, message) => {
    const { code, stdout, stderr } = await presetd(...args);
    expect([code, stdout]).toEqual([exitCode, '']);
    if (typeof message === 'string') expect(stderr).toBe(message);
    else expect(stderr).toMatch(message);
  });

  it.each([
    [{}, 3, /^No API key is set\. Sign in .* or set PRESETD_API_KEY .*\n$/],
    [
      { PRESETD_API_KEY: 'wrong' },
      3,
      /^The server at \S+ rejected the key in PRESETD_API_KEY: Unknown API key\. .*\n$/,
    ],
    [{ PRESETD_API_KEY: key, PRESETD_URL: 'localhost' }, 2, /\n {2}PRESETD_URL must be a URL such as /],
  ])(
    'the settings %j fail with one sentence and the exit code %i',
    async (environment, exitCode, message) => {
      const args = ['preset', 'list'];
      const { code, stderr } = await runCommand(args, directory.path, {
        PRESETD_URL: server.url,
        ...environment,
      });
      expect(code).toBe(exitCode);
      if (typeof message === 'string') expect(stderr).toBe(message);
      else expect(stderr).toMatch(message);
    },
  );

  it.each([
    [
      404,
      { 'content-type': 'text/html; charset=utf-8' },
      '<html>',
      /^URL is not a presetd server: it returned 404, text\/html\. Check PRESETD_URL\./,
    ],
    [
      200,
      { 'content-type': 'text/html' },
      '<html>',
      /^URL is not a presetd server: it returned 200, text\/html\./,
    ],
    [
      200,
      { 'content-type': 'application/json' },
      '{"models":[]}',
      /^URL is not a presetd server: it returned 200, /,
    ],
    [404, {}, '{"error":"oops"}', /^URL is not a presetd server: it returned 404, no content type\./],
    [502, { 'content-type': 'text/html' }, '<html>', /^The server at URL is unavailable \(status 502\)\./],
    [
      301,
      { location: 'https://elsewhere.example/' },
      '',
      /^URL redirects to https:\/\/elsewhere\.example\/\. Set PRESETD_URL/,
    ],
  ])(
    'a server that returns %i with %j is reported in one sentence',
    async (status, headers, body, message) => {
      const other = await startStubServer((_request, response) =>
        response.writeHead(status, headers).end(body),
      );
      for (const args of [['preset', 'list'], ['export']]) {
        const { code, stdout, stderr } = await presetdAt(other.url, args);
        expect([code, stdout]).toEqual([status === 502 ? 6 : 1, '']);
        expect(stderr.replaceAll(other.url, 'URL')).toMatch(message);
      }
      await other.stop();
    },
  );
});

describe('a server that is down', () => {
  it('the error for a server that is down names its address and the setting', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await presetdAt(url, ['preset', 'list'])).toEqual({
      code: 6,
      stdout: '',
      stderr: `Cannot reach the server at ${url}: connection refused. Check that it is running and that PRESETD_URL is correct.\n`,
    });
  });
});

describe('a server that does not use TLS', () => {
  it('https for a server without TLS suggests http', async () => {
    const { code, stderr } = await presetdAt(server.url.replace('http:', 'https:'), ['preset', 'list']);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining('it does not use TLS (try http:// in PRESETD_URL)'),
    ]);
  });
});

describe('settings', () => {
  it('settings come from .env, the URL may include /api/v1, and server settings are ignored', async () => {
    const own = createWorkingDirectory();
    writeFileSync(
      join(own.path, '.env'),
      `PRESETD_URL=${server.url}/api/v1/\nPRESETD_API_KEY=${key}\nPORT=x\nDATABASE_URL=x\n`,
    );
    expect((await runCommand(['preset', 'list'], own.path)).code).toBe(0);
    own.remove();
  });
});

describe('the process', () => {
  it('a command ends silently if its output is closed', async () => {
    const environment = { PRESETD_URL: server.url, PRESETD_API_KEY: key };
    const { process: child, finished } = startCommand(['preset', 'list'], directory.path, environment);
    child.stdout.destroy();
    expect(await finished).toEqual({ code: 141, stdout: '', stderr: '' });
  });

  it.each([[['--help']], [['preset', '--help']], [['preset', 'list']]])(
    '%j loads no server, driver or validator',
    async (args) => {
      // Only those are CommonJS, which is what this cache contains.
      const report = `import { createRequire } from 'node:module';
        process.on('exit', () => console.error(Object.keys(createRequire('/').cache).join()));`;
      const executable = fileURLToPath(new URL('../../bin/presetd.js', import.meta.url));
      const preload = `data:text/javascript,${encodeURIComponent(report)}`;
      const command = `"${process.execPath}" --import "${preload}" "${executable}" ${args.join(' ')} 2>&1 >/dev/null`;
      const env = { ...process.env, PRESETD_URL: server.url, PRESETD_API_KEY: key };
      expect((await execFileInTest('/bin/sh', ['-c', command], { env })).stdout).toBe('\n');
    },
  );
});

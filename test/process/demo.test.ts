import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoCounts } from '../../src/demo/demo.ts';
import { createWorkingDirectory, startCommand } from '../support/command.ts';
import { anyEngine } from '../support/engines.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { runCommand } from '../support/run-command.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { startStubServer } from '../support/stub-server.ts';

describe('presetd demo on an organization with other data', () => {
  let server: TestServer;
  const directory = createWorkingDirectory();
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
  });
  afterAll(() => server.stop());
  const presetd = (...args: string[]) => runDemo(server, directory.path, args);

  it('fills a server with exactly what it reports, and removes exactly that', async () => {
    await server.post('/api/v1/presets/own/chat/completions', { model: 'm', messages: [] });
    const research = await makeWorkspace(server, 'research');
    await makeMember(server, 'grace@example.com');
    await makeKey(server, { workspace_id: research });
    const before = await inventory(server);

    const filled = await presetd();
    expect([filled.code, filled.stderr]).toEqual([0, '']);
    const { workspaces, people: persons, presets, versions, cases } = demoCounts;
    expect(filled.stdout).toContain(
      `${workspaces} workspaces, ${persons} people, ${presets} presets with ${versions} versions and ${cases} test cases`,
    );
    const after = await inventory(server);
    expect(await contents(server)).toEqual({ presets, versions, cases });
    // The account that created them is a member, too, without rights.
    expect(after.members).toHaveLength(before.members.length + persons + 1);
    expect(after.members.filter(({ role }) => role === 'org:admin')).toHaveLength(1);
    expect(after.workspaces).toHaveLength(before.workspaces.length + workspaces);
    expect(after.keys.filter(({ name }) => name.includes('temporary'))).toEqual([]);

    const again = await presetd();
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/^The demo is already there/)]);
    expect(await inventory(server)).toEqual(after);

    const cleaned = await presetd('--clean');
    expect(cleaned).toEqual({ code: 0, stdout: 'Removed the demo data.\n', stderr: '' });
    expect(await inventory(server)).toEqual(before);
    expect(await presetd('--clean')).toMatchObject({
      code: 0,
      stdout: 'There is no demo data on this server.\n',
    });
  });
});

describe('presetd demo', () => {
  let server: TestServer;
  const directory = createWorkingDirectory();
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
  });
  afterAll(() => server.stop());
  const presetd = (...args: string[]) => runDemo(server, directory.path, args);

  it('removes a demo that was interrupted', async () => {
    const before = await inventory(server);
    await interrupt(server, directory.path, 90);
    expect((await inventory(server)).members.length).toBeGreaterThan(before.members.length);
    expect(await presetd('--clean')).toMatchObject({ code: 0, stdout: 'Removed the demo data.\n' });
    expect(await inventory(server)).toEqual(before);
  });

  it('finishes a demo that was interrupted, and asks before it removes the work of others and people who have become real users', async () => {
    const send = async (method: string, path: string, body?: object) =>
      (await server.send(method, `/api/v1/${path}`, body, { key: managementKey })).body?.data;
    const memberAt = (name: string) => `organization/members/${name}@fernhill.example.com`;
    const research = await makeWorkspace(server, 'research');
    const before = await inventory(server);
    for (const changes of [40, 150]) await interrupt(server, directory.path, changes);
    expect((await presetd()).code).toBe(0);
    const { presets, versions, cases } = demoCounts;
    expect(await contents(server)).toEqual({ presets, versions, cases });
    expect((await inventory(server)).keys.filter(({ name }) => name.includes('temporary'))).toEqual([]);

    const id = await workspaceId(server, 'demo-support');
    const [hugo, maya] = [
      await send('GET', memberAt('hugo.marin')),
      await send('GET', memberAt('maya.brooks')),
    ];
    await send('PATCH', `workspaces/${id}`, { slug: 'helpdesk' });
    // The second preset is archived.
    for (const slug of ['ticket-triage', 'holiday-hours'])
      await send('PUT', `presets/${slug}/draft?workspace_id=${id}`, draft);
    await makeKey(server, { workspace_id: id });
    await send('PATCH', memberAt('hugo.marin'), { email: 'hugo@example.com', role: 'org:admin' });
    const { id: hash } = await makeKey(server, { creator_user_id: hugo.id, name: 'Outside' });
    await send('PATCH', memberAt('maya.brooks'), { email: 'maya@example.com' });
    await send('POST', `workspaces/${research}/members/add`, { user_ids: [maya.id], role: 'editor' });

    const refused = await presetd('--clean');
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain(
      [
        '  Hugo Marin (hugo@example.com): another address, an org:admin, has a key outside the demo',
        '  Maya Brooks (maya@example.com): another address, editor of research',
        '  Support (helpdesk): 3 changes, 2 drafts',
        'Run "presetd demo --clean --yes" to remove that too.',
      ].join('\n'),
    );
    expect(await workspaceId(server, 'helpdesk')).toBe(id);

    // The account that created everything, which somebody may take for a stranger.
    await send('DELETE', memberAt('presetd-demo'));
    expect((await presetd('--clean', '--yes')).stdout).toBe('Removed the demo data.\n');
    // Keys of people who leave the organization are disabled.
    const disabled = { hash, name: 'Outside', disabled: true };
    expect(await inventory(server)).toEqual({ ...before, keys: [disabled, ...before.keys] });
  });
});

describe('errors of presetd demo', () => {
  let server: TestServer;
  const directory = createWorkingDirectory();
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
  });
  afterAll(() => server.stop());

  it('presetd demo refuses to touch a workspace or a person that it did not create', async () => {
    await makeWorkspace(server, 'demo-growth');
    await makeMember(server, 'ben.carter@fernhill.example.com');
    const before = await inventory(server);
    const refused = await runDemo(server, directory.path, []);
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain(
      'not demo data: the workspace demo-growth, the member ben.carter@fernhill.example.com.',
    );
    expect(await inventory(server)).toEqual(before);
  });

  it.each([
    ['a key that only reads', { kind: 'read_only' }, 'needs a management key that can write'],
    ['an API key', { kind: 'api' }, 'needs a management key that can write'],
  ])('presetd demo refuses %s', async (_, details, message) => {
    const { secret } = await makeKey(server, details);
    const refused = await runDemo(server, directory.path, [], { PRESETD_MANAGEMENT_KEY: secret });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(message)]);
  });

  it('presetd demo refuses the key of a person who is not an org:admin', async () => {
    const id = await makeMember(server, 'grace@example.com');
    const { secret } = await makeKey(server, { kind: 'management', creator_user_id: id });
    const refused = await runDemo(server, directory.path, ['--clean'], { PRESETD_MANAGEMENT_KEY: secret });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('needs an org:admin')]);
  });

  it('presetd demo reports that the server does not run, and says how to start one', async () => {
    const refused = await runDemo(server, directory.path, [], { PRESETD_URL: 'http://127.0.0.1:1' });
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining('"presetd demo --serve"')]);
  });
});

describe('presetd demo --serve', () => {
  it('serves the demo with models that answer offline, and leaves nothing behind', async () => {
    const directory = createWorkingDirectory();
    const {
      process: child,
      output,
      finished,
    } = startCommand(['demo', '--serve'], directory.path, {
      TMPDIR: directory.path,
      // Settings of a real server, which must not matter.
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      PRESETD_URL: 'http://127.0.0.1:1',
    });
    await expect.poll(() => output.stdout).toMatch(/^http\S+#\S+$/m);
    const link = new URL(/^http\S+#\S+$/m.exec(output.stdout)?.[0] ?? '');
    // The default workspace would be empty.
    expect(link.searchParams.get('return_to')).toBe('/w/demo-support/presets');
    const signedIn = await fetch(`${link.origin}/api/v1/sign-in/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token: link.hash.slice(1) }),
    });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((text) => text.split(';')[0])
      .join('; ');
    const send = async (path: string, body?: object) => {
      const response = await fetch(`${link.origin}/api/v1/${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      });
      return JSON.parse(await response.text());
    };
    const { id } = (await send('workspaces/demo-support')).data;
    expect((await send('models')).data.map((model: { id: string }) => model.id)).toContain('openai/gpt-5');
    const messages = [{ role: 'user', content: 'Refund please' }];
    for (const [path, body] of [
      [
        'chat/completions',
        { messages, prompt: { id: 'refund-assistant', variables: { customer_name: 'Ana' } } },
      ],
      ['messages', { messages, prompt: { id: 'reply-drafter', variables: { agent: 'Hugo' } } }],
      ['responses', { input: 'Refund please', prompt: { id: 'conversation-summary' } }],
    ] as const)
      expect(JSON.stringify(await send(`${path}?workspace_id=${id}`, body))).toContain('FH');
    child.kill('SIGTERM');
    expect((await finished).code).toBe(0);
    expect(readdirSync(directory.path).filter((name) => name.startsWith('presetd-demo-'))).toEqual([]);
  });
});

const draft = { text: '{"model":', dialect: null, base_version: 1 };

function runDemo(
  server: TestServer,
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const settings = { PRESETD_URL: server.url, PRESETD_MANAGEMENT_KEY: managementKey, ...environment };
  return runCommand(['demo', ...args], cwd, settings);
}

/** Breaks the connection of the command after so many changes, as if it were killed. */
async function interrupt(server: TestServer, cwd: string, changes: number): Promise<void> {
  let left = changes;
  const proxy = await startStubServer(async (request, response) => {
    const { method = '', url, headers } = request;
    if (method !== 'GET') left -= 1;
    if (left < 0) {
      request.socket.destroy();
      return;
    }
    const body = Buffer.concat(await request.toArray());
    const { authorization = '', 'content-type': type = '' } = headers;
    const answer = await fetch(server.url + url, {
      method,
      headers: { authorization, ...(type && { 'content-type': type }) },
      ...(body.length > 0 && { body }),
    });
    response.statusCode = answer.status;
    response.end(await answer.text());
  });
  expect((await runDemo(server, cwd, [], { PRESETD_URL: proxy.url })).code).toBe(6);
  await proxy.stop();
}

/** Everything that people see in the lists of an organization. */
async function inventory(server: TestServer) {
  const list = async (path: string) => (await server.get(`/api/v1/${path}`)).body.data;
  const workspaces: readonly { id: string; updated_at: unknown }[] = await list('workspaces?limit=100');
  const members: readonly { id: string; role: string }[] = await list('organization/members?limit=100');
  const keys: { hash: string; name: string }[] = [];
  const presets: unknown[] = [];
  for (const { id } of workspaces) {
    const found = await list(`keys?include_disabled=true&workspace_id=${id}`);
    keys.push(...found.map(({ hash, name, disabled }: never) => ({ hash, name, disabled })));
    presets.push(...(await list(`presets?limit=100&workspace_id=${id}`)));
  }
  return { workspaces, members, keys, presets };
}

/** What is in the workspaces of the demo. */
async function contents(server: TestServer) {
  const counts = { presets: 0, versions: 0, cases: 0 };
  for (const { id, slug } of (await server.get('/api/v1/workspaces?limit=100')).body.data) {
    if (!slug.startsWith('demo-')) continue;
    const { text } = await server.get(`/api/v1/export?workspace_id=${id}`);
    for (const line of text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))) {
      if (line.type === 'preset') counts.presets += 1;
      if (line.type === 'version') counts.versions += 1;
      if (line.type === 'case') counts.cases += 1;
    }
  }
  return counts;
}

async function workspaceId(server: TestServer, slug: string): Promise<string> {
  return (await server.get(`/api/v1/workspaces/${slug}`)).body.data.id;
}

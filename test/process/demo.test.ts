import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { demoCounts, demoWorkspaces } from '../../src/demo/demo.ts';
import { people } from '../../src/demo/people.ts';
import { createWorkingDirectory, startCommand } from '../support/command.ts';

describe('presetd demo', () => {
  const directory = createWorkingDirectory();
  let demo: ReturnType<typeof startCommand>;
  let link: URL;
  let cookie: string;

  beforeAll(async () => {
    demo = startCommand(['demo'], directory.path, {
      TMPDIR: directory.path,
      // Settings of a real server, which must not matter.
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      PRESETD_URL: 'http://127.0.0.1:1',
    });
    link = await linkOf(demo);
    const signedIn = await fetch(`${link.origin}/api/v1/sign-in/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token: link.hash.slice(1) }),
    });
    cookie = signedIn.headers
      .getSetCookie()
      .map((text) => text.split(';')[0])
      .join('; ');
  });

  const send = async (path: string, body?: object) => {
    const response = await fetch(`${link.origin}/api/v1/${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    });
    return response.text();
  };
  const list = async (path: string) => JSON.parse(await send(path)).data;

  const usage = async (query: object): Promise<readonly Record<string, string | number | null>[]> => {
    const start = new Date(Date.now() - 31 * 86_400_000).toISOString();
    const range = { time_range: { start, end: new Date().toISOString() } };
    return JSON.parse(await send('analytics/query', { ...range, ...query })).data.data;
  };

  it('presetd demo prints a link to presets, and exactly how much there is', async () => {
    const { workspaces, people: persons, presets, versions, cases } = demoCounts;
    expect(demo.output.stdout).toContain(
      `${workspaces} workspaces, ${persons} people, ${presets} presets with ${versions} versions and ${cases} test cases`,
    );
    const [row] = await usage({ metrics: ['request_count'] });
    const calls = Number(row?.request_count).toLocaleString('en-US');
    expect(demo.output.stdout).toContain(`, and ${calls} calls in the last 30 days.`);
    // The default workspace would be empty.
    expect(link.searchParams.get('return_to')).toBe('/w/support/presets');
    expect(await list('organization/members?limit=100')).toHaveLength(persons);
    const created: readonly { id: string; is_default: boolean }[] = await list('workspaces?limit=100');
    expect(created).toHaveLength(workspaces);
    const counts = { preset: 0, version: 0, case: 0 };
    for (const { id } of created) {
      const lines = (await send(`export?workspace_id=${id}`)).trim().split('\n');
      for (const { type } of lines.map((line) => JSON.parse(line) as { type: string }))
        if (type === 'preset' || type === 'version' || type === 'case') counts[type] += 1;
    }
    expect(counts).toEqual({ preset: presets, version: versions, case: cases });
  });

  it('each workspace of the demo has its team and its keys, and its presets have their authors', async () => {
    for (const story of demoWorkspaces) {
      const { id } = await list(`workspaces/${story.slug}`);
      const members: readonly { email: string; workspace_role: string }[] = await list(
        `workspaces/${id}/members`,
      );
      const team = Object.fromEntries(members.map((member) => [member.email, member.workspace_role]));
      expect(team).toMatchObject(
        Object.fromEntries(Object.entries(story.team).map(([person, role]) => [emailOf(person), role])),
      );
      const keys: readonly { name: string }[] = await list(`keys?include_disabled=true&workspace_id=${id}`);
      expect(keys.map(({ name }) => name).sort()).toEqual(story.keys.map(({ name }) => name).sort());
      const [preset] = story.presets;
      const versions: readonly { creator_email: string }[] = await list(
        `presets/${preset?.slug}/versions?limit=100&workspace_id=${id}`,
      );
      expect(versions.map((version) => version.creator_email)).toEqual(
        preset?.versions.map(({ by }) => emailOf(by)),
      );
    }
    const everybody: readonly { workspace_role: string }[] = await list('workspaces/default/members');
    expect(everybody.filter((member) => member.workspace_role === 'viewer')).toHaveLength(people.size);
    // Keys of the organization: those of the first start, and none that the demo was filled with.
    const names = (await list('keys?include_disabled=true')).map(({ name }: { name: string }) => name);
    expect(names).not.toContain('Temporary');
  });

  it('the demo has a month of calls: by keys, people and versions, some streamed, some failed', async () => {
    const metrics = ['request_count', 'error_count', 'streamed_request_count', 'unpriced_request_count'];
    const [sums] = await usage({ metrics });
    for (const metric of metrics) expect(sums?.[metric]).toBeGreaterThan(50);
    // Just after midnight, nobody has called today.
    expect([29, 30]).toContain((await usage({ metrics, granularity: 'day' })).length);
    const callingKeys = demoWorkspaces.flatMap(({ keys }) => keys.filter(({ calls }) => calls));
    const keys = await usage({ metrics, dimensions: ['api_key_id'] });
    expect(keys.map((row) => row.api_key_name).filter((name) => name !== null)).toHaveLength(
      callingKeys.length,
    );
    expect((await usage({ metrics, dimensions: ['purpose'] })).map((row) => row.purpose)).toEqual([
      'call',
      'workbench',
    ]);
    const filters = [{ field: 'preset', operator: 'eq', value: 'refund-assistant' }];
    const versions = await usage({ metrics, dimensions: ['preset_version'], filters });
    expect(versions.map((row) => row.preset_version).sort()).toEqual([10, 11, 12, 13, 9]);
  });

  it('the demo happened over months: versions, events, keys and last calls have times of their own', async () => {
    const { id } = await list('workspaces/support');
    const days = (times: readonly string[]) => new Set(times.map((time) => time.slice(0, 10))).size;
    const events: readonly { created_at: string }[] = await list(`audit?limit=100&workspace_id=${id}`);
    expect(days(events.map((event) => event.created_at))).toBeGreaterThan(20);
    const keys: readonly { created_at: string; last_used_at: string }[] = await list(
      `keys?workspace_id=${id}`,
    );
    for (const time of ['created_at', 'last_used_at'] as const)
      expect(new Set(keys.map((key) => key[time])).size).toBe(keys.length);
    const presets: readonly { updated_at: string; last_called_at: string | null }[] = await list(
      `presets?limit=100&workspace_id=${id}`,
    );
    expect(days(presets.map((preset) => preset.updated_at))).toBeGreaterThan(6);
    const called = presets.flatMap((preset) => preset.last_called_at ?? []);
    expect(new Set(called).size).toBe(called.length);
    const members: readonly { last_active_at: string | null }[] = await list('organization/people?limit=100');
    expect(days(members.flatMap((member) => member.last_active_at ?? []))).toBeGreaterThan(3);
  });

  it('the models of presetd demo answer offline in every dialect', async () => {
    const { id } = await list('workspaces/support');
    expect((await list('models')).map((model: { id: string }) => model.id)).toContain('openai/gpt-5');
    const messages = [{ role: 'user', content: 'Refund please' }];
    for (const [path, body] of [
      [
        'chat/completions',
        { messages, prompt: { id: 'refund-assistant', variables: { customer_name: 'Ana' } } },
      ],
      ['messages', { messages, prompt: { id: 'reply-drafter', variables: { agent: 'Hugo' } } }],
      ['responses', { input: 'Refund please', prompt: { id: 'conversation-summary' } }],
    ] as const)
      expect(await send(`${path}?workspace_id=${id}`, body)).toContain('FH');
  });
});

it('presetd demo --serve is the same, and leaves nothing behind', async () => {
  const directory = createWorkingDirectory();
  const demo = startCommand(['demo', '--serve'], directory.path, { TMPDIR: directory.path });
  await linkOf(demo);
  expect(traces(directory.path)).toHaveLength(1);
  demo.process.kill('SIGINT');
  expect((await demo.finished).code).toBe(0);
  expect(traces(directory.path)).toEqual([]);
});

async function linkOf(demo: ReturnType<typeof startCommand>): Promise<URL> {
  const link = /^http\S+#\S+$/m;
  while (!link.test(demo.output.stdout)) {
    const ended = await Promise.race([demo.finished, once(demo.process.stdout, 'data')]);
    if ('code' in ended) throw new Error(`presetd demo ended: ${ended.stderr}`);
  }
  return new URL(link.exec(demo.output.stdout)?.[0] ?? '');
}

function traces(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith('presetd-demo-'));
}

function emailOf(person: string): string | undefined {
  return [...people].find(([id]) => id === person)?.[1].email;
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';

let directory: ReturnType<typeof createWorkingDirectory>;
let server: ServerProcess | undefined;
beforeEach(() => {
  directory = createWorkingDirectory();
});
afterEach(async () => {
  await server?.stop();
  directory.remove();
});

const write = (name: string, text: string) => writeFileSync(join(directory.path, name), text);

async function start(environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  server = await startServerProcess(directory.path, environment);
  return server;
}

function logged({ stdout }: ServerProcess): readonly Readonly<Record<string, unknown>>[] {
  const lines = stdout().split('\n').slice(0, -1);
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}

/** Sends SIGHUP, waits for the log line about the reload and returns it. */
async function hangUp(running: ServerProcess): Promise<Readonly<Record<string, unknown>>> {
  const reloads = () => logged(running).filter(({ msg }) => /reloaded/.test(String(msg)));
  const before = reloads().length;
  running.process.kill('SIGHUP');
  await expect.poll(() => reloads().length).toBe(before + 1);
  return reloads().at(-1) ?? {};
}

const warnings = (running: ServerProcess) =>
  logged(running)
    .filter(({ level }) => level === 40)
    .map(({ upstream, variable }) => ({ upstream, variable }));

describe('SIGHUP', () => {
  it('SIGHUP reloads the upstream file and the keys in .env, or reports every problem and keeps the upstreams until it is fixed', async () => {
    write('presetd.yaml', 'upstreams: [{ name: first, kind: openai }]');
    const running = await start({ PRESETD_CONFIG: 'presetd.yaml' });
    write('presetd.yaml', 'upstreams: [{ name: first, kind: openai }, { name: second, kind: anthropic }]');
    write('.env', 'OPENAI_API_KEY=sk-hush\n');
    expect(await hangUp(running)).toMatchObject({ level: 30, upstreams: ['first', 'second'] });
    await expect
      .poll(() => warnings(running))
      .toEqual([
        { upstream: 'first', variable: 'OPENAI_API_KEY' },
        { upstream: 'second', variable: 'ANTHROPIC_API_KEY' },
      ]);
    expect(running.stdout()).not.toContain('hush');

    write('presetd.yaml', 'upstreams:\n  - name: B\n    kind: c\n');
    expect(await hangUp(running)).toMatchObject({
      level: 50,
      msg: expect.stringMatching(/^not reloaded: keeping the current upstreams/),
      problems: [
        expect.stringMatching(/^presetd\.yaml line 2: upstreams\[0\]\.name must be/),
        expect.stringMatching(/^presetd\.yaml line 3: upstreams\[0\]\.kind must be one of/),
      ],
    });
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
    write(
      'presetd.yaml',
      'upstreams: [{ name: b, kind: openai-compatible, base_url: "http://127.0.0.1:9" }]',
    );
    expect(await hangUp(running)).toMatchObject({ level: 30, upstreams: ['b'] });
    expect(warnings(running)).toHaveLength(2);
  });

  it('SIGHUP reloads the sign-in providers and their secrets, with workers too', async () => {
    const provider = (id: string) =>
      `{ id: ${id}, name: A, issuer: "http://127.0.0.1:9", client_id: a, client_secret_env: A_SECRET }`;
    const groups = 'groups: [{ name: writers, workspaces: { default: viewer, shop: editor } }]';
    write('sign-in.yaml', `providers: [${provider('first')}]\n${groups}`);
    const running = await start({ PRESETD_SIGN_IN_CONFIG: 'sign-in.yaml', PRESETD_WORKERS: '2' });
    const listed = async () => {
      const response = await fetch(`${running.url}/api/v1/sign-in`, { headers: { connection: 'close' } });
      const { data } = (await response.json()) as { data: { providers: { id: string }[] } };
      return data.providers.map(({ id }) => id);
    };
    expect(await listed()).toEqual(['first']);
    const unknownWorkspace = (groupsGive: string) =>
      `Workspace shop does not exist, so the ${groupsGive} no role in it. Create it or correct its slug in the sign-in file.`;
    const messages = () => logged(running).map(({ msg }) => msg);
    for (const warning of [
      'A_SECRET is not set: nobody can sign in with first',
      expect.stringMatching(/^PRESETD_PUBLIC_URL is not set: .* such as https:/),
      unknownWorkspace('group writers gives'),
    ])
      await expect.poll(messages).toContainEqual(warning);
    const moreGroups = `${groups.slice(0, -1)}, { name: staff, workspaces: { shop: viewer } }]`;
    write(
      'sign-in.yaml',
      `password: false\nproviders: [${provider('first')}, ${provider('second')}]\n${moreGroups}`,
    );
    write('.env', 'A_SECRET=hush\n');
    expect(await hangUp(running)).toMatchObject({ level: 30, providers: ['first', 'second'] });
    for (let count = 0; count < 10; count += 1) await expect.poll(listed).toEqual(['first', 'second']);
    // One worker warns about them, once per start and reload.
    await expect
      .poll(() => messages().filter((message) => /^Workspace /.test(String(message))))
      .toEqual([unknownWorkspace('group writers gives'), unknownWorkspace('groups writers, staff give')]);
    write('sign-in.yaml', 'providers: [{ id: link }]');
    expect(await hangUp(running)).toMatchObject({ level: 50 });
    expect(await listed()).toEqual(['first', 'second']);
    expect(running.stdout()).not.toContain('hush');
  });

  it('SIGHUP without an upstream file reloads the default one, and says that a new public URL needs a restart, not that it is missing', async () => {
    write('sign-in.yaml', 'providers: []');
    const running = await start({ PRESETD_SIGN_IN_CONFIG: 'sign-in.yaml' });
    const publicUrlWarnings = () =>
      logged(running)
        .map(({ msg }) => String(msg))
        .filter((message) => message.startsWith('PRESETD_PUBLIC_URL'));
    write(
      'sign-in.yaml',
      'providers: [{ id: a, name: A, issuer: "http://127.0.0.1:9", client_id: a, client_secret_env: A }]',
    );
    expect(await hangUp(running)).toMatchObject({ level: 30, upstreams: ['openrouter'] });
    const missing = expect.stringMatching(/^PRESETD_PUBLIC_URL is not set/);
    await expect.poll(publicUrlWarnings).toEqual([missing]);
    write('.env', 'PRESETD_PUBLIC_URL=https://presets.example.com\n');
    await hangUp(running);
    await expect
      .poll(publicUrlWarnings)
      .toEqual([missing, 'PRESETD_PUBLIC_URL has changed: restart the server to use the new value']);
  });
});

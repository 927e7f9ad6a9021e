import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Agent, get as httpGet } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, spawnCommand, startServerProcess } from '../support/command.ts';
import { createDatabase, sqliteAt } from '../support/database.ts';
import { anyEngine, engines } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { apiKey, startServerOn, startTestServer } from '../support/server.ts';
import { spawnInTest } from '../support/test-scope.ts';

const chat = JSON.stringify({ model: 'm', messages: [{ role: 'system', content: 'secret prompt text' }] });
const create = (url: string, key: string, slug = 'p', body = chat) =>
  fetch(`${url}/api/v1/presets/${slug}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
const keyIn = (text: string, kind: string) =>
  new RegExp(`${kind} key +(sk-pst-v1-[0-9a-f]{64})`).exec(text)?.[1] ?? '';

/** Two unknown settings among variables that have another meaning. */
const someUnknown = {
  file: 'PRESETD_WORKER=2\nPRESETD_API_KEY=sk-1\nPRESETD_EMPTY=\n',
  environment(folder: string) {
    const upstreams = 'upstreams: [{ name: a, kind: openai, api_key_env: PRESETD_KEY_OF_A }]';
    writeFileSync(join(folder, 'upstreams.yaml'), upstreams);
    return {
      PRESETD_RATELIMIT: '5',
      PRESETD_SERVICE_HOST: '10.0.0.1',
      PRESETD_PORT_7778_TCP_ADDR: '10.0.0.1',
      PRESETD_URL: 'http://127.0.0.1:1',
      PRESETD_CONFIG: 'upstreams.yaml',
      PRESETD_KEY_OF_A: 'sk-2',
    };
  },
  message:
    '"msg":"ignoring unknown settings: PRESETD_RATELIMIT, PRESETD_WORKER; docs/config.md lists all settings"',
};

const healthRequest = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

let directory: ReturnType<typeof createWorkingDirectory>;
beforeEach(() => {
  directory = createWorkingDirectory();
});
afterEach(() => directory.remove());

describe('the first start', () => {
  it('the first start that can listen creates ./data/presetd.db and prints two working keys; later starts print none', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const environment = { PORT: String(port), LOG_LEVEL: 'warn' };
    const failed = await runCommand(['serve'], directory.path, environment);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('Set HOST and PORT to a free address of this machine.');
    holder.close();

    const first = await startServerProcess(directory.path);
    const firstKey = keyIn(first.stdout(), 'API');
    const managementKey = keyIn(first.stdout(), 'Management');
    expect(await (await create(first.url, firstKey)).json()).toMatchObject({
      data: { designated_version: { version: 1 } },
    });
    const members = await fetch(`${first.url}/api/v1/organization/members`, {
      headers: { authorization: `Bearer ${managementKey}` },
    });
    expect(await members.json()).toMatchObject({
      data: [{ email: 'owner@localhost', first_name: 'Preset', last_name: 'Owner', role: 'org:admin' }],
      total_count: 1,
    });
    expect((await first.stop()).code).toBe(0);
    const file = join(directory.path, 'data', 'presetd.db');
    expect(existsSync(file)).toBe(true);
    expect(statSync(join(directory.path, 'data')).mode & 0o077).toBe(0);
    expect(readFileSync(file).includes(firstKey)).toBe(false);

    const second = await startServerProcess(directory.path);
    expect(second.stdout()).not.toContain('sk-pst');
    expect(await (await create(second.url, firstKey)).json()).toMatchObject({
      data: { designated_version: { version: 2 } },
    });
    expect((await second.stop('SIGINT')).code).toBe(0);
  });

  it('the first start takes keys and owner from the settings, does not print those keys and logs unknown settings', async () => {
    writeFileSync(
      join(directory.path, '.env'),
      `PRESETD_OWNER_EMAIL=ada@example.com\nPRESETD_BOOTSTRAP_API_KEY=from-the-env-file-123\n${someUnknown.file}`,
    );
    const server = await startServerProcess(directory.path, {
      ...someUnknown.environment(directory.path),
      PRESETD_OWNER_FIRST_NAME: 'Ada',
      PRESETD_BOOTSTRAP_MANAGEMENT_KEY: '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~',
    });
    expect((await create(server.url, 'from-the-env-file-123')).status).toBe(200);
    const members = await fetch(`${server.url}/api/v1/organization/members`, {
      headers: { authorization: 'Bearer !"#$%&\'()*+,-./:;<=>?@[]^_`{|}~' },
    });
    expect(await members.json()).toMatchObject({ data: [{ email: 'ada@example.com', first_name: 'Ada' }] });
    const { stdout } = await server.stop();
    expect(stdout).not.toContain('from-the-env-file-123');
    expect(stdout).not.toContain('<=>?@');
    expect(stdout.match(/"level":40.*/g)).toEqual([expect.stringContaining(someUnknown.message)]);
  });
});

describe('configuration', () => {
  it('invalid settings are reported together, without secrets', async () => {
    const { code, stderr, stdout } = await runCommand(['serve'], directory.path, {
      PORT: '70000',
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      LOG_LEVEL: 'loud',
      PRESETD_BODY_LIMIT: '3 apples',
      PRESETD_BOOTSTRAP_API_KEY: 'short-secret',
      PRESETD_OWNER_EMAIL: 'nobody',
    });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      [
        'presetd cannot run. 6 settings are invalid:',
        '  PORT must be a whole number from 0 to 65535, not "70000"',
        '  DATABASE_URL must be sqlite:<path> or postgres://user:password@host:port/name',
        '  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
        '  PRESETD_BODY_LIMIT must be from 1KiB to 256MiB, such as 33554432 or 32MiB, not "3 apples"',
        '  PRESETD_BOOTSTRAP_API_KEY must be 16 to 256 visible ASCII characters without spaces',
        '  PRESETD_OWNER_EMAIL must be an email address, not "nobody"',
        '',
      ].join('\n'),
    );
  });

  it('an unreachable database is reported in one sentence', async () => {
    const { code, stderr } = await runCommand(['serve'], directory.path, {
      DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/none',
    });
    expect(code).toBe(1);
    expect(stderr).toContain('presetd cannot use its database (DATABASE_URL): ');
    expect(stderr).not.toContain('hunter2');
    expect(stderr.split('\n').length).toBeLessThan(4);
  });

  // The settings turn require and verify-ca into verify-full: src/config/database-url.test.ts.
  it.each(['require', 'no-verify'])('sslmode=%s causes no other output than the error', async (mode) => {
    const { stderr } = await spawnCommand(['migrate'], directory.path, {
      DATABASE_URL: `postgres://nobody@127.0.0.1:1/none?sslmode=${mode}`,
    });
    expect(stderr).toBe('presetd cannot use its database (DATABASE_URL): connect ECONNREFUSED 127.0.0.1:1\n');
  });

  it.each([
    [{ DATABASE_URL: 'sqlite:/' }, 1, 'presetd cannot use its database (DATABASE_URL): /: '],
    [{ DATABASE_URL: 'sqlite:notes.txt' }, 1, '/notes.txt: file is not a database'],
    [{ DATABASE_URL: 'sqlite::memory:' }, 2, 'DATABASE_URL must name a file'],
    [{ HOST: '192.0.2.1' }, 1, 'presetd cannot listen: '],
    [{ HOST: 'no-such-host.invalid' }, 1, 'presetd cannot listen: '],
  ])('the settings %j are reported as wrong in one sentence', async (environment, exitCode, message) => {
    writeFileSync(join(directory.path, 'notes.txt'), 'Not a database at all. '.repeat(100));
    const { code, stderr } = await runCommand(['serve'], directory.path, {
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...environment,
    });
    expect(code).toBe(exitCode);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });
});

describe.runIf(engines.includes('postgres'))('a first start that cannot finish', () => {
  it('a first start that cannot finish exits with a reason, and does not listen', async () => {
    const database = await createDatabase('postgres');
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query(`SELECT pg_advisory_lock(hashtext('presetd bootstrap'))`);
    const { code, stderr } = await runCommand(['serve'], directory.path, {
      PORT: '0',
      DATABASE_URL: database.url,
      PRESETD_DATABASE_TIMEOUT_MS: '500',
      LOG_LEVEL: 'warn',
    });
    expect(code).toBe(1);
    // The timeout is reported by PostgreSQL, or by the client if PostgreSQL does not respond in
    // time.
    expect(stderr).toMatch(/^presetd cannot use its database \(DATABASE_URL\): .*timeout.*\n$/);
    await holder.end();
    await database.drop();
  });
});

describe('a SQLite file that is moved while a server uses it', () => {
  const data = (...names: string[]) => join(directory.path, 'data', ...names);
  const move = (from: string, to: string) => {
    for (const name of readdirSync(from).filter((each) => each.startsWith('presetd.db')))
      renameSync(join(from, name), join(to, name));
  };
  const moved =
    'The database file was moved or replaced, so nothing was stored. Restart the server or put the file back.';

  const key = 'bootstrap-key-12345';

  /** Moves the file away and back, and returns how often that was logged. */
  async function moveAndReturn({ url, logged }: { url: string; logged(): string }): Promise<number> {
    const outcomes = async () => {
      const responses = [await create(url, key), await fetch(`${url}/readyz`)];
      const read = await fetch(`${url}/api/v1/presets`, { headers: { authorization: `Bearer ${key}` } });
      return [...responses, read].map(({ status }) => status);
    };
    expect(await outcomes()).toEqual([200, 200, 200]);
    expect((await runCommand(['backup', 'backup.db'], directory.path)).code).toBe(0);

    mkdirSync(data('old'));
    move(data(), data('old'));
    expect(await outcomes()).toEqual([503, 503, 200]);
    expect((await runCommand(['restore', 'backup.db'], directory.path)).code).toBe(0);
    for (let round = 0; round < 10; round += 1) expect(await outcomes()).toEqual([503, 503, 200]);
    expect(await (await create(url, key)).json()).toMatchObject({ error: { message: moved } });
    const times = () => (logged().match(/"level":50.*presetd\.db was moved or replaced.*"/g) ?? []).length;
    await expect.poll(times).toBeGreaterThan(0);

    mkdirSync(data('new'));
    move(data(), data('new'));
    move(data('old'), data());
    expect(await outcomes()).toEqual([200, 200, 200]);
    return times();
  }

  it('writes to a moved SQLite file return 503, reads still work, and it is logged once', async () => {
    mkdirSync(data());
    const server = await startServerOn(sqliteAt(data('presetd.db')), {
      PRESETD_BOOTSTRAP_API_KEY: key,
      LOG_LEVEL: 'warn',
    });
    expect(await moveAndReturn({ url: server.url, logged: () => server.log.join('') })).toBe(1);
    await server.stop();
  });

  it('two workers log unknown settings once, and a moved SQLite file at most once each', async () => {
    writeFileSync(join(directory.path, '.env'), someUnknown.file);
    const server = await startServerProcess(directory.path, {
      ...someUnknown.environment(directory.path),
      PRESETD_BOOTSTRAP_API_KEY: key,
      PRESETD_WORKERS: '2',
      LOG_LEVEL: 'warn',
    });
    expect(await moveAndReturn({ url: server.url, logged: server.stdout })).toBeLessThanOrEqual(2);
    const { code } = await server.stop();
    expect(server.stdout().match(/"level":40.*/g)).toEqual([expect.stringContaining(someUnknown.message)]);
    expect(server.stdout()).not.toContain('"reqId"');
    expect(code).toBe(0);
  });
});

describe('stopping', () => {
  it('SIGTERM finishes a request whose body is still arriving, then exits with 0 without waiting for idle clients or incomplete requests', async () => {
    const server = await startServerProcess(directory.path, {
      PRESETD_BOOTSTRAP_API_KEY: 'bootstrap-key-12345',
    });
    const { port } = new URL(server.url);
    const others = [
      '',
      'GET /healthz HT',
      'no HTTP\r\n\r\n',
      healthRequest,
      `${healthRequest}GET /healthz HTT`,
      `${healthRequest}no HTTP\r\n\r\n`,
    ].map((sent) => {
      const other = connect(Number(port), '127.0.0.1');
      // Such a client stays even after the server closes its side.
      other.allowHalfOpen = true;
      other.on('error', () => {});
      other.write(sent);
      return other;
    });
    await expect.poll(() => others.filter((other) => other.bytesRead > 0).length).toBe(4);
    const socket = connect(Number(port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(
      `POST /api/v1/presets/slow/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer bootstrap-key-12345\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${chat.length}\r\n\r\n${chat.slice(0, 10)}`,
    );
    // Once a later request has its response, the server has this one.
    expect((await create(server.url, 'bootstrap-key-12345')).status).toBe(200);
    const stopped = server.stop();
    while (!server.stdout().includes('stopping')) await delay(10);
    // A kept-alive connection gets one more response; new connections are refused.
    const tryConnect = () =>
      fetch(`${server.url}/healthz`).then(
        () => 'accepted',
        () => 'refused',
      );
    await expect.poll(tryConnect).toBe('refused');
    socket.write(chat.slice(10));
    const { code } = await stopped;
    expect(received).toContain('HTTP/1.1 200 OK');
    expect(received).toContain('"slug":"slow"');
    expect(server.stdout()).toContain('"msg":"stopped"');
    expect(code).toBe(0);
    for (const other of others) other.destroy();
  });

  it('stopping cuts off no request on kept-alive connections', async () => {
    const server = await startServerProcess(directory.path, { PRESETD_BOOTSTRAP_API_KEY: apiKey });
    expect((await create(server.url, apiKey)).status).toBe(200);
    const agent = new Agent({ keepAlive: true });
    const outcomes: unknown[] = [];
    let stoppedAt = Number.POSITIVE_INFINITY;
    const get = () =>
      new Promise<boolean>((resolve) => {
        // On a busy machine a client may be too slow to use the time that the server gives it.
        const isInTime = performance.now() < stoppedAt + 100;
        const request = httpGet(
          `${server.url}/api/v1/presets/p`,
          { agent, headers: { authorization: `Bearer ${apiKey}` } },
          (response) => {
            response.resume().once('close', () => {
              if (isInTime && (response.statusCode !== 200 || !response.complete))
                outcomes.push(response.statusCode);
              resolve(true);
            });
          },
        );
        request.once('error', (error: NodeJS.ErrnoException) => {
          if (isInTime && error.code !== 'ECONNREFUSED') outcomes.push(error.code);
          resolve(false);
        });
      });
    let completed = 0;
    const clients = Array.from({ length: 20 }, async () => {
      while (await get()) completed += 1;
    });
    while (completed < 200) await delay(10);
    stoppedAt = performance.now();
    const { code } = await server.stop();
    await Promise.all(clients);
    agent.destroy();
    expect(outcomes).toEqual([]);
    expect(code).toBe(0);
  });

  it('"npm start" stops gracefully on SIGTERM, as a service manager sends it', async () => {
    const npm = spawnInTest('npm', ['start'], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      env: { ...process.env, PORT: '0', DATABASE_URL: `sqlite:${join(directory.path, 'npm.db')}` },
    });
    let output = '';
    npm.stdout.on('data', (chunk) => {
      output += chunk;
    });
    while (!output.includes('listens on')) await once(npm.stdout, 'data');
    const url = /listens on (http:\S+)/.exec(output)?.[1] ?? '';
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    npm.kill('SIGTERM');
    expect(await once(npm, 'close')).toEqual([0, null]);
    expect(output).toContain('"stopped"');
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it('requests that exceed the shutdown timeout are cut off, and the exit code is 1', async () => {
    const server = await startServerProcess(directory.path, {
      PRESETD_BOOTSTRAP_API_KEY: 'bootstrap-key-12345',
      PRESETD_SHUTDOWN_TIMEOUT_MS: '200',
    });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
    socket.write(
      `POST /api/v1/presets/x/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer bootstrap-key-12345\r\n`,
    );
    socket.write('Content-Type: application/json\r\nContent-Length: 5\r\n\r\n{');
    expect((await create(server.url, 'bootstrap-key-12345')).status).toBe(200);
    const { code, stdout } = await server.stop();
    expect(code).toBe(1);
    expect(stdout).toContain('did not finish within 200 ms');
    socket.destroy();
  });
});

describe('logs', () => {
  it('logs are JSON lines without keys or prompts', async () => {
    const server = await startTestServer(anyEngine);
    await create(server.url, apiKey);
    await create(server.url, 'wrong-key-1234567890');
    await create(server.url, apiKey, 'p', '{"messages": "secret prompt text"}');
    await server.stop();
    const requests = server.log.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request');
    expect(requests).toMatchObject([
      {
        method: 'POST',
        route: '/api/v1/presets/:slug/chat/completions',
        status: 200,
        key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
      { status: 401 },
      { status: 400 },
    ]);
    expect(server.log.join('')).not.toMatch(new RegExp(`${apiKey}|wrong-key|secret prompt`));
  });
});

// On PostgreSQL, processes make no difference: test/contract has both for several connections.
describe('two servers on one SQLite file', () => {
  it('two servers that start on an empty database print keys once and number versions without gaps', async () => {
    const servers = await Promise.all([
      startServerProcess(directory.path),
      startServerProcess(directory.path),
    ]);
    const keys = servers.map((server) => keyIn(server.stdout(), 'API')).filter((key) => key !== '');
    expect(keys).toHaveLength(1);
    const [firstKey = ''] = keys;
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create(servers[index % 2]?.url ?? '', firstKey, 'shared')),
    );
    const versions = await Promise.all(
      responses.map(
        async (response) =>
          ((await response.json()) as { data: { designated_version: { version: number } } }).data
            .designated_version.version,
      ),
    );
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect((await Promise.all(servers.map((server) => server.stop()))).map(({ code }) => code)).toEqual([
      0, 0,
    ]);
  });
});

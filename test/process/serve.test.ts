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
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
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

const healthRequest = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

let directory: ReturnType<typeof createWorkingDirectory>;
beforeEach(() => {
  directory = createWorkingDirectory();
});
afterEach(() => directory.remove());

describe('the first start', () => {
  it('the first start creates ./data/presetd.db and prints two working keys; later starts print none', async () => {
    const first = await startServerProcess(directory.path);
    const apiKey = keyIn(first.stdout(), 'API');
    const managementKey = keyIn(first.stdout(), 'Management');
    expect(await (await create(first.url, apiKey)).json()).toMatchObject({
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
    expect(readFileSync(file).includes(apiKey)).toBe(false);

    const second = await startServerProcess(directory.path);
    expect(second.stdout()).not.toContain('sk-pst');
    expect(await (await create(second.url, apiKey)).json()).toMatchObject({
      data: { designated_version: { version: 2 } },
    });
    expect((await second.stop('SIGINT')).code).toBe(0);
  });

  it('the first start takes keys and owner from the settings, and does not print those keys', async () => {
    writeFileSync(
      join(directory.path, '.env'),
      'PRESETD_OWNER_EMAIL=ada@example.com\nPRESETD_BOOTSTRAP_API_KEY=from-the-env-file-123\n',
    );
    const server = await startServerProcess(directory.path, {
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
  });

  it('after a first start that cannot listen, the next start prints the keys', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const failed = await spawnCommand(['serve'], directory.path, { PORT: String(port) });
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('Set HOST and PORT to a free address of this machine.');
    holder.close();
    const server = await startServerProcess(directory.path);
    expect((await create(server.url, keyIn(server.stdout(), 'API'))).status).toBe(200);
    await server.stop();
  });
});

describe('configuration', () => {
  it('invalid settings are reported together, without secrets', async () => {
    const { code, stderr, stdout } = await spawnCommand(['serve'], directory.path, {
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

  it.each(['1', '2'])('unknown settings are logged once: %s workers', async (workers) => {
    const upstreams = 'upstreams: [{ name: a, kind: openai, api_key_env: PRESETD_KEY_OF_A }]';
    writeFileSync(join(directory.path, 'upstreams.yaml'), upstreams);
    writeFileSync(join(directory.path, '.env'), 'PRESETD_WORKER=2\nPRESETD_API_KEY=sk-1\nPRESETD_EMPTY=\n');
    const server = await startServerProcess(directory.path, {
      PRESETD_WORKERS: workers,
      PRESETD_RATELIMIT: '5',
      PRESETD_SERVICE_HOST: '10.0.0.1',
      PRESETD_PORT_7778_TCP_ADDR: '10.0.0.1',
      PRESETD_URL: 'http://127.0.0.1:1',
      PRESETD_CONFIG: 'upstreams.yaml',
      PRESETD_KEY_OF_A: 'sk-2',
    });
    const { stdout } = await server.stop();
    expect(stdout.match(/"level":40.*/g)).toEqual([
      expect.stringContaining(
        '"msg":"ignoring unknown settings: PRESETD_RATELIMIT, PRESETD_WORKER; docs/config.md lists all settings"',
      ),
    ]);
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

  it.each(['verify-full', 'require', 'verify-ca', 'no-verify'])(
    'sslmode=%s causes no other output than the error',
    async (mode) => {
      const { stderr } = await spawnCommand(['migrate'], directory.path, {
        DATABASE_URL: `postgres://nobody@127.0.0.1:1/none?sslmode=${mode}`,
      });
      expect(stderr).toBe(
        'presetd cannot use its database (DATABASE_URL): connect ECONNREFUSED 127.0.0.1:1\n',
      );
    },
  );

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
    const { code, stderr } = await spawnCommand(['serve'], directory.path, {
      PORT: '0',
      DATABASE_URL: database.url,
      PRESETD_DATABASE_TIMEOUT_MS: '500',
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

  it.each(['1', '2'])(
    'writes to a moved SQLite file return 503, reads still work, and it is logged once: %s workers',
    async (workers) => {
      const key = 'bootstrap-key-12345';
      const server = await startServerProcess(directory.path, {
        PRESETD_BOOTSTRAP_API_KEY: key,
        PRESETD_WORKERS: workers,
        LOG_LEVEL: 'warn',
      });
      const outcomes = async () => {
        const responses = [await create(server.url, key), await fetch(`${server.url}/readyz`)];
        const read = await fetch(`${server.url}/api/v1/presets`, {
          headers: { authorization: `Bearer ${key}` },
        });
        return [...responses, read].map(({ status }) => status);
      };
      expect(await outcomes()).toEqual([200, 200, 200]);
      expect((await runCommand(['backup', 'backup.db'], directory.path)).code).toBe(0);

      mkdirSync(data('old'));
      move(data(), data('old'));
      expect(await outcomes()).toEqual([503, 503, 200]);
      expect((await runCommand(['restore', 'backup.db'], directory.path)).code).toBe(0);
      for (let round = 0; round < 10; round += 1) expect(await outcomes()).toEqual([503, 503, 200]);
      expect(await (await create(server.url, key)).json()).toMatchObject({ error: { message: moved } });
      const logged = () => server.stdout().match(/"level":50.*presetd\.db was moved or replaced.*"/g) ?? [];
      await expect.poll(() => logged().length).toBeGreaterThan(0);

      mkdirSync(data('new'));
      move(data(), data('new'));
      move(data('old'), data());
      expect(await outcomes()).toEqual([200, 200, 200]);
      const { code } = await server.stop();
      // Once per process that noticed.
      expect(logged().length).toBeLessThanOrEqual(Number(workers));
      expect(server.stdout()).not.toContain('"reqId"');
      expect(code).toBe(0);
    },
  );
});

describe('stopping', () => {
  it('SIGTERM finishes a request whose body is still arriving, then exits with 0', async () => {
    const server = await startServerProcess(directory.path, {
      PRESETD_BOOTSTRAP_API_KEY: 'bootstrap-key-12345',
    });
    const { port } = new URL(server.url);
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
    expect(code).toBe(0);
  });

  it('stopping cuts off no request on kept-alive connections', async () => {
    const apiKey = 'bootstrap-key-12345';
    const server = await startServerProcess(directory.path, { PRESETD_BOOTSTRAP_API_KEY: apiKey });
    expect((await create(server.url, apiKey)).status).toBe(200);
    const agent = new Agent({ keepAlive: true });
    const outcomes: unknown[] = [];
    let stoppedAt = Number.POSITIVE_INFINITY;
    const get = () =>
      new Promise<boolean>((resolve) => {
        // On a busy machine a client may be too slow to use the time that the server gives it.
        const isInTime = performance.now() < stoppedAt + 200;
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

  it('stopping does not wait for idle clients or incomplete requests, and exits with 0', async () => {
    const server = await startServerProcess(directory.path);
    const sockets = [
      '',
      'GET /healthz HT',
      'no HTTP\r\n\r\n',
      healthRequest,
      `${healthRequest}GET /healthz HTT`,
      `${healthRequest}no HTTP\r\n\r\n`,
    ].map((sent) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      // Such a client stays even after the server closes its side.
      socket.allowHalfOpen = true;
      socket.on('error', () => {});
      socket.write(sent);
      return socket;
    });
    await expect.poll(() => sockets.filter((socket) => socket.bytesRead > 0).length).toBe(4);
    const { code } = await server.stop();
    expect(server.stdout()).toContain('"msg":"stopped"');
    expect(code).toBe(0);
    for (const socket of sockets) socket.destroy();
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
    const server = await startServerProcess(directory.path, {
      PRESETD_BOOTSTRAP_API_KEY: 'bootstrap-key-12345',
      PRESETD_BOOTSTRAP_MANAGEMENT_KEY: 'bootstrap-management-12345',
      LOG_LEVEL: 'trace',
    });
    await create(server.url, 'bootstrap-key-12345');
    await create(server.url, 'wrong-key-1234567890');
    await create(server.url, 'bootstrap-key-12345', 'p', '{"messages": "secret prompt text"}');
    const { stdout } = await server.stop();
    const lines = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    const requests = lines.filter((line) => line.msg === 'request');
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
    expect(stdout).not.toMatch(/bootstrap-key-12345|wrong-key|secret prompt/);
  });
});

describe.each(engines)('two servers on one database of %s', (engine) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase(engine);
  });
  afterEach(() => database.drop());

  it('two servers that start on an empty database print keys once and number versions without gaps', async () => {
    const environment = { DATABASE_URL: database.url };
    const servers = await Promise.all([
      startServerProcess(directory.path, environment),
      startServerProcess(directory.path, environment),
    ]);
    const keys = servers.map((server) => keyIn(server.stdout(), 'API')).filter((key) => key !== '');
    expect(keys).toHaveLength(1);
    const [apiKey = ''] = keys;
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create(servers[index % 2]?.url ?? '', apiKey, 'shared')),
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

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kinds } from '../gateway/upstreams/upstream-kinds.ts';
import { clientSettings } from './client-config.ts';
import { loadConfig, settings, unknownVariables, workerSettings } from './server-config.ts';
import { ConfigError } from './settings.ts';

const directory = mkdtempSync(join(tmpdir(), 'presetd-config-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;

function fileWith(content: string | Uint8Array): string {
  const path = join(directory, `upstreams-${files++}.yaml`);
  writeFileSync(path, content);
  return path;
}

describe('loadConfig', () => {
  it('every server setting has a default', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 7778,
      storage: { database: { engine: 'sqlite', file: expect.stringMatching(/\/data\/presetd\.db$/) } },
      bodyBytesMax: 33_554_432,
      rateLimitPerMinute: 0,
      authFailureLimitPerMinute: 0,
      trustedProxies: [],
      corsOrigins: [],
      bootstrap: { apiKey: undefined, managementKey: undefined },
    });
  });

  it('PRESETD_REQUESTS_UNDER_WAY, the former name of PRESETD_REQUESTS_IN_FLIGHT, still works', () => {
    const former = { PRESETD_REQUESTS_UNDER_WAY: '7' };
    const both = { ...former, PRESETD_REQUESTS_IN_FLIGHT: '8' };
    expect(loadConfig(former).requestsInFlightMax).toBe(7);
    expect(loadConfig(both).requestsInFlightMax).toBe(8);
    expect(workerSettings(former)).toMatchObject({ PRESETD_REQUESTS_IN_FLIGHT: '7' });
    expect(unknownVariables(former, loadConfig(former))).toEqual([]);
    expect(() => loadConfig({ PRESETD_REQUESTS_UNDER_WAY: 'many' })).toThrow(
      'PRESETD_REQUESTS_UNDER_WAY must be a whole number',
    );
  });

  it.each(['0', 'many', '-1', '1.5', '1000'])('%s workers are rejected', (workers) => {
    expect(() => loadConfig({ PRESETD_WORKERS: workers })).toThrow(
      `PRESETD_WORKERS must be auto or a whole number from 1 to 512, not "${workers}"`,
    );
  });

  it('auto means one worker per core, and a number means that many', () => {
    expect(loadConfig({ PRESETD_WORKERS: 'auto' }).workers).toBe(availableParallelism());
    expect(loadConfig({ PRESETD_WORKERS: '3' }).workers).toBe(3);
  });

  it('an empty variable counts as unset', () => {
    expect(loadConfig({ PORT: '', HOST: '', DATABASE_URL: '' })).toEqual(loadConfig({}));
  });

  it.each([
    ['sqlite:/var/lib/presetd.db', { engine: 'sqlite', file: '/var/lib/presetd.db' }],
    ['sqlite:///var/lib/presetd.db', { engine: 'sqlite', file: '/var/lib/presetd.db' }],
    ['postgres://u:p@h:5432/n', { engine: 'postgres', url: 'postgres://u:p@h:5432/n' }],
    [
      'postgresql://u@h/n?sslmode=require',
      { engine: 'postgres', url: 'postgresql://u@h/n?sslmode=verify-full' },
    ],
  ])('DATABASE_URL=%s is accepted', (text, database) => {
    expect(loadConfig({ DATABASE_URL: text }).storage.database).toEqual(database);
  });

  it.each([
    ['2048', 2_048],
    ['64KiB', 65_536],
    ['1 mib', 1_048_576],
  ])('PRESETD_BODY_LIMIT=%s is accepted', (text, bytes) => {
    expect(loadConfig({ PRESETD_BODY_LIMIT: text }).bodyBytesMax).toBe(bytes);
  });

  it.each([
    ['loopback', ['loopback']],
    ['10.0.0.5, 10.0.0.0/8 ,fd00::/8', ['10.0.0.5', '10.0.0.0/8', 'fd00::/8']],
    ['linklocal,uniquelocal,::ffff:10.0.0.5', ['linklocal', 'uniquelocal', '::ffff:10.0.0.5']],
  ])('PRESETD_TRUSTED_PROXIES=%s is accepted', (text, proxies) => {
    expect(loadConfig({ PRESETD_TRUSTED_PROXIES: text }).trustedProxies).toEqual(proxies);
  });

  it('the message names the trusted proxy that is invalid', () => {
    expect(() => loadConfig({ PRESETD_TRUSTED_PROXIES: 'loopback, proxy.local' })).toThrow(
      /PRESETD_TRUSTED_PROXIES must be comma-separated addresses such as .*, and contains "proxy\.local"/,
    );
  });

  it.each([
    ['*', ['*']],
    ['https://app.example.com', ['https://app.example.com']],
    [
      'http://localhost:3000 , http://[::1]:3000,tauri://localhost,chrome-extension://abc',
      ['http://localhost:3000', 'http://[::1]:3000', 'tauri://localhost', 'chrome-extension://abc'],
    ],
  ])('PRESETD_CORS_ORIGINS=%s is accepted', (text, origins) => {
    expect(loadConfig({ PRESETD_CORS_ORIGINS: text }).corsOrigins).toEqual(origins);
  });

  it('the message names the origin that is invalid', () => {
    expect(() => loadConfig({ PRESETD_CORS_ORIGINS: 'https://a.example, https://b.example/' })).toThrow(
      /PRESETD_CORS_ORIGINS must be \* or comma-separated origins such as .*, and contains "https:\/\/b\.example\/"/,
    );
  });

  it('OpenRouter is the only upstream without an upstream file, with URL and key from the environment', () => {
    const openrouter = {
      name: 'openrouter',
      kind: 'openrouter',
      baseUrl: 'https://openrouter.ai/api/v1',
      dialects: ['chat-completions', 'messages', 'responses'],
      endpoints: kinds.openrouter.endpoints,
      key: { variable: 'OPENROUTER_API_KEY', secret: undefined },
      models: ['*'],
      stripPrefix: '',
      headers: {},
      timeouts: { connectMs: 10_000, firstByteMs: 300_000, idleMs: 120_000, totalMs: 1_800_000 },
      concurrencyMax: undefined,
      queueMax: 0,
      prices: [],
    };
    expect(loadConfig({}).gateway).toEqual({ upstreams: [openrouter], attemptsMax: 4 });
    const environment = { PRESETD_UPSTREAM_URL: 'http://127.0.0.1:9/v1/', OPENROUTER_API_KEY: 'sk-or-1' };
    expect(loadConfig(environment).gateway.upstreams).toEqual([
      {
        ...openrouter,
        baseUrl: 'http://127.0.0.1:9/v1',
        key: { variable: 'OPENROUTER_API_KEY', secret: 'sk-or-1' },
      },
    ]);
  });

  it('upstreams come from a file and their keys from the environment', () => {
    const file = fileWith('upstreams: [{ name: a, kind: openai }]');
    expect(loadConfig({ PRESETD_CONFIG: file, OPENAI_API_KEY: 'sk-1' }).gateway.upstreams).toMatchObject([
      { name: 'a', key: { variable: 'OPENAI_API_KEY', secret: 'sk-1' } },
    ]);
  });

  it('sign-in providers come from a file and their secrets from the environment', () => {
    expect(loadConfig({}).signIn).toEqual({ allowsPassword: true, providers: [], groups: [] });
    const PRESETD_SIGN_IN_CONFIG = fileWith(
      'providers: [{ id: a, name: A, issuer: "https://a.example", client_id: b, client_secret_env: A_SECRET }]',
    );
    expect(loadConfig({ PRESETD_SIGN_IN_CONFIG, A_SECRET: 's' }).signIn.providers).toMatchObject([
      { id: 'a', clientSecret: { variable: 'A_SECRET', secret: 's' } },
    ]);
  });

  it('problems of both files are reported together with invalid settings', () => {
    const signInFile = fileWith('password: 1');
    const file = fileWith('upstreams:\n  - name: a\n    kind: b\n');
    expect(() => loadConfig({ PRESETD_CONFIG: file, PRESETD_SIGN_IN_CONFIG: signInFile, PORT: 'x' })).toThrow(
      /^3 settings are invalid:\n {2}PORT .*\n {2}.* line 3: upstreams\[0\].kind .*\n {2}.* line 1: password /,
    );
  });

  it.each([
    ['nowhere.yaml', 'names nowhere.yaml, which does not exist'],
    [tmpdir(), 'which is a folder'],
    [fileWith(Uint8Array.of(0xff, 0xfe, 0x61, 0x00)), 'which is not UTF-8 text'],
  ])('the unreadable file PRESETD_CONFIG=%s is rejected', (path, message) => {
    expect(() => loadConfig({ PRESETD_CONFIG: path })).toThrow(message);
    expect(() => loadConfig({ PRESETD_SIGN_IN_CONFIG: path })).toThrow(
      `PRESETD_SIGN_IN_CONFIG names ${path}`,
    );
  });

  it('PRESETD_CONFIG and PRESETD_UPSTREAM_URL cannot be combined', () => {
    const PRESETD_CONFIG = fileWith('upstreams: [{ name: a, kind: openai }]');
    expect(() => loadConfig({ PRESETD_CONFIG, PRESETD_UPSTREAM_URL: 'http://127.0.0.1:9' })).toThrow(
      'PRESETD_CONFIG and PRESETD_UPSTREAM_URL are both set: unset one',
    );
  });

  it.each(['PRESETD_UPSTREAM_URL', 'OPENROUTER_API_KEY', 'PRESETD_METRICS_TOKEN', 'PRESETD_SCIM_TOKEN'])(
    'does not repeat a possible secret in an invalid %s',
    (name) => {
      const load = () => loadConfig({ [name]: 'http://u:hush@h /?hush' });
      expect(load).toThrow(`${name} must be`);
      expect(load).not.toThrow('hush');
    },
  );

  it('metrics are off by default, and available on a port or with a token', () => {
    expect(loadConfig({})).toMatchObject({ metricsPort: undefined, metricsToken: undefined });
    const environment = { PRESETD_METRICS_PORT: '9464', PRESETD_METRICS_TOKEN: 'sixteen-characters' };
    expect(loadConfig(environment)).toMatchObject({ metricsPort: 9464, metricsToken: 'sixteen-characters' });
  });

  it('a session cannot be idle for longer than it can last', () => {
    expect(() => loadConfig({ PRESETD_SESSION_IDLE: '2d', PRESETD_SESSION_MAX: '1d' })).toThrow(
      'PRESETD_SESSION_IDLE must not be longer than PRESETD_SESSION_MAX',
    );
    expect(loadConfig({ PRESETD_SESSION_IDLE: '1d', PRESETD_SESSION_MAX: '1d' }).sessionIdleMs).toBe(
      86_400_000,
    );
    expect(loadConfig({ PRESETD_SESSION_MAX: '1d' }).sessionMaxMs).toBe(86_400_000);
  });

  it('SCIM is off by default, and accepts every token of the setting', () => {
    expect(loadConfig({}).scimTokens).toEqual([]);
    const [one, two] = ['a'.repeat(32), '~'.repeat(256)];
    expect(loadConfig({ PRESETD_SCIM_TOKEN: `${one}, ${two}` }).scimTokens).toEqual([one, two]);
  });

  it.each([
    ['PORT', ['-1', '65536', '80.5', 'http']],
    ['PRESETD_METRICS_PORT', ['-1', '65536', 'on']],
    ['PRESETD_METRICS_TOKEN', ['short']],
    ['PRESETD_UPSTREAM_URL', ['localhost:80', 'ftp://h', 'https://h/v1?a=b', 'https://h/v1/messages']],
    ['OPENROUTER_API_KEY', ['two words', 'line\nbreak', 'x'.repeat(8_193)]],
    ['DATABASE_URL', ['mysql://h/n', 'data.db', 'sqlite:', 'postgres://[']],
    ['PRESETD_BODY_LIMIT', ['0', '1GiB', '10MB', 'x']],
    ['PRESETD_SESSION_IDLE', ['4m', '367d', '7', 'x']],
    ['PRESETD_AUTH_FAILURE_LIMIT', ['-1', '1.5', 'none']],
    [
      'PRESETD_TRUSTED_PROXIES',
      ['true', '*', '10.0.0', '10.0.0.5,', '10.0.0.0/33', '0.0.0.0/0', '::/0', 'fd00::/129', 'fe80::1%eth0'],
    ],
    [
      'PRESETD_CORS_ORIGINS',
      [
        'app.example.com',
        'https://app.example.com/',
        'https://app.example.com/path',
        'https://App.example.com',
        'https://app.example.com:443',
        'https://user@app.example.com',
        'https://*.example.com',
        'https://a.example,',
        '*, https://a.example',
        'null',
        'file://',
        'tauri://localhost/',
      ],
    ],
    [
      'PRESETD_BOOTSTRAP_API_KEY',
      ['x'.repeat(15), 'x'.repeat(257), 'has a space in it', 'ümlaut-ümlaut-ümlaut'],
    ],
    ['PRESETD_METRICS_PORT', ['-1', '65536', 'yes', '7778']],
    ['PRESETD_METRICS_TOKEN', ['x'.repeat(15), 'x'.repeat(257), 'has a space in it']],
    [
      'PRESETD_SCIM_TOKEN',
      ['x'.repeat(31), 'x'.repeat(257), `${'x'.repeat(40)},`, `has a space ${'x'.repeat(40)}`],
    ],
    ['PRESETD_OWNER_EMAIL', ['x', 'a b@c', `${'x'.repeat(250)}@y.zz`]],
  ])('%s cannot be any of %j', (name, texts) => {
    for (const text of texts) expect(() => loadConfig({ [name]: text })).toThrow(ConfigError);
  });

  it.each(['x'.repeat(16), '~'.repeat(256)])(
    'accepts a bootstrap key of the minimum or maximum length: %s',
    (key) => {
      expect(loadConfig({ PRESETD_BOOTSTRAP_API_KEY: key }).bootstrap.apiKey).toBe(key);
    },
  );

  it('the bootstrap keys cannot have the same secret', () => {
    const secret = 'the-same-secret-twice';
    expect(() =>
      loadConfig({ PRESETD_BOOTSTRAP_API_KEY: secret, PRESETD_BOOTSTRAP_MANAGEMENT_KEY: secret }),
    ).toThrow('must differ');
  });
});

it('workers inherit all settings except those that can be reloaded, including unset ones', () => {
  const environment = Object.fromEntries(Object.keys(settings).map((name) => [name, `value of ${name}`]));
  const inherited = workerSettings({ ...environment, PRESETD_METRICS_TOKEN: undefined, OTHER: 'x' });
  expect(inherited).toEqual({
    ...environment,
    PRESETD_METRICS_TOKEN: '',
    PRESETD_CONFIG: '',
    PRESETD_SIGN_IN_CONFIG: '',
    PRESETD_UPSTREAM_URL: '',
    OPENROUTER_API_KEY: '',
  });
});

it('docs/config.md lists every setting', async () => {
  const rowsOf = (table: typeof settings | typeof clientSettings) =>
    Object.entries(table).map(
      ([name, { defaultText, description }]) =>
        `| \`${name}\` | ${defaultText === '' ? '' : `\`${defaultText}\``} | ${description} |`,
    );
  const page = [
    '# Settings',
    '',
    'Settings are environment variables. A `.env` file in the working directory supplies variables that',
    'the environment does not set. Settings are validated at startup; all errors are reported together.',
    'Unknown `PRESETD_*` variables are ignored with a warning in the log.',
    '',
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rowsOf(settings),
    '',
    '## Client commands',
    '',
    'Every command except `serve`, `migrate`, `recover`, `sign-in-link`, `backup` and `restore` calls a',
    'server over HTTP and needs only these settings, from the environment or the same `.env`. The',
    '`.env` file of the current folder decides where your key is sent: in folders that you do not trust,',
    'set `PRESETD_URL` yourself. The key of a [profile](command-line.md#profiles) is sent only to the',
    'server that it belongs to.',
    '',
    '`health` calls `PRESETD_URL` if it is set, otherwise the server at `HOST` and `PORT` (127.0.0.1 for',
    '`0.0.0.0`, [::1] for `::`), so it works with the server settings alone.',
    '',
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rowsOf(clientSettings),
    '',
  ].join('\n');
  await expect(page).toMatchFileSnapshot('../../docs/config.md');
});

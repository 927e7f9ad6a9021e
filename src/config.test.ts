import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { clientSettings } from './client-config.ts';
import { loadConfig, settings, workerSettings } from './config.ts';
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
  it('has a default for everything', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 7778,
      storage: { database: { engine: 'sqlite', file: expect.stringMatching(/\/data\/presetd\.db$/) } },
      bodyBytesMax: 33_554_432,
      rateLimitPerMinute: 0,
      authFailureLimitPerMinute: 0,
      trustedProxies: [],
      bootstrap: { apiKey: undefined, managementKey: undefined },
    });
  });

  it.each(['0', 'many', '-1', '1.5', '1000'])('has no server of %s workers', (workers) => {
    expect(() => loadConfig({ PRESETD_WORKERS: workers })).toThrow(
      `PRESETD_WORKERS must be auto or a whole number from 1 to 512, and is "${workers}"`,
    );
  });

  it('has as many workers as there are cores, or as it is told', () => {
    expect(loadConfig({ PRESETD_WORKERS: 'auto' }).workers).toBe(availableParallelism());
    expect(loadConfig({ PRESETD_WORKERS: '3' }).workers).toBe(3);
  });

  it('takes an empty variable for an unset one', () => {
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
  ])('reads DATABASE_URL=%s', (text, database) => {
    expect(loadConfig({ DATABASE_URL: text }).storage.database).toEqual(database);
  });

  it.each([
    ['2048', 2_048],
    ['64KiB', 65_536],
    ['1 mib', 1_048_576],
  ])('reads PRESETD_BODY_LIMIT=%s', (text, bytes) => {
    expect(loadConfig({ PRESETD_BODY_LIMIT: text }).bodyBytesMax).toBe(bytes);
  });

  it.each([
    ['loopback', ['loopback']],
    ['10.0.0.5, 10.0.0.0/8 ,fd00::/8', ['10.0.0.5', '10.0.0.0/8', 'fd00::/8']],
    ['linklocal,uniquelocal,::ffff:10.0.0.5', ['linklocal', 'uniquelocal', '::ffff:10.0.0.5']],
  ])('reads PRESETD_TRUSTED_PROXIES=%s', (text, proxies) => {
    expect(loadConfig({ PRESETD_TRUSTED_PROXIES: text }).trustedProxies).toEqual(proxies);
  });

  it('names the trusted proxy that is none', () => {
    expect(() => loadConfig({ PRESETD_TRUSTED_PROXIES: 'loopback, proxy.local' })).toThrow(
      /PRESETD_TRUSTED_PROXIES must be addresses such as .*, and has "proxy\.local"/,
    );
  });

  it('has OpenRouter alone without a file, at another place and with a key where these are set', () => {
    const openrouter = {
      name: 'openrouter',
      kind: 'openrouter',
      baseUrl: 'https://openrouter.ai/api/v1',
      dialects: ['chat-completions', 'messages', 'responses'],
      key: { variable: 'OPENROUTER_API_KEY', secret: undefined },
      models: ['*'],
      stripPrefix: '',
      headers: {},
      timeouts: { connectMs: 10_000, firstByteMs: 300_000, idleMs: 120_000, totalMs: 1_800_000 },
      concurrencyMax: undefined,
      queueMax: 0,
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

  it('reads the upstreams of a file, with the keys of the environment', () => {
    const file = fileWith('upstreams: [{ name: a, kind: openai }]');
    expect(loadConfig({ PRESETD_CONFIG: file, OPENAI_API_KEY: 'sk-1' }).gateway.upstreams).toMatchObject([
      { name: 'a', key: { variable: 'OPENAI_API_KEY', secret: 'sk-1' } },
    ]);
  });

  it('tells what is wrong in a file together with the settings that are wrong', () => {
    const file = fileWith('upstreams:\n  - name: a\n    kind: b\n');
    expect(() => loadConfig({ PRESETD_CONFIG: file, PORT: 'x' })).toThrow(
      `2 settings are wrong:
  PORT must be a whole number from 0 to 65535, and is "x"
  ${file} line 3: upstreams[0].kind must be one of`,
    );
  });

  it.each([
    ['nowhere.yaml', 'names nowhere.yaml, which does not exist'],
    [tmpdir(), 'which is a folder'],
    [fileWith(Uint8Array.of(0xff, 0xfe, 0x61, 0x00)), 'which is not UTF-8 text'],
  ])('refuses PRESETD_CONFIG=%s, because it cannot be read', (path, message) => {
    expect(() => loadConfig({ PRESETD_CONFIG: path })).toThrow(message);
  });

  it('refuses a file of upstreams beside the URL of the default one', () => {
    const PRESETD_CONFIG = fileWith('upstreams: [{ name: a, kind: openai }]');
    expect(() => loadConfig({ PRESETD_CONFIG, PRESETD_UPSTREAM_URL: 'http://127.0.0.1:9' })).toThrow(
      'PRESETD_CONFIG and PRESETD_UPSTREAM_URL are both set: unset one',
    );
  });

  it.each(['PRESETD_UPSTREAM_URL', 'OPENROUTER_API_KEY', 'PRESETD_METRICS_TOKEN'])(
    'does not repeat what may be a secret in a wrong %s',
    (name) => {
      const load = () => loadConfig({ [name]: 'http://u:hush@h /?hush' });
      expect(load).toThrow(`${name} must be`);
      expect(load).not.toThrow('hush');
    },
  );

  it('has metrics nowhere, on a port of their own or behind a token', () => {
    expect(loadConfig({})).toMatchObject({ metricsPort: undefined, metricsToken: undefined });
    const environment = { PRESETD_METRICS_PORT: '9464', PRESETD_METRICS_TOKEN: 'sixteen-characters' };
    expect(loadConfig(environment)).toMatchObject({ metricsPort: 9464, metricsToken: 'sixteen-characters' });
  });

  it.each([
    ['PORT', ['-1', '65536', '80.5', 'http']],
    ['PRESETD_METRICS_PORT', ['-1', '65536', 'on']],
    ['PRESETD_METRICS_TOKEN', ['short']],
    ['PRESETD_UPSTREAM_URL', ['localhost:80', 'ftp://h', 'https://h/v1?a=b', 'https://h/v1/messages']],
    ['OPENROUTER_API_KEY', ['two words', 'line\nbreak', 'x'.repeat(8_193)]],
    ['DATABASE_URL', ['mysql://h/n', 'data.db', 'sqlite:', 'postgres://[']],
    ['PRESETD_BODY_LIMIT', ['0', '1GiB', '10MB', 'x']],
    ['PRESETD_AUTH_FAILURE_LIMIT', ['-1', '1.5', 'none']],
    [
      'PRESETD_TRUSTED_PROXIES',
      ['true', '*', '10.0.0', '10.0.0.5,', '10.0.0.0/33', '0.0.0.0/0', '::/0', 'fd00::/129', 'fe80::1%eth0'],
    ],
    [
      'PRESETD_BOOTSTRAP_API_KEY',
      ['x'.repeat(15), 'x'.repeat(257), 'has a space in it', 'ümlaut-ümlaut-ümlaut'],
    ],
    ['PRESETD_METRICS_PORT', ['-1', '65536', 'yes', '7778']],
    ['PRESETD_METRICS_TOKEN', ['x'.repeat(15), 'x'.repeat(257), 'has a space in it']],
    ['PRESETD_OWNER_EMAIL', ['x', 'a b@c', `${'x'.repeat(250)}@y.zz`]],
  ])('refuses %s set to any of %j', (name, texts) => {
    for (const text of texts) expect(() => loadConfig({ [name]: text })).toThrow(ConfigError);
  });

  it.each(['x'.repeat(16), '~'.repeat(256)])('accepts a bootstrap key at its bounds', (key) => {
    expect(loadConfig({ PRESETD_BOOTSTRAP_API_KEY: key }).bootstrap.apiKey).toBe(key);
  });

  it('refuses one secret for both bootstrap keys', () => {
    const secret = 'the-same-secret-twice';
    expect(() =>
      loadConfig({ PRESETD_BOOTSTRAP_API_KEY: secret, PRESETD_BOOTSTRAP_MANAGEMENT_KEY: secret }),
    ).toThrow('must differ');
  });
});

it('a worker has all settings of its server but those of the upstreams, also the ones that were left unset', () => {
  const given = Object.fromEntries(Object.keys(settings).map((name) => [name, `of ${name}`]));
  const kept = workerSettings({ ...given, PRESETD_METRICS_TOKEN: undefined, OTHER: 'x' });
  expect(kept).toEqual({
    ...given,
    PRESETD_METRICS_TOKEN: '',
    PRESETD_CONFIG: '',
    PRESETD_UPSTREAM_URL: '',
    OPENROUTER_API_KEY: '',
  });
});

it('docs/config.md lists every setting', async () => {
  const rowsOf = (table: typeof settings | typeof clientSettings) =>
    Object.entries(table).map(
      ([name, { defaultText: text, description }]) =>
        `| \`${name}\` | ${text === '' ? '' : `\`${text}\``} | ${description} |`,
    );
  const page = [
    '# Settings',
    '',
    'Each is an environment variable. A file `.env` in the working directory fills in what the environment leaves unset.',
    'All are checked at start; what is wrong is told in one message. Another variable whose name begins with `PRESETD_` is no setting, and',
    '`presetd serve` names it in a warning of its log.',
    '',
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rowsOf(settings),
    '',
    '## Commands that talk to a server',
    '',
    'All but `serve`, `migrate`, `recover`, `backup` and `restore` work over HTTP and need only these, from the environment or the same `.env`. Who wrote the `.env` of the folder you are in decides where your key is sent: set `PRESETD_URL` yourself in folders that are not yours.',
    '`health` asks `PRESETD_URL` where it is set, and else the server of `HOST` and `PORT` (127.0.0.1 for `0.0.0.0`, [::1] for `::`), so that it',
    'needs nothing beside the settings of the server.',
    '',
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rowsOf(clientSettings),
    '',
  ].join('\n');
  await expect(page).toMatchFileSnapshot('../docs/config.md');
});

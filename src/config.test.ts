import { describe, expect, it } from 'vitest';
import { ConfigError, clientSettings, loadClientConfig, loadConfig, settings } from './config.ts';

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

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig({ PORT: '', HOST: '', DATABASE_URL: '' })).toEqual(loadConfig({}));
  });

  it.each([
    ['sqlite:/var/lib/presetd.db', { engine: 'sqlite', file: '/var/lib/presetd.db' }],
    ['sqlite:///var/lib/presetd.db', { engine: 'sqlite', file: '/var/lib/presetd.db' }],
    ['postgres://u:p@h:5432/n', { engine: 'postgres', url: 'postgres://u:p@h:5432/n' }],
    ['postgresql://u@h/n?sslmode=require', { engine: 'postgres', url: 'postgresql://u@h/n?sslmode=require' }],
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

  it.each([
    ['PORT', ['-1', '65536', '80.5', 'http']],
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

describe('loadClientConfig', () => {
  it('needs none of the settings of the server, and no key', () => {
    expect(loadClientConfig({ DATABASE_URL: 'nonsense', PORT: 'none' })).toEqual({
      url: 'http://127.0.0.1:7778',
      apiKey: undefined,
      managementKey: undefined,
    });
  });

  it.each([
    ['http://localhost:7778/', 'http://localhost:7778'],
    ['https://presets.example.com/api/v1', 'https://presets.example.com'],
    ['https://presets.example.com/api/v1/', 'https://presets.example.com'],
    ['https://example.com/presets/api', 'https://example.com/presets'],
    ['https://example.com/presets//', 'https://example.com/presets'],
  ])('reads PRESETD_URL=%s', (text, url) => {
    expect(loadClientConfig({ PRESETD_URL: text }).url).toBe(url);
  });

  it.each([
    ['PRESETD_URL', ['localhost:7778', 'ftp://h', 'http://', 'http://u:p@h', 'http://h/?x=1']],
    ['PRESETD_API_KEY', ['two words', 'line\nbreak', 'ümlaut']],
    ['PRESETD_MANAGEMENT_KEY', ['two words', 'line\nbreak', 'ümlaut']],
  ])('refuses %s set to any of %j', (name, texts) => {
    for (const text of texts) expect(() => loadClientConfig({ [name]: text })).toThrow(name);
  });

  it.each(['http://u:hush@h', 'ftp://u:hush@h', 'u:hush@h:7778', 'http://u:hush@h:99999', 'http://u:hush@'])(
    'refuses a password in PRESETD_URL and does not repeat it: %s',
    (text) => {
      const load = () => loadClientConfig({ PRESETD_URL: text });
      expect(load).toThrow('PRESETD_URL must be a URL without user name, password');
      expect(load).not.toThrow('hush');
    },
  );

  it('does not repeat a key in a message', () => {
    expect(() => loadClientConfig({ PRESETD_API_KEY: 'a secret' })).not.toThrow('a secret');
  });
});

it('docs/config.md lists every setting', async () => {
  const rowsOf = (table: typeof settings | typeof clientSettings) =>
    Object.entries(table).map(
      ([name, { text, description }]) =>
        `| \`${name}\` | ${text === '' ? '' : `\`${text}\``} | ${description} |`,
    );
  const page = [
    '# Settings',
    '',
    'Each is an environment variable. A file `.env` in the working directory fills in what the environment leaves unset.',
    'All are checked at start; what is wrong is told in one message.',
    '',
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rowsOf(settings),
    '',
    '## Commands that talk to a server',
    '',
    'All but `serve`, `migrate` and `recover` work over HTTP and need only these, from the environment or the same `.env`.',
    '',
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rowsOf(clientSettings),
    '',
  ].join('\n');
  await expect(page).toMatchFileSnapshot('../docs/config.md');
});

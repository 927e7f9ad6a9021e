import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { readProfiles } from './config/profiles.ts';
import { readEnvironment } from './config/settings.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Variables that programs which install packages still get. */
const forInstalling = /^(npm_|PIP_|XDG_CACHE_HOME$)/;

describe('a test', () => {
  it.each([
    ['itself', () => readEnvironment()],
    [
      'in a process that it starts',
      () =>
        JSON.parse(
          execFileSync(process.execPath, ['-p', 'JSON.stringify(process.env)'], { encoding: 'utf8' }),
        ),
    ],
  ])('sees no variables of the person who runs it, %s', (_, read) => {
    const variables = Object.entries<string>(read()).filter(([name]) => !forInstalling.test(name));
    expect(variables.filter(([, value]) => value.includes('poison'))).toEqual([]);
    expect(variables.map(([name]) => name)).not.toContain('CI');
    expect(Object.fromEntries(variables)).toMatchObject({ HOME: homedir(), TZ: 'UTC', LANG: 'C.UTF-8' });
  });

  it('finds neither the profiles of the person nor the .env file of the checkout', () => {
    expect(readProfiles().profiles).toEqual([]);
    expect(existsSync('.env')).toBe(false);
    expect(process.cwd()).not.toBe(root);
  });

  it('has the language and the time zone that all have', () => {
    const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
    expect({ locale, timeZone }).toEqual({ locale: 'en-US', timeZone: 'UTC' });
  });
});

// In the run that this test starts, the tests above meet what they have to miss.
if (process.env.PRESETD_TEST_POISONED !== 'true')
  describe('the person who runs the tests', () => {
    const home = mkdtempSync(join(tmpdir(), 'presetd-poison-'));
    afterAll(() => rmSync(home, { recursive: true }));

    it('may have signed in, set keys and a proxy, and live anywhere', async () => {
      const config = join(home, '.config');
      mkdirSync(join(config, 'presetd'), { recursive: true });
      const profile = { name: 'poison', url: 'http://poison.example', key: 'sk-poison', method: 'key' };
      const profiles = JSON.stringify({ current: 'poison', profiles: [profile] });
      writeFileSync(join(config, 'presetd', 'profiles.json'), profiles, { mode: 0o600 });
      const env = {
        ...process.env,
        PRESETD_TEST_POISONED: 'true',
        HOME: home,
        XDG_CONFIG_HOME: config,
        XDG_CACHE_HOME: join(home, '.cache'),
        DATABASE_URL: 'postgres://poison',
        PORT: 'poison',
        PRESETD_URL: 'http://poison.example',
        PRESETD_API_KEY: 'poison',
        PRESETD_PROFILE: 'poison',
        PRESETD_LOG_LEVEL: 'poison',
        OPENAI_API_KEY: 'poison',
        OPENAI_BASE_URL: 'http://poison.example',
        ANTHROPIC_API_KEY: 'poison',
        OPENROUTER_API_KEY: 'poison',
        PGHOST: 'poison.example',
        HTTP_PROXY: 'http://poison.example',
        https_proxy: 'http://poison.example',
        NO_PROXY: 'poison.example',
        NO_COLOR: 'poison',
        CI: 'true',
        TZ: 'Asia/Tokyo',
        LANG: 'de_DE.UTF-8',
        LC_ALL: 'de_DE.UTF-8',
      };
      const files = ['src/isolated-environment.test.ts', 'src/cli/report-failure.test.ts'];
      const program = [
        join(root, 'node_modules', 'vitest', 'vitest.mjs'),
        'run',
        '--project',
        'unit',
        ...files,
      ];
      const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: root, env }).catch(
        (error) => error,
      );
      expect(stdout).toMatch(/Test Files +2 passed/);
    });
  });

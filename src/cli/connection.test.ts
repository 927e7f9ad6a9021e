import { describe, expect, it } from 'vitest';
import { loadClientConfig } from '../config/client-config.ts';
import type { Profile, Profiles } from '../config/profiles.ts';
import { resolveConnection } from './connection.ts';

const profile = (name: string): Profile => ({
  name,
  url: `https://${name}.example.com`,
  key: `key-of-${name}`,
  method: 'browser',
  email: null,
  expiresAt: null,
  workspace: null,
});
const profiles: Profiles = { current: 'work', profiles: [profile('home'), profile('work')] };
const noProfiles: Profiles = { current: null, profiles: [] };

const PRESETD_URL = 'https://work.example.com/api/v1/';
const PRESETD_API_KEY = 'api';
const PRESETD_MANAGEMENT_KEY = 'management';

function resolve(
  environment: Readonly<Record<string, string>>,
  flag?: string,
  kind: 'api' | 'management' = 'api',
  stored = profiles,
) {
  const { url, key, keySetting, urlSetting } = resolveConnection(
    loadClientConfig(environment),
    flag,
    () => stored,
    kind,
  );
  return `${key} (${keySetting}) to ${url} (${urlSetting})`;
}

const defaultUrl = 'http://127.0.0.1:7778 (PRESETD_URL)';
const workUrl = 'https://work.example.com (the URL of profile work)';
const homeUrl = 'https://home.example.com (the URL of profile home)';

describe('resolveConnection', () => {
  it.each([
    [{}, undefined, `key-of-work (profile work) to ${workUrl}`],
    [{}, 'home', `key-of-home (profile home) to ${homeUrl}`],
    [{ PRESETD_PROFILE: 'home' }, undefined, `key-of-home (profile home) to ${homeUrl}`],
    [{ PRESETD_PROFILE: 'home' }, 'work', `key-of-work (profile work) to ${workUrl}`],
    [{ PRESETD_URL }, undefined, 'key-of-work (profile work) to https://work.example.com (PRESETD_URL)'],
    [{ PRESETD_URL }, 'work', 'key-of-work (profile work) to https://work.example.com (PRESETD_URL)'],
    // Signing in does not change where existing scripts send their keys.
    [{ PRESETD_API_KEY }, undefined, `api (PRESETD_API_KEY) to ${defaultUrl}`],
    [{ PRESETD_API_KEY }, 'home', `api (PRESETD_API_KEY) to ${homeUrl}`],
    [{ PRESETD_API_KEY, PRESETD_PROFILE: 'home' }, undefined, `api (PRESETD_API_KEY) to ${homeUrl}`],
    [
      { PRESETD_API_KEY, PRESETD_URL: 'http://other', PRESETD_PROFILE: 'home' },
      undefined,
      'api (PRESETD_API_KEY) to http://other (PRESETD_URL)',
    ],
    // A management key is not for presets, so it does not hide the profile.
    [{ PRESETD_MANAGEMENT_KEY }, undefined, `key-of-work (profile work) to ${workUrl}`],
    [{ PRESETD_MANAGEMENT_KEY }, 'home', `key-of-home (profile home) to ${homeUrl}`],
    [
      { PRESETD_MANAGEMENT_KEY, PRESETD_URL },
      undefined,
      'key-of-work (profile work) to https://work.example.com (PRESETD_URL)',
    ],
  ])('the settings %j with --profile %s make a command send %s', (environment, flag, expected) => {
    expect(resolve(environment, flag)).toBe(expected);
  });

  it.each([
    [{ PRESETD_API_KEY, PRESETD_MANAGEMENT_KEY }, `management (PRESETD_MANAGEMENT_KEY) to ${defaultUrl}`],
    [
      { PRESETD_MANAGEMENT_KEY, PRESETD_PROFILE: 'home' },
      `management (PRESETD_MANAGEMENT_KEY) to ${homeUrl}`,
    ],
    [{}, `key-of-work (profile work) to ${workUrl}`],
    // It may be a management key, so signing in does not change what existing scripts send.
    [{ PRESETD_API_KEY }, `api (PRESETD_API_KEY) to ${defaultUrl}`],
    [{ PRESETD_API_KEY, PRESETD_URL }, 'api (PRESETD_API_KEY) to https://work.example.com (PRESETD_URL)'],
    // A profile that is named hides it, unless it is for another server.
    [{ PRESETD_API_KEY, PRESETD_PROFILE: 'home' }, `key-of-home (profile home) to ${homeUrl}`],
    [{ PRESETD_API_KEY, PRESETD_URL: 'http://other' }, 'api (PRESETD_API_KEY) to http://other (PRESETD_URL)'],
    [
      { PRESETD_API_KEY, PRESETD_URL: 'http://other', PRESETD_PROFILE: 'home' },
      'api (PRESETD_API_KEY) to http://other (PRESETD_URL)',
    ],
  ])('the settings %j make a command of the organization send %s', (environment, expected) => {
    expect(resolve(environment, undefined, 'management')).toBe(expected);
  });

  it('a profile named by --profile hides PRESETD_API_KEY from commands of the organization', () => {
    expect(resolve({ PRESETD_API_KEY }, 'home', 'management')).toBe(
      `key-of-home (profile home) to ${homeUrl}`,
    );
  });

  it.each(['api', 'management'] as const)('PRESETD_API_KEY without profiles is also a %s key', (kind) => {
    expect(resolve({ PRESETD_API_KEY }, undefined, kind, noProfiles)).toBe(
      `api (PRESETD_API_KEY) to ${defaultUrl}`,
    );
  });

  it.each([
    [
      { PRESETD_URL: 'http://work.example.com' },
      undefined,
      /^PRESETD_URL is http:\/\/work\.example\.com, but profile work is for https:\/\/work\.example\.com, so its key is not sent\./,
    ],
    [
      { PRESETD_URL: 'https://evil.example.com' },
      'work',
      /^PRESETD_URL is https:\/\/evil\.example\.com, but profile work is for/,
    ],
    [
      { PRESETD_URL: 'https://evil.example.com', PRESETD_PROFILE: 'work' },
      undefined,
      /so its key is not sent/,
    ],
    [{ PRESETD_URL: 'https://evil.example.com', PRESETD_API_KEY }, 'work', /Unset PRESETD_URL/],
    [{}, 'gone', /^There is no profile gone\. Your profiles: home, work\./],
    [{ PRESETD_PROFILE: 'gone' }, undefined, /^There is no profile gone\./],
  ])('the settings %j with --profile %s send nothing', (environment, flag, message) => {
    expect(() => resolve(environment, flag)).toThrow(message);
  });

  it.each(['api', 'management'] as const)('the error for a missing %s key says how to get one', (kind) => {
    expect(() => resolve({}, undefined, kind, noProfiles)).toThrow(
      /^No (API|management) key is set\. Sign in with "presetd login", or set PRESETD_/,
    );
  });

  it('a management key without profiles is not used for presets, and the error says so', () => {
    expect(() => resolve({ PRESETD_MANAGEMENT_KEY }, undefined, 'api', noProfiles)).toThrow(
      'No API key is set: PRESETD_MANAGEMENT_KEY is not used for presets. Sign in with "presetd login", or set PRESETD_API_KEY in the environment or in .env.',
    );
  });

  it.each([
    ['api', 'api', { PRESETD_URL, PRESETD_API_KEY, PRESETD_PROFILE: 'work' }],
    ['management', 'management', { PRESETD_URL, PRESETD_MANAGEMENT_KEY, PRESETD_PROFILE: 'work' }],
    ['management', 'api', { PRESETD_API_KEY }],
  ] as const)(
    'profiles are not read for a command that needs a %s key if the environment has the %s key in %j',
    (kind, key, environment) => {
      const unreadable = () => {
        throw new Error('unreadable');
      };
      const config = loadClientConfig(environment);
      expect(resolveConnection(config, undefined, unreadable, kind).key).toBe(key);
    },
  );
});

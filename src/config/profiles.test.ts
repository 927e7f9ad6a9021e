import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type Profile,
  profilesPath,
  readProfiles,
  withCurrent,
  withoutProfile,
  withProfile,
  withWorkspace,
  writeProfiles,
} from './profiles.ts';

const folder = mkdtempSync(join(tmpdir(), 'presetd-profiles-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
/** A path whose folder does not exist yet. */
function newPath(): string {
  count += 1;
  return join(folder, String(count), 'presetd', 'profiles.json');
}

const work: Profile = {
  name: 'work',
  url: 'https://presets.example.com',
  key: 'sk-pst-v1-work',
  method: 'browser',
  email: 'ada@example.com',
  expiresAt: '2027-01-31T00:00:00.000Z',
  workspace: { id: '5b0c1f4e-7c3d-4f6a-9a51-3f2f9a7e6d10', slug: 'support' },
};
const local: Profile = {
  name: '[::1]:7778',
  url: 'http://[::1]:7778',
  key: 'local',
  method: 'key',
  email: null,
  expiresAt: null,
  workspace: null,
};
/** As in the file. */
const wire = { name: 'work', url: work.url, key: 'k', method: 'key', email: null, expires_at: null };
const both = { current: 'work', profiles: [work, local] };

describe('profilesPath', () => {
  it.each([
    ['linux', {}, '/home/ada/.config/presetd/profiles.json'],
    ['darwin', {}, '/home/ada/.config/presetd/profiles.json'],
    ['linux', { XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada/presetd/profiles.json'],
    ['linux', { XDG_CONFIG_HOME: 'relative' }, '/home/ada/.config/presetd/profiles.json'],
    ['linux', { APPDATA: '/roaming' }, '/home/ada/.config/presetd/profiles.json'],
    ['win32', { APPDATA: '/roaming' }, '/roaming/presetd/profiles.json'],
    ['win32', { APPDATA: '/roaming', XDG_CONFIG_HOME: '/etc/ada' }, '/etc/ada/presetd/profiles.json'],
  ] as const)('the profile file on %s with %j is %s', (platform, environment, path) => {
    expect(profilesPath(platform, environment, '/home/ada')).toBe(path);
  });
});

describe('the profile file', () => {
  it('a missing file has no profiles', () => {
    expect(readProfiles(newPath())).toEqual({ current: null, profiles: [] });
  });

  it('profiles are read as they were written', () => {
    const path = newPath();
    writeProfiles(both, path);
    expect(readProfiles(path)).toEqual(both);
    writeProfiles({ current: null, profiles: [] }, path);
    expect(readProfiles(path)).toEqual({ current: null, profiles: [] });
  });

  it('only the owner can read the profile file and its folder', () => {
    const path = newPath();
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o755 });
    writeProfiles(both, path);
    writeProfiles(both, path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(path, '..'))).toEqual(['profiles.json']);
  });

  it('a failed write changes nothing and leaves no draft', () => {
    const path = newPath();
    mkdirSync(join(path, 'in the way'), { recursive: true });
    expect(() => writeProfiles(both, path)).toThrow(`Cannot write ${path}: `);
    expect(readdirSync(join(path, '..'))).toEqual(['profiles.json']);
  });

  it.each([0o640, 0o604, 0o660])('a file of mode %o is rejected', (mode) => {
    const path = newPath();
    writeProfiles(both, path);
    chmodSync(path, mode);
    expect(() => readProfiles(path)).toThrow(
      `Other users can read ${path}, which holds keys. Run: chmod 600 "${path}"`,
    );
  });

  it.each([
    ['{', 'is not JSON'],
    ['[]', 'profiles must be a list'],
    ['{"current":null,"profiles":{}}', 'profiles must be a list'],
    ['{"profiles":[],"current":"gone"}', 'current must be the name of a profile'],
    ['{"profiles":[null]}', 'profiles[0] must be an object'],
    [{ ...wire, name: '__proto__' }, 'profiles[0].name must be'],
    [{ ...wire, url: 'ftp://h' }, 'profiles[0].url must be a URL'],
    [{ ...wire, key: 'a hidden\nkey' }, 'profiles[0].key must be'],
    [{ ...wire, method: 'magic' }, 'profiles[0].method must be "browser" or "key"'],
    [{ ...wire, email: 7 }, 'profiles[0].email must be text or null'],
    [{ ...wire, workspace: { slug: 'support' } }, 'profiles[0].workspace must have an id and a slug'],
    [{ ...wire, workspace: { id: '../x', slug: 'x' } }, 'profiles[0].workspace must have an id'],
    [{ ...wire, expires_at: 7 }, 'profiles[0].expires_at must be text or null'],
  ])('the file %j is rejected, because it %s', (content, problem) => {
    const path = newPath();
    writeProfiles(both, path);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify({ profiles: [content] }));
    const read = () => readProfiles(path);
    expect(read).toThrow(`${path} is invalid`);
    expect(read).toThrow(problem);
    expect(read).not.toThrow('hidden');
  });

  it('all problems of a file are reported together', () => {
    const path = newPath();
    writeProfiles(both, path);
    writeFileSync(path, JSON.stringify({ current: 'x', profiles: [{ ...wire, url: 1 }, { ...wire }, wire] }));
    expect(() => readProfiles(path)).toThrow(
      /profiles\[0\]\.url must be .*\n.*profiles\[2\]\.name must not occur twice.*\n.*current must be/s,
    );
  });

  it('the file is JSON that a person can read', () => {
    const path = newPath();
    writeProfiles({ current: null, profiles: [work] }, path);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      current: null,
      profiles: [
        {
          name: 'work',
          url: work.url,
          key: work.key,
          method: 'browser',
          email: work.email,
          expires_at: work.expiresAt,
          workspace: work.workspace,
        },
      ],
    });
  });
});

describe('changing profiles', () => {
  it('a new profile becomes the current one', () => {
    expect(withProfile({ current: 'work', profiles: [work] }, local)).toEqual({
      current: local.name,
      profiles: [work, local],
    });
  });

  it('a profile replaces one of the same name', () => {
    const renewed = { ...work, key: 'new' };
    expect(withProfile(both, renewed)).toEqual({ current: 'work', profiles: [local, renewed] });
  });

  it('removing the current profile leaves none current', () => {
    expect(withoutProfile(both, 'work')).toEqual({ current: null, profiles: [local] });
    expect(withoutProfile(both, local.name)).toEqual({ current: 'work', profiles: [work] });
  });

  it('a profile can get another workspace', () => {
    const workspace = { id: '00000000-0000-4000-8000-000000000000', slug: 'search' };
    const changed = { current: 'work', profiles: [work, { ...local, workspace }] };
    expect(withWorkspace(both, local.name, workspace)).toEqual(changed);
  });

  it('another profile can be made the current one', () => {
    expect(withCurrent(both, local.name)).toEqual({ ...both, current: local.name });
  });
});

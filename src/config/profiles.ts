import {
  chmodSync,
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { isUuid } from '../core/organization/workspace.ts';
import { parseKey, parseProfileName, parseServerUrl } from './client-config.ts';
import { ConfigError, type Environment } from './settings.ts';

/**
 * The servers that a person has signed in to, with a key for each. `presetd login` adds a profile,
 * `presetd logout` removes it, and other commands read the file unless the environment has a key.
 *
 * The file holds secrets, so only its owner can access it and its folder, and a file that others
 * can read is rejected. It is replaced as a whole: an interrupted command leaves the old one.
 */
export interface Profiles {
  /** The name of the profile that commands use by default. */
  readonly current: string | null;
  readonly profiles: readonly Profile[];
}

export interface Profile {
  readonly name: string;
  /** The only server that the key is sent to. */
  readonly url: string;
  readonly key: string;
  /** `browser`: the server created the key for this profile. `key`: the person supplied it. */
  readonly method: (typeof methods)[number];
  /** Null until the server has said whose key it is. */
  readonly email: string | null;
  /** Null if the key does not expire, or if that is not known. */
  readonly expiresAt: string | null;
  /** The workspace of commands with this key that name no other; null for the default. */
  readonly workspace: ProfileWorkspace | null;
}

/** Requests use the id, which never changes; people read the slug as it was when they chose it. */
export interface ProfileWorkspace {
  readonly id: string;
  readonly slug: string;
}

const methods = ['browser', 'key'] as const;

/**
 * The folder is not read from `.env`: the working directory must not decide where keys are saved.
 * Like most command-line tools, macOS uses `~/.config` too.
 */
export function profilesPath(
  platform: NodeJS.Platform = process.platform,
  { XDG_CONFIG_HOME: configHome = '', APPDATA: appData }: Environment = process.env,
  home = homedir(),
): string {
  const usual = platform === 'win32' && appData ? appData : join(home, '.config');
  return join(isAbsolute(configHome) ? configHome : usual, 'presetd', 'profiles.json');
}

/** Without a file there are no profiles. Throws a `ConfigError` if it is invalid or not private. */
export function readProfiles(path = profilesPath()): Profiles {
  const text = readPrivateFile(path);
  if (text === undefined) return { current: null, profiles: [] };
  const problems: string[] = [];
  const profiles = parseProfiles(text, problems);
  if (problems.length === 0) return profiles;
  throw new ConfigError(
    [
      `${path} is invalid. Correct it, or delete it and sign in again:`,
      ...problems.map((problem) => `  ${problem}`),
    ].join('\n'),
    problems,
  );
}

export function writeProfiles({ current, profiles }: Profiles, path = profilesPath()): void {
  const draft = `${path}.${process.pid}.partial`;
  const wire = profiles.map(({ expiresAt, ...profile }) => ({ ...profile, expires_at: expiresAt }));
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    chmodSync(dirname(path), 0o700);
    writeToDisk(draft, `${JSON.stringify({ current, profiles: wire }, null, 2)}\n`);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new ConfigError(`Cannot write ${path}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Adds a profile or replaces the one of the same name, and makes it the current one. */
export function withProfile({ profiles }: Profiles, profile: Profile): Profiles {
  return {
    current: profile.name,
    profiles: [...profiles.filter(({ name }) => name !== profile.name), profile],
  };
}

/** If it was the current one, there is none: choosing another server is up to the person. */
export function withoutProfile({ current, profiles }: Profiles, name: string): Profiles {
  return {
    current: current === name ? null : current,
    profiles: profiles.filter((profile) => profile.name !== name),
  };
}

/** Unchanged if there is no such profile. */
export function withWorkspace(
  { current, profiles }: Profiles,
  name: string,
  workspace: ProfileWorkspace,
): Profiles {
  return {
    current,
    profiles: profiles.map((profile) => (profile.name === name ? { ...profile, workspace } : profile)),
  };
}

export function withCurrent(profiles: Profiles, name: string): Profiles {
  return { ...profiles, current: name };
}

/** Undefined if there is no such profile. */
export function findProfile({ profiles }: Profiles, name: string | null): Profile | undefined {
  return profiles.find((profile) => profile.name === name);
}

/** Undefined if there is no file. Checks the open file, which cannot be swapped for another. */
function readPrivateFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    // Windows has no such modes; its folder is private by default.
    if (process.platform !== 'win32' && (fstatSync(file).mode & 0o077) !== 0)
      throw new ConfigError(`Other users can read ${path}, which holds keys. Run: chmod 600 "${path}"`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new ConfigError(`Cannot read ${path}: ${error instanceof Error ? error.message : error}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Fails if the file exists, so that nobody else can have it open. */
function writeToDisk(path: string, text: string): void {
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Adds a message to `problems` for each mistake; the result must not be used if there are any. */
function parseProfiles(text: string, problems: string[]): Profiles {
  const { current = null, profiles } = parseObject(text, problems) ?? {};
  if (problems.length === 0 && !Array.isArray(profiles)) problems.push('profiles must be a list');
  if (!Array.isArray(profiles)) return { current: null, profiles: [] };
  const parsed = profiles.map((profile: unknown, index) =>
    parseProfile(profile, `profiles[${index}]`, problems),
  );
  const names = parsed.map(({ name }) => name);
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index) problems.push(`profiles[${index}].name must not occur twice`);
  if (current !== null && !names.includes(String(current)))
    problems.push('current must be the name of a profile, or null');
  return { current: current === null ? null : String(current), profiles: parsed };
}

function parseObject(text: string, problems: string[]): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    problems.push('The file is not JSON');
    return undefined;
  }
}

/** Messages never repeat a value: it may be a key in the wrong place. */
function parseProfile(value: unknown, path: string, problems: string[]): Profile {
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject) problems.push(`${path} must be an object`);
  const fields: Readonly<Record<string, unknown>> = isObject ? { ...value } : {};
  const check = (name: string, isValid: boolean, rule: string) => {
    if (isObject && !isValid) problems.push(`${path}.${name} ${rule}`);
  };
  const { method, email = null, expires_at: expiresAt = null, workspace = null } = fields;
  const name = parsed(parseProfileName, fields.name);
  const url = parsed(parseServerUrl, fields.url);
  const key = parsed(parseKey, fields.key);
  check('name', name !== undefined, 'must be at most 100 letters, digits or any of . : - _');
  check('url', url !== undefined, 'must be a URL such as https://presets.example.com');
  check('key', key !== undefined, 'must be at most 256 visible ASCII characters');
  check('method', methods.includes(method as Profile['method']), 'must be "browser" or "key"');
  check('email', email === null || typeof email === 'string', 'must be text or null');
  check('expires_at', expiresAt === null || typeof expiresAt === 'string', 'must be text or null');
  check('workspace', workspace === null || isWorkspace(workspace), 'must have an id and a slug, or be null');
  return { name, url, key, method, email, expiresAt, workspace } as Profile;
}

function isWorkspace(value: unknown): value is ProfileWorkspace {
  if (typeof value !== 'object' || value === null) return false;
  const { id, slug }: Readonly<Record<string, unknown>> = { ...value };
  return typeof id === 'string' && isUuid(id) && typeof slug === 'string';
}

/** Undefined if the value is not text or the parser rejects it. */
function parsed(parse: (text: string) => string, value: unknown): string | undefined {
  try {
    return typeof value === 'string' ? parse(value) : undefined;
  } catch {
    return undefined;
  }
}

import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { type ClientConfig, loadClientConfig, parseKey, parseServerUrl } from '../config/client-config.ts';
import {
  findProfile,
  type Profile,
  type Profiles,
  readProfiles,
  withoutProfile,
  withProfile,
  writeProfiles,
} from '../config/profiles.ts';
import { readEnvironment } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { hashSecret } from '../core/organization/api-key.ts';
import { type ApiConnection, createApiClient } from './api-client.ts';
import { type ServerOptions, serverCommand } from './api-command.ts';
import { CommandError, MisuseError } from './command-error.ts';
import { requireProfile } from './connection.ts';
import { signInWithBrowser } from './device-sign-in.ts';
import { parseIdentifier, parseProfile } from './options.ts';
import { chooseWorkspace } from './profile-workspace.ts';
import { paintForStdout, print, printStderr } from './ui/output.ts';
import { shortTime } from './ui/text.ts';
import { renderAccount } from './whoami.ts';

/** Signing in to a server and out again: both ends of a profile's life. */

export function loginCommand(): Command {
  return new Command('login')
    .description('Sign in to a server in a browser, and save a key for it in a profile')
    .argument('[url]', 'Server (default: PRESETD_URL, the server of your profile or this machine)')
    .option('--profile <name>', 'Name of the profile (default: the host of the server)', parseProfile)
    .option(
      '--workspace <id or slug>',
      'Workspace that commands with this profile use (default: the one of before, or the default workspace)',
      parseIdentifier,
    )
    .option('--no-browser', 'Only print the page to open')
    .option('--with-key', 'Read a key from standard input instead')
    .action(login);
}

interface LoginOptions {
  readonly profile?: string;
  readonly workspace?: string;
  readonly browser: boolean;
  readonly withKey?: true;
}

/** Everything that can be wrong on this machine is found before the person opens a browser. */
async function login(urlArgument: string | undefined, options: LoginOptions): Promise<void> {
  const config = loadClientConfig(readEnvironment());
  const profiles = readProfiles();
  const given = urlArgument === undefined ? undefined : parseUrl(urlArgument);
  const { name, url } = targetOf(given, options.profile, config, profiles);
  const previous = findProfile(profiles, name);
  writeProfiles(profiles);
  const keySetting = options.withKey ? 'standard input' : `profile ${name}`;
  const server = { url, urlSetting: 'the URL', key: undefined, keySetting };
  const key = checkedKey(
    options.withKey
      ? await readInput()
      : await signInWithBrowser(url, createApiClient(server), options.browser),
  );
  const method = options.withKey ? 'key' : 'browser';
  const workspace = previous?.workspace ?? null;
  const profile: Profile = { name, url, key, method, email: null, expiresAt: null, workspace };
  // The server returns a new key only once, so it is saved before anything can fail.
  if (method === 'browser') save(profile);
  const api = createApiClient({ ...server, key });
  const { data } = (await api.call('GET /account', {}, { isIdempotent: true })).content;
  const expiresAt = data.credential.expires_at;
  save({ ...profile, email: String(data.email), expiresAt: expiresAt === null ? null : String(expiresAt) });
  if (previous !== undefined && previous.key !== key) await deleteKey(previous).catch(() => undefined);
  printStderr(`Signed in to ${url}. Commands now use profile ${name}.`);
  warnAboutEnvironment(config);
  const chosen =
    options.workspace === undefined ? workspace : await chooseWorkspace(api, name, options.workspace);
  const connection = { url, keySetting: `profile ${name}`, workspace: chosen };
  print(renderAccount(data, connection, systemClock(), paintForStdout));
  if (chosen === null && data.workspaces.length > 1)
    printStderr('Commands use the default workspace. To use another, run "presetd workspace use <slug>".');
}

/** Without an argument, signs in again where the person was signed in before. */
function targetOf(
  urlArgument: string | undefined,
  nameOption: string | undefined,
  config: ClientConfig,
  profiles: Profiles,
): Pick<Profile, 'name' | 'url'> {
  const givenName = nameOption ?? config.profile;
  const givenUrl = urlArgument ?? (config.hasUrl ? config.url : undefined);
  const known = findProfile(profiles, givenName ?? (givenUrl === undefined ? profiles.current : null));
  const url = givenUrl ?? known?.url ?? config.url;
  const name = givenName ?? known?.name ?? new URL(url).host;
  const existing = findProfile(profiles, name);
  if (existing !== undefined && existing.url !== url)
    throw new MisuseError(
      `Profile ${name} is for ${existing.url}. Choose another name with --profile, or run "presetd logout --profile ${name}" first.`,
    );
  return { name, url };
}

async function readInput(): Promise<string> {
  if (process.stdin.isTTY) printStderr('Paste the key, then press Enter and Ctrl+D.');
  const input = await text(process.stdin);
  if (input.trim() === '') throw new MisuseError('There is no key on standard input.');
  return input;
}

/** An invalid key would make the file of profiles invalid. */
function checkedKey(key: unknown): string {
  try {
    return parseKey(String(key).trim());
  } catch (error) {
    throw new CommandError(`The key ${error instanceof Error ? error.message : error}.`);
  }
}

/** Reads the file again: another command may have changed it while the person was signing in. */
function save(profile: Profile): void {
  writeProfiles(withProfile(readProfiles(), profile));
}

function warnAboutEnvironment({ apiKey, managementKey, profile }: ClientConfig): void {
  const warn = (subject: string, name: string) =>
    printStderr(
      `Commands about ${subject} use ${name} (from the environment or .env) instead of this profile.`,
    );
  if (apiKey !== undefined) warn('presets', 'PRESETD_API_KEY');
  if (managementKey !== undefined) warn('the organization', 'PRESETD_MANAGEMENT_KEY');
  else if (apiKey !== undefined && profile === undefined) warn('the organization', 'PRESETD_API_KEY');
}

export function logoutCommand(): Command {
  return serverCommand('logout')
    .description('Delete the key of a profile on the server, and the profile')
    .option('--force', 'Delete the profile even if the key cannot be deleted')
    .action(logout);
}

async function logout(options: ServerOptions & { readonly force?: true }): Promise<void> {
  const profiles = readProfiles();
  const name = options.profile ?? loadClientConfig(readEnvironment()).profile ?? profiles.current;
  if (name === null)
    throw new CommandError('You are not signed in. Name a profile with --profile.', { kind: 'not_found' });
  const profile = requireProfile(profiles, name);
  const outcome = await deleteKey(profile).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    if (!options.force)
      throw error.restated(
        `The key of profile ${name} was not deleted. ${error.message}\nTo delete only the profile, add --force; the key then works ${lifetimeOf(profile)}.`,
      );
    return `Its key was not deleted and works ${lifetimeOf(profile)}. ${error.message}`;
  });
  writeProfiles(withoutProfile(readProfiles(), name));
  printStderr(`Deleted profile ${name}. ${outcome}`);
}

/**
 * Returns a sentence about the key. A key that the person supplied may be in use elsewhere, so it
 * stays. One that the server no longer accepts need not be deleted.
 */
async function deleteKey({ name, url, key, method }: Profile): Promise<string> {
  if (method === 'key') return 'Its key was not created by "presetd login" and stays valid.';
  const connection: ApiConnection = {
    url,
    urlSetting: `the URL of profile ${name}`,
    key,
    keySetting: `profile ${name}`,
  };
  try {
    await createApiClient(connection).call('DELETE /keys/:hash', { params: { hash: hashSecret(key) } });
    return 'Its key no longer works.';
  } catch (error) {
    if (error instanceof CommandError && error.status === 401) return 'Its key had already stopped working.';
    throw error;
  }
}

function lifetimeOf({ expiresAt }: Profile): string {
  return expiresAt === null ? 'until somebody deletes it' : `until ${shortTime(expiresAt)}`;
}

/** Not a parser of Commander, whose error would repeat a password in the URL. */
function parseUrl(url: string): string {
  try {
    return parseServerUrl(url);
  } catch (error) {
    throw new MisuseError(`The server ${error instanceof Error ? error.message : error}.`);
  }
}

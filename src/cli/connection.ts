import { type ClientConfig, loadClientConfig } from '../config/client-config.ts';
import {
  findProfile,
  type Profile,
  type Profiles,
  type ProfileWorkspace,
  readProfiles,
} from '../config/profiles.ts';
import { readEnvironment } from '../config/settings.ts';
import type { ApiConnection } from './api-client.ts';
import { CommandError, MisuseError } from './command-error.ts';

/**
 * The server that a command calls, and the key that it sends. Environment variables take
 * precedence; a profile supplies what they do not set. A key never reaches a server that it was not
 * meant for:
 *
 * - The key of a profile is sent only to the URL of that profile.
 * - A key of the environment goes to PRESETD_URL or its default. Only a profile that is named, with
 *   `--profile` or PRESETD_PROFILE, changes that; the current profile does not.
 */
type KeyKind = 'api' | 'management';

export interface ResolvedConnection extends ApiConnection {
  /** The default workspace of the profile, if the key comes from one: other keys have their own. */
  readonly workspace?: ProfileWorkspace | null;
}

/** Throws a `CommandError` if there is no key to send. */
export function connectionFor(kind: KeyKind, profileName: string | undefined): ResolvedConnection {
  return resolveConnection(loadClientConfig(readEnvironment()), profileName, readProfiles, kind);
}

/**
 * Commands about presets use PRESETD_API_KEY. Those about the organization use
 * PRESETD_MANAGEMENT_KEY, else PRESETD_API_KEY, for users who set one management key for
 * everything. Only a named profile hides PRESETD_API_KEY from the latter: signing in must not
 * change which key and server existing scripts use.
 */
export function resolveConnection(
  config: ClientConfig,
  profileName: string | undefined,
  read: () => Profiles,
  kind: KeyKind,
): ResolvedConnection {
  const keys = { api: config.apiKey, management: config.managementKey };
  const isNamed = (profileName ?? config.profile) !== undefined;
  const source = keys[kind] === undefined && kind === 'management' && !isNamed ? 'api' : kind;
  const key = keys[source];
  const profile = selectProfile(config, profileName, read, key !== undefined);
  const server =
    config.hasUrl || profile === undefined
      ? { url: config.url, urlSetting: 'PRESETD_URL' }
      : { url: profile.url, urlSetting: `the URL of profile ${profile.name}` };
  if (key !== undefined) return { ...server, key, keySetting: keySettings[source] };
  if (profile?.url === server.url)
    return {
      ...server,
      key: profile.key,
      keySetting: `profile ${profile.name}`,
      profile: profile.name,
      workspace: profile.workspace,
    };
  if (keys.api !== undefined) return { ...server, key: keys.api, keySetting: keySettings.api };
  throw profile === undefined ? missingKeyError(kind, config) : otherServerError(config, profile);
}

const keySettings = { api: 'PRESETD_API_KEY', management: 'PRESETD_MANAGEMENT_KEY' } as const;

/** Throws a `CommandError` if there is no profile of this name. */
export function requireProfile(profiles: Profiles, name: string): Profile {
  const profile = findProfile(profiles, name);
  if (profile !== undefined) return profile;
  const names = profiles.profiles.map((other) => other.name).join(', ');
  throw new CommandError(
    `There is no profile ${name}. ${names === '' ? 'Create it with "presetd login".' : `Your profiles: ${names}.`}`,
    { kind: 'not_found' },
  );
}

/** Reads the file only if it can matter, so that a broken one does not stop scripts without it. */
function selectProfile(
  config: ClientConfig,
  name: string | undefined,
  read: () => Profiles,
  hasKey: boolean,
): Profile | undefined {
  if (name !== undefined) {
    const profile = requireProfile(read(), name);
    if (config.hasUrl && config.url !== profile.url) throw otherServerError(config, profile);
    return profile;
  }
  if (hasKey && config.hasUrl) return undefined;
  if (config.profile !== undefined) return requireProfile(read(), config.profile);
  if (hasKey) return undefined;
  const profiles = read();
  return findProfile(profiles, profiles.current);
}

function missingKeyError(kind: KeyKind, { managementKey }: ClientConfig): CommandError {
  const title = kind === 'api' ? 'API' : 'management';
  const reason = managementKey === undefined ? '' : ': PRESETD_MANAGEMENT_KEY is not used for presets';
  return new CommandError(
    `No ${title} key is set${reason}. Sign in with "presetd login", or set ${keySettings[kind]} in the environment or in .env.`,
    { kind: 'authentication' },
  );
}

function otherServerError({ url }: ClientConfig, profile: Profile): CommandError {
  return new MisuseError(
    `PRESETD_URL is ${url}, but profile ${profile.name} is for ${profile.url}, so its key is not sent. Unset PRESETD_URL, or sign in there with "presetd login ${url}".`,
  );
}

import { type Environment, optional, parseSettings, setting, settingsError } from './settings.ts';

/** Settings of the commands that call a server over HTTP. The server itself does not use them. */
export const clientSettings = {
  PRESETD_URL: setting('http://127.0.0.1:7778', 'Base URL of the server.', parseServerUrl),
  PRESETD_API_KEY: setting('', 'API key or management key for commands about presets.', optional(parseKey)),
  PRESETD_MANAGEMENT_KEY: setting(
    '',
    'Management key for `key`, `workspace`, `member`, `audit`, `usage`, `calls` and `whoami`. Without it, they use `PRESETD_API_KEY`, unless you name a profile.',
    optional(parseKey),
  ),
  PRESETD_PROFILE: setting(
    '',
    'Profile that supplies what the settings above do not set (see [profiles](command-line.md#profiles)).',
    optional(parseProfileName),
  ),
};

export interface ClientConfig {
  /** Without a trailing slash and without the path of the API. */
  readonly url: string;
  /** Whether PRESETD_URL is set. It takes precedence over the URL of a profile. */
  readonly hasUrl: boolean;
  readonly apiKey: string | undefined;
  readonly managementKey: string | undefined;
  /** The name of a profile. */
  readonly profile: string | undefined;
}

/** Loads client settings. Server settings are ignored, even if they are invalid. */
export function loadClientConfig(environment: Environment): ClientConfig {
  const { values, problems } = parseSettings(clientSettings, environment);
  if (problems.length > 0) throw settingsError(problems);
  return Object.freeze({
    url: values.PRESETD_URL,
    hasUrl: Boolean(environment.PRESETD_URL),
    apiKey: values.PRESETD_API_KEY,
    managementKey: values.PRESETD_MANAGEMENT_KEY,
    profile: values.PRESETD_PROFILE,
  });
}

/** Accepts what fits in a header. The message never repeats the key. */
export function parseKey(text: string): string {
  if (/^[\x21-\x7e]{1,256}$/.test(text)) return text;
  throw new Error('must be at most 256 visible ASCII characters without spaces');
}

/** Accepts host names with ports, which are the default names of profiles. */
export function parseProfileName(text: string): string {
  if (/^[A-Za-z0-9[][\w.:\]-]{0,99}$/.test(text)) return text;
  throw new Error('must be at most 100 letters, digits or any of . : - _');
}

/**
 * Accepts the address of the server as well as the base URL that an SDK uses, with `/api` or
 * `/api/v1`.
 */
export function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Text before an @ may be a password, even in an invalid URL, so this message does not repeat it.
  if (text.includes('@') || (url !== undefined && `${url.search}${url.hash}` !== ''))
    throw new Error('must be a URL without user name, password, query or fragment');
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error(`must be a URL such as http://127.0.0.1:7778, not "${text}"`);
  return url.href.replace(/\/+$/, '').replace(/\/api(\/v1)?$/, '');
}

import { type Environment, optional, parseSettings, setting, settingsError } from './settings.ts';

/** Settings of the commands that call a server over HTTP. The server itself does not use them. */
export const clientSettings = {
  PRESETD_URL: setting('http://127.0.0.1:7778', 'Base URL of the server.', serverUrl),
  PRESETD_API_KEY: setting('', 'API key or management key to send.', optional(keyHeader)),
  PRESETD_MANAGEMENT_KEY: setting(
    '',
    'Management key for `key`, `workspace`, `member` and `audit`, instead of `PRESETD_API_KEY`.',
    optional(keyHeader),
  ),
};

export interface ClientConfig {
  /** Without a trailing slash and without the path of the API. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly managementKey: string | undefined;
}

/** Loads client settings. Server settings are ignored, even if they are invalid. */
export function loadClientConfig(environment: Environment): ClientConfig {
  const { values, problems } = parseSettings(clientSettings, environment);
  if (problems.length > 0) throw settingsError(problems);
  return Object.freeze({
    url: values.PRESETD_URL,
    apiKey: values.PRESETD_API_KEY,
    managementKey: values.PRESETD_MANAGEMENT_KEY,
  });
}

/** Accepts what fits in a header. The message never repeats the key. */
function keyHeader(text: string): string {
  if (/^[\x21-\x7e]{1,256}$/.test(text)) return text;
  throw new Error('must be at most 256 visible ASCII characters without spaces');
}

/**
 * Accepts the address of the server as well as the base URL that an SDK uses, with `/api` or
 * `/api/v1`.
 */
function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Text before an @ may be a password, even in an invalid URL, so this message does not repeat it.
  if (text.includes('@') || (url !== undefined && `${url.search}${url.hash}` !== ''))
    throw new Error('must be a URL without user name, password, query or fragment');
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error(`must be a URL such as http://127.0.0.1:7778, not "${text}"`);
  return url.href.replace(/\/+$/, '').replace(/\/api(\/v1)?$/, '');
}

import { type Environment, optional, parseSettings, setting, settingsError } from './settings.ts';

/** What the commands that talk to a server over HTTP need, and the server itself does not. */
export const clientSettings = {
  PRESETD_URL: setting('http://127.0.0.1:7778', 'Where the server is that they talk to.', serverUrl),
  PRESETD_API_KEY: setting('', 'The key that they send: an API key or a management key.', optional(sentKey)),
  PRESETD_MANAGEMENT_KEY: setting(
    '',
    'The key that `key`, `workspace`, `member` and `audit` send instead, where it is set.',
    optional(sentKey),
  ),
};

export interface ClientConfig {
  /** Without a slash at its end and without the path of the API. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly managementKey: string | undefined;
}

/** The settings of a command that is a client; those of the server may be absent or wrong. */
export function loadClientConfig(environment: Environment): ClientConfig {
  const { values, problems } = parseSettings(clientSettings, environment);
  if (problems.length > 0) throw settingsError(problems);
  return Object.freeze({
    url: values.PRESETD_URL,
    apiKey: values.PRESETD_API_KEY,
    managementKey: values.PRESETD_MANAGEMENT_KEY,
  });
}

/** A header can hold nothing else; the key itself is never repeated in a message. */
function sentKey(text: string): string {
  if (/^[\x21-\x7e]{1,256}$/.test(text)) return text;
  throw new Error('must be at most 256 visible ASCII characters without spaces');
}

/** People copy the address of the server, or the one that they gave to an SDK. */
function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // What stands before an @ may be a password, even where the rest is wrong too, and is never repeated in a message.
  if (text.includes('@') || (url !== undefined && `${url.search}${url.hash}` !== ''))
    throw new Error('must be a URL without user name, password, query and fragment');
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error(`must be a URL such as http://127.0.0.1:7778, and is "${text}"`);
  return url.href.replace(/\/+$/, '').replace(/\/api(\/v1)?$/, '');
}

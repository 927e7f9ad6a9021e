import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { bodyMebibytesDefault } from '../core/body-limit.ts';
import { isEmail, isName, nameRule } from '../core/organization/organization.ts';
import { defaultGatewaySettings } from '../gateway/upstreams/gateway-settings.ts';
import {
  baseUrlRule,
  type GatewaySettings,
  isBaseUrl,
  isUpstreamKey,
  upstreamKeyRule,
} from '../gateway/upstreams/upstream.ts';
import { readUpstreamFile, type UpstreamFileResult } from '../gateway/upstreams/upstream-file.ts';
import { openrouterUrl } from '../gateway/upstreams/upstream-kinds.ts';
import { readSignInFile, type SignInFileResult } from '../sign-in/sign-in-file.ts';
import { defaultSignInSettings, type SignInSettings } from '../sign-in/sign-in-settings.ts';
import type { StorageOptions } from '../storage/open.ts';
import { clientSettings } from './client-config.ts';
import { databaseLocation } from './database-url.ts';
import {
  type Environment,
  optional,
  parseSettings,
  setting,
  settingsError,
  type ValuesOf,
  variableFor,
} from './settings.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const logFormats = ['auto', 'json', 'pretty'] as const;

export type LogFormat = (typeof logFormats)[number];

/** Names that Fastify accepts for address ranges. */
const proxyRanges = ['loopback', 'linklocal', 'uniquelocal'] as const;

/**
 * Every setting of the server, roughly by how often people need it. `docs/config.md` is generated
 * from this table, so a description must make sense there.
 */
export const settings = {
  HOST: setting(
    '127.0.0.1',
    'Address to listen on.',
    textThat(isHostName, 'must be an address such as 127.0.0.1, :: or a host name'),
  ),
  PORT: setting('7778', 'Port to listen on; `0` picks a free port.', wholeNumber(0, 65_535)),
  DATABASE_URL: setting(
    'sqlite:./data/presetd.db',
    'Database: `sqlite:<path>` or `postgres://user:password@host:5432/name`.',
    databaseLocation,
  ),
  LOG_LEVEL: setting('info', `Minimum level of log messages: ${logLevels.join(', ')}.`, oneOf(logLevels)),
  PRESETD_LOG_FORMAT: setting(
    'auto',
    'Log format: `json`, `pretty` (human-readable) or `auto` (`pretty` on a terminal, otherwise `json`).',
    oneOf(logFormats),
  ),
  PRESETD_CONFIG: setting(
    '',
    'YAML or JSON file that lists the [upstreams](upstreams.md), reloaded on SIGHUP. Without it, OpenRouter is the only upstream.',
    optional((path) => path),
  ),
  PRESETD_UPSTREAM_URL: setting(
    openrouterUrl,
    'Base URL of OpenRouter or a compatible service. Cannot be combined with `PRESETD_CONFIG`.',
    textThat(isBaseUrl, baseUrlRule, false),
  ),
  OPENROUTER_API_KEY: setting(
    '',
    'API key for OpenRouter. Without it, inference returns 424; everything else works.',
    optional(textThat(isUpstreamKey, upstreamKeyRule, false)),
  ),
  PRESETD_SIGN_IN_CONFIG: setting(
    '',
    'YAML or JSON file that lists [sign-in providers](sign-in-providers.md) such as Google and Okta, reloaded on SIGHUP. Without it, people sign in with passwords and one-time links.',
    optional((path) => path),
  ),
  PRESETD_WORKERS: setting(
    '1',
    'Number of worker processes that share the port, or `auto` for one per core. `presetd serve --workers` takes precedence.',
    workerCount,
  ),
  PRESETD_BODY_LIMIT: setting(
    `${bodyMebibytesDefault}MiB`,
    'Maximum size of a request body, up to 256MiB: a number of bytes, or a number with KiB or MiB.',
    byteCount,
  ),
  PRESETD_REQUESTS_IN_FLIGHT: setting(
    '1024',
    'Maximum requests in flight per process, not counting model calls. Requests beyond it get 503; `0` disables load shedding.',
    wholeNumber(0, 1_000_000),
    'PRESETD_REQUESTS_UNDER_WAY',
  ),
  PRESETD_CLIENT_TIMEOUT_MS: setting(
    '60000',
    'How long a client can take to send its headers, or pause while reading a response. A whole request can take twice as long to arrive.',
    wholeNumber(100, 3_600_000),
  ),
  PRESETD_RATE_LIMIT: setting(
    '0',
    'Maximum requests per key and minute; `0` means no limit.',
    wholeNumber(0, 1_000_000_000),
  ),
  PRESETD_AUTH_FAILURE_LIMIT: setting(
    '0',
    'Maximum requests without a valid key per address and minute, before the address is blocked for the rest of the minute; `0` means no limit.',
    wholeNumber(0, 1_000_000_000),
  ),
  PRESETD_TRUSTED_PROXIES: setting(
    '',
    `Proxies whose \`X-Forwarded-For\`, \`X-Forwarded-Proto\` and \`X-Forwarded-Host\` headers are trusted: comma-separated addresses such as 10.0.0.7, ranges such as 10.0.0.0/8, or ${proxyRanges.join(', ')}.`,
    trustedProxies,
  ),
  PRESETD_PUBLIC_URL: setting(
    '',
    'Where browsers reach this server, such as https://presets.example.com. Needed behind a proxy that changes the host, and for sign-in with a provider.',
    optional(publicUrl),
  ),
  PRESETD_SESSION_IDLE: setting(
    '7d',
    'A person who has not used the dashboard for this long has to sign in again: a number with m, h or d, at least 5m and at most `PRESETD_SESSION_MAX`.',
    duration,
  ),
  PRESETD_SESSION_MAX: setting(
    '30d',
    'A person has to sign in again after this time at the latest; same format.',
    duration,
  ),
  PRESETD_CORS_ORIGINS: setting(
    '',
    'Web pages that may call the API from a browser: comma-separated origins such as https://app.example.com, or `*` for all. Without it, browsers block such calls.',
    corsOrigins,
  ),
  PRESETD_BOOTSTRAP_API_KEY: setting(
    '',
    'API key that the first start creates, instead of a generated one: 16 to 256 visible ASCII characters.',
    optional(secret),
  ),
  PRESETD_BOOTSTRAP_MANAGEMENT_KEY: setting(
    '',
    'Management key that the first start creates, instead of a generated one; same format.',
    optional(secret),
  ),
  PRESETD_OWNER_EMAIL: setting(
    'owner@localhost',
    'Email address of the first member, who is an `org:admin`.',
    textThat(isEmail, 'must be an email address'),
  ),
  PRESETD_OWNER_FIRST_NAME: setting(
    'Preset',
    'First name of the first member.',
    textThat(isName, nameRule, false),
  ),
  PRESETD_OWNER_LAST_NAME: setting(
    'Owner',
    'Last name of the first member.',
    textThat(isName, nameRule, false),
  ),
  PRESETD_DATABASE_POOL_SIZE: setting(
    '10',
    'Maximum PostgreSQL connections per process; every worker has its own pool.',
    wholeNumber(1, 1_000),
  ),
  PRESETD_DATABASE_TIMEOUT_MS: setting(
    '5000',
    'Timeout for a database query, after which the client gets 503.',
    wholeNumber(100, 600_000),
  ),
  PRESETD_WRITE_QUEUE_SIZE: setting(
    '4096',
    'Maximum writes waiting for the database; further writes get 503.',
    wholeNumber(1, 1_000_000),
  ),
  PRESETD_KEY_CACHE_SIZE: setting(
    '10000',
    'Maximum number of API keys in the cache.',
    wholeNumber(1, 10_000_000),
  ),
  PRESETD_PRESET_CACHE_SIZE: setting(
    '64MiB',
    'Memory for cached presets, up to 256MiB; same format as `PRESETD_BODY_LIMIT`.',
    byteCount,
  ),
  PRESETD_USAGE_RETENTION_DAYS: setting(
    '90',
    'How long single calls are stored; `0` stores only the sums of usage, which stay for good.',
    wholeNumber(0, 3_650),
  ),
  PRESETD_USAGE_BACKLOG: setting(
    '50000',
    'How many records of calls may wait in memory, in each process, while the database is unavailable; about 1 KiB each.',
    wholeNumber(1_000, 10_000_000),
  ),
  PRESETD_METRICS_PORT: setting(
    '',
    'Separate port, on the same address, that serves `/metrics` without a key; `0` picks a free port.',
    optional(wholeNumber(0, 65_535)),
  ),
  PRESETD_METRICS_TOKEN: setting(
    '',
    'Bearer token for `/metrics` on the API port; same format as the bootstrap keys.',
    optional(secret),
  ),
  PRESETD_SCIM_TOKEN: setting(
    '',
    'Bearer token for [SCIM](scim.md) at `/scim/v2`, which is off without it: 32 to 256 visible ASCII characters. To replace it, list the old and the new one, separated by a comma.',
    scimTokens,
  ),
  PRESETD_SHUTDOWN_TIMEOUT_MS: setting(
    '10000',
    'How long requests in flight can take to finish after SIGTERM.',
    wholeNumber(0, 600_000),
  ),
};

type Values = ValuesOf<typeof settings>;

/** SIGHUP reloads these settings, the files that they name, and the secrets that those name. */
const reloadedSettings: readonly string[] = [
  'PRESETD_CONFIG',
  'PRESETD_SIGN_IN_CONFIG',
  'PRESETD_UPSTREAM_URL',
  'OPENROUTER_API_KEY',
] satisfies (keyof Values)[];

/**
 * The validated settings of a server. The object is frozen, and nothing else reads the environment.
 */
export type Config = Readonly<ReturnType<typeof toConfig>>;

/** The part of the settings that SIGHUP reloads. */
export type ReloadableConfig = Pick<Config, 'gateway' | 'signIn'>;

/**
 * Validates all settings and the files that they name. Throws one `ConfigError` that lists every
 * problem.
 */
export function loadConfig(environment: Environment): Config {
  const { values, problems } = parseSettings(settings, environment);
  if (
    values.PRESETD_BOOTSTRAP_API_KEY !== undefined &&
    values.PRESETD_BOOTSTRAP_API_KEY === values.PRESETD_BOOTSTRAP_MANAGEMENT_KEY
  ) {
    problems.push('PRESETD_BOOTSTRAP_API_KEY and PRESETD_BOOTSTRAP_MANAGEMENT_KEY must differ');
  }
  const { PORT: port, PRESETD_METRICS_PORT: metricsPort } = values;
  if (metricsPort !== undefined && metricsPort !== 0 && metricsPort === port)
    problems.push('PRESETD_METRICS_PORT and PORT must differ');
  // The default is not a mistake: a session then ends at the other limit.
  if (environment.PRESETD_SESSION_IDLE && values.PRESETD_SESSION_IDLE > values.PRESETD_SESSION_MAX)
    problems.push('PRESETD_SESSION_IDLE must not be longer than PRESETD_SESSION_MAX');
  if (environment.PRESETD_CONFIG && environment.PRESETD_UPSTREAM_URL)
    problems.push(
      'PRESETD_CONFIG and PRESETD_UPSTREAM_URL are both set: unset one, because the file already contains the upstream URLs',
    );
  const gateway = readGateway(values, environment);
  const signIn = readSignIn(values, environment);
  problems.push(...gateway.problems, ...signIn.problems);
  if (problems.length > 0 || gateway.settings === undefined || signIn.settings === undefined)
    throw settingsError(problems);
  return Object.freeze(toConfig(values, gateway.settings, signIn.settings));
}

/**
 * The environment for workers: the settings as they were when the server started, including unset
 * ones, so that a worker started later has the same. Settings that can be reloaded are empty,
 * because workers get the current ones from the supervisor.
 */
export function workerSettings(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { formerName }]) => {
      const value = environment[variableFor(name, formerName, environment)] ?? '';
      return [name, reloadedSettings.includes(name) ? '' : value];
    }),
  );
}

/** `PRESETD_*` variables that are set but unknown: most likely misspelled settings. */
export function unknownVariables(
  environment: Environment,
  { gateway, signIn }: ReloadableConfig,
): readonly string[] {
  const known = [
    ...Object.keys({ ...settings, ...clientSettings }),
    ...Object.values(settings).map(({ formerName }) => formerName),
    ...gateway.upstreams.map(({ key }) => key?.variable),
    ...signIn.providers.map(({ clientSecret }) => clientSecret?.variable),
  ];
  return Object.keys(environment)
    .filter((name) => name.startsWith('PRESETD_') && environment[name] !== '')
    .filter((name) => !known.includes(name) && !kubernetesVariable.test(name))
    .sort();
}

/** Kubernetes sets these in every container if there is a service named "presetd". */
const kubernetesVariable = /^PRESETD_(SERVICE_(HOST|PORT)|PORT)(_|$)/;

function readGateway(values: Values, environment: Environment): UpstreamFileResult {
  const path = values.PRESETD_CONFIG;
  if (path === undefined) {
    return { settings: defaultGatewaySettings(values.PRESETD_UPSTREAM_URL, environment), problems: [] };
  }
  return readFile('PRESETD_CONFIG', path, (text) => readUpstreamFile(text, path, environment));
}

function readSignIn(values: Values, environment: Environment): SignInFileResult {
  const path = values.PRESETD_SIGN_IN_CONFIG;
  if (path === undefined) return { settings: defaultSignInSettings, problems: [] };
  return readFile('PRESETD_SIGN_IN_CONFIG', path, (text) => readSignInFile(text, path, environment));
}

type FileResult<T> = { readonly settings: T | undefined; readonly problems: readonly string[] };

function readFile<T>(
  name: keyof Values,
  path: string,
  parse: (text: string) => FileResult<T>,
): FileResult<T> {
  try {
    return parse(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)));
  } catch (error) {
    return { settings: undefined, problems: [`${name} names ${path}, which ${fileProblem(error)}`] };
  }
}

function toConfig(values: Values, gateway: GatewaySettings, signIn: SignInSettings) {
  return {
    host: values.HOST,
    port: values.PORT,
    storage: {
      database: values.DATABASE_URL,
      poolSize: values.PRESETD_DATABASE_POOL_SIZE,
      timeoutMs: values.PRESETD_DATABASE_TIMEOUT_MS,
      writesWaitingMax: values.PRESETD_WRITE_QUEUE_SIZE,
    } satisfies StorageOptions,
    logLevel: values.LOG_LEVEL,
    logFormat: values.PRESETD_LOG_FORMAT,
    workers: values.PRESETD_WORKERS,
    bodyBytesMax: values.PRESETD_BODY_LIMIT,
    requestsInFlightMax: values.PRESETD_REQUESTS_IN_FLIGHT,
    clientTimeoutMs: values.PRESETD_CLIENT_TIMEOUT_MS,
    rateLimitPerMinute: values.PRESETD_RATE_LIMIT,
    authFailureLimitPerMinute: values.PRESETD_AUTH_FAILURE_LIMIT,
    trustedProxies: values.PRESETD_TRUSTED_PROXIES,
    publicUrl: values.PRESETD_PUBLIC_URL,
    sessionIdleMs: values.PRESETD_SESSION_IDLE,
    sessionMaxMs: values.PRESETD_SESSION_MAX,
    corsOrigins: values.PRESETD_CORS_ORIGINS,
    keyCacheEntriesMax: values.PRESETD_KEY_CACHE_SIZE,
    presetCacheBytesMax: values.PRESETD_PRESET_CACHE_SIZE,
    usageRetentionDays: values.PRESETD_USAGE_RETENTION_DAYS,
    usageBacklogMax: values.PRESETD_USAGE_BACKLOG,
    shutdownTimeoutMs: values.PRESETD_SHUTDOWN_TIMEOUT_MS,
    gateway,
    signIn,
    /** Undefined unless metrics have their own port. */
    metricsPort: values.PRESETD_METRICS_PORT,
    /** Undefined unless metrics are served on the API port. */
    metricsToken: values.PRESETD_METRICS_TOKEN,
    /** Each of them gives access to SCIM; empty if it is off. */
    scimTokens: values.PRESETD_SCIM_TOKEN,
    bootstrap: {
      apiKey: values.PRESETD_BOOTSTRAP_API_KEY,
      managementKey: values.PRESETD_BOOTSTRAP_MANAGEMENT_KEY,
      owner: {
        email: values.PRESETD_OWNER_EMAIL,
        firstName: values.PRESETD_OWNER_FIRST_NAME,
        lastName: values.PRESETD_OWNER_LAST_NAME,
      },
    },
  };
}

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read by this user',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'does not exist: part of its path is a file',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text',
};

function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return fileProblems[code] ?? `cannot be read: ${error instanceof Error ? error.message : error}`;
}

/** Text that passes a check. The message repeats it only if it cannot be a secret. */
function textThat(
  isValid: (text: string) => boolean,
  rule: string,
  mayRepeat = true,
): (text: string) => string {
  return (text) => {
    if (isValid(text)) return text;
    throw new Error(mayRepeat ? `${rule}, not "${text}"` : rule);
  };
}

function isHostName(text: string): boolean {
  return /^[\w.:%-]+$/.test(text);
}

function oneOf<Value extends string>(values: readonly Value[]): (text: string) => Value {
  return (text) => {
    const value = values.find((known) => known === text);
    if (value !== undefined) return value;
    throw new Error(`must be one of ${values.join(', ')}, not "${text}"`);
  };
}

function secret(text: string): string {
  if (/^[\x21-\x7e]{16,256}$/.test(text)) return text;
  throw new Error('must be 16 to 256 visible ASCII characters without spaces');
}

/** `alternative` is part of the message. */
function wholeNumber(minimum: number, maximum: number, alternative = ''): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new Error(`must be ${alternative}a whole number from ${minimum} to ${maximum}, not "${text}"`);
  };
}

/** Larger than any machine needs, so more is most likely a typo. */
const workersMax = 512;

export function workerCount(text: string): number {
  return text === 'auto' ? availableParallelism() : wholeNumber(1, workersMax, 'auto or ')(text);
}

/** A number with one of the units, in any case. Not a number if the text is anything else. */
function quantity(text: string, units: Readonly<Record<string, number>>): number {
  const [, number, unit = ''] = /^(\d+) *([a-z]*)$/i.exec(text) ?? [];
  return Number(number) * (units[unit.toLowerCase()] ?? Number.NaN);
}

function byteCount(text: string): number {
  const bytes = quantity(text, { '': 1, kib: 1024, mib: 1024 ** 2 });
  // A body becomes one string, and V8 limits strings to about 512 MiB.
  if (bytes >= 1024 && bytes <= 256 * 1024 ** 2) return bytes;
  throw new Error(`must be from 1KiB to 256MiB, such as 33554432 or 32MiB, not "${text}"`);
}

/** Returns milliseconds. */
function duration(text: string): number {
  const ms = quantity(text, { m: 60_000, h: 3_600_000, d: 86_400_000 });
  // The last use of a session is stored once a minute, so a shorter limit would end it early.
  if (ms >= 5 * 60_000 && ms <= 366 * 86_400_000) return ms;
  throw new Error(`must be from 5m to 366d, such as 30m, 12h or 7d, not "${text}"`);
}

/** The dashboard and the API have fixed paths, so the server is always at the root of its host. */
function publicUrl(text: string): URL {
  if (isOrigin(text) && /^https?:/.test(text)) return new URL(text);
  throw new Error(
    `must be a URL such as https://presets.example.com, in lower case and without a path or a slash at the end, not "${text}"`,
  );
}

/** Nothing in an empty text. */
function commaSeparated(text: string, isValid: (item: string) => boolean, rule: string): readonly string[] {
  const items = text === '' ? [] : text.split(',').map((item) => item.trim());
  const invalid = items.find((item) => !isValid(item));
  if (invalid === undefined) return items;
  throw new Error(`${rule}, and contains "${invalid}"`);
}

function trustedProxies(text: string): readonly string[] {
  const rule = `must be comma-separated addresses such as 10.0.0.5, ranges such as 10.0.0.0/8 or fd00::/8, or ${proxyRanges.join(', ')}`;
  return commaSeparated(text, isProxy, rule);
}

/**
 * Rejects ranges that contain every address: trusting them would let any client forge its address.
 */
function isProxy(text: string): boolean {
  if (proxyRanges.some((range) => range === text)) return true;
  const [, address = '', bits] = /^([\d.a-f:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const bitsMax = { 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const prefixBits = bits === undefined ? bitsMax : Number(bits);
  return prefixBits >= 1 && prefixBits <= bitsMax;
}

function corsOrigins(text: string): readonly string[] {
  if (text === '*') return [text];
  const rule =
    'must be * or comma-separated origins such as https://app.example.com, in lower case and without a path, a slash at the end or a default port';
  return commaSeparated(text, isOrigin, rule);
}

/**
 * Whether browsers send an `Origin` that is equal to the text. Apps have schemes of their own, such
 * as tauri://localhost. Pages without an origin send "null", which no setting can tell apart.
 */
function isOrigin(text: string): boolean {
  // A star would be accepted as part of a host name, but no browser sends one.
  if (!URL.canParse(text) || text.includes('*')) return false;
  const { protocol, origin } = new URL(text);
  if (/^https?:$/.test(protocol)) return origin === text;
  return protocol !== 'file:' && /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(?::\d+)?$/.test(text);
}

/** The message never repeats a token. */
function scimTokens(text: string): readonly string[] {
  const tokens = text === '' ? [] : text.split(',').map((token) => token.trim());
  if (tokens.every((token) => /^[\x21-\x7e]{32,256}$/.test(token))) return tokens;
  throw new Error('must be tokens of 32 to 256 visible ASCII characters, separated by commas');
}

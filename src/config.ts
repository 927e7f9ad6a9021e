import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { clientSettings } from './client-config.ts';
import { isEmail, isName, nameRule } from './core/organization.ts';
import { databaseLocation } from './database-url.ts';
import { baseUrlRule, isBaseUrl } from './gateway/upstreams/base-url.ts';
import { defaultGatewaySettings, openrouterUrl } from './gateway/upstreams/gateway-settings.ts';
import type { GatewaySettings } from './gateway/upstreams/upstream.ts';
import { type UpstreamFileResult, readUpstreamFile } from './gateway/upstreams/upstream-file.ts';
import { isUpstreamKey, upstreamKeyRule } from './gateway/upstreams/upstream-key.ts';
import {
  type Environment,
  optional,
  parseSettings,
  setting,
  type ValuesOf,
  wrongSettings,
} from './settings.ts';
import type { StorageOptions } from './storage/open.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const logFormats = ['auto', 'json', 'pretty'] as const;

export type LogFormat = (typeof logFormats)[number];

/** Words that the framework knows for ranges of addresses. */
const proxyRanges = ['loopback', 'linklocal', 'uniquelocal'] as const;

/** Every setting of the server, in the order a person meets them. */
export const settings = {
  HOST: setting('127.0.0.1', 'Address to listen on.', hostName),
  PORT: setting('7778', 'Port to listen on; 0 takes a free one.', wholeNumber(0, 65_535)),
  DATABASE_URL: setting(
    'sqlite:./data/presetd.db',
    'Where everything is kept: `sqlite:<path>`, or `postgres://user:password@host:5432/name`.',
    databaseLocation,
  ),
  LOG_LEVEL: setting('info', `How much is logged: ${logLevels.join(', ')}.`, logLevel),
  PRESETD_LOG_FORMAT: setting(
    'auto',
    'Log format: `json`, `pretty` (human-readable) or `auto` (`pretty` on a terminal, otherwise `json`).',
    logFormat,
  ),
  PRESETD_CONFIG: setting(
    '',
    'YAML or JSON file that lists the [upstreams](upstreams.md); it is read again at SIGHUP. Without one there is OpenRouter alone.',
    optional((path) => path),
  ),
  PRESETD_UPSTREAM_URL: setting(
    openrouterUrl,
    'Base URL of OpenRouter, or of what stands in for it; only without a file of upstreams.',
    baseUrl,
  ),
  OPENROUTER_API_KEY: setting(
    '',
    'Key that OpenRouter is sent. Without it inference answers 424, and everything else works.',
    optional(upstreamKey),
  ),
  PRESETD_WORKERS: setting(
    '1',
    'Processes that serve the port together, or `auto` for one per core; `presetd serve --workers` goes before it.',
    workerCount,
  ),
  PRESETD_BODY_LIMIT: setting(
    '32MiB',
    'Largest request body, up to 256MiB: bytes, or a number with KiB or MiB.',
    byteCount,
  ),
  PRESETD_REQUESTS_UNDER_WAY: setting(
    '1024',
    'Requests that a process works on at once, calls of models not counted; callers past that get 503. 0 turns load shedding off.',
    wholeNumber(0, 1_000_000),
  ),
  PRESETD_CLIENT_TIMEOUT_MS: setting(
    '60000',
    'How long a client may take to send its headers, or not read on in an answer; for a whole request it has twice as long.',
    wholeNumber(100, 3_600_000),
  ),
  PRESETD_RATE_LIMIT: setting(
    '0',
    'Requests a key may make in a minute; 0 is no limit.',
    wholeNumber(0, 1_000_000_000),
  ),
  PRESETD_AUTH_FAILURE_LIMIT: setting(
    '0',
    'Requests without a good key an address may make in a minute, before it is refused until that minute is over; 0 is no limit.',
    wholeNumber(0, 1_000_000_000),
  ),
  PRESETD_TRUSTED_PROXIES: setting(
    '',
    `Proxies whose \`X-Forwarded-For\` is believed: addresses such as 10.0.0.7, ranges, or ${proxyRanges.join(', ')}, separated by commas.`,
    trustedProxies,
  ),
  PRESETD_BOOTSTRAP_API_KEY: setting(
    '',
    'API key of the first start, instead of a generated one: 16 to 256 visible ASCII characters.',
    optional(secret),
  ),
  PRESETD_BOOTSTRAP_MANAGEMENT_KEY: setting(
    '',
    'Management key of the first start, instead of a generated one; same form.',
    optional(secret),
  ),
  PRESETD_OWNER_EMAIL: setting(
    'owner@localhost',
    'E-mail address of the first member, an `org:admin`.',
    email,
  ),
  PRESETD_OWNER_FIRST_NAME: setting('Preset', 'First name of the first member.', personName),
  PRESETD_OWNER_LAST_NAME: setting('Owner', 'Last name of the first member.', personName),
  PRESETD_DATABASE_POOL_SIZE: setting(
    '10',
    'Connections to PostgreSQL a process may hold; each worker is one.',
    wholeNumber(1, 1_000),
  ),
  PRESETD_DATABASE_TIMEOUT_MS: setting(
    '5000',
    'How long the database may take for one answer before the caller gets 503.',
    wholeNumber(100, 600_000),
  ),
  PRESETD_WRITE_QUEUE_SIZE: setting(
    '4096',
    'Writes that may wait for the database; callers past that get 503.',
    wholeNumber(1, 1_000_000),
  ),
  PRESETD_KEY_CACHE_SIZE: setting(
    '10000',
    'API keys remembered between requests.',
    wholeNumber(1, 10_000_000),
  ),
  PRESETD_PRESET_CACHE_SIZE: setting(
    '64MiB',
    'Memory for presets remembered between requests, up to 256MiB; same form as the body limit.',
    byteCount,
  ),
  PRESETD_METRICS_PORT: setting(
    '',
    'Port of its own, on the same address, for Prometheus to read `/metrics` without a key; 0 takes a free one.',
    optional(wholeNumber(0, 65_535)),
  ),
  PRESETD_METRICS_TOKEN: setting(
    '',
    'Bearer token with which `/metrics` may be read on the port of the API; same form as the keys.',
    optional(secret),
  ),
  PRESETD_SHUTDOWN_TIMEOUT_MS: setting(
    '10000',
    'How long requests under way may take to finish after SIGTERM.',
    wholeNumber(0, 600_000),
  ),
};

type Values = ValuesOf<typeof settings>;

/** What SIGHUP has read again, with the file of upstreams and the keys that it names. */
const reloadedSettings: readonly string[] = [
  'PRESETD_CONFIG',
  'PRESETD_UPSTREAM_URL',
  'OPENROUTER_API_KEY',
] satisfies (keyof Values)[];

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly storage: StorageOptions;
  readonly logLevel: string;
  readonly logFormat: LogFormat;
  readonly workers: number;
  readonly bodyBytesMax: number;
  readonly requestsUnderWayMax: number;
  readonly clientTimeoutMs: number;
  readonly rateLimitPerMinute: number;
  readonly authFailureLimitPerMinute: number;
  readonly trustedProxies: readonly string[];
  readonly keyCacheEntriesMax: number;
  readonly presetCacheBytesMax: number;
  readonly shutdownTimeoutMs: number;
  readonly gateway: GatewaySettings;
  /** Undefined where the metrics have no port of their own. */
  readonly metricsPort: number | undefined;
  /** Undefined where the metrics are not served beside the API. */
  readonly metricsToken: string | undefined;
  readonly bootstrap: {
    readonly apiKey: string | undefined;
    readonly managementKey: string | undefined;
    readonly owner: { readonly email: string; readonly firstName: string; readonly lastName: string };
  };
}

/** Throws one `ConfigError` that names everything that is wrong. */
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
  if (environment.PRESETD_CONFIG && environment.PRESETD_UPSTREAM_URL)
    problems.push(
      'PRESETD_CONFIG and PRESETD_UPSTREAM_URL are both set: unset one, because the file says where its upstreams are',
    );
  const gateway = readGateway(values, environment);
  problems.push(...gateway.problems);
  if (problems.length > 0 || gateway.settings === undefined) throw wrongSettings(problems);
  return Object.freeze(toConfig(values, gateway.settings));
}

/**
 * The settings that a server keeps until it ends, also those that were left unset: a worker that is started later must not have others. Those of the
 * upstreams are empty, so that it does not read them by itself.
 */
export function workerSettings(environment: Environment): Readonly<Record<string, string>> {
  const kept = (name: string) => (reloadedSettings.includes(name) ? '' : (environment[name] ?? ''));
  return Object.fromEntries(Object.keys(settings).map((name) => [name, kept(name)]));
}

/** Set variables that have our name and mean nothing: most likely settings that are misspelled. */
export function unknownVariables(
  environment: Environment,
  { upstreams }: GatewaySettings,
): readonly string[] {
  const known = [
    ...Object.keys({ ...settings, ...clientSettings }),
    ...upstreams.map(({ key }) => key?.variable),
  ];
  return Object.keys(environment)
    .filter((name) => name.startsWith('PRESETD_') && environment[name] !== '')
    .filter((name) => !known.includes(name) && !ofKubernetes.test(name))
    .sort();
}

/** Set in every container beside a service that is called presetd. */
const ofKubernetes = /^PRESETD_(SERVICE_(HOST|PORT)|PORT)(_|$)/;

function readGateway(values: Values, environment: Environment): UpstreamFileResult {
  const path = values.PRESETD_CONFIG;
  if (path === undefined) {
    return { settings: defaultGatewaySettings(values.PRESETD_UPSTREAM_URL, environment), problems: [] };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
    return readUpstreamFile(text, path, environment);
  } catch (error) {
    return { settings: undefined, problems: [`PRESETD_CONFIG names ${path}, which ${reasonOf(error)}`] };
  }
}

function toConfig(values: Values, gateway: GatewaySettings): Config {
  return {
    host: values.HOST,
    port: values.PORT,
    storage: {
      database: values.DATABASE_URL,
      poolSize: values.PRESETD_DATABASE_POOL_SIZE,
      timeoutMs: values.PRESETD_DATABASE_TIMEOUT_MS,
      writesWaitingMax: values.PRESETD_WRITE_QUEUE_SIZE,
    },
    logLevel: values.LOG_LEVEL,
    logFormat: values.PRESETD_LOG_FORMAT,
    workers: values.PRESETD_WORKERS,
    bodyBytesMax: values.PRESETD_BODY_LIMIT,
    requestsUnderWayMax: values.PRESETD_REQUESTS_UNDER_WAY,
    clientTimeoutMs: values.PRESETD_CLIENT_TIMEOUT_MS,
    rateLimitPerMinute: values.PRESETD_RATE_LIMIT,
    authFailureLimitPerMinute: values.PRESETD_AUTH_FAILURE_LIMIT,
    trustedProxies: values.PRESETD_TRUSTED_PROXIES,
    keyCacheEntriesMax: values.PRESETD_KEY_CACHE_SIZE,
    presetCacheBytesMax: values.PRESETD_PRESET_CACHE_SIZE,
    shutdownTimeoutMs: values.PRESETD_SHUTDOWN_TIMEOUT_MS,
    gateway,
    metricsPort: values.PRESETD_METRICS_PORT,
    metricsToken: values.PRESETD_METRICS_TOKEN,
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

const fileReasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'does not exist: a part of its path is a file',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text',
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return fileReasons[code] ?? `cannot be read: ${error instanceof Error ? error.message : error}`;
}

function hostName(text: string): string {
  if (/^[\w.:%-]+$/.test(text)) return text;
  throw new Error(`must be an address such as 127.0.0.1, :: or a host name, and is "${text}"`);
}

function personName(text: string): string {
  if (isName(text)) return text;
  throw new Error(nameRule);
}

function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new Error(`must be a whole number from ${minimum} to ${maximum}, and is "${text}"`);
  };
}

/** More than anybody has cores for is a slip of the finger. */
const workersMax = 512;

export function workerCount(text: string): number {
  if (text === 'auto') return availableParallelism();
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= 1 && count <= workersMax) return count;
  throw new Error(`must be auto or a whole number from 1 to ${workersMax}, and is "${text}"`);
}

const byteUnits: Readonly<Record<string, number>> = { '': 1, kib: 1024, mib: 1024 ** 2 };

function byteCount(text: string): number {
  const match = /^(\d+) *([km]ib)?$/i.exec(text);
  const bytes = Number(match?.[1]) * (byteUnits[match?.[2]?.toLowerCase() ?? ''] ?? Number.NaN);
  // A body is held as one string, and a string has an end.
  if (bytes >= 1024 && bytes <= 256 * 1024 ** 2) return bytes;
  throw new Error(`must be from 1KiB to 256MiB, such as 33554432 or 32MiB, and is "${text}"`);
}

function trustedProxies(text: string): readonly string[] {
  if (text === '') return [];
  const proxies = text.split(',').map((proxy) => proxy.trim());
  const wrong = proxies.find((proxy) => !isProxy(proxy));
  if (wrong === undefined) return proxies;
  throw new Error(
    `must be addresses such as 10.0.0.5, ranges such as 10.0.0.0/8 or fd00::/8, or ${proxyRanges.join(', ')}, separated by commas, and has "${wrong}"`,
  );
}

/** A range of everything is none: whoever trusts it lets every client choose its address. */
function isProxy(text: string): boolean {
  if (proxyRanges.some((range) => range === text)) return true;
  const [, address = '', bits] = /^([\d.a-f:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const bitsMax = { 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const bitsTaken = bits === undefined ? bitsMax : Number(bits);
  return bitsTaken >= 1 && bitsTaken <= bitsMax;
}

function logLevel(text: string): string {
  if (logLevels.some((level) => level === text)) return text;
  throw new Error(`must be one of ${logLevels.join(', ')}, and is "${text}"`);
}

function logFormat(text: string): LogFormat {
  const format = logFormats.find((known) => known === text);
  if (format !== undefined) return format;
  throw new Error(`must be one of ${logFormats.join(', ')}, and is "${text}"`);
}

function secret(text: string): string {
  if (/^[\x21-\x7e]{16,256}$/.test(text)) return text;
  throw new Error('must be 16 to 256 visible ASCII characters without spaces');
}

function baseUrl(text: string): string {
  if (isBaseUrl(text)) return text;
  throw new Error(baseUrlRule);
}

/** Never repeated in a message. */
function upstreamKey(text: string): string {
  if (isUpstreamKey(text)) return text;
  throw new Error(upstreamKeyRule);
}

function email(text: string): string {
  if (isEmail(text)) return text;
  throw new Error(`must be an e-mail address, and is "${text}"`);
}

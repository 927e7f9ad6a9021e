import { type Dialect, dialects } from '../../core/presets/preset.ts';
import {
  type GatewaySettings,
  trimTrailingSlash,
  type Upstream,
  type UpstreamKey,
  type UpstreamKind,
} from './upstream.ts';
import type { UpstreamEntry, UpstreamFile } from './upstream-file-schema.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface KindDefaults {
  /** Undefined if there is no default and the operator has to set one. */
  readonly baseUrl: string | undefined;
  /** All dialects that an upstream of this kind can support. */
  readonly dialects: readonly Dialect[];
  readonly defaultDialects: readonly Dialect[];
  readonly keyVariable: string | undefined;
}

export const openrouterUrl = 'https://openrouter.ai/api/v1';

export const defaultsOf: Readonly<Record<UpstreamKind, KindDefaults>> = {
  openrouter: {
    baseUrl: openrouterUrl,
    dialects,
    defaultDialects: dialects,
    keyVariable: 'OPENROUTER_API_KEY',
  },
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    dialects: ['chat-completions', 'responses'],
    defaultDialects: ['chat-completions', 'responses'],
    keyVariable: 'OPENAI_API_KEY',
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    dialects: ['messages'],
    defaultDialects: ['messages'],
    keyVariable: 'ANTHROPIC_API_KEY',
  },
  'openai-compatible': {
    baseUrl: undefined,
    dialects,
    defaultDialects: ['chat-completions'],
    keyVariable: undefined,
  },
};

/** Fills in the defaults of an upstream file. The file must have passed validation. */
export function toGatewaySettings(file: UpstreamFile, environment: Environment): GatewaySettings {
  return {
    upstreams: file.upstreams.map((entry) => toUpstream(entry, environment)),
    attemptsMax: file.attempts_max ?? 4,
  };
}

/** The settings without an upstream file: OpenRouter is the only upstream. */
export function defaultGatewaySettings(baseUrl: string, environment: Environment): GatewaySettings {
  const entry = { name: 'openrouter', kind: 'openrouter', base_url: baseUrl } as const;
  return toGatewaySettings({ upstreams: [entry] }, environment);
}

/** The environment variable that holds the upstream's key; undefined if it needs none. */
export function keyVariableOf(entry: Pick<UpstreamEntry, 'kind' | 'api_key_env'>): string | undefined {
  return entry.api_key_env ?? defaultsOf[entry.kind].keyVariable;
}

function toUpstream(entry: UpstreamEntry, environment: Environment): Upstream {
  const defaults = defaultsOf[entry.kind];
  const { timeouts = {}, headers = {}, concurrency_max: concurrencyMax } = entry;
  return {
    name: entry.name,
    kind: entry.kind,
    baseUrl: trimTrailingSlash(entry.base_url ?? defaults.baseUrl ?? ''),
    dialects: entry.dialects ?? defaults.defaultDialects,
    key: toKey(keyVariableOf(entry), environment),
    models: entry.models ?? ['*'],
    stripPrefix: entry.strip_prefix ?? '',
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    timeouts: {
      connectMs: timeouts.connect_ms ?? 10_000,
      firstByteMs: timeouts.first_byte_ms ?? 300_000,
      idleMs: timeouts.idle_ms ?? 120_000,
      totalMs: timeouts.total_ms ?? 1_800_000,
    },
    concurrencyMax,
    queueMax: entry.queue_max ?? concurrencyMax ?? 0,
  };
}

/** An empty variable counts as unset. */
function toKey(variable: string | undefined, environment: Environment): UpstreamKey | undefined {
  return variable === undefined ? undefined : { variable, secret: environment[variable] || undefined };
}

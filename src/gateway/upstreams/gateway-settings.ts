import { definedFields } from '../../core/json/defined-fields.ts';
import type { Price } from '../../core/ledger/price.ts';
import { type GatewaySettings, trimTrailingSlash, type Upstream, type UpstreamKey } from './upstream.ts';
import type { PriceEntry, UpstreamEntry, UpstreamFile } from './upstream-file-schema.ts';
import { kinds } from './upstream-kinds.ts';

type Environment = Readonly<Record<string, string | undefined>>;

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
  return entry.api_key_env ?? kinds[entry.kind].keyVariable;
}

function toUpstream(entry: UpstreamEntry, environment: Environment): Upstream {
  const defaults = kinds[entry.kind];
  const { timeouts = {}, headers = {}, concurrency_max: concurrencyMax } = entry;
  return {
    name: entry.name,
    kind: entry.kind,
    baseUrl: trimTrailingSlash(entry.base_url ?? defaults.baseUrl ?? ''),
    dialects: entry.dialects ?? defaults.defaultDialects,
    endpoints: entry.endpoints ?? defaults.endpoints,
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
    prices: Object.entries(entry.prices ?? {}).map(([pattern, price]) => ({
      pattern,
      price: toPrice(price),
    })),
  };
}

function toPrice(entry: PriceEntry): Price {
  return definedFields({
    inputPerMillion: entry.input_per_million,
    outputPerMillion: entry.output_per_million,
    cachedInputPerMillion: entry.cached_input_per_million,
    cacheWritePerMillion: entry.cache_write_per_million,
    request: entry.request,
  });
}

/** An empty variable counts as unset. */
function toKey(variable: string | undefined, environment: Environment): UpstreamKey | undefined {
  return variable === undefined ? undefined : { variable, secret: environment[variable] || undefined };
}

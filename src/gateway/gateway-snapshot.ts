import { isDeepStrictEqual } from 'node:util';
import type { Measurements } from '../core/measurements.ts';
import type { PresetResolver } from '../core/presets/resolve-preset.ts';
import type { BudgetOptions } from './budgets/reserve-attempt.ts';
import { createUpstreamConnection, type UpstreamConnection } from './exchange/upstream-connection.ts';
import { createRouter, type Router } from './plan/router.ts';
import type { ResponseIds } from './stored-ids/response-ids.ts';
import type { GatewaySettings } from './upstreams/upstream.ts';

export interface GatewayOptions extends BudgetOptions {
  readonly settings: GatewaySettings;
  readonly resolve: PresetResolver;
  readonly measurements: Measurements;
  /** Notes that a preset is being called, by its id. Must not block. */
  readonly recordCall: (presetId: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly userAgent: string;
  /** Loads the secret that signs ids of responses, on first use. */
  readonly responseIds: () => Promise<ResponseIds>;
}

/**
 * The upstreams as configured at one point in time.
 *
 * The gateway holds one current snapshot. A reload creates the next one and retires the previous,
 * which lives on until its last in-flight call ends, so that no call ever sees two configurations.
 * Connections are shared between snapshots and reference-counted: an upstream that a reload leaves
 * unchanged keeps its sockets, its queue and its Retry-After state; the pool of any other is
 * destroyed when the last snapshot that uses it is released.
 */
export interface GatewaySnapshot {
  readonly settings: GatewaySettings;
  readonly route: Router;
  readonly connections: ReadonlyMap<string, UpstreamConnection>;
  inFlightCalls: number;
  /** Set once a newer snapshot has replaced it. */
  isRetired: boolean;
}

/** Reuses the connections of upstreams that are unchanged since the `previous` snapshot. */
export function createSnapshot(
  settings: GatewaySettings,
  userAgent: string,
  previous?: GatewaySnapshot,
): GatewaySnapshot {
  const connections = settings.upstreams.map((upstream) => {
    const existing = previous?.connections.get(upstream.name);
    return existing !== undefined && isDeepStrictEqual(existing.upstream, upstream)
      ? retain(existing)
      : retain(createUpstreamConnection(upstream, userAgent));
  });
  return {
    settings,
    // Route to the connections' own upstream objects: redaction caches compiled secrets per object,
    // and an equal copy would miss that cache after a reload.
    route: createRouter({ ...settings, upstreams: connections.map(({ upstream }) => upstream) }),
    connections: new Map(connections.map((connection) => [connection.upstream.name, connection])),
    inFlightCalls: 0,
    isRetired: false,
  };
}

/** Destroys the connections that no other snapshot uses. Call this once per snapshot. */
export async function releaseSnapshot({ connections }: GatewaySnapshot): Promise<void> {
  const unused = [...connections.values()].filter((connection) => {
    connection.referenceCount -= 1;
    return connection.referenceCount === 0;
  });
  await Promise.all(unused.map((connection) => connection.destroyPool()));
}

function retain(connection: UpstreamConnection): UpstreamConnection {
  connection.referenceCount += 1;
  return connection;
}

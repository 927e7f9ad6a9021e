import { isDeepStrictEqual } from 'node:util';
import type { Measurements } from '../core/measurements.ts';
import type { PresetResolver } from '../core/resolve-preset.ts';
import { createRouter, type Router } from './router.ts';
import { createUpstreamConnection, type UpstreamConnection } from './upstream-connection.ts';
import type { GatewaySettings } from './upstreams/upstream.ts';

export interface GatewayOptions {
  readonly settings: GatewaySettings;
  readonly resolve: PresetResolver;
  readonly measurements: Measurements;
  readonly warn: (fields: object, message: string) => void;
  readonly userAgent: string;
}

/** The upstreams as they were configured at one time. */
export interface GatewaySnapshot {
  readonly settings: GatewaySettings;
  readonly route: Router;
  readonly connections: ReadonlyMap<string, UpstreamConnection>;
  inFlightCalls: number;
  isRetired: boolean;
}

/** What did not change since before keeps its connections, its turns and what is known of it. */
export function createSnapshot(
  settings: GatewaySettings,
  userAgent: string,
  before?: GatewaySnapshot,
): GatewaySnapshot {
  const connections = settings.upstreams.map((upstream) => {
    const known = before?.connections.get(upstream.name);
    return known !== undefined && isDeepStrictEqual(known.upstream, upstream)
      ? retain(known)
      : retain(createUpstreamConnection(upstream, userAgent));
  });
  return {
    settings,
    route: createRouter({ ...settings, upstreams: connections.map(({ upstream }) => upstream) }),
    connections: new Map(connections.map((connection) => [connection.upstream.name, connection])),
    inFlightCalls: 0,
    isRetired: false,
  };
}

/** Lets go of connections that nobody else has. */
export async function releaseSnapshot({ connections }: GatewaySnapshot): Promise<void> {
  const unused = [...connections.values()].filter((connection) => {
    connection.referenceCount -= 1;
    return connection.referenceCount === 0;
  });
  await Promise.all(unused.map(({ pool }) => pool.destroy()));
}

function retain(connection: UpstreamConnection): UpstreamConnection {
  connection.referenceCount += 1;
  return connection;
}

import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createAuthenticator } from './core/authenticate.ts';
import { bootstrap, type FirstKeys } from './core/bootstrap.ts';
import { systemClock } from './core/clock.ts';
import { createKeyUses, useIntervalMs } from './core/key-uses.ts';
import { createPresetCache } from './core/preset-cache.ts';
import { createPresetResolver } from './core/resolve-preset.ts';
import type { MemberStore } from './core/storage.ts';
import { createGateway } from './gateway/gateway.ts';
import { fetchModels } from './gateway/models/fetch-models.ts';
import { createModelList } from './gateway/models/model-list.ts';
import type { GatewaySettings } from './gateway/upstreams/upstream.ts';
import { buildApp } from './http/app.ts';
import { FailedAuthentications } from './http/failed-authentications.ts';
import { type MetricsServer, startMetricsServer } from './http/metrics-server.ts';
import type { MetricsPage } from './http/routes/metrics.ts';
import { createMetrics } from './metrics.ts';
import { atMetricsPort, canSharePort, listen } from './port.ts';
import { productVersion } from './product-version.ts';
import { explained, migrateStorage, openStorage } from './storage/open.ts';
import { noPeers, type WorkerPeers } from './workers/worker-peers.ts';

export interface RunningServer {
  readonly url: string;
  /** Undefined where the metrics have no port of their own. */
  readonly metricsUrl: string | undefined;
  /** Only on the very first start on a database. */
  readonly firstKeys: FirstKeys | undefined;
  /** Sends calls from now on to these upstreams. */
  reload(settings: GatewaySettings): void;
  /** Answers what was accepted, then lets go of the port and the database. */
  stop(): Promise<void>;
}

/**
 * So long connections stay open when no more are taken: whoever has just asked on one that they kept gets an answer, which tells them to
 * close it.
 */
const lastAnswersMs = 200;

/** The composition root: config, then storage, then core, then the gateway, then HTTP. */
export async function startServer(
  config: Config,
  logger: Logger,
  peers: WorkerPeers = noPeers,
): Promise<RunningServer> {
  for (const { name } of await migrateStorage(config.storage)) logger.info({ migration: name }, 'migrated');
  const storage = await openStorage({
    ...config.storage,
    acquireWriteLock: peers.acquireWriteLock,
    logError: (message) => logger.error(message),
  });
  let app: FastifyInstance | undefined;
  const closing = new AbortController();
  let closePort = async () => {};
  let metricsServer: MetricsServer | undefined;
  const metrics = createMetrics();
  const metricsPage = { contentType: metrics.contentType, text: () => peers.metrics(metrics.text) };
  const presetCache = createPresetCache(
    storage.presets,
    config.presetCacheBytesMax,
    {
      presets: (isHit) => metrics.cache('presets', isHit),
      versions: (isHit) => metrics.cache('versions', isHit),
    },
    peers.generations.presets,
  );
  const failures = new FailedAuthentications({
    limit: config.authFailureLimitPerMinute,
    onFailure: peers.reportFailedAuthentication,
  });
  const userAgent = `presetd/${productVersion}`;
  const warn = (fields: object, message: string) => logger.warn(fields, message);
  const gateway = createGateway({
    settings: config.gateway,
    resolve: createPresetResolver(presetCache),
    measurements: metrics,
    warn,
    userAgent,
  });
  peers.listen({
    metrics: metrics.parts,
    failure: (address) => failures.addRemote(address),
    upstreams: (settings) => gateway.reload(settings),
  });
  const models = createModelList({
    settings: () => gateway.settings,
    fetch: (upstream) => fetchModels(upstream, userAgent),
    warn,
    observe: (isHit) => metrics.cache('models', isHit),
  });
  const uses = createKeyUses(storage.keys);
  const writeUses = async () => {
    try {
      await uses.write();
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'the last use of keys is written later');
      return false;
    }
  };
  const timer = setInterval(writeUses, useIntervalMs);
  const stop = async () => {
    clearInterval(timer);
    const gone = closePort();
    closing.abort();
    const areWritten = writeUses();
    await Promise.race([gone, delay(lastAnswersMs)]);
    await Promise.all([gone, app?.close()]);
    await gateway.close();
    await metricsServer?.stop();
    // A database that does not answer would be waited for a second time.
    if (await areWritten) await writeUses();
    await storage.close();
  };
  try {
    app = await buildApp({
      closing: closing.signal,
      storage,
      presetCache,
      gateway,
      models,
      authenticator: createAuthenticator(
        storage.keys,
        systemClock,
        config.keyCacheEntriesMax,
        uses,
        (isHit) => metrics.cache('keys', isHit),
        peers.generations.keys,
      ),
      clock: systemClock,
      logger,
      bodyBytesMax: config.bodyBytesMax,
      inFlightRequestsMax: config.requestsUnderWayMax,
      clientTimeoutMs: config.clientTimeoutMs,
      rateLimitPerMinute: config.rateLimitPerMinute,
      countRequest: peers.countRequest,
      failures,
      trustedProxies: config.trustedProxies,
      version: productVersion,
      dashboardFolder: fileURLToPath(new URL('../dashboard/dist', import.meta.url)),
      metrics,
      metricsPage,
      metricsToken: config.metricsToken,
      hasMetricsPort: config.metricsPort !== undefined,
    });
    closePort = await listen(app, { host: config.host, port: config.port, isShared: peers.sharesPorts });
    metricsServer = await serveMetrics(metricsPage, config, peers, logger);
    // Only now: keys that are made once must not be lost to a port that was taken.
    const firstKeys = await explained(
      () => bootstrap(storage.organizations, systemClock, config.bootstrap),
      config.storage.database,
    );
    buildMemberIndex(storage.members, logger);
    return {
      url: urlOf(app.server.address() as AddressInfo),
      metricsUrl: metricsServer && urlOf(metricsServer.address),
      firstKeys,
      reload: (settings) => gateway.reload(settings),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** In the background: with many members it takes minutes after an upgrade, and searches work meanwhile. */
function buildMemberIndex(members: MemberStore, logger: Logger): void {
  members.index().then(
    (count) => {
      if (count > 0) logger.info({ members: count }, 'indexed members for search');
    },
    (error: unknown) =>
      logger.warn({ err: error }, 'could not index members for search; the next search retries'),
  );
}

async function serveMetrics(
  page: MetricsPage,
  { host, metricsPort, clientTimeoutMs }: Config,
  { sharesPorts }: WorkerPeers,
  logger: Logger,
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  const place = { host, port: metricsPort, reusePort: sharesPorts && canSharePort };
  const server = await atMetricsPort(() => startMetricsServer(page, place, clientTimeoutMs));
  logger.info({ url: `${urlOf(server.address)}/metrics` }, 'metrics are served');
  return server;
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

import type { AddressInfo } from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { canReusePort, listen, withMetricsPortHint } from './cluster/listen.ts';
import { noPeers, type WorkerPeers } from './cluster/worker-peers.ts';
import type { Config, ReloadableConfig } from './config/server-config.ts';
import { createSpending } from './core/budgets/spending.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { ContentMemory } from './core/content-log/content-memory.ts';
import { createContentWriter } from './core/content-log/content-writer.ts';
import { deleteOldContent } from './core/content-log/delete-old-content.ts';
import {
  createLastUseRecorder,
  type LastUseRecorder,
  lastUseFlushIntervalMs,
} from './core/last-use-recorder.ts';
import { deleteOldCalls, retentionIntervalMs } from './core/ledger/delete-old-calls.ts';
import { createLedger } from './core/ledger/ledger.ts';
import { createAuthenticator } from './core/organization/authenticate.ts';
import { bootstrap, type FirstKeys } from './core/organization/bootstrap.ts';
import { createPresetCache } from './core/presets/preset-cache.ts';
import { createPresetResolver } from './core/presets/resolve-preset.ts';
import type { Storage } from './core/storage.ts';
import { endCall } from './gateway/budgets/end-call.ts';
import { createGateway } from './gateway/gateway.ts';
import { contentOfCall } from './gateway/ledger/content-of-call.ts';
import { KnownModels } from './gateway/ledger/known-models.ts';
import { createListPrices } from './gateway/ledger/list-prices.ts';
import { createCallPricing } from './gateway/ledger/price-stored-call.ts';
import type { EndedCall } from './gateway/ledger/record-of-call.ts';
import { fetchModels } from './gateway/models/fetch-models.ts';
import { createModelList } from './gateway/models/model-list.ts';
import { createResponseIdLoader } from './gateway/stored-ids/response-ids.ts';
import { buildApp } from './http/app.ts';
import { type MetricsServer, startMetricsServer } from './http/metrics-server.ts';
import { FailedAuthentications } from './http/overload/failed-authentications.ts';
import type { MetricsPage } from './http/routes/metrics.ts';
import { createMetrics } from './observability/metrics.ts';
import { packageRoot, productVersion } from './package.ts';
import { createProviders } from './sign-in/providers.ts';
import type { SignInSettings } from './sign-in/sign-in-settings.ts';
import { findUnknownWorkspaces } from './sign-in/unknown-workspaces.ts';
import { explainStorageErrors, migrateStorage, openStorage } from './storage/open.ts';

export interface RunningServer {
  readonly url: string;
  /** Undefined unless metrics have their own port. */
  readonly metricsUrl: string | undefined;
  /** Set only by the first start on an empty database. */
  readonly firstKeys: FirstKeys | undefined;
  /**
   * Routes new calls to these upstreams, and lets people sign in with these providers. Calls in
   * flight finish with the old ones.
   */
  reload(settings: ReloadableConfig): void;
  /** Warns about workspaces that groups of these settings name and that do not exist. */
  checkWorkspaces(settings: SignInSettings): void;
  /** Finishes in-flight requests, then closes the ports and the database. */
  stop(): Promise<void>;
}

/**
 * How long kept-alive connections stay open after the server stops accepting new ones. A client
 * that sends a request in this time still gets a response, which tells it to close the connection.
 */
const keepAliveDrainMs = 200;

/**
 * The composition root: builds storage, core, the gateway and HTTP from the config, and starts
 * them.
 *
 * Order matters. The port is bound before the first keys are created, because they are shown only
 * once and must not be lost to a port conflict. `stop` undoes everything in reverse, and also runs
 * if the start fails halfway. With `peers`, this process is one of several workers. The clock dates
 * changes; a demo sets it back to tell what happened before.
 */
export async function startServer(
  config: Config,
  logger: Logger,
  peers: WorkerPeers = noPeers,
  clock: Clock = systemClock,
): Promise<RunningServer> {
  const migrations = (await migrateStorage(config.storage)).map(({ name }) => name);
  for (const migration of migrations) logger.debug({ migration }, 'applied migration');
  if (migrations.length > 0)
    logger.info({ migrations: migrations.length, last: migrations.at(-1) }, 'upgraded the database schema');
  const storage = await openStorage({
    ...config.storage,
    acquireWriteLock: peers.acquireWriteLock,
    logError: (message) => logger.error(message),
  });
  const { metricsPage, responseIds, reload, lastUses, ledger, contents, spending, ...services } =
    createServices(config, storage, logger, peers, clock);
  const checkWorkspaces = (settings: SignInSettings) => warnAboutUnknownWorkspaces(settings, storage, logger);
  peers.setHandlers({
    metrics: services.metrics.snapshot,
    failedAuthentication: (address) => services.failures.addRemote(address),
    reload,
    checkWorkspaces,
  });
  const flushing = startFlushing(lastUses, storage, logger);
  const retention = setInterval(
    () => removeOldCalls(storage, config.usageRetentionDays, logger),
    retentionIntervalMs,
  );
  const closing = new AbortController();
  let app: FastifyInstance | undefined;
  let closePort = async () => {};
  let metricsServer: MetricsServer | undefined;
  const stop = async () => {
    flushing.stop();
    clearInterval(retention);
    const portClosed = closePort();
    closing.abort();
    const firstFlush = flushing.flush();
    await Promise.race([portClosed, delay(keepAliveDrainMs)]);
    // Timers run before I/O: read requests that arrived meanwhile, so that they are finished too.
    await setImmediate();
    await Promise.all([portClosed, app?.close()]);
    await services.gateway.close();
    await metricsServer?.stop();
    // Requests have used keys and presets since the first flush. If that failed, do not wait for
    // the database again.
    if (await firstFlush) await flushing.flush();
    await Promise.all([ledger.stop(), contents.stop(), spending.stop()]);
    await storage.close();
  };
  try {
    app = await buildApp({
      ...config,
      ...services,
      storage,
      metricsPage,
      presetUses: lastUses.presets,
      closing: closing.signal,
      clock,
      logger,
      countRequest: peers.countRequest,
      version: productVersion,
      dashboardFolder: fileURLToPath(new URL('dashboard/dist', packageRoot)),
    });
    closePort = await listen(app, { host: config.host, port: config.port, isShared: peers.sharesPorts });
    metricsServer = await serveMetrics(metricsPage, config, peers, logger);
    const firstKeys = await explainStorageErrors(
      () => bootstrap(storage, clock, config.bootstrap),
      config.storage.database,
    );
    // After the organization is created: a restore into this database brings the secret with it.
    await responseIds();
    buildIndexes(storage, logger);
    return {
      url: urlOf(app.server.address() as AddressInfo),
      metricsUrl: metricsServer && urlOf(metricsServer.address),
      firstKeys,
      reload,
      checkWorkspaces,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Memory for logged content that is not written yet. */
const contentBytesMax = 67_108_864;

/** The services behind HTTP. Nothing listens yet; the only timer is that of `createSpending`. */
function createServices(config: Config, storage: Storage, logger: Logger, peers: WorkerPeers, clock: Clock) {
  const metrics = createMetrics();
  const userAgent = `presetd/${productVersion}`;
  const warn = (fields: object, message: string) => logger.warn(fields, message);
  const lastUses = {
    keys: createLastUseRecorder(storage.keys),
    sessions: createLastUseRecorder(storage.sessions),
    presets: createLastUseRecorder(storage.presetCalls),
  };
  const presetCache = createPresetCache(
    storage.presets,
    config.presetCacheBytesMax,
    {
      presets: (isHit) => metrics.cache('presets', isHit),
      versions: (isHit) => metrics.cache('versions', isHit),
    },
    peers.generations.presets,
  );
  const responseIds = createResponseIdLoader(storage.secrets, clock);
  const listPrices = createListPrices();
  const spending = createSpending({
    store: storage.spending,
    onFailure: (error) => logger.warn({ err: error }, 'could not store what keys have spent; retrying'),
  });
  const gateway = createGateway({
    spending,
    listPrices,
    settings: config.gateway,
    responseIds,
    resolve: createPresetResolver(presetCache),
    measurements: metrics,
    recordCall: lastUses.presets.record,
    warn,
    userAgent,
  });
  const providers = createProviders(config.signIn);
  const knownModels = new KnownModels();
  const ledger = createLedger({
    store: storage.ledger,
    waitingMax: config.usageBacklogMax,
    keepsCalls: config.usageRetentionDays > 0,
    onDropped: metrics.droppedCallRecords,
    onFailure: (error, waiting) =>
      logger.warn({ err: error, waiting }, 'could not store the usage of calls; retrying'),
  });
  const contents = createContentWriter({
    store: storage.contents,
    onDropped: metrics.droppedContents,
    onFailure: (error) => logger.warn({ err: error }, 'could not log the content of calls'),
  });
  return {
    metrics,
    ledger,
    contents,
    spending,
    // Content is found through the record of its call.
    contentMemory:
      config.usageRetentionDays > 0 ? new ContentMemory(contentBytesMax, metrics.droppedContents) : undefined,
    recordCall: (ended: EndedCall) =>
      endCall(ended, { ledger, spending, listPrices, knownModels, measurements: metrics }),
    recordContent(ended: EndedCall) {
      const content = contentOfCall(ended);
      if (content !== undefined) contents.record(content);
    },
    callPricing: () => createCallPricing(gateway.settings, listPrices),
    metricsPage: { contentType: metrics.contentType, text: () => peers.metrics(metrics.text) },
    presetCache,
    responseIds,
    gateway,
    providers,
    lastUses,
    reload(settings: ReloadableConfig) {
      gateway.reload(settings.gateway);
      providers.reload(settings.signIn);
    },
    failures: new FailedAuthentications({
      limit: config.authFailureLimitPerMinute,
      onFailure: peers.reportFailedAuthentication,
    }),
    models: createModelList({
      settings: () => gateway.settings,
      fetch: (upstream) => fetchModels(upstream, userAgent),
      warn,
      observe: (isHit) => metrics.cache('models', isHit),
    }),
    authenticator: createAuthenticator({
      keys: storage.keys,
      sessions: storage.sessions,
      clock,
      sessionIdleMs: config.sessionIdleMs,
      cacheEntriesMax: config.keyCacheEntriesMax,
      keyUses: lastUses.keys,
      sessionUses: lastUses.sessions,
      observe: (isHit) => metrics.cache('keys', isHit),
      generations: peers.generations.keys,
    }),
  };
}

/** Once a minute, stores when keys, sessions and presets were used; deletes old sessions. */
function startFlushing(
  lastUses: Readonly<Record<string, LastUseRecorder>>,
  storage: Storage,
  logger: Logger,
) {
  /** Returns whether it worked. After a failure, the rest waits for the next time. */
  const flush = async () => {
    for (const recorder of Object.values(lastUses)) if (!(await flushUses(recorder, logger))) return false;
    return true;
  };
  const timer = setInterval(() => {
    flush();
    deleteExpiredSessions(storage, logger);
  }, lastUseFlushIntervalMs);
  return { flush, stop: () => clearInterval(timer) };
}

/** Returns whether it worked. A failure is only logged, because the next flush retries. */
async function flushUses(recorder: LastUseRecorder, logger: Logger): Promise<boolean> {
  try {
    await recorder.flush();
    return true;
  } catch (error) {
    logger.warn(
      { err: error },
      'could not record when keys, sessions and presets were last used; retrying later',
    );
    return false;
  }
}

/** Expired sessions are refused anyway, so failures are only logged. Batches keep writes short. */
function deleteExpiredSessions({ sessions }: Storage, logger: Logger): void {
  sessions
    .deleteExpired(systemClock(), 1_000)
    .catch((error: unknown) =>
      logger.warn({ err: error }, 'could not delete expired sessions; retrying later'),
    );
}

/** A failure is only logged, because the next interval continues. */
function removeOldCalls({ ledger, contents }: Storage, retentionDays: number, logger: Logger): void {
  deleteOldCalls(ledger, retentionDays, Date.now())
    .then(() => deleteOldContent(contents, retentionDays, Date.now()))
    .catch((error: unknown) => logger.warn({ err: error }, 'could not delete old calls; retrying later'));
}

/** Runs in the background: after an upgrade it can take minutes, and searches work meanwhile. */
function buildIndexes(storage: Storage, logger: Logger): void {
  for (const noun of ['members', 'presets'] as const)
    storage[noun].index().then(
      (count) => {
        if (count > 0) logger.info({ [noun]: count }, `indexed ${noun} for search`);
      },
      (error: unknown) =>
        logger.warn({ err: error }, `could not index ${noun} for search; the next search retries`),
    );
}

/** In the background: a database that is slow must delay neither the start nor a reload. */
function warnAboutUnknownWorkspaces(settings: SignInSettings, storage: Storage, logger: Logger): void {
  findUnknownWorkspaces(settings, storage).then(
    (unknown) => {
      for (const { slug, groups } of unknown)
        logger.warn(
          { workspace: slug, groups },
          `Workspace ${slug} does not exist, so the ${groups.length === 1 ? `group ${groups[0]} gives` : `groups ${groups.join(', ')} give`} no role in it. Create it or correct its slug in the sign-in file.`,
        );
    },
    (error: unknown) => logger.warn({ err: error }, 'could not check the workspaces of the sign-in file'),
  );
}

async function serveMetrics(
  page: MetricsPage,
  { host, metricsPort, clientTimeoutMs }: Config,
  { sharesPorts }: WorkerPeers,
  logger: Logger,
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  const address = { host, port: metricsPort, reusePort: sharesPorts && canReusePort };
  const server = await withMetricsPortHint(() => startMetricsServer(page, address, clientTimeoutMs));
  logger.info({ url: `${urlOf(server.address)}/metrics` }, 'serving metrics');
  return server;
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

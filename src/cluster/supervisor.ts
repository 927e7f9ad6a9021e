import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config, ReloadableConfig } from '../config/server-config.ts';
import { FixedWindowCounter } from '../core/fixed-window-counter.ts';
import { type MetricsSnapshot, WorkerMetrics } from '../observability/metrics.ts';
import { type Channel, type Handlers, openChannel } from './channel.ts';
import { reservePort, withMetricsPortHint } from './listen.ts';
import { openGenerationFile, WorkerStartError } from './shared-generations.ts';
import type { ReadyWorker } from './worker-peers.ts';
import { WriteLock } from './write-lock.ts';

export interface Supervisor {
  /**
   * The first worker, which prepares the database. If it created the first keys, they must be shown
   * even if the other workers fail to start.
   */
  readonly first: Promise<ReadyWorker>;
  /**
   * Resolves when all workers accept requests. Rejects, after stopping them, if one cannot start.
   */
  readonly ready: Promise<void>;
  /** Makes all workers, including ones started later, use these settings. */
  reload(settings: ReloadableConfig): void;
  /** Makes one worker warn about workspaces that do not exist, so that it is reported once. */
  checkWorkspaces(settings: ReloadableConfig['signIn']): void;
  /**
   * Stops all workers after their in-flight requests. Resolves to false if one did not finish
   * cleanly.
   */
  stop(): Promise<boolean>;
}

interface StartedWorker {
  readonly worker: Worker;
  readonly channel: Channel;
  readonly startedAt: number;
  /** Resolves when the worker accepts requests. Rejects if it exits before that. */
  readonly ready: Promise<ReadyWorker>;
  readonly exited: Promise<{ readonly code: number | string | null; readonly signal: string | null }>;
}

/** The same bound as the rate limiter of a single process has. */
const countedKeysMax = 5_000;

/** Exponential backoff: a worker that crashes at startup must not keep the machine busy. */
const restartDelayMs = { min: 100, max: 5_000 };

/** After running this long, a crash counts as new and the backoff starts over. */
const stableAfterMs = 60_000;

/**
 * Prometheus waits ten seconds by default, so one hanging worker must not delay a scrape for long.
 */
const metricsTimeoutMs = 1_000;

/**
 * Runs several workers on one port, each a complete server.
 *
 * The first worker starts alone: it migrates the database and reports problems once. The others
 * follow when it is ready. A worker that exits is replaced after a backoff. The supervisor serves
 * no requests itself; it holds what workers share: the reserved ports, the current settings,
 * request counts per key, the write lock and the metrics of exited workers. `settings` are the
 * environment variables of every worker, so that a replacement has the same settings as its
 * predecessor. `stop` ends all workers and prevents restarts.
 */
export async function superviseWorkers(
  config: Config,
  settings: Readonly<Record<string, string>>,
  logger: Logger,
): Promise<Supervisor> {
  const { host, metricsPort: configuredMetricsPort } = config;
  const port = await reservePort(host, config.port);
  const metricsPort =
    configuredMetricsPort === undefined
      ? undefined
      : await withMetricsPortHint(() => reservePort(host, configuredMetricsPort));
  const environment = {
    ...settings,
    PORT: port.port,
    ...(metricsPort !== undefined && { PRESETD_METRICS_PORT: metricsPort.port }),
  };
  cluster.setupPrimary({ stdio: ['inherit', 'inherit', 'inherit', 'ipc', openGenerationFile()] });
  const workers = new Set<StartedWorker>();
  const requestCounts = new FixedWindowCounter({ keysMax: countedKeysMax });
  const writeLock = new WriteLock<StartedWorker>();
  const metrics = new WorkerMetrics<StartedWorker>();
  let { gateway, signIn }: ReloadableConfig = config;
  let isStopping = false;

  function startWorker(): StartedWorker {
    const worker = cluster.fork(environment);
    const exited: StartedWorker['exited'] = new Promise((resolve) => {
      worker.once('exit', (code, signal) => resolve({ code, signal }));
      worker.on('error', ({ code }: NodeJS.ErrnoException) => {
        // A process that could not be spawned never emits "exit".
        if (worker.process.pid === undefined) resolve({ code: code ?? null, signal: null });
      });
    });
    const { promise: ready, resolve, reject } = Promise.withResolvers<ReadyWorker>();
    const handlers: Handlers = {
      'current-settings': () => ({ gateway, signIn }),
      ready(worker: ReadyWorker) {
        // A starting worker ignores messages, so it may have missed a reload.
        channel.notify('reload', { gateway, signIn });
        resolve(worker);
      },
      hangup: () => process.emit('SIGHUP', 'SIGHUP'),
      'count-request': (keyId: string) => requestCounts.increment(keyId),
      metrics: collectMetrics,
      'acquire-write-lock': () => writeLock.acquire(started),
      'release-write-lock': () => writeLock.release(started),
      'failed-authentication'(address: string) {
        for (const other of workers)
          if (other !== started) other.channel.notify('failed-authentication', address);
      },
    };
    const channel = openChannel(worker, (type) => handlers[type]);
    const started = { worker, channel, startedAt: performance.now(), ready, exited };
    workers.add(started);
    exited.then(({ code, signal }) => {
      workers.delete(started);
      writeLock.release(started);
      metrics.retire(started);
      const reason = `presetd cannot start: a worker exited with ${signal ?? code} before it was ready.`;
      // With codes 1 and 2 the worker has printed the reason: a failed start or invalid settings.
      reject(new WorkerStartError(code === 1 || code === 2 ? '' : reason));
    });
    // Restarts do not wait for `ready`. They learn about an early exit from `exited`.
    ready.catch(() => {});
    return started;
  }

  /** Workers that are starting, hanging or exiting do not respond; their last counters are used. */
  async function collectMetrics(): Promise<string> {
    await Promise.all(
      Array.from(workers, async (started) => {
        const snapshot = await started.channel.request('metrics', undefined, metricsTimeoutMs);
        if (workers.has(started)) metrics.update(started, snapshot as MetricsSnapshot | undefined);
      }),
    );
    return metrics.text();
  }

  /** Replaces a worker when it exits, and keeps replacing its successors until the server stops. */
  async function restartOnExit(started: StartedWorker, delayMs: number = restartDelayMs.min): Promise<void> {
    const { code, signal } = await started.exited;
    if (isStopping) return;
    const { pid } = started.worker.process;
    logger.error({ worker: pid, code, signal }, `worker exited; starting another in ${delayMs} ms`);
    await delay(delayMs);
    if (isStopping) return;
    const wasStable = performance.now() - started.startedAt > stableAfterMs;
    const nextDelayMs = wasStable ? restartDelayMs.min : Math.min(delayMs * 2, restartDelayMs.max);
    restartOnExit(startWorker(), nextDelayMs);
  }

  async function stop(): Promise<boolean> {
    isStopping = true;
    // The first worker may have stored keys that only it can show.
    await first.ready.catch(() => {});
    // A new server can start as soon as the workers stop listening, before they finish their
    // requests.
    port.release();
    metricsPort?.release();
    const exits = [...workers].map(({ worker, ready, exited }) => {
      worker.process.kill('SIGTERM');
      // A worker that is not ready has no requests to finish, and may not handle the signal yet.
      return ready.then(
        async () => (await exited).code === 0,
        () => true,
      );
    });
    return (await Promise.all(exits)).every((isComplete) => isComplete);
  }

  async function startRemaining(): Promise<void> {
    await first.ready;
    if (isStopping) return;
    const others = Array.from({ length: config.workers - 1 }, startWorker);
    try {
      await Promise.all(others.map((other) => other.ready));
    } catch (error) {
      if (isStopping) return;
      await stop();
      throw error;
    }
    for (const started of [first, ...others]) restartOnExit(started);
  }

  const first = startWorker();
  const ready = startRemaining();
  // If the first worker fails, the caller learns it from `first` and never awaits `ready`.
  ready.catch(() => {});
  return {
    first: first.ready,
    ready,
    reload(settings) {
      ({ gateway, signIn } = settings);
      for (const { channel } of workers) channel.notify('reload', { gateway, signIn });
    },
    checkWorkspaces(settings) {
      // The oldest worker: the one that is least likely to be starting.
      const [oldest] = workers;
      oldest?.channel.notify('check-workspaces', settings);
    },
    stop,
  };
}

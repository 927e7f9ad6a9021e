import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { FixedWindowCounter } from '../core/fixed-window-counter.ts';
import { reservePort, withMetricsPortHint } from '../listen.ts';
import type { MetricsSnapshot } from '../metrics.ts';
import { type Channel, type Handlers, openChannel } from './channel.ts';
import { openGenerationFile } from './shared-generations.ts';
import { WorkerMetrics } from './worker-metrics.ts';
import type { ReadyWorker } from './worker-peers.ts';
import { WorkerStartError } from './worker-start-error.ts';
import { WriteLock } from './write-lock.ts';

export interface Supervisor {
  /** The first worker, which prepares the database: what it has made is to be told even if the others fail to start. */
  readonly first: Promise<ReadyWorker>;
  /** When all workers serve. Rejects, having stopped them, when one cannot. */
  readonly ready: Promise<void>;
  /** Has every worker send calls to these upstreams, also one that is started later. */
  reload(settings: Config['gateway']): void;
  /** Lets every worker answer what it has accepted. False when one did not get to its end. */
  stop(): Promise<boolean>;
}

interface StartedWorker {
  readonly worker: Worker;
  readonly channel: Channel;
  readonly startedAt: number;
  /** When it serves. */
  readonly ready: Promise<ReadyWorker>;
  readonly ended: Promise<{ readonly code: number | string | null; readonly signal: string | null }>;
}

/** As many as the limit by key remembers in a process that is alone. */
const keysMax = 5_000;

/** One that ends as soon as it has started must not keep the machine busy with starting it. */
const restartMs = { shortest: 100, longest: 5_000 };

/** One that has worked for this long has ended for another reason than the one before it. */
const steadyMs = 60_000;

/** Whoever reads metrics does not wait for long. */
const metricsPatienceMs = 1_000;

/** Keeps so many workers on one port, each of which is a whole server with these settings. It serves nothing itself. */
export async function superviseWorkers(
  config: Config,
  settings: Readonly<Record<string, string>>,
  logger: Logger,
): Promise<Supervisor> {
  const { host, metricsPort: wanted } = config;
  const port = await reservePort(host, config.port);
  const metricsPort =
    wanted === undefined ? undefined : await withMetricsPortHint(() => reservePort(host, wanted));
  const environment = {
    ...settings,
    PORT: port.port,
    ...(metricsPort !== undefined && { PRESETD_METRICS_PORT: metricsPort.port }),
  };
  cluster.setupPrimary({ stdio: ['inherit', 'inherit', 'inherit', 'ipc', openGenerationFile()] });
  const working = new Set<StartedWorker>();
  const requests = new FixedWindowCounter({ keysMax });
  const turns = new WriteLock<StartedWorker>();
  const metrics = new WorkerMetrics<StartedWorker>();
  let upstreams = config.gateway;
  let isStopping = false;

  function start(): StartedWorker {
    const worker = cluster.fork(environment);
    const ended: StartedWorker['ended'] = new Promise((resolve) => {
      worker.once('exit', (code, signal) => resolve({ code, signal }));
      worker.on('error', ({ code }: NodeJS.ErrnoException) => {
        // One that the system had no room for has no other end.
        if (worker.process.pid === undefined) resolve({ code: code ?? null, signal: null });
      });
    });
    const { promise: ready, resolve, reject } = Promise.withResolvers<ReadyWorker>();
    const handlers: Handlers = {
      upstreams: () => upstreams,
      ready(worker: ReadyWorker) {
        // Again, because one that is starting does not hear of others.
        channel.tell('upstreams', upstreams);
        resolve(worker);
      },
      'hang up': () => process.emit('SIGHUP', 'SIGHUP'),
      count: (keyId: string) => requests.increment(keyId),
      metrics: metricsOfAll,
      turn: () => turns.acquire(started),
      'turn over': () => turns.release(started),
      failure(address: string) {
        for (const other of working) if (other !== started) other.channel.tell('failure', address);
      },
    };
    const channel = openChannel(worker, (subject) => handlers[subject]);
    const started = { worker, channel, startedAt: performance.now(), ready, ended };
    working.add(started);
    ended.then(({ code, signal }) => {
      working.delete(started);
      turns.release(started);
      metrics.retire(started);
      const reason = `presetd cannot start: a worker ended with ${signal ?? code} before it served.`;
      // With 1 or 2 the worker has printed why: it failed, or its settings are wrong.
      reject(new WorkerStartError(code === 1 || code === 2 ? '' : reason));
    });
    // Whoever does not wait for it learns of its end.
    ready.catch(() => {});
    return started;
  }

  /** One that is starting, hangs or has just ended does not answer. */
  async function metricsOfAll(): Promise<string> {
    await Promise.all(
      Array.from(working, async (started) => {
        const parts = await started.channel.ask('metrics', undefined, metricsPatienceMs);
        if (working.has(started)) metrics.update(started, parts as MetricsSnapshot | undefined);
      }),
    );
    return metrics.text();
  }

  /** Puts another in the place of one that ends. */
  async function keep(started: StartedWorker, waitMs: number = restartMs.shortest): Promise<void> {
    const { code, signal } = await started.ended;
    if (isStopping) return;
    const { pid } = started.worker.process;
    logger.error({ worker: pid, code, signal }, `a worker ended; another is started in ${waitMs} ms`);
    await delay(waitMs);
    if (isStopping) return;
    const isSteady = performance.now() - started.startedAt > steadyMs;
    keep(start(), isSteady ? restartMs.shortest : Math.min(waitMs * 2, restartMs.longest));
  }

  async function stop(): Promise<boolean> {
    isStopping = true;
    // The first may have stored keys that only it knows.
    await first.ready.catch(() => {});
    // Workers that still listen hold it; whoever comes after them need not wait for what they have under way.
    port.release();
    metricsPort?.release();
    const ends = [...working].map(({ worker, ready, ended }) => {
      worker.process.kill('SIGTERM');
      // One that has not served yet has nothing to finish, and does not know of the signal.
      return ready.then(
        async () => (await ended).code === 0,
        () => true,
      );
    });
    return (await Promise.all(ends)).every((isComplete) => isComplete);
  }

  async function startOthers(): Promise<void> {
    await first.ready;
    if (isStopping) return;
    const others = Array.from({ length: config.workers - 1 }, start);
    try {
      await Promise.all(others.map((other) => other.ready));
    } catch (error) {
      if (isStopping) return;
      await stop();
      throw error;
    }
    for (const started of [first, ...others]) keep(started);
  }

  // The first alone: it migrates the database, and says once why it cannot serve.
  const first = start();
  const ready = startOthers();
  // The caller may learn of a failure by the first worker alone.
  ready.catch(() => {});
  return {
    first: first.ready,
    ready,
    reload(settings) {
      upstreams = settings;
      for (const { channel } of working) channel.tell('upstreams', upstreams);
    },
    stop,
  };
}

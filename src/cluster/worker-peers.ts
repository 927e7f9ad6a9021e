import type { Worker } from 'node:cluster';
import type { ReloadableConfig } from '../config/server-config.ts';
import { PresetdError } from '../core/errors.ts';
import type { WindowCount } from '../core/fixed-window-counter.ts';
import type { FirstKeys } from '../core/organization/bootstrap.ts';
import { unsharedGenerations } from '../core/refresh-ahead-cache.ts';
import { type Handlers, openChannel } from './channel.ts';
import { type SharedGenerations, shareGenerations } from './shared-generations.ts';

/** Reported by a worker once it accepts requests. */
export interface ReadyWorker {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  readonly firstKeys: FirstKeys | undefined;
}

/**
 * The file descriptor of the shared generations, after stdin, stdout, stderr and the IPC channel.
 */
const generationDescriptor = 4;

/**
 * A server's view of the other workers on the same port. Workers never talk to each other directly:
 * everything goes through the supervisor, except cache generations, which are in a shared file.
 * `noPeers` stands in for it in a single process.
 */
export interface WorkerPeers {
  /** Whether other processes listen on the same ports. */
  readonly sharesPorts: boolean;
  readonly generations: SharedGenerations;
  /** Counts a request against the key's limit across all workers. Undefined in a single process. */
  readonly countRequest: ((keyId: string) => Promise<WindowCount>) | undefined;
  /**
   * Resolves when this process may write to the SQLite file, to a function that releases the lock.
   * Undefined in a single process.
   */
  readonly acquireWriteLock: (() => Promise<() => void>) | undefined;
  /** The metrics of all workers as Prometheus text. `own` renders those of this process alone. */
  metrics(own: () => Promise<string>): Promise<string>;
  /** Tells the other workers about a failed authentication, so that they count it too. */
  reportFailedAuthentication(address: string): void;
  /** Sets what this process does for its peers. Call this once; earlier messages are ignored. */
  setHandlers(handlers: PeerHandlers): void;
}

export interface PeerHandlers {
  /** Returns a snapshot of this process's metrics that can be added to those of others. */
  metrics(): Promise<unknown>;
  failedAuthentication(address: string): void;
  reload(settings: ReloadableConfig): void;
  checkWorkspaces(settings: ReloadableConfig['signIn']): void;
}

export const noPeers: WorkerPeers = {
  sharesPorts: false,
  generations: { presets: unsharedGenerations, keys: unsharedGenerations },
  countRequest: undefined,
  acquireWriteLock: undefined,
  metrics: (own) => own(),
  reportFailedAuthentication() {},
  setHandlers() {},
};

/** The peers of a worker, plus what only its start-up code needs. */
export interface ConnectedPeers extends WorkerPeers {
  /**
   * The settings that all workers use now; they can have been reloaded since the server started.
   */
  currentSettings(): Promise<ReloadableConfig>;
  /** Makes the supervisor handle SIGHUP: all workers reload their settings, or stop. */
  broadcastHangUp(): void;
  reportReady(ready: ReadyWorker): void;
}

/** Connects a worker to its supervisor. Requests reject with `unavailable` without a response. */
export function connectPeers(worker: Worker): ConnectedPeers {
  let handlers: Handlers = {};
  const channel = openChannel(worker, (type) => handlers[type]);
  const request = async (type: string, payload?: unknown) => {
    const result = await channel.request(type, payload);
    if (result !== undefined) return result;
    throw new PresetdError('unavailable', 'The supervisor process is not responding. Try again.');
  };
  return {
    sharesPorts: true,
    generations: shareGenerations(generationDescriptor, worker.id),
    countRequest: async (keyId) => (await request('count-request', keyId)) as WindowCount,
    async acquireWriteLock() {
      // Without a response the worker writes anyway: SQLite's own lock keeps writes apart.
      await channel.request('acquire-write-lock');
      return () => channel.notify('release-write-lock');
    },
    metrics: async () => (await request('metrics')) as string,
    reportFailedAuthentication: (address) => channel.notify('failed-authentication', address),
    setHandlers({ metrics, failedAuthentication, reload, checkWorkspaces }) {
      handlers = {
        metrics,
        'failed-authentication': failedAuthentication,
        reload,
        'check-workspaces': checkWorkspaces,
      };
    },
    currentSettings: async () => (await request('current-settings')) as ReloadableConfig,
    broadcastHangUp: () => channel.notify('hangup'),
    reportReady: (ready) => channel.notify('ready', ready),
  };
}

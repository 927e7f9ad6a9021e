import type { Worker } from 'node:cluster';
import type { Config } from '../config.ts';
import type { FirstKeys } from '../core/bootstrap.ts';
import { unsharedGenerations } from '../core/cache-generations.ts';
import { PresetdError } from '../core/errors.ts';
import type { WindowCount } from '../core/fixed-window-counter.ts';
import { type Handlers, openChannel } from './channel.ts';
import { type SharedGenerations, shareGenerations } from './shared-generations.ts';

/** What a worker says when it serves. */
export interface ReadyWorker {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  readonly firstKeys: FirstKeys | undefined;
}

/** Where the supervisor leaves the file of the generations: after standard input, output, error and the channel. */
export const generationDescriptor = 4;

/** The other processes that serve the same port. */
export interface WorkerPeers {
  /** Whether others listen on the same ports. */
  readonly sharesPorts: boolean;
  readonly generations: SharedGenerations;
  /** Counts a request of this key, wherever its others were made. Undefined where nobody else could have served them. */
  readonly countRequest: ((keyId: string) => Promise<WindowCount>) | undefined;
  /** Resolves when nobody else writes to the file, until what it gives is called. Undefined where nobody could. */
  readonly acquireWriteLock: (() => Promise<() => void>) | undefined;
  /** What all of them measured, as Prometheus reads it; `own` is what this one did. */
  metrics(own: () => Promise<string>): Promise<string>;
  reportFailedAuthentication(address: string): void;
  /** To be called once: what the others may ask of this one or tell it. */
  setHandlers(listener: PeerHandlers): void;
}

export interface PeerHandlers {
  /** What this process measured, in the form in which it can be added to that of others. */
  metrics(): Promise<unknown>;
  failure(address: string): void;
  upstreams(settings: Config['gateway']): void;
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

export interface ConnectedPeers extends WorkerPeers {
  /** Those that all others have. */
  upstreams(): Promise<Config['gateway']>;
  /** Has all of them read the upstreams again, or stop, as if each had got the signal. */
  broadcastHangUp(): void;
  reportReady(ready: ReadyWorker): void;
}

export function connectPeers(worker: Worker): ConnectedPeers {
  let handlers: Handlers = {};
  const channel = openChannel(worker, (subject) => handlers[subject]);
  const ask = async (subject: string, value?: unknown) => {
    const answer = await channel.ask(subject, value);
    if (answer !== undefined) return answer;
    throw new PresetdError('unavailable', 'The process that keeps the workers does not answer. Try again.');
  };
  return {
    sharesPorts: true,
    generations: shareGenerations(generationDescriptor, worker.id),
    countRequest: async (keyId) => (await ask('count', keyId)) as WindowCount,
    async acquireWriteLock() {
      await channel.ask('turn');
      return () => channel.tell('turn over');
    },
    metrics: async () => (await ask('metrics')) as string,
    reportFailedAuthentication: (address) => channel.tell('failure', address),
    setHandlers({ metrics, failure, upstreams }) {
      handlers = { metrics, failure, upstreams };
    },
    upstreams: async () => (await ask('upstreams')) as Config['gateway'],
    broadcastHangUp: () => channel.tell('hang up'),
    reportReady: (ready) => channel.tell('ready', ready),
  };
}

import type { Worker } from 'node:cluster';
import type { Config } from '../config.ts';
import type { FirstKeys } from '../core/bootstrap.ts';
import { PresetdError } from '../core/errors.ts';
import type { RequestCount } from '../core/request-counts.ts';
import { noStamps } from '../core/stamps.ts';
import { type Handlers, openChannel } from './channel.ts';
import { type SharedStamps, shareStamps } from './shared-stamps.ts';

/** What a worker says when it serves. */
export interface ReadyWorker {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  readonly firstKeys: FirstKeys | undefined;
}

/** Where the supervisor leaves the file of the stamps: after standard input, output, error and the channel. */
export const stampDescriptor = 4;

/** The other processes that serve the same port. */
export interface Siblings {
  /** Whether others listen on the same ports. */
  readonly sharePorts: boolean;
  readonly stamps: SharedStamps;
  /** Counts a request of this key, wherever its others were made. Undefined where nobody else could have served them. */
  readonly countRequest: ((keyId: string) => Promise<RequestCount>) | undefined;
  /** Resolves when nobody else writes to the file, until what it gives is called. Undefined where nobody could. */
  readonly takeTurn: (() => Promise<() => void>) | undefined;
  /** What all of them measured, as Prometheus reads it; `own` is what this one did. */
  metrics(own: () => Promise<string>): Promise<string>;
  tellFailure(address: string): void;
  /** To be called once: what the others may ask of this one or tell it. */
  listen(listener: SiblingListener): void;
}

export interface SiblingListener {
  /** What this process measured, in the form in which it can be added to that of others. */
  metrics(): Promise<unknown>;
  failure(address: string): void;
  upstreams(settings: Config['gateway']): void;
}

export const noSiblings: Siblings = {
  sharePorts: false,
  stamps: { presets: noStamps, keys: noStamps },
  countRequest: undefined,
  takeTurn: undefined,
  metrics: (own) => own(),
  tellFailure() {},
  listen() {},
};

export interface WorkerSiblings extends Siblings {
  /** Those that all others have. */
  upstreams(): Promise<Config['gateway']>;
  /** Has all of them read the upstreams again, or stop, as if each had got the signal. */
  tellHangUp(): void;
  tellReady(ready: ReadyWorker): void;
}

export function siblingsOf(worker: Worker): WorkerSiblings {
  let handlers: Handlers = {};
  const channel = openChannel(worker, (subject) => handlers[subject]);
  const ask = async (subject: string, value?: unknown) => {
    const answer = await channel.ask(subject, value);
    if (answer !== undefined) return answer;
    throw new PresetdError('unavailable', 'The process that keeps the workers does not answer. Try again.');
  };
  return {
    sharePorts: true,
    stamps: shareStamps(stampDescriptor, worker.id),
    countRequest: async (keyId) => (await ask('count', keyId)) as RequestCount,
    async takeTurn() {
      await channel.ask('turn');
      return () => channel.tell('turn over');
    },
    metrics: async () => (await ask('metrics')) as string,
    tellFailure: (address) => channel.tell('failure', address),
    listen({ metrics, failure, upstreams }) {
      handlers = { metrics, failure, upstreams };
    },
    upstreams: async () => (await ask('upstreams')) as Config['gateway'],
    tellHangUp: () => channel.tell('hang up'),
    tellReady: (ready) => channel.tell('ready', ready),
  };
}

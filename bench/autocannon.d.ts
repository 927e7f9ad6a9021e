/** Types for the part of autocannon that the benchmarks use; the package has none. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  function autocannon(options: autocannon.Options): autocannon.Run;

  namespace autocannon {
    interface Request {
      method: string;
      path: string;
      headers: Readonly<Record<string, string>>;
      body?: string;
    }

    interface Client {
      setRequests(requests: Request[]): void;
    }

    interface Options {
      readonly url: string;
      readonly connections: number;
      /** In seconds. Defaults to ten when neither this nor `amount` is given. */
      readonly duration?: number;
      /** The number of requests to send, however long they take. */
      readonly amount?: number;
      readonly setupClient: (client: Client) => void;
    }

    interface Result {
      readonly '2xx': number;
      readonly non2xx: number;
      readonly errors: number;
      readonly timeouts: number;
      /** In seconds. */
      readonly duration: number;
      readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
    }

    interface Run extends PromiseLike<Result> {
      on: EventEmitter<{ response: [client: Client, status: number, bytes: number, ms: number] }>['on'];
      /** Ends the run early; its promise resolves with the results so far. */
      stop(): void;
    }
  }

  export = autocannon;
}

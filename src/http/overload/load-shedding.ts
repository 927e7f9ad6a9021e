import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { overloaded } from '../../core/errors.ts';
import type { Measurements } from '../../core/measurements.ts';
import { sendRawError } from '../errors/error-response.ts';
import type { ConnectionMemory } from './connection-memory.ts';

/**
 * Rejects requests with 503 while the process is overloaded or clients hold too much memory.
 * `OverloadDetector` and `ConnectionMemory` decide when; the shedder responds, counts and logs.
 */
export interface LoadShedder {
  /**
   * Rejects a request if the server is overloaded, and returns whether it did. Runs before the
   * framework, so that a rejection costs little.
   */
  shed(request: IncomingMessage, response: ServerResponse): boolean;
  /** Throws `unavailable` if the server is overloaded, for requests over a WebSocket. */
  assertCapacity(): void;
  /**
   * Limits how many requests of this scope are in flight. A request counts from the moment its body
   * is complete, so that slow uploads do not take capacity from others.
   */
  limitInFlight(scope: FastifyInstance): void;
}

/** Health checks and metrics must keep working, above all while the server is overloaded. */
const alwaysServed = /^\/(?:healthz|readyz|metrics)(?:[/?]|$)/;

/** `inFlightMax` of 0 turns load shedding off, except for memory. */
export function createLoadShedder(
  inFlightMax: number,
  connectionMemory: ConnectionMemory,
  measurements: Pick<Measurements, 'shedRequest' | 'httpRequest'>,
  log: FastifyBaseLogger,
): LoadShedder {
  const overload = new OverloadDetector({ inFlightMax });
  const count = createShedCounter(measurements, log);
  const isOverloaded = () => overload.isOverloaded() || connectionMemory.isOverLimit;
  return {
    shed(request, response) {
      if (!isOverloaded()) return false;
      const { url = '', method = '' } = request;
      if (alwaysServed.test(url)) return false;
      count();
      const { status } = sendRawError(request, response, overloaded(), log);
      measurements.httpRequest({ method, route: undefined, status });
      return true;
    },
    assertCapacity() {
      if (!isOverloaded()) return;
      count();
      throw overloaded();
    },
    limitInFlight(scope) {
      scope.addHook('preHandler', (request, reply, done) => {
        // Model calls spend nearly all their time waiting for the upstream, so they cost little.
        if (request.routeOptions.config.dialect !== undefined) return done();
        // Many requests may have been admitted in one tick, while there was still capacity.
        if (overload.isAtCapacity) {
          count();
          return done(overloaded());
        }
        reply.raw.once('close', overload.trackRequest());
        done();
      });
    },
  };
}

/** While requests are shed, their number is logged this often. */
const logEveryMs = 10_000;

/**
 * Counts shed requests and logs their number while there are any. A log line for each would cost
 * as much as shedding saves.
 */
function createShedCounter(
  measurements: Pick<Measurements, 'shedRequest'>,
  log: FastifyBaseLogger,
): () => void {
  let shed = 0;
  let timer: NodeJS.Timeout | undefined;
  const logCount = () => {
    if (shed > 0) log.warn({ shed }, `overloaded: rejected ${shed} requests with 503`);
    else timer = clearInterval(timer) as undefined;
    shed = 0;
  };
  return () => {
    measurements.shedRequest();
    shed += 1;
    if (timer !== undefined) return;
    log.warn('overloaded: rejecting some requests with 503');
    timer = setInterval(logCount, logEveryMs).unref();
  };
}

/**
 * A request that is picked up this late in an event-loop tick has already waited too long. While
 * more than a thousand clients send requests, a tick may never end, because rejected clients retry
 * into the same tick. So within one tick, rejecting and serving alternate in intervals of this
 * length.
 */
const lateMs = 250;

/** Shedding starts only when this share of the last second was spent in long ticks. */
const longShareMin = 0.5;

/** The most that one tick counts for, so that one or two slow requests are no overload. */
const tickWeightMaxMs = 200;

/** How often tick length is sampled. */
const sampleEveryMs = 20;

/** Sampling stops after this long without requests, so that an idle process can sleep. */
const quietMs = 500;

interface OverloadDetectorOptions {
  /** Requests that may be in flight at once; 0 turns load shedding off. */
  readonly inFlightMax: number;
  readonly now?: () => number;
  /**
   * Calls back every `ms`, at the start of an event-loop tick. Returns a function that stops it.
   */
  readonly schedule?: (ms: number, callback: () => void) => () => void;
}

/**
 * Decides when the process has more work than it can do. Rejecting a request at once is cheap;
 * serving it after its client has given up wastes the capacity that others need.
 *
 * There are two independent signals:
 * - capacity: the number of requests in flight, counted by `trackRequest`;
 * - lateness: a timer samples how long event-loop ticks take, and `#longShare` is the moving
 *   average of time spent in long ones. Above one half, late requests are rejected.
 *
 * The first request starts the timer; it stops when requests stop coming, and the next request
 * starts with a clean average. The timer is unref'ed, so shutdown needs no call.
 *
 * Node's `monitorEventLoopDelay` cannot replace the timer: it records a tick only after its end, so
 * all through a tick of one second its histogram stays empty. Lateness needs the start of the
 * current tick, above all in ticks that never end.
 */
export class OverloadDetector {
  readonly #inFlightMax: number;
  readonly #now: () => number;
  readonly #schedule: (ms: number, callback: () => void) => () => void;
  #inFlight = 0;
  #stopSampling: (() => void) | undefined;
  /** When the last sample was taken. While ticks are long, that is when the current one began. */
  #sampledAt = 0;
  /** Share of the last second spent in long ticks, as an exponential moving average. */
  #longShare = 0;
  #hasNewRequests = false;
  #quietSince = 0;

  constructor({ inFlightMax, now = () => performance.now(), schedule = callEvery }: OverloadDetectorOptions) {
    this.#inFlightMax = inFlightMax;
    this.#now = now;
    this.#schedule = schedule;
  }

  /** Call once for every request, as soon as it is picked up: the call itself is a measurement. */
  isOverloaded(): boolean {
    if (this.#inFlightMax === 0) return false;
    this.#hasNewRequests = true;
    if (this.#stopSampling === undefined) this.#startSampling();
    return this.isAtCapacity || (this.#longShare > longShareMin && this.#isLate());
  }

  get isAtCapacity(): boolean {
    return this.#inFlightMax > 0 && this.#inFlight >= this.#inFlightMax;
  }

  /**
   * Counts a request as in flight until the returned function is called. Calling it again is safe.
   */
  trackRequest(): () => void {
    this.#inFlight += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.#inFlight -= 1;
      isOver = true;
    };
  }

  #isLate(): boolean {
    return (this.#now() - this.#sampledAt) % (2 * lateMs) > lateMs;
  }

  #startSampling(): void {
    this.#longShare = 0;
    this.#sampledAt = this.#now();
    this.#stopSampling = this.#schedule(sampleEveryMs, () => this.#sample());
  }

  #sample(): void {
    const now = this.#now();
    const tickMs = now - this.#sampledAt;
    const isLong = tickMs > sampleEveryMs + lateMs;
    this.#longShare += (Number(isLong) - this.#longShare) * (Math.min(tickMs, tickWeightMaxMs) / 1_000);
    this.#sampledAt = now;
    if (this.#hasNewRequests) this.#quietSince = now;
    else if (now - this.#quietSince > quietMs) {
      this.#stopSampling?.();
      this.#stopSampling = undefined;
    }
    this.#hasNewRequests = false;
  }
}

function callEvery(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms).unref();
  return () => clearInterval(timer);
}

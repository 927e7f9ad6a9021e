import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { overloaded } from '../../core/errors.ts';
import type { Measurements } from '../../core/measurements.ts';
import { sendRawError } from '../errors/raw-error-response.ts';
import type { ConnectionMemory } from './connection-memory.ts';
import type { OverloadDetector } from './overload-detector.ts';

/** While requests are shed, their number is logged this often. */
const logEveryMs = 10_000;

/**
 * Rejects API requests with 503 while the process is overloaded or clients hold too much memory.
 * `OverloadDetector` and `ConnectionMemory` decide when; this module responds, counts and logs.
 */
export interface LoadShedder {
  /**
   * Rejects an API request if the server is overloaded, and returns whether it did. Runs before
   * the framework, so that a rejection costs little.
   */
  shed(request: IncomingMessage, response: ServerResponse): boolean;
  /** Counts a request that was shed elsewhere. */
  count(): void;
}

export function createLoadShedder(
  {
    overload,
    connectionMemory,
  }: { readonly overload: OverloadDetector; readonly connectionMemory: ConnectionMemory },
  measurements: Pick<Measurements, 'shedRequest' | 'httpRequest'>,
  log: FastifyBaseLogger,
): LoadShedder {
  const count = createShedCounter(measurements, log);
  return {
    count,
    shed(request, response) {
      if (!overload.isOverloaded() && !connectionMemory.isOverLimit) return false;
      const { url = '', method = '' } = request;
      // Health checks and metrics must keep working, above all while the server is overloaded.
      if (!url.startsWith('/api/')) return false;
      count();
      const { status } = sendRawError(request, response, overloaded(), log);
      measurements.httpRequest({ method, route: undefined, status });
      return true;
    },
  };
}

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
 * Limits how many requests of this scope are in flight. A request counts from the moment its body
 * is complete, so that slow uploads do not take capacity from others.
 */
export function limitInFlight(app: FastifyInstance, overload: OverloadDetector, shedder: LoadShedder): void {
  app.addHook('preHandler', (request, reply, done) => {
    // Model calls spend nearly all their time waiting for the upstream, and hold up nobody.
    if (request.routeOptions.config.dialect !== undefined) return done();
    // Many requests may have been admitted in one tick, while there was still capacity.
    if (overload.isAtCapacity) {
      shedder.count();
      return done(overloaded());
    }
    const end = overload.trackRequest();
    reply.raw.once('close', end);
    done();
  });
}

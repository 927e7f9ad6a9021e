import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { overloaded } from '../core/errors.ts';
import type { Measurements } from '../core/measurements.ts';
import type { ConnectionMemory } from './connection-memory.ts';
import type { OverloadDetector } from './overload-detector.ts';
import { sendRawError } from './raw-error-response.ts';

/** While requests are refused, it is told this often how many. */
const tellEveryMs = 10_000;

export interface LoadShedder {
  /** Refuses a request of the API where there are too many: before the framework, so that it costs little. */
  shed(request: IncomingMessage, response: ServerResponse): boolean;
  /** To be told of a request that is refused elsewhere. */
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
  const count = countAndTell(measurements, log);
  return {
    count,
    shed(request, response) {
      if (!overload.isOverloaded() && !connectionMemory.isOverLimit) return false;
      const { url = '', method = '' } = request;
      // Whoever watches the server must see it, above all now.
      if (!url.startsWith('/api/')) return false;
      count();
      const { status } = sendRawError(request, response, overloaded(), log);
      measurements.httpRequest({ method, route: undefined, status });
      return true;
    },
  };
}

/** A line for each of them would cost what refusing them saves. */
function countAndTell(measurements: Pick<Measurements, 'shedRequest'>, log: FastifyBaseLogger): () => void {
  let shed = 0;
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    if (shed > 0)
      log.warn({ shed }, `${shed} requests were answered 503: there were more than can be served`);
    else timer = clearInterval(timer) as undefined;
    shed = 0;
  };
  return () => {
    measurements.shedRequest();
    shed += 1;
    if (timer !== undefined) return;
    log.warn('there are more requests than can be served: some are answered 503');
    timer = setInterval(tell, tellEveryMs).unref();
  };
}

/** Counts what is under way from when its body has come: a client that sends slowly takes nobody's place. */
export function limitInFlight(app: FastifyInstance, overload: OverloadDetector, shedding: LoadShedder): void {
  app.addHook('preHandler', (request, reply, done) => {
    // What waits for a model keeps nobody else waiting.
    if (request.routeOptions.config.dialect !== undefined) return done();
    // Many may have come up in the turn in which there was still room.
    if (overload.isAtCapacity) {
      shedding.count();
      return done(overloaded());
    }
    const end = overload.trackRequest();
    reply.raw.once('close', end);
    done();
  });
}

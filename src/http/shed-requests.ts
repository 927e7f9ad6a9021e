import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { overloaded } from '../core/errors.ts';
import type { Measurements } from '../core/measurements.ts';
import { answerTo } from './error-response.ts';
import type { Pressure } from './pressure.ts';
import { dialectAt } from './ready-calls.ts';
import { requestIdOf } from './request-id.ts';

/** Where it is told that requests are refused, it is not told again for this long. */
const quietMs = 10_000;

/** Refuses requests of the API that come when there are too many: before the framework, so that it costs little. */
export function createShedding(
  pressure: Pressure,
  measurements: Pick<Measurements, 'shedRequest'>,
  log: FastifyBaseLogger,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (request, response) => {
    if (!pressure.isTooHigh()) return false;
    const { url = '', headers } = request;
    // Whoever watches the server must see it, above all now.
    if (!url.startsWith('/api/')) return false;
    measurements.shedRequest();
    if (performance.now() - toldAt > quietMs) {
      toldAt = performance.now();
      log.warn('there are more requests than can be served: some are answered 503');
    }
    const requestId = requestIdOf(headers);
    const dialect = dialectAt.get(url.split('?', 1)[0] ?? '');
    const answer = answerTo(overloaded(), { requestId, userId: undefined, dialect, log });
    response.writeHead(answer.status, {
      ...answer.headers,
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(answer.body),
    });
    response.end(answer.body);
    return true;
  };
}

/** Counts what is under way from when its body has come: a client that sends slowly takes nobody's place. */
export function countUnderWay(app: FastifyInstance, pressure: Pressure): void {
  app.addHook('preHandler', (_request, reply, done) => {
    // Many may have come up in the turn in which there was still room.
    if (pressure.isFull) return done(overloaded());
    const end = pressure.begin();
    reply.raw.once('close', end);
    done();
  });
}

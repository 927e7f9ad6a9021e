import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { type Logger, pino } from 'pino';

/** The part of a logger that pino opens to those who want to write to it directly. */
type OpenLogger = Logger & {
  readonly [pino.symbols.streamSym]: { write(line: string): void };
  /** What every line of this logger has, such as the process: `,"pid":1`. */
  readonly [pino.symbols.chindingsSym]: string;
};

/**
 * One line for every request. It is written by hand, in the form of pino's: everything in it is made by us or checked
 * before, so that nothing must be escaped and the line costs little to make.
 */
export function createRequestLog(
  logger: FastifyBaseLogger,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const { info } = pino.levels.values;
  const open = logger as unknown as OpenLogger;
  return (request, reply) => {
    if (!open.isLevelEnabled('info')) return;
    const { url } = request.routeOptions;
    const route = url === undefined ? '' : `,"route":"${url}"`;
    const key = request.caller === null ? '' : `,"key":"${request.caller.id}"`;
    const ms = Math.round(reply.elapsedTime * 100) / 100;
    open[pino.symbols.streamSym].write(
      `{"level":${info},"time":${Date.now()}${open[pino.symbols.chindingsSym]},"reqId":"${request.id}"` +
        `,"method":"${request.method}"${route},"status":${reply.statusCode},"ms":${ms}${key},"msg":"request"}\n`,
    );
  };
}

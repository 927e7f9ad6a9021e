import type { ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { type Logger, pino } from 'pino';

export interface AnsweredRequest {
  readonly id: string;
  readonly method: string;
  /** Undefined where there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
  /** Undefined where nobody was asked who they are, or was not known. */
  readonly keyId: string | undefined;
  /** The version of a preset and the upstream that it went to, at the gateway. */
  readonly preset?: string | undefined;
  readonly upstream?: string | undefined;
  readonly isDryRun?: boolean | undefined;
  /** Of whoever was turned away without having been recognized. */
  readonly address?: string | undefined;
}

/** Stands for the status of an answer that nobody was there to get. */
const clientGone = 499;

/** What an answer came to: an upstream may have broken it off after its status was sent. */
export function statusOfAnswer(response: ServerResponse, brokenStatus?: number): number {
  return brokenStatus ?? (response.writableFinished ? response.statusCode : clientGone);
}

export type RequestLog = (request: AnsweredRequest) => void;

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
export function createRequestLog(logger: FastifyBaseLogger): RequestLog {
  const { info } = pino.levels.values;
  const open = logger as unknown as OpenLogger;
  return ({ id, method, route, status, ms, keyId, preset, upstream, isDryRun, address }) => {
    if (!open.isLevelEnabled('info')) return;
    const routeField = route === undefined ? '' : `,"route":"${route}"`;
    // A proxy may pass on anything as an address.
    const addressField = address === undefined ? '' : `,"address":${JSON.stringify(address)}`;
    const keyField = keyId === undefined ? '' : `,"key":"${keyId}"`;
    const presetField = preset === undefined ? '' : `,"preset":"${preset}"`;
    const upstreamField = upstream === undefined ? '' : `,"upstream":"${upstream}"`;
    const dryRunField = isDryRun ? ',"dryRun":true' : '';
    open[pino.symbols.streamSym].write(
      `{"level":${info},"time":${Date.now()}${open[pino.symbols.chindingsSym]},"reqId":"${id}"` +
        `,"method":"${method}"${routeField},"status":${status},"ms":${Math.round(ms * 100) / 100}${keyField}${presetField}${upstreamField}${dryRunField}${addressField}` +
        ',"msg":"request"}\n',
    );
  };
}

import type { ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { type Logger, pino } from 'pino';

export interface CompletedRequest {
  readonly id: string;
  readonly method: string;
  /** Undefined where there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
  /** As `unknownPath` returns it. */
  readonly path?: string | undefined;
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
export function finalStatus(response: ServerResponse, brokenStatus?: number): number {
  return brokenStatus ?? (response.writableFinished ? response.statusCode : clientGone);
}

const pathLengthMax = 200;

/**
 * The path of a request that no route took, so that a wrong base URL can be recognized in the log; undefined for others,
 * whose route is logged. The query and every part long enough to be a key (`PRESETD_BOOTSTRAP_API_KEY` has 16 characters
 * or more) are left out: they may be secrets. What is not printable could steer a terminal.
 */
export function unroutedPath(route: string | undefined, status: number, url = ''): string | undefined {
  if (route !== undefined || (status !== 404 && status !== 405)) return undefined;
  const path = url.split('?', 1)[0] ?? '';
  const safe = path.replace(/[^\x21-\x7e]/g, '?').replace(/[^/]{16,}/g, '…');
  return safe.length > pathLengthMax ? `${safe.slice(0, pathLengthMax)}…` : safe;
}

export type RequestLog = (request: CompletedRequest) => void;

/** The part of a logger that pino opens to those who want to write to it directly. */
type PinoInternals = Logger & {
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
  const open = logger as unknown as PinoInternals;
  return ({ id, method, route, status, path, ms, keyId, preset, upstream, isDryRun, address }) => {
    if (!open.isLevelEnabled('info')) return;
    const routeField = route === undefined ? '' : `,"route":"${route}"`;
    const pathField = path === undefined ? '' : `,"path":${JSON.stringify(path)}`;
    // A proxy may pass on anything as an address.
    const addressField = address === undefined ? '' : `,"address":${JSON.stringify(address)}`;
    const keyField = keyId === undefined ? '' : `,"key":"${keyId}"`;
    const presetField = preset === undefined ? '' : `,"preset":"${preset}"`;
    const upstreamField = upstream === undefined ? '' : `,"upstream":"${upstream}"`;
    const dryRunField = isDryRun ? ',"dryRun":true' : '';
    open[pino.symbols.streamSym].write(
      `{"level":${info},"time":${Date.now()}${open[pino.symbols.chindingsSym]},"reqId":"${id}"` +
        `,"method":"${method}"${routeField}${pathField},"status":${status},"ms":${Math.round(ms * 100) / 100}${keyField}${presetField}${upstreamField}${dryRunField}${addressField}` +
        ',"msg":"request"}\n',
    );
  };
}

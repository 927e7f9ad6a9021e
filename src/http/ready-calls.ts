import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator, Caller } from '../core/authenticate.ts';
import { type Dialect, dialects } from '../core/preset.ts';
import { dialectOf } from '../dialects/dialects.ts';
import { createTrace, describePreset } from '../gateway/call.ts';
import { secretHashOf } from './authentication.ts';
import type { ClientAddress } from './client-address.ts';
import { commonHeaderList, requestIdOf } from './common-headers.ts';
import type { FailedAuthentications } from './failed-authentications.ts';
import type { FastRoute } from './fast-path.ts';
import { limitFailures } from './rate-limit.ts';
import { type RequestLog, statusOfAnswer } from './request-log.ts';
import { type ArrivedCall, type CallServer, queryOf } from './serve-call.ts';

const dialectAt: ReadonlyMap<string, Dialect> = new Map(
  dialects.map((dialect) => [`/api/v1${dialectOf[dialect].path}`, dialect]),
);

/** The dialect of the calls that a URL takes, whatever its query; undefined where it takes none. */
function dialectOfUrl(url: string): Dialect | undefined {
  const end = url.indexOf('?');
  return dialectAt.get(end === -1 ? url : url.slice(0, end));
}

export interface ReadyCallsOptions {
  readonly authenticator: Authenticator;
  readonly address: ClientAddress;
  readonly failures: FailedAuthentications;
  readonly calls: CallServer;
  readonly logRequest: RequestLog;
  readonly bodyBytesMax: number;
  /** Whether an answer has to be the last on its connection. */
  readonly isClosing: () => boolean;
}

/**
 * Calls of presets whose key is in memory and whose body says its length take the short way to the gateway, without the
 * framework and its cost. What is not as plain as that, and everything that is wrong before the body has come, goes on to the
 * route.
 */
export function createReadyCalls(options: ReadyCallsOptions): FastRoute {
  return {
    matches: (request) =>
      request.method === 'POST' &&
      dialectOfUrl(request.url ?? '') !== undefined &&
      hasPlainBody(request, options.bodyBytesMax),
    serve(request, response, caller, startedAt) {
      const dialect = dialectOfUrl(request.url ?? '');
      if (dialect === undefined) return false;
      takeCall(request, response, { dialect, caller, startedAt }, options);
      return true;
    },
  };
}

function hasPlainBody({ headers }: IncomingMessage, bytesMax: number): boolean {
  const length = Number(headers['content-length']);
  const isPlain = headers['content-type'] === 'application/json' && headers.expect === undefined;
  return isPlain && length > 0 && length <= bytesMax;
}

interface Taken {
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly startedAt: number;
}

function takeCall(
  request: IncomingMessage,
  response: ServerResponse,
  { dialect, caller, startedAt }: Taken,
  { authenticator, address, failures, calls, logRequest, isClosing }: ReadyCallsOptions,
): void {
  const { headers, socket, url = '' } = request;
  const requestId = requestIdOf(headers);
  const trace = createTrace();
  const admittedAt = performance.now();
  // A connection that is closed meanwhile has no address any more.
  const ip = failures.limit === 0 ? '' : address.of(request);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const receivedAt = performance.now();
    const arrived: ArrivedCall = {
      dialect,
      caller,
      requestId,
      headers,
      query: queryOf(url),
      bytes: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks),
      response,
      commonHeaders: () =>
        isClosing() ? [...commonHeaderList(requestId), 'connection', 'close'] : commonHeaderList(requestId),
      admittedMs: admittedAt - startedAt,
      receivedAt,
      trace,
    };
    if (receivedAt - admittedAt < askAgainMs) calls.serve(arrived);
    else {
      const authenticate = () => authenticator.authenticate(secretHashOf(socket, headers));
      serveAdmitted(arrived, () => limitFailures(failures, { ip }, authenticate), calls);
    }
  });
  response.on('close', () => {
    if (isClosing()) socket.end();
    logRequest({
      id: requestId,
      method: 'POST',
      route: `/api/v1${dialectOf[dialect].path}`,
      status: statusOfAnswer(response, trace.brokenStatus),
      ms: performance.now() - startedAt,
      keyId: caller.id,
      preset: describePreset(trace),
      upstream: trace.upstream,
      isDryRun: trace.isDryRun,
    });
  });
}

/** A body may take its time; what the key may do can be another thing by then. */
const askAgainMs = 100;

function serveAdmitted(
  arrived: ArrivedCall,
  authenticate: () => Caller | Promise<Caller>,
  calls: CallServer,
): void {
  const serve = (caller: Caller) => calls.serve({ ...arrived, caller });
  const refuse = (error: unknown) => calls.refuse(arrived, error);
  try {
    const caller = authenticate();
    if (caller instanceof Promise) caller.then(serve, refuse);
    else serve(caller);
  } catch (error) {
    refuse(error);
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../core/organization/api-key.ts';
import type { Authenticator } from '../../core/organization/authenticate.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { createTrace, describePreset } from '../../gateway/call.ts';
import { secretHashOf } from '../authentication.ts';
import type { FailedAuthentications } from '../overload/failed-authentications.ts';
import { limitFailedAttempts } from '../overload/rate-limit.ts';
import type { ClientAddress } from '../protocol/client-address.ts';
import { commonHeaderList, requestIdOf } from '../protocol/common-headers.ts';
import { finalStatus, type RequestLog } from '../request-log.ts';
import { type CallServer, queryOf, type ReceivedCall } from '../serve-call.ts';
import type { FastRoute } from './fast-path.ts';

/** Exact paths only: a trailing slash or an escape falls back to the route. */
const dialectAt: ReadonlyMap<string, Dialect> = new Map(
  dialects.map((dialect) => [`/api/v1${dialectOf[dialect].path}`, dialect]),
);

/** The dialect of the calls at this URL, whatever its query; undefined if it is not a call. */
function dialectOfUrl(url: string): Dialect | undefined {
  const end = url.indexOf('?');
  return dialectAt.get(end === -1 ? url : url.slice(0, end));
}

export interface CallFastRouteOptions {
  readonly authenticator: Authenticator;
  readonly address: ClientAddress;
  readonly failures: FailedAuthentications;
  readonly calls: CallServer;
  readonly logRequest: RequestLog;
  readonly bodyBytesMax: number;
  /** Whether the server is shutting down, so that every response must close its connection. */
  readonly isClosing: () => boolean;
}

/**
 * The fast path for model calls: those whose key is cached and whose JSON body declares its length.
 * It reads the body and passes the call to the gateway without the framework. Any other call falls
 * back to `routes/inference.ts`. Both end in `CallServer`, which also produces all errors once the
 * body is here.
 */
export function createCallFastRoute(options: CallFastRouteOptions): FastRoute {
  return {
    matches: (request) =>
      request.method === 'POST' &&
      dialectOfUrl(request.url ?? '') !== undefined &&
      hasPlainBody(request, options.bodyBytesMax),
    serve(request, response, caller, startedAt) {
      const dialect = dialectOfUrl(request.url ?? '');
      if (dialect === undefined) return false;
      receiveCall(request, response, { dialect, caller, startedAt }, options);
      return true;
    },
  };
}

/** A declared length within the limit, and nothing the framework would have to negotiate. */
function hasPlainBody({ headers }: IncomingMessage, bytesMax: number): boolean {
  const length = Number(headers['content-length']);
  const isPlain = headers['content-type'] === 'application/json' && headers.expect === undefined;
  return isPlain && length > 0 && length <= bytesMax;
}

interface AdmittedCall {
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly startedAt: number;
}

function receiveCall(
  request: IncomingMessage,
  response: ServerResponse,
  { dialect, caller, startedAt }: AdmittedCall,
  { authenticator, address, failures, calls, logRequest, isClosing }: CallFastRouteOptions,
): void {
  const { headers, socket, url = '' } = request;
  const requestId = requestIdOf(headers);
  const trace = createTrace();
  const admittedAt = performance.now();
  // Read now: a connection that closes before the body is complete no longer has an address.
  const ip = failures.limit === 0 ? '' : address.of(request);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const receivedAt = performance.now();
    const call: ReceivedCall = {
      dialect,
      caller,
      requestId,
      headers,
      query: queryOf(url),
      // Most bodies arrive in one chunk, which needs no copy.
      bytes: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks),
      response,
      commonHeaders: () =>
        isClosing() ? [...commonHeaderList(requestId), 'connection', 'close'] : commonHeaderList(requestId),
      admittedMs: admittedAt - startedAt,
      receivedAt,
      trace,
    };
    if (receivedAt - admittedAt < reauthenticateAfterMs) calls.serve(call);
    else {
      const authenticate = () => authenticator.authenticate(secretHashOf(socket, headers));
      serveReauthenticated(call, () => limitFailedAttempts(failures, { ip }, authenticate), calls);
    }
  });
  response.on('close', () => {
    // Headers sent before the shutdown began did not say `Connection: close`.
    if (isClosing()) socket.end();
    logRequest({
      id: requestId,
      method: 'POST',
      route: `/api/v1${dialectOf[dialect].path}`,
      status: finalStatus(response, trace.brokenStatus),
      ms: performance.now() - startedAt,
      keyId: caller.id,
      preset: describePreset(trace),
      upstream: trace.upstream,
      isDryRun: trace.isDryRun,
    });
  });
}

/**
 * If the body took longer than this to arrive, the key is checked again, because it may have been
 * revoked since. Most bodies arrive with the headers and skip the second check.
 */
const reauthenticateAfterMs = 100;

function serveReauthenticated(
  call: ReceivedCall,
  authenticate: () => Caller | Promise<Caller>,
  calls: CallServer,
): void {
  const serve = (caller: Caller) => calls.serve({ ...call, caller });
  const fail = (error: unknown) => calls.sendError(call, error);
  try {
    const caller = authenticate();
    if (caller instanceof Promise) caller.then(serve, fail);
    else serve(caller);
  } catch (error) {
    fail(error);
  }
}

import type { IncomingHttpHeaders, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Caller } from '../core/authenticate.ts';
import { PresetdError } from '../core/errors.ts';
import type { Measurements } from '../core/measurements.ts';
import type { Dialect } from '../core/preset.ts';
import { isJsonObject } from '../dialects/json-object.ts';
import { type CallTrace, overheadOf } from '../gateway/call.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { HeaderList } from '../gateway/header-list.ts';
import { presetdHeaders } from '../gateway/presetd-headers.ts';
import { answerTo } from './error-response.ts';
import { assertNotCompressed, parseJsonBody, withoutByteOrderMark } from './json-body.ts';
import { statusOfAnswer } from './request-log.ts';

/** A request for inference that has been let in and has arrived. */
export interface ArrivedCall {
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: string;
  readonly bytes: Buffer;
  readonly response: ServerResponse;
  /** What any answer to it has, at the moment of answering. */
  readonly commonHeaders: () => HeaderList;
  readonly admittedMs: number;
  readonly receivedAt: number;
  readonly trace: CallTrace;
}

/** Answers calls without the framework. */
export interface CallServer {
  /** Hands a call to the gateway, and answers for it where that cannot. */
  serve(call: ArrivedCall): void;
  /** Answers a call with an error. */
  refuse(call: ArrivedCall, error: unknown): void;
}

export function createCallServer(
  gateway: Gateway,
  measurements: Measurements,
  log: FastifyBaseLogger,
): CallServer {
  return {
    serve(arrived) {
      const { response, trace, dialect } = arrived;
      response.on('close', () => {
        if (trace.isDryRun) return;
        measurements.gatewayRequest({
          dialect,
          preset: trace.preset?.slug,
          upstream: trace.upstream,
          status: statusOfAnswer(response, trace.brokenStatus),
        });
      });
      hand(arrived).catch((error: unknown) => refuse(arrived, error));
    },
    refuse,
  };

  async function hand(arrived: ArrivedCall): Promise<void> {
    const { caller, headers, trace } = arrived;
    if (caller.kind !== 'api')
      throw new PresetdError(
        'forbidden',
        `${caller.label} is a management key, which runs no inference. Send an API key of a workspace.`,
      );
    assertNotCompressed(arrived);
    const bytes = withoutByteOrderMark(arrived.bytes);
    const body = parseJsonBody(bytes).exactValue;
    if (!isJsonObject(body))
      throw new PresetdError('invalid_request', 'The request body is not a JSON object.', {
        issues: [{ path: '', message: 'must be an object' }],
      });
    trace.isDryRun = isDryRun(headers['x-presetd-dry-run']);
    assertNoDryRunIn(arrived.query);
    await gateway.handle({ ...arrived, bytes, body });
  }

  function refuse(arrived: ArrivedCall, error: unknown): void {
    const { response, requestId, caller, dialect, trace } = arrived;
    if (response.destroyed) return;
    if (response.headersSent) {
      // Never seen; but an answer that is half sent must not look like a whole one.
      log.error({ reqId: requestId, err: error }, 'an answer could not be finished');
      response.destroy();
      return;
    }
    const { status, headers, body } = answerTo(error, { requestId, userId: caller.ownerId, dialect, log });
    const list = [
      ...arrived.commonHeaders(),
      ...Object.entries(headers).flat(),
      ...presetdHeaders(trace, overheadOf(arrived)),
      ...['content-type', 'application/json; charset=utf-8', 'content-length', Buffer.byteLength(body)],
    ];
    response.writeHead(status, list as OutgoingHttpHeader[]);
    response.end(body);
  }
}

/** The query of a URL with its question mark; empty where it has no parameters. A fragment is not for servers. */
export function queryOf(url: string): string {
  const start = url.indexOf('?');
  if (start === -1) return '';
  const [query = ''] = url.slice(start).split('#', 1);
  return query === '?' ? '' : query;
}

/** Captures take this parameter; a call would be sent, and billed. */
function assertNoDryRunIn(query: string): void {
  if (query !== '' && new URLSearchParams(query).has('dry_run'))
    throw new PresetdError(
      'invalid_request',
      'Calls take no query parameter dry_run. Ask for a dry run with the header x-presetd-dry-run: true.',
      { issues: [{ path: '/dry_run', message: 'is not a query parameter of calls' }] },
    );
}

/** Whoever means a dry run must not pay for a call because of how they wrote it. */
function isDryRun(header: string | string[] | undefined): boolean {
  if (header === undefined || header === 'false') return false;
  if (header === 'true') return true;
  throw new PresetdError('invalid_request', 'The header x-presetd-dry-run must be true or false.');
}

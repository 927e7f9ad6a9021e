import { once } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { dialects, pathOf, type Recording, recordingOf } from './wire/recordings.ts';

/** A request as received over the wire. */
export interface ReceivedRequest {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as sent. */
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests examine requests; a type would assume the result
  readonly body: any;
}

/** A request and the means to respond to it. The socket allows responses that are not HTTP. */
export interface Exchange {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** How it ended: with a complete response, or with a lost connection. */
  readonly ended: Promise<'completed' | 'disconnected'>;
}

/** Responds to one request. */
export type Script = (exchange: Exchange) => unknown;

/** Responds like a working upstream in the dialect of the path, as a stream if requested. */
export const respondInDialect: Script = (exchange) => recorded(recordingOf[dialectOf(exchange)])(exchange);

/** Responds with a recording, as a stream if requested. */
export function recorded(recording: Recording): Script {
  return (exchange) =>
    exchange.request.body?.stream === true
      ? stream(recording.stream)(exchange)
      : body(200, 'application/json', recording.json)(exchange);
}

/** Never responds. A test that takes the exchange may do so itself. */
export const stall: Script = () => undefined;

export function json(value: unknown, status = 200, headers: OutgoingHttpHeaders = {}): Script {
  return body(status, 'application/json', JSON.stringify(value), headers);
}

/** A typical error page of a proxy in front of an upstream. */
export function html(status: number): Script {
  return body(status, 'text/html', `<html><body><h1>${status}</h1><p>nginx</p></body></html>`);
}

export function body(
  status: number,
  type: string,
  bytes: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): Script {
  return ({ response }) =>
    response
      .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(bytes), ...headers })
      .end(bytes);
}

/** An error in the format of the dialect's upstream. */
export function upstreamError(status: number, message: string, headers: OutgoingHttpHeaders = {}): Script {
  return (exchange) => {
    const error = { type: 'upstream_error', message };
    const value =
      dialectOf(exchange) === 'messages'
        ? { type: 'error', error, request_id: 'req_upstream' }
        : { error: { ...error, code: status } };
    return json(value, status, headers)(exchange);
  };
}

/** A complete stream in one write. */
export function stream(bytes: string | Buffer): Script {
  return ({ response }) => beginStream(response).end(bytes);
}

/** Sends the headers of a stream immediately. */
export function beginStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  return response;
}

export function stallAfterHeaders({ response }: Exchange): void {
  beginStream(response);
}

/** The start of a stream, and then nothing. */
export function stallAfter(bytes: Buffer): Script {
  return ({ response }) => beginStream(response).write(bytes);
}

/** The start of a stream; then the connection closes in the middle of the HTTP body. */
export function cut(...pieces: readonly (Buffer | string)[]): Script {
  return async ({ response, socket }) => {
    beginStream(response);
    for (const piece of pieces) {
      if (piece.length > 0) response.write(piece);
      // By then the response has been written to the socket.
      await yieldToEventLoop();
    }
    socket.destroySoon();
  };
}

/** Each byte in its own chunk. */
export function trickle(bytes: Buffer): Script {
  return async ({ response }) => {
    beginStream(response);
    for (const byte of bytes) {
      response.write(Buffer.of(byte));
      await yieldToEventLoop();
    }
    response.end();
  };
}

/**
 * Repeats a chunk, respecting backpressure, until the client disconnects or this many bytes are
 * written; then ends the chat.
 */
export function flood(chunk: Buffer, bytesMax: number, onWritten: (bytes: number) => void): Script {
  return async ({ response, ended }) => {
    beginStream(response);
    let hasEnded = false;
    const end = ended.then(() => {
      hasEnded = true;
    });
    for (let written = 0; written < bytesMax && !hasEnded; written += chunk.length) {
      onWritten(written + chunk.length);
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), end]);
    }
    response.end('data: [DONE]\n\n');
  };
}

/** Bytes that are not HTTP. */
export const garbage: Script = ({ socket }) => socket.end('\u0000\u0001 this is not HTTP \r\n\r\n');

/** Resets the connection instead of responding. */
export const reset: Script = ({ socket }) => socket.resetAndDestroy();

/** Closes the connection in the middle of the headers. */
export const halfHeaders: Script = ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: applic');

/** Announces a complete body, sends half of it and disconnects. */
export function halfBody(whole: Buffer): Script {
  return async ({ response, socket }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
    response.write(whole.subarray(0, whole.length / 2));
    await yieldToEventLoop();
    socket.destroySoon();
  };
}

export function redirect(location: string, status = 307): Script {
  return body(status, 'text/plain', 'Moved', { location });
}

/** Echoes the request headers, as headers and in the body. */
export const echoHeaders: Script = (exchange) => {
  const echoed = Object.fromEntries(
    Object.entries(exchange.request.headers).filter(([name]) => !connectionHeaders.includes(name)),
  );
  const own = { 'content-type': 'application/json', 'set-cookie': 'session=of-the-upstream' };
  return json({ echoed }, 200, { ...echoed, ...own })(exchange);
};

const connectionHeaders = ['connection', 'host', 'content-length', 'transfer-encoding'];

/** Compressed, whether or not the client accepts it. */
export function compressed(bytes: Buffer): Script {
  return body(200, 'application/json', gzipSync(bytes), { 'content-encoding': 'gzip' });
}

/** The dialect of the request's path. */
export function dialectOf({ request }: Pick<Exchange, 'request'>): Dialect {
  const [path = ''] = request.path.split('?');
  return dialects.find((dialect) => path.endsWith(pathOf[dialect])) ?? 'chat-completions';
}

import type { ServerResponse as HttpResponse, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject, asText, parseJsonObject } from '../../core/json/loose-json.ts';
import { dataLines } from '../../dialects/model/server-sent-events.ts';
import { codeOf, SocketError } from './socket-request.ts';

// As in `http-server.ts`: importing the module would also load its WebSocket client.
const { ServerResponse } = process.getBuiltinModule('node:http');

/** A response to the request that opened a connection, whose bytes go to the sink. */
export function createSocketResponse(request: IncomingMessage, sink: SocketResponseSink): HttpResponse {
  const response = new ServerResponse(request);
  response.useChunkedEncodingByDefault = false;
  // A sink has all that a response uses of a socket.
  response.assignSocket(sink as unknown as Socket);
  // Node.js reports that a response has drained only for the sockets of its own server.
  Object.defineProperty(response, 'writableNeedDrain', { get: () => sink.writableNeedDrain });
  sink.on('drain', () => response.emit('drain'));
  response.on('finish', () => sink.end());
  return response;
}

/**
 * Receives the HTTP response to a request and sends its events over a WebSocket.
 *
 * It is the socket of a `ServerResponse` without chunked encoding, so the bytes are a head and then
 * the body. Events are sent as they arrive, except for the one that ends the response: a client
 * takes the first of `error` and `response.failed` for the end, but a stream may have both.
 */
export class SocketResponseSink extends Writable {
  /** Set at the end: the response that the request created, or why it failed. */
  outcome: { readonly response: JsonObject } | SocketError | undefined;
  readonly #socket: WebSocket;
  #isInBody = false;
  #status = 0;
  #isStream = false;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #finalEvent: JsonObject | undefined;
  #error: SocketError | undefined;

  constructor(socket: WebSocket) {
    super();
    this.#socket = socket;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#keep(chunk);
    if (this.#pendingBytes > pendingBytesMax) {
      this.outcome = new SocketError(502, 'server_error', 'The response is too long for one message.');
      this.destroy();
      return;
    }
    const events = this.#takeEvents(chunk);
    const last = events.pop();
    for (const event of events) this.#socket.send(event);
    // Errors of the socket close it, and with it this sink.
    if (last === undefined) done();
    else this.#socket.send(last, () => done());
  }

  override _final(done: () => void): void {
    this.outcome = this.#isStream ? this.#endStream() : this.#endBody();
    done();
  }

  #keep(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  #takePending(): Buffer {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return bytes;
  }

  #takeEvents(chunk: Buffer): string[] {
    if (!this.#isInBody) this.#readHead();
    if (!this.#isInBody || !this.#isStream || !chunk.includes('\n')) return [];
    const bytes = this.#takePending();
    const end = bytes.lastIndexOf('\n') + 1;
    this.#keep(bytes.subarray(end));
    return this.#toMessages(bytes.toString('utf8', 0, end));
  }

  /** The data of an event is in one line: relays join those of several. */
  #toMessages(events: string): string[] {
    return dataLines(events).filter((data) => data !== '' && !this.#isFinal(data));
  }

  #readHead(): void {
    const bytes = this.#takePending();
    const end = bytes.indexOf('\r\n\r\n');
    this.#keep(bytes.subarray(end === -1 ? 0 : end + 4));
    if (end === -1) return;
    const head = bytes.toString('latin1', 0, end);
    this.#status = Number(head.split(' ', 2)[1]);
    this.#isStream = /^content-type: text\/event-stream/im.test(head);
    this.#isInBody = true;
  }

  /** Keeps what ends the response for later. */
  #isFinal(data: string): boolean {
    if (data === '[DONE]') return true;
    // Most events are deltas, which need not be parsed.
    const event = finalType.test(data) ? parseJsonObject(data) : undefined;
    if (event?.type === 'error') this.#error = toSocketError(502, event);
    else if (finalTypes.has(String(event?.type))) this.#finalEvent = event;
    else return false;
    return true;
  }

  #endStream(): SocketResponseSink['outcome'] {
    // Some upstreams leave out the line break after the last event.
    for (const event of this.#toMessages(this.#takePending().toString('utf8'))) this.#socket.send(event);
    if (this.#finalEvent === undefined)
      return this.#error ?? new SocketError(502, 'server_error', 'The stream ended without a response.');
    this.#socket.send(JSON.stringify(this.#finalEvent));
    return { response: asObject(this.#finalEvent.response) };
  }

  /** A body that is not a stream is an error, or comes from an upstream that does not stream. */
  #endBody(): SocketResponseSink['outcome'] {
    const body = parseJsonObject(this.#takePending().toString('utf8'));
    if (this.#status >= 400 || body === undefined)
      return toSocketError(this.#status, isJsonObject(body?.error) ? body.error : {});
    this.#socket.send(JSON.stringify({ type: 'response.completed', sequence_number: 0, response: body }));
    return { response: body };
  }
}

/** A body that is not a stream, or an event, is kept until it is complete. */
const pendingBytesMax = 16_777_216;

const finalTypes: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);

const finalType = /"type":\s*"(?:error|response\.(?:completed|incomplete|failed|cancelled))"/;

function toSocketError(status: number, error: JsonObject): SocketError {
  const { code, message, error: nested } = error;
  if (isJsonObject(nested)) return toSocketError(status, nested);
  const param = asText(error.param) || null;
  const isUnknown = param === 'previous_response_id';
  return new SocketError(
    status,
    isUnknown ? 'previous_response_not_found' : (asText(code) ?? codeOf(status)),
    asText(message) ?? 'The call failed.',
    param,
  );
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { WebSocket } from 'ws';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Caller } from '../../core/organization/caller.ts';
import { errorTypeOf } from '../../dialects/responses/errors.ts';
import { createTrace } from '../../gateway/call.ts';
import { parseJsonBody } from '../body/json-body.ts';
import { renderError } from '../errors/error-response.ts';
import { describeCall, finalStatus, type RequestLog } from '../request-log.ts';
import type { CallServer } from '../serve-call.ts';
import {
  codeOf,
  type History,
  parseSocketRequest,
  SocketError,
  type SocketRequest,
} from './socket-request.ts';
import { createSocketResponse, SocketResponseSink } from './socket-response-sink.ts';

export interface SocketOptions {
  readonly calls: CallServer;
  /** Checks the key and counts a request; throws or rejects if it is not allowed. */
  readonly admit: (request: IncomingMessage) => Caller | Promise<Caller>;
  readonly logRequest: RequestLog;
  readonly log: FastifyBaseLogger;
  /** The largest message. */
  readonly bodyBytesMax: number;
  readonly closing: AbortSignal;
  /** The memory that all connections share. */
  readonly memory: HistoryMemory;
  /** Counts what a connection makes the server hold, besides what it remembers. */
  readonly trackMemory: (connection: Socket, heldBytes: () => number) => void;
}

/** Bounds how much the connections of a process remember. */
export class HistoryMemory {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Returns whether there is room. What was reserved has to be released. */
  reserve(bytes: number): boolean {
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** How many messages may wait for the request in progress. */
const waitingMax = 8;

/** The Open Responses specification limits connections to an hour. */
const connectionMsMax = 3_600_000;

/** How often a client has to show that it is still there. */
const pingEveryMs = 30_000;

/**
 * Serves `/responses` over a WebSocket, as the Open Responses specification describes it.
 *
 * Each message is a request, and requests run one after the other. They are served like calls over
 * HTTP: the key is checked again, the rate limit counts each one, and each has a line in the log.
 * Only the response is different: a `SocketResponseSink` sends its events as messages.
 *
 * The connection keeps the last response that no upstream stores, so that the next request can
 * continue it. A request that fails to continue it discards it. When the connection closes, the
 * call in flight is canceled, and nothing is left.
 */
export class ResponsesSocket {
  readonly #socket: WebSocket;
  readonly #request: IncomingMessage;
  readonly #options: SocketOptions;
  readonly #waiting: Buffer[] = [];
  #sink: SocketResponseSink | undefined;
  #history: History | undefined;
  #historyBytes = 0;
  #waitingBytes = 0;
  /** The connection's `bytesRead` at the last message; what came since then is part of the next. */
  #bytesReadBefore: number;
  #isBusy = false;
  #isAlive = true;

  constructor(socket: WebSocket, request: IncomingMessage, options: SocketOptions) {
    this.#socket = socket;
    this.#request = request;
    this.#options = options;
    const connection = request.socket;
    this.#bytesReadBefore = connection.bytesRead;
    options.trackMemory(connection, () => this.#waitingBytes + connection.bytesRead - this.#bytesReadBefore);
    const limit = setTimeout(() => this.#close(limitReached), connectionMsMax).unref();
    const pings = setInterval(() => this.#ping(), pingEveryMs).unref();
    const closeOnShutdown = () => this.#closeIfIdle();
    options.closing.addEventListener('abort', closeOnShutdown);
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('message', (data) => this.#receive(data as Buffer));
    // A message that is too long or not UTF-8. 'close' follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(limit);
      clearInterval(pings);
      options.closing.removeEventListener('abort', closeOnShutdown);
      this.#waiting.length = 0;
      this.#waitingBytes = 0;
      this.#forget();
      this.#sink?.destroy();
    });
    // The server may have stopped while the key was checked.
    this.#closeIfIdle();
  }

  #receive(message: Buffer): void {
    this.#isAlive = true;
    this.#bytesReadBefore = this.#request.socket.bytesRead;
    this.#waitingBytes += message.length;
    if (this.#waiting.length >= waitingMax || this.#waitingBytes > this.#options.bodyBytesMax) {
      this.#close(new SocketError(429, 'rate_limit_exceeded', 'Too many messages wait for the response.'));
      return;
    }
    this.#waiting.push(message);
    if (!this.#isBusy) this.#runAll().catch((error: unknown) => this.#crash(error));
  }

  async #runAll(): Promise<void> {
    this.#isBusy = true;
    while (!this.#options.closing.aborted) {
      const bytes = this.#waiting.shift();
      if (bytes === undefined) break;
      this.#waitingBytes -= bytes.length;
      await this.#run(bytes);
    }
    this.#isBusy = false;
    this.#closeIfIdle();
  }

  async #run(bytes: Buffer): Promise<void> {
    let message: unknown;
    try {
      message = this.#parse(bytes);
      const request = parseSocketRequest(message, this.#history);
      const response = await this.#call(request.body);
      if (response.status === 'failed' || response.status === 'cancelled') this.#evict(message);
      else this.#remember(request, response);
    } catch (error) {
      if (!(error instanceof SocketError)) throw error;
      this.#evict(message);
      // The key no longer works, so the connection would only take up a place.
      if (error.status === 401) this.#close(error);
      else this.#sendError(error);
    }
  }

  #parse(bytes: Buffer): unknown {
    try {
      return parseJsonBody(bytes).exactValue;
    } catch (error) {
      throw this.#toSocketError(error, randomUUID());
    }
  }

  /** Returns the response to a request, whose events are sent by then. */
  async #call(body: JsonObject): Promise<JsonObject> {
    const startedAt = performance.now();
    const requestId = randomUUID();
    const trace = createTrace();
    let caller: Caller | undefined;
    const log = (status: number) =>
      this.#options.logRequest({
        id: requestId,
        method: 'POST',
        route: '/api/v1/responses',
        status,
        ms: performance.now() - startedAt,
        keyId: caller?.id,
        ...describeCall(trace),
      });
    try {
      caller = await this.#options.admit(this.#request);
      if (this.#socket.readyState !== this.#socket.OPEN) throw disconnected();
    } catch (error) {
      const socketError = error instanceof SocketError ? error : this.#toSocketError(error, requestId);
      log(socketError.status);
      throw socketError;
    }
    const sink = new SocketResponseSink(this.#socket);
    const response = createSocketResponse(this.#request, sink);
    const receivedAt = performance.now();
    const closed = new Promise<void>((resolve) => {
      response.on('close', () => {
        log(finalStatus(response, trace.brokenStatus));
        resolve();
      });
    });
    this.#sink = sink;
    this.#options.calls.serve({
      dialect: 'responses',
      caller,
      requestId,
      headers: this.#request.headers,
      query: '',
      bytes: Buffer.from(JSON.stringify(body)),
      response,
      commonHeaders: () => [],
      admittedMs: receivedAt - startedAt,
      receivedAt,
      trace,
    });
    await closed;
    this.#sink = undefined;
    const { outcome } = sink;
    if (outcome === undefined) throw disconnected();
    if (outcome instanceof SocketError) throw withStatus(trace.brokenStatus ?? outcome.status, outcome);
    return outcome.response;
  }

  #toSocketError(error: unknown, requestId: string): SocketError {
    const { log } = this.#options;
    const context = { requestId, userId: undefined, dialect: 'responses', log } as const;
    const { status, body } = renderError(error, context);
    const message = JSON.parse(body).error.message.replace('The request body', 'The message');
    return new SocketError(status, codeOf(status), message);
  }

  /** Upstreams say whether they store a response; translated ones are never stored. */
  #remember({ items }: SocketRequest, { id, output, store }: JsonObject): void {
    this.#forget();
    if (items === undefined || store !== false || typeof id !== 'string' || !Array.isArray(output)) return;
    const history = { responseId: id, items: [...items, ...output] };
    const bytes = JSON.stringify(history).length;
    // Longer ones could not be sent with the next request.
    if (bytes > this.#options.bodyBytesMax || this.#isClosed || !this.#options.memory.reserve(bytes)) return;
    this.#history = history;
    this.#historyBytes = bytes;
  }

  #forget(): void {
    this.#options.memory.release(this.#historyBytes);
    this.#history = undefined;
    this.#historyBytes = 0;
  }

  /** Forgets the response that a failed request was to continue. */
  #evict(message: unknown): void {
    if (isJsonObject(message) && message.previous_response_id === this.#history?.responseId) this.#forget();
  }

  get #isClosed(): boolean {
    return this.#socket.readyState === this.#socket.CLOSED;
  }

  #sendError({ status, code, message, param }: SocketError): void {
    const error = { type: errorTypeOf(status), code, message, param };
    this.#socket.send(JSON.stringify({ type: 'error', status, error }));
  }

  #close(error: SocketError): void {
    this.#sendError(error);
    this.#socket.close(policyViolation, error.code);
  }

  /** Should not happen. */
  #crash(error: unknown): void {
    this.#options.log.error({ err: error }, 'a turn over a WebSocket failed');
    this.#socket.close(internalError);
  }

  #closeIfIdle(): void {
    if (this.#options.closing.aborted && !this.#isBusy) this.#socket.close(goingAway);
  }

  #ping(): void {
    if (!this.#isAlive && !this.#isBusy) this.#socket.terminate();
    this.#isAlive = false;
    this.#socket.ping();
  }
}

const goingAway = 1001;
const policyViolation = 1008;
const internalError = 1011;

const limitReached = new SocketError(
  400,
  'websocket_connection_limit_reached',
  'A connection lasts 60 minutes at most. Open a new one.',
);

/** The error event with which a stream is cut off has no status of its own. */
function withStatus(status: number, { status: known, code, message, param }: SocketError): SocketError {
  return new SocketError(status, status === known ? code : codeOf(status), message, param);
}

function disconnected(): SocketError {
  return new SocketError(499, 'server_error', 'The connection was closed.');
}

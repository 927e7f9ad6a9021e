import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { PresetdError } from '../../core/errors.ts';
import type { ErrorDetails } from '../../dialects/model/error-details.ts';
import type { ResponseError } from '../../dialects/translate/translate-error.ts';
import type { ExchangeTimings } from '../ledger/observed-exchange.ts';
import type { UpstreamRequest } from '../request/upstream-request.ts';
import { completeBytesMax, type Relay } from '../response/stream-relay.ts';
import {
  classifyResponse,
  concatChunks,
  contentLengthOf,
  hasMessageFraming,
  isValidJson,
  looksLikeJsonObject,
  unusableResponse,
} from './classify-response.ts';
import type { UpstreamConnection } from './upstream-connection.ts';
import { toUpstreamFailure, UpstreamFailure } from './upstream-failure.ts';

/**
 * The client's side of an exchange, which writes what the exchange forwards. A receiver serves one
 * exchange; falling back to the next candidate creates a new one.
 */
export interface ResponseReceiver {
  readonly response: ServerResponse;
  readonly observer: ResponseObserver;
  /** Whether the upstream's dialect is not the client's. */
  readonly isTranslated: boolean;
  /** Whether ids in the response are signed. */
  readonly isSigned: boolean;
  /** The media types that it accepts besides JSON and event streams. */
  readonly mediaTypes: RegExp | undefined;
  /** Called once if the response is a stream. */
  createRelay(): Relay;
  /**
   * A buffered response in the client's dialect; undefined if it is not a JSON object. Some
   * upstreams report an error with the status 200.
   */
  translateBody(body: Buffer): Buffer | ResponseError | undefined;
  /** Sends the status and headers. Streams and large chunked bodies have no length. */
  writeHead(status: number, headers: IncomingHttpHeaders, length: number | undefined): void;
  /** As `Call.findLostAccess`. */
  findLostAccess(): Promise<PresetdError | undefined>;
  /** Records that the response was cut off and returns the error that ends a stream. */
  interrupt(cause: UpstreamFailure | PresetdError): ErrorDetails;
  /** Lines of a stream without the upstream's secrets, and with signed ids of responses. */
  finishLines(lines: Buffer): Buffer;
  /** A buffered response without the upstream's secrets, and with signed ids of responses. */
  finishBody(body: Buffer): Buffer;
  /** Signs the ids of responses in the start of a body that is too long to be buffered. */
  signStart(start: Buffer): Buffer;
}

/** Sees the response as the upstream sent it. */
export interface ResponseObserver {
  /** Filled in by the exchange. */
  readonly timings: ExchangeTimings;
  /** Called with every batch of complete lines of a stream, before redaction. */
  observeLines(lines: Buffer): void;
  /**
   * Called once with the body of a buffered response. For a body that is too long to buffer, `text`
   * is its start and end.
   */
  observeBody(text: string, length?: number): void;
}

export type ExchangeOutcome =
  /** The client got the response. `failure` is set if it was cut off on the way. */
  | { readonly kind: 'delivered'; readonly failure?: UpstreamFailure }
  /** The upstream returned an error status. The client has received nothing yet. */
  | UpstreamErrorResponse
  /** There was no usable response. The client has received nothing yet. */
  | { readonly kind: 'no-response'; readonly failure: UpstreamFailure }
  /** The client disconnected. */
  | { readonly kind: 'client-closed' }
  /** The caller may no longer make the call. The client has received nothing yet. */
  | { readonly kind: 'access-lost'; readonly error: PresetdError };

export interface UpstreamErrorResponse {
  readonly kind: 'upstream-error';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Responses that are not streams are buffered up to this size, so that a truncated one can still
 * turn into a fallback or a 502. Larger ones are forwarded as they arrive, to bound memory.
 */
const bufferedBytesMax = 1_048_576;

/** The parts at both ends of a longer one in which the model and the usage are looked for. */
const endBytes = 8_192;

/**
 * How often the caller of a call in flight is looked up again. Shorter calls cost nothing, and the
 * authenticator caches callers for as long.
 */
const accessCheckMs = 1_000;

/** Sends a request to one upstream and forwards its response. Never rejects. */
export function exchangeWithUpstream(
  connection: UpstreamConnection,
  request: UpstreamRequest,
  receiver: ResponseReceiver,
): Promise<ExchangeOutcome> {
  return new Promise((resolve) => new UpstreamExchange(connection, request, receiver, resolve).start());
}

/**
 * Where an exchange stands, with the states that can follow. The headers of the response decide the
 * one after `sent`. In `streaming` and `forwarding`, the client has received part of the response.
 */
const successors = {
  queued: ['sent', 'ended'],
  sent: ['error', 'buffered', 'stream', 'passthrough', 'ended'],
  error: ['ended'],
  buffered: ['forwarding', 'ended'],
  stream: ['streaming', 'ended'],
  passthrough: ['forwarding', 'ended'],
  streaming: ['ended'],
  forwarding: ['ended'],
  ended: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type State = keyof typeof successors;

/**
 * One request to one upstream, from queueing for a slot to the last byte written to the client.
 *
 * `start` acquires a slot, or queues for one, and dispatches the request. `error` and `buffered`
 * responses are collected, a `stream` goes through a StreamRelay line by line, audio and other
 * media `passthrough`, as does a buffered response that exceeds the limit. Reading from the
 * upstream pauses while the client's socket buffer is full.
 *
 * The end of the response, a failure, a timeout, a caller who loses access or a client disconnect
 * leads to `#finish`, which takes effect once: it clears the timer, frees the slot, aborts the
 * upstream request if it is still running and resolves the outcome. Before the head is sent, a
 * failure resolves as `no-response`, so that the caller can try another candidate. After that, the
 * client must be able to tell that the response is incomplete: a stream ends with an error event,
 * any other response with a destroyed socket.
 */
class UpstreamExchange implements Dispatcher.DispatchHandler {
  readonly #connection: UpstreamConnection;
  readonly #request: UpstreamRequest;
  readonly #receiver: ResponseReceiver;
  readonly #response: ServerResponse;
  readonly #timings: ExchangeTimings;
  readonly #resolve: (outcome: ExchangeOutcome) => void;

  #controller: Dispatcher.DispatchController | undefined;
  #state: State = 'queued';
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The start and end of a body too long to buffer, which contain its model and its usage. */
  #ends: { readonly start: Buffer; end: Buffer } | undefined;
  /** Defined for a stream only. */
  #relay: Relay | undefined;
  /** A single timer for all checks. It reschedules itself, so that chunks never touch it. */
  #timer: NodeJS.Timeout | undefined;
  /** When the upstream last sent data or the client last drained its buffer. */
  #lastProgressAt = 0;

  constructor(
    connection: UpstreamConnection,
    request: UpstreamRequest,
    receiver: ResponseReceiver,
    resolve: (outcome: ExchangeOutcome) => void,
  ) {
    this.#connection = connection;
    this.#request = request;
    this.#receiver = receiver;
    this.#response = receiver.response;
    this.#timings = receiver.observer.timings;
    this.#resolve = resolve;
  }

  start(): void {
    if (this.#response.closed || this.#response.destroyed) {
      this.#finish({ kind: 'client-closed' });
      return;
    }
    this.#response.on('close', this.#onClientClose);
    this.#scheduleCheck(this.#remainingMs(this.#timings.startedAt));
    const { limiter, upstream } = this.#connection;
    if (limiter === undefined) this.#send();
    else if (!limiter.acquire(this.#send))
      this.#fail(
        new UpstreamFailure(
          'busy',
          `The upstream "${upstream.name}" is busy: ${upstream.concurrencyMax} requests are in flight and ${upstream.queueMax} are queued. Retry in a moment.`,
        ),
      );
  }

  #scheduleCheck(remainingMs: number): void {
    this.#timer = setTimeout(check, Math.min(remainingMs, accessCheckMs), this);
  }

  /** Ends the exchange if a timeout has expired; otherwise checks the caller too. */
  check(): void {
    const { firstByteMs, idleMs, totalMs } = this.#connection.upstream.timeouts;
    const { startedAt, firstByteAt } = this.#timings;
    const now = performance.now();
    const remainingMs = this.#remainingMs(now);
    if (remainingMs > 0) {
      this.#scheduleCheck(remainingMs);
      this.#receiver.findLostAccess().then((error) => error && this.#fail(error));
    } else if (now >= startedAt + totalMs) this.#timeOut(`did not finish its response within ${totalMs} ms`);
    else if (this.#state === 'queued') this.#failInQueue(firstByteMs);
    else if (firstByteAt === undefined) this.#timeOut(`did not start its response within ${firstByteMs} ms`);
    // A full write buffer means that the client has stalled, not the upstream.
    else if (this.#response.writableNeedDrain) destroySocket(this.#response);
    else this.#timeOut(`sent no data for ${idleMs} ms`);
  }

  /**
   * Time until the next check. It is never longer than the idle timeout, which starts to apply with
   * the first byte while the timer is already running.
   */
  #remainingMs(now: number): number {
    const { firstByteMs, idleMs, totalMs } = this.#connection.upstream.timeouts;
    const { startedAt, firstByteAt } = this.#timings;
    const waitEndsAt = firstByteAt === undefined ? startedAt + firstByteMs : this.#lastProgressAt + idleMs;
    return Math.ceil(Math.min(waitEndsAt - now, startedAt + totalMs - now, idleMs));
  }

  #enter(next: State): void {
    const allowed: readonly State[] = successors[this.#state];
    if (!allowed.includes(next)) throw new Error(`an exchange went from ${this.#state} to ${next}`);
    this.#state = next;
  }

  readonly #send = (): void => {
    this.#enter('sent');
    this.#timings.isSent = true;
    const { method, path, headers, body } = this.#request;
    this.#connection.pool.dispatch({ method, path, headers, body }, this);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#state === 'ended') controller.abort(new Error('the exchange has ended'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Informational responses, such as 103, precede the real one.
    if (this.#state === 'ended' || status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const mode = classifyResponse(status, headers, this.#receiver.mediaTypes);
    if (mode === undefined) this.#fail(unusableResponse(this.#connection.upstream, status, headers));
    else this.#enter(mode);
    if (mode === 'stream') this.#relay = this.#receiver.createRelay();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state === 'ended') return;
    this.#lastProgressAt = performance.now();
    this.#timings.firstByteAt ??= this.#lastProgressAt;
    if (this.#relay !== undefined) {
      // One socket read often yields many events: write them together.
      if (this.#chunks.push(chunk) === 1) process.nextTick(flushLines, this);
    } else if (this.#state === 'passthrough' || this.#state === 'forwarding') {
      this.#observeEnd(chunk);
      this.#passOn(chunk);
    } else this.#collect(chunk);
  }

  onResponseEnd(): void {
    if (this.#state === 'ended') return;
    this.#timings.endedAt = performance.now();
    if (this.#state === 'error') this.#finish(this.#errorResponse());
    else if (this.#state === 'buffered') this.#endBuffered();
    else if (this.#relay !== undefined) this.#endStream(this.#relay);
    else this.#endPassthrough();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(toUpstreamFailure(this.#connection.upstream.name, error));
  }

  #collect(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const { isTranslated, isSigned } = this.#receiver;
    const isChanged = this.#state === 'buffered' && (isTranslated || isSigned);
    if (this.#bytes <= (isChanged ? completeBytesMax : bufferedBytesMax)) return;
    if (isChanged && isTranslated) {
      this.#fail(this.#garbage(`a body of more than ${completeBytesMax} bytes, too long to translate`));
      return;
    }
    if (this.#state === 'error') {
      // Stop reading. The truncated body is not JSON, so the client gets a generic message instead.
      this.#finish(this.#errorResponse(), new Error('the error response is too long'));
      return;
    }
    const received = concatChunks(this.#chunks);
    this.#ends = { start: received.subarray(0, endBytes), end: received.subarray(-endBytes) };
    const signed = this.#receiver.signStart(received);
    this.#passOn(signed, signed.length - received.length);
    this.#chunks = [];
  }

  #observeEnd(chunk: Buffer): void {
    if (this.#ends === undefined) return;
    this.#bytes += chunk.length;
    const bytes = chunk.length < endBytes ? Buffer.concat([this.#ends.end, chunk]) : chunk;
    this.#ends.end = bytes.subarray(-endBytes);
  }

  /** `addedBytes` is how much longer the response is than the upstream's. */
  #passOn(bytes: Buffer, addedBytes = 0): void {
    const length = contentLengthOf(this.#headers);
    if (!this.#hasSentHead) this.#sendHead(length === undefined ? undefined : length + addedBytes);
    this.#write(bytes);
  }

  #endPassthrough(): void {
    // An empty body is valid, such as the transcript of silence.
    if (!this.#hasSentHead) this.#sendHead(0);
    this.#endResponse();
  }

  #errorResponse(): UpstreamErrorResponse {
    const body = concatChunks(this.#chunks).toString('utf8');
    return { kind: 'upstream-error', status: this.#status, headers: this.#headers, body };
  }

  #endBuffered(): void {
    const body = concatChunks(this.#chunks);
    // Only braces and field names are inspected, which are ASCII: there is no need to decode UTF-8.
    const text = body.toString('latin1');
    const isObject = looksLikeJsonObject(text) && (hasMessageFraming(this.#headers) || isValidJson(text));
    const { isTranslated } = this.#receiver;
    const translated = isObject && isTranslated ? this.#receiver.translateBody(body) : body;
    if (!isObject || translated === undefined) {
      this.#fail(this.#garbage('a body that is not a JSON object'));
      return;
    }
    if (!Buffer.isBuffer(translated)) {
      const { status, error } = translated;
      this.#receiver.observer.observeBody(text);
      this.#finish({ ...this.#errorResponse(), status, body: JSON.stringify({ error }) });
      return;
    }
    const sent = this.#receiver.finishBody(translated);
    this.#sendHead(sent.length);
    this.#response.end(sent);
    this.#receiver.observer.observeBody(text);
    this.#finish({ kind: 'delivered' });
  }

  #garbage(what: string): UpstreamFailure {
    const { name } = this.#connection.upstream;
    return new UpstreamFailure('garbage', `The upstream "${name}" returned ${this.#status} with ${what}.`);
  }

  #endStream(relay: Relay): void {
    this.flushLines();
    const { isFinished, rest } = relay.end();
    // An incomplete response of which nothing was sent stays unsent: another candidate may answer.
    if (this.#hasSentHead || isFinished) this.#sendLines(rest);
    if (!isFinished) {
      const { name } = this.#connection.upstream;
      this.#fail(
        new UpstreamFailure('reset', `The upstream "${name}" ended its response before it was complete.`),
      );
      return;
    }
    this.#endResponse(relay.separator);
  }

  #endResponse(ending = ''): void {
    this.#response.end(ending);
    this.#finish({ kind: 'delivered' });
  }

  /** Forwards the complete lines that have arrived so far. */
  flushLines(): void {
    if (this.#state === 'ended' || this.#relay === undefined || this.#chunks.length === 0) return;
    const bytes = concatChunks(this.#chunks);
    this.#chunks = [];
    this.#sendLines(this.#relay.push(bytes));
  }

  #sendLines(lines: Buffer | undefined): void {
    if (lines === undefined) return;
    if (!this.#hasSentHead) this.#sendHead(undefined);
    this.#receiver.observer.observeLines(lines);
    this.#write(this.#receiver.finishLines(lines));
  }

  get #hasSentHead(): boolean {
    return this.#state === 'streaming' || this.#state === 'forwarding';
  }

  #sendHead(length: number | undefined): void {
    this.#enter(this.#relay === undefined ? 'forwarding' : 'streaming');
    this.#receiver.writeHead(this.#status, this.#headers, length);
  }

  #write(bytes: Buffer): void {
    const isPaused = this.#response.writableNeedDrain;
    if (this.#response.write(bytes) || isPaused) return;
    this.#controller?.pause();
    this.#response.once('drain', this.#onDrain);
  }

  readonly #onDrain = (): void => {
    this.#lastProgressAt = performance.now();
    this.#controller?.resume();
  };

  #failInQueue(ms: number): void {
    const { name } = this.#connection.upstream;
    this.#fail(
      new UpstreamFailure(
        'busy',
        `The upstream "${name}" is busy: this request was still queued after ${ms} ms.`,
      ),
    );
  }

  #timeOut(what: string): void {
    this.#fail(new UpstreamFailure('timeout', `The upstream "${this.#connection.upstream.name}" ${what}.`));
  }

  /** Leaves an unsent response to the caller, and marks a partly sent one as incomplete. */
  #fail(cause: UpstreamFailure | PresetdError): void {
    if (this.#state === 'ended') return;
    this.flushLines();
    const failure = cause instanceof UpstreamFailure ? { failure: cause } : {};
    if (!this.#hasSentHead) {
      const isLost = cause instanceof PresetdError;
      this.#finish(
        isLost ? { kind: 'access-lost', error: cause } : { kind: 'no-response', failure: cause },
        cause,
      );
    } else if (this.#relay === undefined) {
      this.#receiver.interrupt(cause);
      this.#finish({ kind: 'delivered', ...failure }, cause);
      destroySocket(this.#response);
    } else if (this.#relay.isFinished) {
      this.#response.end(this.#relay.separator);
      this.#finish({ kind: 'delivered' }, cause);
    } else {
      const ending = Buffer.from(this.#relay.fail(this.#receiver.interrupt(cause)));
      this.#response.end(this.#receiver.finishLines(ending));
      this.#finish({ kind: 'delivered', ...failure }, cause);
    }
  }

  readonly #onClientClose = (): void => {
    this.#finish({ kind: 'client-closed' }, new Error('the client disconnected'));
  };

  /** Aborts the upstream request if a reason is given. */
  #finish(outcome: ExchangeOutcome, reason?: Error): void {
    if (this.#state === 'ended') return;
    const isQueued = this.#state === 'queued';
    this.#enter('ended');
    if (this.#timings.endedAt === 0) this.#timings.endedAt = performance.now();
    clearTimeout(this.#timer);
    this.#response.off('close', this.#onClientClose);
    this.#response.off('drain', this.#onDrain);
    const { limiter } = this.#connection;
    if (isQueued) limiter?.cancel(this.#send);
    else limiter?.release();
    if (reason !== undefined) this.#controller?.abort(reason);
    if (this.#ends !== undefined) {
      const { start, end } = this.#ends;
      this.#receiver.observer.observeBody(
        `${start.toString('latin1')}\n${end.toString('latin1')}`,
        this.#bytes,
      );
    }
    if (outcome.kind === 'delivered')
      limitFlushTime(this.#response, this.#connection.upstream.timeouts.idleMs);
    this.#resolve(outcome);
  }
}

/** A timer callback with an argument, which saves one closure per request. */
function check(exchange: UpstreamExchange): void {
  exchange.check();
}

function flushLines(exchange: UpstreamExchange): void {
  exchange.flushLines();
}

/** Goes through the request: the socket of a WebSocket response is not that of the client. */
function destroySocket(response: ServerResponse): void {
  response.req.socket.destroy();
}

/** The kernel accepts about this much at once. Beyond it, the client has to read. */
const flushBytesMin = 65_536;

/** Applies the idle timeout to a client that does not read the end of a response. */
function limitFlushTime(response: ServerResponse, idleMs: number): void {
  if (response.writableLength <= flushBytesMin) return;
  const timer = setTimeout(destroySocket, idleMs, response);
  response.on('close', () => clearTimeout(timer));
}

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import {
  classifyResponse,
  concatChunks,
  contentLengthOf,
  hasMessageFraming,
  isValidJson,
  looksLikeJsonObject,
  type ResponseMode,
  unusableResponse,
} from './classify-response.ts';
import { type StreamFormat, StreamRelay } from './stream-relay.ts';
import type { UpstreamConnection } from './upstream-connection.ts';
import { toUpstreamFailure, UpstreamFailure } from './upstream-failure.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** The side of the client. */
export interface ResponseReceiver {
  readonly response: ServerResponse;
  readonly format: StreamFormat;
  /** When what happened. */
  readonly times: ExchangeTimings;
  /** Sends the status and the headers of an answer; without a length, of one that is still coming. */
  writeHead(status: number, headers: IncomingHttpHeaders, length: number | undefined): void;
  /** Notes that an answer broke off, and gives the event that says so in a stream. */
  interrupt(failure: UpstreamFailure, tail?: string): string;
  /** Sees the lines of a stream as they are passed on. */
  observeLines(lines: Buffer): void;
  /** Sees an answer that is no stream, and whole. */
  observeBody(text: string): void;
  /** The lines of a stream as the client may see them. */
  redactLines(lines: Buffer): Buffer;
  /** A whole answer as the client may see it. */
  redactBody(body: Buffer): Buffer;
}

export type ExchangeOutcome =
  /** The client has it all, or as much of it as there was. */
  | { readonly kind: 'sent'; readonly failure?: UpstreamFailure }
  /** The upstream refused, and the client has got nothing yet. */
  | UpstreamErrorResponse
  /** There was no answer, and the client has got nothing yet. */
  | { readonly kind: 'failed'; readonly failure: UpstreamFailure }
  /** The client went away. */
  | { readonly kind: 'gone' };

export interface UpstreamErrorResponse {
  readonly kind: 'refused';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** By the clock of `performance.now`. */
export interface ExchangeTimings {
  readonly startedAt: number;
  /** False as long as it waits for its turn. */
  isSent: boolean;
  firstByteAt: number | undefined;
  endedAt: number;
}

/** An answer that is no stream is passed on as a whole up to this size, so that half of one is never taken for it. */
const wholeBytesMax = 1_048_576;

/** Sends a request to an upstream and passes its answer on. Never rejects. */
export function exchangeWithUpstream(
  connection: UpstreamConnection,
  outgoing: UpstreamRequest,
  receiver: ResponseReceiver,
): Promise<ExchangeOutcome> {
  return new Promise((resolve) => new UpstreamExchange(connection, outgoing, receiver, resolve).start());
}

class UpstreamExchange implements Dispatcher.DispatchHandler {
  readonly #connection: UpstreamConnection;
  readonly #outgoing: UpstreamRequest;
  readonly #receiver: ResponseReceiver;
  readonly #response: ServerResponse;
  readonly #times: ExchangeTimings;
  readonly #resolve: (outcome: ExchangeOutcome) => void;

  #controller: Dispatcher.DispatchController | undefined;
  #mode: ResponseMode | 'waiting' | 'unread' = 'waiting';
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of an answer that is a stream. */
  #relay: StreamRelay | undefined;
  #hasBegun = false;
  #hasTurn = false;
  #isPaused = false;
  #isOver = false;
  /** Looks whether it is too late, no later than it can be. */
  #timer: NodeJS.Timeout | undefined;
  #movedAt = 0;

  constructor(
    connection: UpstreamConnection,
    outgoing: UpstreamRequest,
    receiver: ResponseReceiver,
    resolve: (outcome: ExchangeOutcome) => void,
  ) {
    this.#connection = connection;
    this.#outgoing = outgoing;
    this.#receiver = receiver;
    this.#response = receiver.response;
    this.#times = receiver.times;
    this.#resolve = resolve;
  }

  start(): void {
    if (this.#response.closed || this.#response.destroyed) {
      this.#finish({ kind: 'gone' });
      return;
    }
    this.#response.on('close', this.#onClientClose);
    this.#timer = setTimeout(watch, this.#remainingMs(this.#times.startedAt), this);
    const { limiter: turns, upstream } = this.#connection;
    if (turns === undefined) this.#send();
    else if (!turns.acquire(this.#beginTurn))
      this.#fail(
        new UpstreamFailure(
          'busy',
          `The upstream "${upstream.name}" is busy: ${upstream.concurrencyMax} requests are under way and ${upstream.queueMax} wait. Try again in a moment.`,
        ),
      );
  }

  /** Looks whether it is too late for anything; and if not, again when it could be. */
  watch(): void {
    const { firstByteMs, idleMs, totalMs } = this.#connection.upstream.timeouts;
    const { startedAt: sentAt, firstByteAt } = this.#times;
    const now = performance.now();
    const remainingMs = this.#remainingMs(now);
    if (remainingMs > 0) this.#timer = setTimeout(watch, remainingMs, this);
    else if (now >= sentAt + totalMs) this.#timeOut(`did not finish its answer within ${totalMs} ms`);
    else if (!this.#times.isSent) this.#giveUpTurn(firstByteMs);
    else if (firstByteAt === undefined) this.#timeOut(`did not begin to answer within ${firstByteMs} ms`);
    // Whose fault it is that nothing moves shows by who waits for whom.
    else if (this.#response.writableNeedDrain) cut(this.#response);
    else this.#timeOut(`sent nothing more for ${idleMs} ms`);
  }

  /** Until the next limit can be reached, of those that hold now or will with the next byte. */
  #remainingMs(now: number): number {
    const { firstByteMs, idleMs, totalMs } = this.#connection.upstream.timeouts;
    const { startedAt: sentAt, firstByteAt } = this.#times;
    const waitEndsAt = firstByteAt === undefined ? sentAt + firstByteMs : this.#movedAt + idleMs;
    return Math.ceil(Math.min(waitEndsAt - now, sentAt + totalMs - now, idleMs));
  }

  readonly #beginTurn = (): void => {
    this.#hasTurn = true;
    this.#send();
  };

  #send(): void {
    this.#times.isSent = true;
    const { path, headers, body } = this.#outgoing;
    this.#connection.pool.dispatch({ method: 'POST', path, headers, body }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('nobody waits for this any more'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Such as 103, which tells of an answer that is still to come.
    if (this.#isOver || status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const mode = classifyResponse(status, headers);
    if (mode === undefined) this.#fail(unusableResponse(this.#connection.upstream, status, headers));
    else this.#mode = mode;
    if (mode === 'stream') this.#relay = new StreamRelay(this.#receiver.format);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#movedAt = performance.now();
    this.#times.firstByteAt ??= this.#movedAt;
    if (this.#mode === 'stream') {
      // What comes in one go, often many events, is passed on in one go.
      if (this.#chunks.push(chunk) === 1) process.nextTick(passLines, this);
    } else if (this.#mode === 'unread') this.#write(chunk);
    else this.#collect(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#times.endedAt = performance.now();
    if (this.#mode === 'refusal') this.#finish(this.#refusal());
    else if (this.#mode === 'whole') this.#endWhole();
    else if (this.#mode === 'stream') this.#endStream();
    else this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isOver) this.#fail(toUpstreamFailure(this.#connection.upstream.name, error));
  }

  #collect(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= wholeBytesMax) return;
    if (this.#mode === 'refusal') {
      // Longer than anybody would read; what it says to that length is not JSON.
      this.#finish(this.#refusal(), new Error('a refusal without end'));
      return;
    }
    this.#mode = 'unread';
    this.#begin(contentLengthOf(this.#headers));
    this.#write(concatChunks(this.#chunks));
    this.#chunks = [];
  }

  #refusal(): UpstreamErrorResponse {
    const body = concatChunks(this.#chunks).toString('utf8');
    return { kind: 'refused', status: this.#status, headers: this.#headers, body };
  }

  #endWhole(): void {
    const body = concatChunks(this.#chunks);
    // Nothing but the signs of JSON and the names of fields is looked at, which are a byte each in any case.
    const text = body.toString('latin1');
    if (!looksLikeJsonObject(text) || (!hasMessageFraming(this.#headers) && !isValidJson(text))) {
      const { name } = this.#connection.upstream;
      this.#fail(
        new UpstreamFailure(
          'garbage',
          `The upstream "${name}" answered ${this.#status} with a body that is not a JSON object.`,
        ),
      );
      return;
    }
    const redacted = this.#receiver.redactBody(body);
    this.#begin(redacted.length);
    this.#response.end(redacted);
    this.#receiver.observeBody(text);
    this.#finish({ kind: 'sent' });
  }

  #endStream(): void {
    this.passLines();
    const end = this.#relay?.end();
    // As long as nothing was sent, somebody else may answer instead.
    if (this.#hasBegun || end?.isFinished === true) this.#pass(end?.rest);
    if (end?.isFinished !== true) {
      const { name } = this.#connection.upstream;
      this.#fail(
        new UpstreamFailure('reset', `The upstream "${name}" ended its answer before it was complete.`),
      );
      return;
    }
    this.#end(this.#relay?.separator);
  }

  #end(ending = ''): void {
    this.#response.end(ending);
    this.#finish({ kind: 'sent' });
  }

  passLines(): void {
    if (this.#isOver || this.#relay === undefined || this.#chunks.length === 0) return;
    const bytes = concatChunks(this.#chunks);
    this.#chunks = [];
    this.#pass(this.#relay.push(bytes));
  }

  #pass(lines: Buffer | undefined): void {
    if (lines === undefined) return;
    if (!this.#hasBegun) this.#begin(undefined);
    this.#receiver.observeLines(lines);
    this.#write(this.#receiver.redactLines(lines));
  }

  #begin(length: number | undefined): void {
    this.#hasBegun = true;
    this.#receiver.writeHead(this.#status, this.#headers, length);
  }

  #write(bytes: Buffer): void {
    if (this.#response.write(bytes) || this.#isPaused) return;
    this.#isPaused = true;
    this.#controller?.pause();
    this.#response.once('drain', this.#onDrain);
  }

  readonly #onDrain = (): void => {
    this.#isPaused = false;
    this.#movedAt = performance.now();
    this.#controller?.resume();
  };

  #giveUpTurn(ms: number): void {
    const { name } = this.#connection.upstream;
    this.#fail(
      new UpstreamFailure(
        'busy',
        `The upstream "${name}" is busy: this request had no turn within ${ms} ms.`,
      ),
    );
  }

  #timeOut(what: string): void {
    this.#fail(new UpstreamFailure('timeout', `The upstream "${this.#connection.upstream.name}" ${what}.`));
  }

  /** Without a byte sent somebody else may answer; after that, the client must learn that this is not all. */
  #fail(failure: UpstreamFailure): void {
    this.passLines();
    if (!this.#hasBegun) {
      this.#finish({ kind: 'failed', failure }, failure);
    } else if (this.#relay === undefined) {
      this.#receiver.interrupt(failure);
      this.#finish({ kind: 'sent', failure }, failure);
      cut(this.#response);
    } else if (this.#relay.isFinished) {
      this.#response.end(this.#relay.separator);
      this.#finish({ kind: 'sent' }, failure);
    } else {
      this.#response.end(this.#relay.separator + this.#receiver.interrupt(failure, this.#relay.tail));
      this.#finish({ kind: 'sent', failure }, failure);
    }
  }

  readonly #onClientClose = (): void => {
    this.#finish({ kind: 'gone' }, new Error('the client went away'));
  };

  /** Given a reason, the upstream is told to stop. */
  #finish(outcome: ExchangeOutcome, reason?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#times.endedAt === 0) this.#times.endedAt = performance.now();
    clearTimeout(this.#timer);
    this.#response.off('close', this.#onClientClose);
    this.#response.off('drain', this.#onDrain);
    const { limiter: turns } = this.#connection;
    if (this.#hasTurn) turns?.release();
    else turns?.cancel(this.#beginTurn);
    if (reason !== undefined) this.#controller?.abort(reason);
    if (outcome.kind === 'sent') linger(this.#response, this.#connection.upstream.timeouts.idleMs);
    this.#resolve(outcome);
  }
}

/** Called by a timer; they take an argument, so that no request needs a function of its own. */
function watch(exchange: UpstreamExchange): void {
  exchange.watch();
}

function passLines(exchange: UpstreamExchange): void {
  exchange.passLines();
}

/** An answer that waits behind another on its connection has no socket of its own yet. */
function cut(response: ServerResponse): void {
  response.req.socket.destroy();
}

/** More than this is not taken at once by the system, and waits for its reader. */
const lingerBytes = 65_536;

/** Whoever does not take the rest of an answer has no longer for it than for any other piece. */
function linger(response: ServerResponse, idleMs: number): void {
  if (response.writableLength <= lingerBytes) return;
  const timer = setTimeout(cut, idleMs, response);
  response.on('close', () => clearTimeout(timer));
}

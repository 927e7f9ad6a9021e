import type { IncomingHttpHeaders, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { PresetdError } from '../core/errors.ts';
import type { Measurements } from '../core/measurements.ts';
import { dialectOf } from '../dialects/dialects.ts';
import { findErrorMessage } from '../dialects/error-details.ts';
import { findUsageInEvents, findUsageInText, maxUsage, type Usage } from '../dialects/usage.ts';
import { type Call, overheadOf } from './call.ts';
import type { HeaderList } from './header-list.ts';
import { presetdHeaders } from './presetd-headers.ts';
import { redactBody, redactEvents, redactJson } from './redaction.ts';
import { returnedHeaders, returnedType } from './response-headers.ts';
import type { StreamFormat } from './stream-relay.ts';
import type { ExchangeTimings, ResponseReceiver, UpstreamErrorResponse } from './upstream-exchange.ts';
import type { UpstreamFailure } from './upstream-failure.ts';
import type { Upstream } from './upstreams/upstream.ts';

/** The side of the client: an upstream's answer in the words of the client's dialect, and what can be learned from it. */
export class ClientResponse implements ResponseReceiver {
  readonly response: ServerResponse;
  readonly format: StreamFormat;
  readonly #call: Call;
  readonly #upstream: Upstream;
  readonly #measurements: Measurements;
  readonly times: ExchangeTimings = {
    startedAt: performance.now(),
    isSent: false,
    firstByteAt: undefined,
    endedAt: 0,
  };
  #usage: Usage | undefined;

  constructor(call: Call, upstream: Upstream, measurements: Measurements, choices = 1) {
    this.response = call.response;
    this.format = choices > 1 ? severalChoices : dialectOf[call.dialect];
    this.#call = call;
    this.#upstream = upstream;
    this.#measurements = measurements;
  }

  writeHead(status: number, headers: IncomingHttpHeaders, length: number | undefined): void {
    const isStream = length === undefined;
    const { startedAt: sentAt, firstByteAt, endedAt } = this.times;
    const waitedMs = (isStream || endedAt === 0 ? (firstByteAt ?? sentAt) : endedAt) - sentAt;
    const own: (string | number)[] = ['content-type', returnedType(headers, this.#upstream)];
    if (isStream) own.push('x-accel-buffering', 'no', 'cache-control', 'no-cache');
    else own.push('content-length', length);
    this.#head(status, headers, waitedMs, own);
  }

  observeLines(lines: Buffer): void {
    if (lines.includes('"usage"'))
      this.#usage = maxUsage(this.#usage, findUsageInEvents(lines.toString('utf8')));
  }

  observeBody(text: string): void {
    this.#usage = findUsageInText(text);
  }

  redactLines(lines: Buffer): Buffer {
    return redactEvents(lines, this.#upstream);
  }

  redactBody(body: Buffer): Buffer {
    return redactBody(body, this.#upstream);
  }

  interrupt({ reason, message }: UpstreamFailure, tail = ''): string {
    const { dialect, requestId, trace } = this.#call;
    const status = reason === 'timeout' ? 504 : 502;
    trace.brokenStatus = status;
    return dialectOf[dialect].errorEvent({ status, message, requestId }, tail);
  }

  /** Passes on that the upstream refused, in the form that the dialect has for it. */
  sendUpstreamError({ status, headers, body }: UpstreamErrorResponse): void {
    const { name, key } = this.#upstream;
    if (status === 401 || status === 407)
      throw new PresetdError(
        'upstream_misconfigured',
        `The upstream "${name}" did not accept the key of presetd (${status}). ${key === undefined ? 'It has none: set api_key_env.' : `Check ${key.variable}.`}`,
      );
    const text = this.#inDialect(status, body);
    this.#head(status, headers, 0, [
      'content-type',
      'application/json',
      'content-length',
      Buffer.byteLength(text),
    ]);
    this.response.end(text);
  }

  /** Answers with something of our own, which says nothing about the upstream. */
  sendJson(json: string): void {
    const { trace, commonHeaders: always } = this.#call;
    const own = ['content-type', 'application/json', 'content-length', Buffer.byteLength(json)];
    this.response.writeHead(200, [...always(), ...own, ...presetdHeaders(trace, overheadOf(this.#call))]);
    this.response.end(json);
  }

  /** Tells how long the upstream took, and what it said about its tokens. */
  recordMetrics(): void {
    const { dialect, trace } = this.#call;
    const { startedAt: sentAt, isSent, firstByteAt, endedAt } = this.times;
    const upstream = this.#upstream.name;
    trace.upstreamMs += endedAt - sentAt;
    if (!isSent) return;
    this.#measurements.upstreamTime({
      upstream,
      firstByteSeconds: firstByteAt === undefined ? undefined : (firstByteAt - sentAt) / 1_000,
      totalSeconds: (endedAt - sentAt) / 1_000,
    });
    if (this.#usage === undefined) return;
    const { inputTokens, outputTokens } = this.#usage;
    this.#measurements.tokens({ dialect, preset: trace.preset?.slug, upstream, inputTokens, outputTokens });
  }

  #inDialect(status: number, body: string): string {
    const { dialect, requestId, caller } = this.#call;
    const { isErrorBody, errorBody } = dialectOf[dialect];
    // What is not JSON is not passed on at all.
    const text = parsed(body) === undefined ? '' : redactJson(body, this.#upstream);
    const value = parsed(text);
    if (isErrorBody(value)) return text;
    const message =
      findErrorMessage(value) ??
      `The upstream "${this.#upstream.name}" answered ${status} without an error in JSON. Check its base URL and the model.`;
    return JSON.stringify(errorBody({ status, message, requestId, userId: caller.ownerId }));
  }

  #head(status: number, headers: IncomingHttpHeaders, waitedMs: number, own: HeaderList): void {
    const { trace } = this.#call;
    const overheadMs = overheadOf(this.#call, waitedMs);
    this.#measurements.overhead(overheadMs / 1_000);
    const all: OutgoingHttpHeader[] = returnedHeaders(headers, this.#upstream);
    all.push(...this.#call.commonHeaders(), ...own, ...presetdHeaders(trace, overheadMs));
    this.response.writeHead(status, all);
  }
}

/** Each of several choices ends by itself, and the end of one may be far back: only the mark of the end is certain. */
const severalChoices: StreamFormat = { hasFinished: (tail) => /^data: ?\[DONE\]\s*$/m.test(tail) };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

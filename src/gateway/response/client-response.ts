import type { IncomingHttpHeaders, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { PresetdError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { callErrorOf, upstreamError } from '../../core/ledger/call-error.ts';
import { parseExactObject } from '../../core/loose-json.ts';
import type { Measurements } from '../../core/measurements.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import type { CompletionContext, ResponseFacts, TokenUsage } from '../../dialects/model/completion.ts';
import { type ErrorDetails, findErrorMessage } from '../../dialects/model/error-details.ts';
import { parseUpstreamError } from '../../dialects/model/upstream-error.ts';
import { findFacts } from '../../dialects/response-facts.ts';
import {
  findResponseError,
  type ResponseError,
  translateError,
} from '../../dialects/translate/translate-error.ts';
import { translateResponse } from '../../dialects/translate/translate-response.ts';
import { createStreamTranslator, type StreamTranslator } from '../../dialects/translate/translate-stream.ts';
import { findUsage, findUsageInEvents, findUsageInText, parseUsage } from '../../dialects/usage.ts';
import {
  type Call,
  type HeaderList,
  labelOf,
  measuredPreset,
  overheadOf,
  type RelayedRequest,
} from '../call.ts';
import type {
  ExchangeOutcome,
  ExchangeTimings,
  ResponseReceiver,
  UpstreamErrorResponse,
} from '../exchange/upstream-exchange.ts';
import { codeOf, UpstreamFailure } from '../exchange/upstream-failure.ts';
import type { ObservedExchange } from '../ledger/observed-exchange.ts';
import { redactBody, redactEvents, redactJson, redactText } from '../redaction.ts';
import { removeUsageEvents } from '../request/stream-usage.ts';
import type { AdaptedRequest } from '../request/upstream-request.ts';
import type { Candidate } from '../router.ts';
import type { ResponseRewriter } from '../stored-ids/response-id-rewriter.ts';
import { estimateTokens } from '../tokens/estimate-tokens.ts';
import { type EndpointProperties, endpointProperties } from '../upstreams/endpoint.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { presetdHeaders, returnedHeaders, returnedType } from './response-headers.ts';
import { completeBytesMax, type Relay, type StreamFormat, StreamRelay } from './stream-relay.ts';
import { TranslatingRelay } from './translating-relay.ts';

export interface ClientResponseOptions {
  /** How many completions the request asks for. */
  readonly choices?: number | undefined;
  /** The request that the upstream got, with a body as text if it was translated. */
  readonly request?: AdaptedRequest | undefined;
  readonly rewriter?: ResponseRewriter | undefined;
}

/**
 * Writes the response to a call: an upstream's response in the client's dialect, or JSON of
 * presetd's own. It adds presetd's headers, keeps the upstream's secrets out and measures the
 * exchange.
 *
 * The gateway creates one per attempt. An attempt that sends nothing leaves the underlying response
 * untouched, so that the next candidate can use it. Once a head is written there is no other
 * attempt.
 */
export class ClientResponse implements ResponseReceiver {
  readonly response: ServerResponse;
  readonly isTranslated: boolean;
  readonly isSigned: boolean;
  readonly mediaTypes: RegExp | undefined;
  readonly #call: Call;
  readonly #candidate: Candidate;
  readonly #upstream: Upstream;
  /** The upstream's. */
  readonly #dialect: Dialect;
  readonly #choices: number;
  readonly #request: AdaptedRequest | undefined;
  readonly #rewriter: ResponseRewriter | undefined;
  readonly #measurements: Measurements;
  readonly timings: ExchangeTimings = {
    startedAt: performance.now(),
    isSent: false,
    firstByteAt: undefined,
    endedAt: 0,
  };
  /** As the upstream wrote it, in its dialect. */
  #usage: JsonObject | undefined;
  #facts: ResponseFacts | undefined;
  /** The start of the text of a stream, and how much of it there was. */
  #start = '';
  #streamedBytes = 0;
  #isStreamed = false;
  #bodyCharacters = 0;
  /** Set if the response is a stream that is translated. */
  #translator: StreamTranslator | undefined;

  constructor(
    call: Call,
    candidate: Candidate,
    measurements: Measurements,
    { choices = 1, request, rewriter }: ClientResponseOptions = {},
  ) {
    this.response = call.response;
    const { upstream, dialect } = candidate;
    this.isTranslated = dialect !== call.dialect;
    this.isSigned = rewriter !== undefined;
    this.mediaTypes = call.relayed === undefined ? undefined : propertiesOf(call.relayed)?.mediaTypes;
    this.#call = call;
    this.#candidate = candidate;
    this.#upstream = upstream;
    this.#dialect = dialect;
    this.#measurements = measurements;
    this.#choices = choices;
    this.#request = request;
    this.#rewriter = rewriter;
  }

  createRelay(): Relay {
    this.#isStreamed = true;
    const { dialect, relayed, trace } = this.#call;
    const format = dialectOf[dialect].stream;
    if (relayed !== undefined && propertiesOf(relayed)?.hasOwnEvents)
      return new StreamRelay({ ...format, ...anyEvents });
    if (this.isTranslated) {
      this.#translator = createStreamTranslator(this.#dialect, dialect, this.#translationContext());
      trace.losses = this.#translator;
      return new TranslatingRelay(this.#translator);
    }
    return new StreamRelay(
      this.#choices > 1 ? { ...format, ...multipleChoices } : format,
      this.isSigned ? completeBytesMax : undefined,
    );
  }

  translateBody(body: Buffer): Buffer | ResponseError | undefined {
    const value = parseExactObject(body.toString('utf8'));
    if (value === undefined) return undefined;
    this.#usage = findUsage(value);
    const error = findResponseError(value, this.#dialect);
    if (error !== undefined) return error;
    const { dialect, trace } = this.#call;
    const translated = translateResponse(value, this.#dialect, dialect, this.#translationContext());
    trace.losses = translated;
    this.#facts = translated.facts;
    return Buffer.from(JSON.stringify(translated.body));
  }

  writeHead(status: number, headers: IncomingHttpHeaders, length: number | undefined): void {
    const isStream = length === undefined;
    const { startedAt, firstByteAt, endedAt } = this.timings;
    const waitedMs = (isStream || endedAt === 0 ? (firstByteAt ?? startedAt) : endedAt) - startedAt;
    const bodyHeaders: (string | number)[] = ['content-type', returnedType(headers, this.#upstream)];
    // Proxies such as nginx would otherwise buffer the events.
    if (isStream) bodyHeaders.push('x-accel-buffering', 'no', 'cache-control', 'no-cache');
    else bodyHeaders.push('content-length', length);
    this.#writeHead(status, headers, waitedMs, bodyHeaders);
  }

  observeLines(lines: Buffer): void {
    this.#sample(lines);
    // Translated events begin with an estimate. The translator knows what the upstream said.
    if (this.#translator !== undefined) return;
    if (lines.includes('"usage"')) this.#usage = findUsageInEvents(lines.toString('utf8'), this.#usage);
    this.#facts ??= findFacts(lines.toString('utf8'), this.#dialect);
    // The reason is in one of the last events.
    const finishReason =
      this.#facts.finishReason ??
      dialectOf[this.#dialect].completion.findFinishReason(lines.toString('latin1'));
    if (finishReason !== undefined) this.#facts = { ...this.#facts, finishReason };
  }

  /** From the first delta on: the events before it may repeat long instructions. */
  #sample(lines: Buffer): void {
    const start = this.#start === '' ? startOfDeltas(lines) : 0;
    if (start === -1) return;
    this.#streamedBytes += lines.length - start;
    if (this.#start.length < startBytesMax)
      this.#start += lines.toString('latin1', start, start + startBytesMax);
  }

  observeBody(text: string, length = text.length): void {
    this.#bodyCharacters = length;
    if (this.isTranslated) return;
    this.#usage = findUsageInText(text);
    this.#facts = findFacts(text, this.#dialect);
  }

  finishLines(lines: Buffer): Buffer {
    const wanted = this.#request?.asksForUsage ? removeUsageEvents(lines) : lines;
    const redacted = redactEvents(wanted, this.#upstream);
    const sent = this.#rewriter?.rewriteLines(redacted) ?? redacted;
    this.#logLines(sent);
    return sent;
  }

  /** A stream must not break because its content cannot be logged. */
  #logLines(lines: Buffer): void {
    const { trace } = this.#call;
    try {
      trace.content?.addLines(lines);
    } catch {
      trace.content?.share.release();
      trace.content = undefined;
      this.#measurements.droppedContents(1);
    }
  }

  finishBody(body: Buffer): Buffer {
    const redacted = redactBody(body, this.#upstream);
    const sent = this.#rewriter?.rewriteBody(redacted) ?? redacted;
    this.#call.trace.content?.setBody(sent);
    return sent;
  }

  signStart(start: Buffer): Buffer {
    this.#call.trace.content?.omitBody();
    return this.#rewriter?.rewriteBody(start) ?? start;
  }

  findLostAccess(): Promise<PresetdError | undefined> {
    return this.#call.findLostAccess();
  }

  interrupt(cause: UpstreamFailure | PresetdError): ErrorDetails {
    const { requestId, trace } = this.#call;
    const status = brokenStatusOf(cause);
    trace.brokenStatus = status;
    trace.error =
      cause instanceof UpstreamFailure ? { code: codeOf(cause), message: cause.message } : callErrorOf(cause);
    return { status, message: cause.message, requestId };
  }

  /**
   * Forwards an upstream's error in the format of the client's dialect. Throws if the upstream
   * rejected presetd's key: a 401 would make clients blame their own.
   */
  sendUpstreamError({ status, headers, body }: UpstreamErrorResponse): void {
    const { name, key } = this.#upstream;
    if (status === 401 || status === 407)
      throw new PresetdError(
        'upstream_misconfigured',
        `The upstream "${name}" rejected presetd's API key (${status}). ${key === undefined ? 'None is configured: set api_key_env.' : `Check ${key.variable}.`}`,
      );
    const { code, type } = parseUpstreamError(tryParseJson(body));
    this.#call.trace.error = upstreamError(name, status, redactText(code ?? type ?? '', this.#upstream));
    const error = this.#toErrorResponse(status, body);
    this.#call.trace.content?.setBody(error.text);
    this.#writeHead(error.status, headers, 0, [
      'content-type',
      'application/json',
      'content-length',
      Buffer.byteLength(error.text),
    ]);
    this.response.end(error.text);
  }

  /** Sends a 200 of presetd's own, such as a dry run, without contacting the upstream. */
  sendJson(json: string, moreHeaders: HeaderList = []): void {
    const { trace, commonHeaders } = this.#call;
    trace.content?.setBody(json);
    const bodyHeaders = ['content-type', 'application/json', 'content-length', Buffer.byteLength(json)];
    this.response.writeHead(200, [
      ...commonHeaders(),
      ...bodyHeaders,
      ...presetdHeaders(trace, overheadOf(this.#call)),
      ...moreHeaders,
    ] as OutgoingHttpHeader[]);
    this.response.end(json);
  }

  /** Reports the upstream's time and token usage. To be called once the exchange has ended. */
  record(outcome: ExchangeOutcome): void {
    const { trace, relayed } = this.#call;
    const { startedAt, isSent, firstByteAt, endedAt } = this.timings;
    const upstream = this.#upstream.name;
    trace.upstreamMs += endedAt - startedAt;
    const usage = this.#translator?.usage ?? this.#parseUsage();
    trace.exchange = this.#describe(outcome, usage);
    if (trace.exchange.mayBeCharged) trace.chargedExchanges.push(trace.exchange);
    if (!isSent) return;
    this.#measurements.upstreamTime({
      upstream,
      firstByteSeconds: firstByteAt === undefined ? undefined : (firstByteAt - startedAt) / 1_000,
      totalSeconds: (endedAt - startedAt) / 1_000,
    });
    // The tokens of a stored response were counted when it was created.
    if (usage === undefined || relayed?.storedResponse !== undefined) return;
    this.#measurements.tokens({
      dialect: labelOf(this.#call),
      preset: measuredPreset(trace),
      upstream,
      inputTokens: usage.input,
      outputTokens: usage.output,
    });
  }

  #describe(outcome: ExchangeOutcome, usage: TokenUsage | undefined): ObservedExchange {
    const { startedAt, isSent, firstByteAt, endedAt } = this.timings;
    const body = this.#request?.form === undefined ? this.#request?.body : undefined;
    return {
      candidate: this.#candidate,
      facts: this.#translator?.facts ?? this.#facts ?? noFacts,
      usage,
      mayBeCharged: isSent && mayBeCharged(outcome),
      isComplete: outcome.kind === 'delivered' && outcome.failure === undefined,
      isStreamed: this.#isStreamed,
      firstByteAt,
      upstreamMs: endedAt - startedAt,
      bodyCharacters: this.#bodyCharacters,
      sentBody: body ?? undefined,
      streamed: this.#isStreamed ? { start: this.#start, bytes: this.#streamedBytes } : undefined,
    };
  }

  #parseUsage(): TokenUsage | undefined {
    return parseUsage(this.#usage, this.#call.relayed?.endpoint === undefined ? this.#dialect : undefined);
  }

  #translationContext(): CompletionContext {
    const { requestId, body, dialect } = this.#call;
    const { stream, tools } = dialectOf[dialect];
    const sent = stream.startsWithUsage ? this.#request?.body : null;
    return {
      requestId,
      model: typeof body.model === 'string' ? body.model : '',
      created: Math.floor(Date.now() / 1_000),
      request: body,
      customTools: tools.findCustomNames(body),
      namespacedTools: tools.namespaces?.find(body),
      ...(typeof sent === 'string' && { estimatedInputTokens: estimateTokens(sent) }),
      ...(this.#request?.toolNames !== undefined && { toolNames: this.#request.toolNames }),
    };
  }

  /** Keeps an error body that the client understands, and wraps the message of any other. */
  #toErrorResponse(status: number, body: string): { readonly status: number; readonly text: string } {
    const { dialect, requestId, caller } = this.#call;
    const { isBody, write } = dialectOf[dialect].errors;
    // Bodies that are not JSON, such as HTML pages, are dropped.
    const redacted = tryParseJson(body) === undefined ? '' : redactJson(body, this.#upstream);
    const text = this.#rewriter?.rewriteError(redacted) ?? redacted;
    const value = tryParseJson(text);
    if (!this.isTranslated && isBody(value)) return { status, text };
    const message =
      findErrorMessage(value) ??
      `The upstream "${this.#upstream.name}" returned ${status} without a JSON error. Check its base URL and the model.`;
    const details = { status, message, requestId, userId: caller.ownerId };
    if (!this.isTranslated) return { status, text: JSON.stringify(write(details)) };
    const translated = translateError(value, this.#dialect, dialect, details);
    return { status: translated.status, text: JSON.stringify(translated.body) };
  }

  /** `waitedMs` is the time spent on the current upstream, which does not count as overhead. */
  #writeHead(status: number, headers: IncomingHttpHeaders, waitedMs: number, bodyHeaders: HeaderList): void {
    const { trace } = this.#call;
    const overheadMs = overheadOf(this.#call, waitedMs);
    trace.overheadMs = overheadMs;
    this.#measurements.overhead(overheadMs / 1_000);
    const all: OutgoingHttpHeader[] = returnedHeaders(headers, this.#upstream);
    all.push(...this.#call.commonHeaders(), ...bodyHeaders, ...presetdHeaders(trace, overheadMs));
    this.response.writeHead(status, all);
  }
}

/** A response that never began was not worked on, unless it took too long. */
function mayBeCharged(outcome: ExchangeOutcome): boolean {
  if (outcome.kind === 'upstream-error') return false;
  return outcome.kind !== 'no-response' || chargedFailures.has(outcome.failure.reason);
}

const chargedFailures: ReadonlySet<UpstreamFailure['reason']> = new Set(['timeout', 'garbage']);

/** The line with the first delta, or choice of chat completions; -1 if there is none. */
function startOfDeltas(lines: Buffer): number {
  const delta = lines.indexOf('"delta"');
  const at = delta === -1 ? lines.indexOf('"choices"') : delta;
  return at === -1 ? -1 : lines.lastIndexOf('\n', at) + 1;
}

/** Enough to see how much of a stream is text. */
const startBytesMax = 4_096;

const noFacts: ResponseFacts = { id: undefined, model: undefined, finishReason: undefined };

/**
 * With several choices, each ends on its own and possibly long before the tail of the stream. Only
 * the final `[DONE]` proves that all of them are complete.
 */
const multipleChoices: Partial<StreamFormat> = { hasFinished: (tail) => /^data: ?\[DONE\]\s*$/m.test(tail) };

/** Streams of images and audio. Their last event is only needed if the connection broke after it. */
const anyEvents: Partial<StreamFormat> = {
  hasFinished: (tail) => /^(?:data: ?\[DONE\]|event: ?\S*\b(?:completed|done|error))\s*$/m.test(tail),
  canEndAnywhere: true,
};

function brokenStatusOf(cause: UpstreamFailure | PresetdError): number {
  if (cause instanceof UpstreamFailure) return cause.reason === 'timeout' ? 504 : 502;
  if (cause.kind === 'not_found') return 404;
  return cause.kind === 'forbidden' ? 403 : 401;
}

function propertiesOf({ endpoint }: RelayedRequest): EndpointProperties | undefined {
  return endpoint === undefined ? undefined : endpointProperties[endpoint];
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

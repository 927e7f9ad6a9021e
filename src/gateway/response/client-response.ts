import type { IncomingHttpHeaders, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { PresetdError } from '../../core/errors.ts';
import { parseExactObject } from '../../core/json/loose-json.ts';
import { callErrorOf, upstreamError } from '../../core/ledger/call-error.ts';
import type { Measurements } from '../../core/measurements.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import type { CompletionContext } from '../../dialects/model/completion.ts';
import { type ErrorDetails, findErrorMessage } from '../../dialects/model/error-details.ts';
import { parseUpstreamError } from '../../dialects/model/upstream-error.ts';
import {
  findResponseError,
  type ResponseError,
  translateError,
} from '../../dialects/translate/translate-error.ts';
import { translateResponse } from '../../dialects/translate/translate-response.ts';
import { createStreamTranslator } from '../../dialects/translate/translate-stream.ts';
import { type Call, type HeaderList, overheadOf, type RelayedRequest } from '../call.ts';
import type { ResponseReceiver, UpstreamErrorResponse } from '../exchange/upstream-exchange.ts';
import { codeOf, UpstreamFailure } from '../exchange/upstream-failure.ts';
import { ExchangeObserver } from '../ledger/exchange-observer.ts';
import type { Candidate } from '../plan/router.ts';
import { removeUsageEvents } from '../request/stream-usage.ts';
import type { AdaptedRequest } from '../request/upstream-request.ts';
import type { ResponseRewriter } from '../stored-ids/response-id-rewriter.ts';
import { estimateTokens } from '../tokens/estimate-tokens.ts';
import { type EndpointProperties, endpointProperties } from '../upstreams/endpoint.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { redactBody, redactEvents, redactJson, redactText } from './redaction.ts';
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
 * presetd's own. It adds presetd's headers and keeps the upstream's secrets out.
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
  readonly observer: ExchangeObserver;
  readonly #call: Call;
  readonly #upstream: Upstream;
  /** The upstream's. */
  readonly #dialect: Dialect;
  readonly #choices: number;
  readonly #request: AdaptedRequest | undefined;
  readonly #rewriter: ResponseRewriter | undefined;
  readonly #measurements: Measurements;

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
    this.#upstream = upstream;
    this.#dialect = dialect;
    this.#measurements = measurements;
    this.#choices = choices;
    this.#request = request;
    this.#rewriter = rewriter;
    this.observer = new ExchangeObserver(call, candidate, request);
  }

  createRelay(): Relay {
    const { dialect, relayed, trace } = this.#call;
    const format = dialectOf[dialect].stream;
    if (relayed !== undefined && propertiesOf(relayed)?.hasOwnEvents) {
      this.observer.startStream();
      return new StreamRelay({ ...format, ...anyEvents });
    }
    if (this.isTranslated) {
      const translator = createStreamTranslator(this.#dialect, dialect, this.#translationContext());
      this.observer.startStream(translator);
      trace.losses = translator;
      return new TranslatingRelay(translator);
    }
    this.observer.startStream();
    return new StreamRelay(
      this.#choices > 1 ? { ...format, ...multipleChoices } : format,
      this.isSigned ? completeBytesMax : undefined,
    );
  }

  translateBody(body: Buffer): Buffer | ResponseError | undefined {
    const value = parseExactObject(body.toString('utf8'));
    if (value === undefined) return undefined;
    const error = findResponseError(value, this.#dialect);
    if (error !== undefined) return error;
    const { dialect, trace } = this.#call;
    const translated = translateResponse(value, this.#dialect, dialect, this.#translationContext());
    trace.losses = translated;
    return Buffer.from(JSON.stringify(translated.body));
  }

  writeHead(status: number, headers: IncomingHttpHeaders, length: number | undefined): void {
    const isStream = length === undefined;
    const { startedAt, firstByteAt, endedAt } = this.observer.timings;
    const waitedMs = (isStream || endedAt === 0 ? (firstByteAt ?? startedAt) : endedAt) - startedAt;
    const bodyHeaders: (string | number)[] = ['content-type', returnedType(headers, this.#upstream)];
    // Proxies such as nginx would otherwise buffer the events.
    if (isStream) bodyHeaders.push('x-accel-buffering', 'no', 'cache-control', 'no-cache');
    else bodyHeaders.push('content-length', length);
    this.#writeHead(status, headers, waitedMs, bodyHeaders);
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

/**
 * With several choices, each ends on its own and possibly long before the tail of the stream. Only
 * the final `[DONE]` proves that all of them are complete.
 */
const multipleChoices: Partial<StreamFormat> = { hasFinished: (tail) => /^data: ?\[DONE\]\s*$/m.test(tail) };

/** Streams of images and audio. Their last event matters only if the connection broke after it. */
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

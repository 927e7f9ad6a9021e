import type { JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import type { ResponseFacts, TokenUsage } from '../../dialects/model/completion.ts';
import { findFacts } from '../../dialects/response-facts.ts';
import { findUsageInEvents, findUsageInText, parseUsage } from '../../dialects/response-usage.ts';
import type { StreamTranslator } from '../../dialects/translate/translate-stream.ts';
import type { Call } from '../call.ts';
import type { ExchangeOutcome, ResponseObserver } from '../exchange/upstream-exchange.ts';
import type { UpstreamFailure } from '../exchange/upstream-failure.ts';
import type { Candidate } from '../plan/router.ts';
import type { AdaptedRequest } from '../request/upstream-request.ts';
import type { ExchangeTimings, ObservedExchange } from './observed-exchange.ts';

/**
 * Watches one exchange with an upstream: its times, and what the bytes of the response say about
 * tokens, model and finish reason. The exchange reports to it, and `describe` sums it up in the
 * end.
 *
 * Bytes are searched, not parsed. A stream that is translated is the exception: the client's events
 * begin with an estimate, so the translator says what the upstream reported.
 */
export class ExchangeObserver implements ResponseObserver {
  readonly timings: ExchangeTimings = {
    startedAt: performance.now(),
    isSent: false,
    firstByteAt: undefined,
    endedAt: 0,
  };
  readonly #candidate: Candidate;
  /** The upstream's. */
  readonly #dialect: Dialect;
  readonly #hasEndpoint: boolean;
  readonly #request: AdaptedRequest | undefined;
  #usage: JsonObject | undefined;
  #facts: ResponseFacts | undefined;
  #isStreamed = false;
  /** Undefined unless the response is a stream that is translated. */
  #translator: StreamTranslator | undefined;
  #start = '';
  #streamedBytes = 0;
  #bodyCharacters = 0;

  constructor({ relayed }: Pick<Call, 'relayed'>, candidate: Candidate, request?: AdaptedRequest) {
    this.#candidate = candidate;
    this.#dialect = candidate.dialect;
    this.#hasEndpoint = relayed?.endpoint !== undefined;
    this.#request = request;
  }

  /** Call this before the first lines of a stream. */
  startStream(translator?: StreamTranslator): void {
    this.#isStreamed = true;
    this.#translator = translator;
  }

  observeLines(lines: Buffer): void {
    this.#sample(lines);
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
    this.#usage = findUsageInText(text);
    this.#facts = findFacts(text, this.#dialect);
  }

  /** Call this once the exchange has ended. */
  describe(outcome: ExchangeOutcome): ObservedExchange {
    const { form, body } = this.#request ?? {};
    const usageDialect = this.#hasEndpoint ? undefined : this.#dialect;
    const usage = this.#translator?.usage ?? parseUsage(this.#usage, usageDialect);
    return {
      candidate: this.#candidate,
      facts: this.#translator?.facts ?? this.#facts ?? noFacts,
      usage,
      mayBeCharged: this.timings.isSent && mayBeCharged(outcome, usage),
      isComplete: isComplete(outcome, usage),
      isStreamed: this.#isStreamed,
      timings: this.timings,
      bodyCharacters: this.#bodyCharacters,
      sentBody: form === undefined ? (body ?? undefined) : undefined,
      streamed: this.#isStreamed ? { start: this.#start, bytes: this.#streamedBytes } : undefined,
    };
  }
}

/**
 * An error costs nothing, and a response that never began was not worked on, unless it took too
 * long. A usage means that there was work: some upstreams report an error with the status 200.
 */
function mayBeCharged(outcome: ExchangeOutcome, usage: TokenUsage | undefined): boolean {
  if (usage !== undefined) return true;
  if (outcome.kind === 'upstream-error') return false;
  return outcome.kind !== 'no-response' || chargedFailures.has(outcome.failure.reason);
}

const chargedFailures: ReadonlySet<UpstreamFailure['reason']> = new Set(['timeout', 'garbage']);

function isComplete(outcome: ExchangeOutcome, usage: TokenUsage | undefined): boolean {
  if (outcome.kind === 'delivered') return outcome.failure === undefined;
  return outcome.kind === 'upstream-error' && usage !== undefined;
}

/** The line with the first delta, or choice of chat completions; -1 if there is none. */
function startOfDeltas(lines: Buffer): number {
  const delta = lines.indexOf('"delta"');
  const at = delta === -1 ? lines.indexOf('"choices"') : delta;
  return at === -1 ? -1 : lines.lastIndexOf('\n', at) + 1;
}

/** Enough to see how much of a stream is text. */
const startBytesMax = 4_096;

const noFacts: ResponseFacts = { id: undefined, model: undefined, finishReason: undefined };

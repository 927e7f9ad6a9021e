import type { JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import type { CompletionContext, ResponseFacts, TokenUsage } from '../model/completion.ts';
import type { ErrorFormat } from '../model/dialect.ts';
import { dataOf, doneMarker, parseData } from '../model/server-sent-events.ts';
import {
  type EventOf,
  StreamError,
  type StreamEvent,
  type StreamParser,
  type StreamWriter,
  writeStreamEvent,
} from '../model/stream-events.ts';
import { StreamedToolCalls } from './streamed-tool-calls.ts';

/**
 * Translates one stream while it arrives.
 *
 * The gateway creates a translator for each upstream stream in another dialect than the client's.
 * Bytes are decoded and split into lines; a parser turns the data of each event into events that
 * all dialects share, and a writer turns those into the client's. The translator itself keeps only
 * the event that is still arriving; parser and writer keep what their dialect requires. Events and
 * buffered text are bounded: past the limit, the stream ends with an error event.
 *
 * The writer decides when the stream is finished, by its last event or an error. Input after that
 * is ignored. The translator is discarded with the exchange and never reused.
 */
export interface StreamTranslator {
  /** Returns the text to send for bytes of the upstream, which may be cut anywhere. */
  push(bytes: Buffer): string;
  /**
   * Call this when the upstream has closed the stream. If it is not finished, it broke off, and
   * `fail` is to be called.
   */
  end(): { readonly text: string; readonly isFinished: boolean };
  /** Returns the error event that ends a broken stream; nothing if the stream has finished. */
  fail(status: number, message: string): string;
  /** Whether the last event was written, which may be an error. Nothing is read after it. */
  readonly isFinished: boolean;
  /** As reported by the upstream so far. */
  readonly usage: TokenUsage | undefined;
  readonly facts: ResponseFacts;
  /** The lost parts, as paths in the dialect of the upstream. Complete at the end. */
  readonly dropped: ReadonlySet<string>;
}

export function createStreamTranslator(
  from: Dialect,
  to: Dialect,
  context: CompletionContext,
): StreamTranslator {
  return new Translator(from, to, context);
}

/** Longer events are not read, to bound memory. The longest are those of a whole response. */
const eventCharactersMax = 8 * 1_048_576;

class Translator implements StreamTranslator {
  readonly #parser: StreamParser;
  readonly #writer: StreamWriter;
  readonly #errors: ErrorFormat;
  readonly #calls: StreamedToolCalls;
  readonly #decoder = new TextDecoder();
  /** The start of a line whose end has not arrived. */
  #pending = '';
  /** The data of an event whose end has not arrived. */
  #data = '';
  /** Whether the last character was a carriage return, which a line feed may belong to. */
  #isAfterReturn = false;
  /** The output for the bytes that are being read. */
  #text = '';
  #facts: ResponseFacts = { id: undefined, model: undefined, finishReason: undefined };

  constructor(from: Dialect, to: Dialect, context: CompletionContext) {
    this.#parser = dialectOf[from].stream.createParser();
    this.#writer = dialectOf[to].stream.createWriter(context);
    this.#errors = dialectOf[to].errors;
    this.#calls = new StreamedToolCalls(context, (event) => this.#writeEvent(event));
  }

  get isFinished(): boolean {
    return this.#writer.isFinished;
  }

  get usage(): TokenUsage | undefined {
    return this.#parser.usage;
  }

  get facts(): ResponseFacts {
    return this.#facts;
  }

  get dropped(): ReadonlySet<string> {
    return this.#parser.dropped.union(this.#writer.dropped);
  }

  push(bytes: Buffer): string {
    return this.#translate(() => this.#readLines(this.#decoder.decode(bytes, { stream: true })));
  }

  end(): { readonly text: string; readonly isFinished: boolean } {
    const text = this.#translate(() => {
      this.#readLine(this.#pending);
      this.#parse(parseData(this.#data));
      this.#write(this.#parser.end());
    });
    return { text, isFinished: this.isFinished };
  }

  fail(status: number, message: string): string {
    return this.isFinished ? '' : this.#writer.fail(status, message);
  }

  /** Returns what `read` writes, followed by the error with which it may fail. */
  #translate(read: () => void): string {
    try {
      read();
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      this.#text += this.fail(error.status, error.message);
    }
    const text = this.#text;
    this.#text = '';
    return text;
  }

  #readLines(decoded: string): void {
    const text = this.#isAfterReturn || decoded.includes('\r') ? this.#unifyBreaks(decoded) : decoded;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = this.#pending + text.slice(start, end);
      this.#pending = '';
      start = end + 1;
      if (line === '') this.#endEvent();
      else this.#readLine(line);
    }
    this.#pending += text.slice(start);
    checkLength(this.#pending.length);
  }

  /** A line may end with a carriage return, a line feed or both. */
  #unifyBreaks(text: string): string {
    const rest = this.#isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#isAfterReturn = text.endsWith('\r');
    return rest.replaceAll(/\r\n?/g, '\n');
  }

  /** An object in one line is an event already: not every server ends it with an empty line. */
  #readLine(line: string): void {
    const data = dataOf(line);
    if (data === '') return;
    checkLength(this.#data.length + data.length);
    const event = this.#data === '' ? parseData(data) : undefined;
    if (event === undefined) this.#data += this.#data === '' ? data : `\n${data}`;
    else this.#parse(event);
  }

  #endEvent(): void {
    if (this.#data === '') return;
    const event = parseData(this.#data);
    this.#data = '';
    if (event === undefined)
      throw new StreamError(502, 'The upstream sent an event that is not a JSON object.');
    this.#parse(event);
  }

  #parse(event: JsonObject | typeof doneMarker | undefined): void {
    if (event === undefined || this.isFinished) return;
    this.#write(event === doneMarker ? this.#parser.end() : this.#parser.push(event));
  }

  #write(events: readonly StreamEvent[]): void {
    for (const event of events) this.#calls.push(event);
  }

  #adapt(event: EventOf<'error'>): EventOf<'error'> {
    const { status, message, code } = this.#errors.adapt(event);
    return { type: 'error', status, message, code };
  }

  #writeEvent(event: StreamEvent): void {
    if (this.isFinished) return;
    if (event.type === 'start') this.#facts = { ...this.#facts, id: event.id, model: event.model };
    if (event.type === 'finish') this.#facts = { ...this.#facts, finishReason: event.stop.reason };
    this.#text += writeStreamEvent(this.#writer, event.type === 'error' ? this.#adapt(event) : event);
  }
}

function checkLength(characters: number): void {
  if (characters > eventCharactersMax)
    throw new StreamError(502, 'The upstream sent an event that is too long to be translated.');
}

import type { StreamFormat as DialectStreams } from '../../dialects/model/dialect.ts';
import type { ErrorDetails } from '../../dialects/model/error-details.ts';
import { dataLines, isIntact, joinDataLines } from '../../dialects/model/server-sent-events.ts';

/** The properties of a dialect's streams that a relay needs. */
export interface StreamFormat extends Pick<DialectStreams, 'hasFinished' | 'errorEvent' | 'startField'> {
  /** Whether a stream is complete if the upstream ends it between two lines, whatever came last. */
  readonly canEndAnywhere?: boolean;
}

/**
 * Takes the bytes of an upstream's event stream and returns what the client gets. An exchange
 * creates one per stream.
 */
export interface Relay {
  /** Returns the complete lines to send now; undefined if there are none. */
  push(chunk: Buffer): Buffer | undefined;
  /** Call this when the upstream has closed the stream. `rest` is to be sent before the end. */
  end(): { readonly rest: Buffer | undefined; readonly isFinished: boolean };
  /** Whether what was returned so far is a complete stream. */
  readonly isFinished: boolean;
  /** The line breaks that end the last event. */
  readonly separator: string;
  /** Returns the text that ends a stream that broke off. It follows what was returned so far. */
  fail(error: ErrorDetails): string;
}

const lineFeed = 0x0a;

/**
 * How many forwarded chunks the tail keeps. The end of a stream is spread over several: a finish
 * reason, the usage and an end marker.
 */
const tailChunksMax = 6;

/** Only a complete response can be translated, and ids can be anywhere in one or in an event. */
export const completeBytesMax = 16_777_216;

/** To bound memory, a longer line or multi-line event is forwarded before it is complete. */
const eventBytesMax = 1_048_576;

/**
 * Relays an event stream byte for byte, but only in complete lines.
 *
 * The exchange creates one per stream, pushes every chunk into it and writes what it returns. An
 * incomplete last line stays pending until its line feed arrives, and so does an event whose data
 * spans several lines until all of them are there. That delays nothing, because readers cannot use
 * half an event, and it guarantees that an error event can follow whenever the stream breaks off.
 * Data of several lines is put into one, so that nobody else has to join it. The relay also keeps a
 * short tail of what it forwarded, from which the dialect decides whether the stream was complete:
 * some upstreams end every stream by closing the connection. An error event continues that tail.
 */
export class StreamRelay implements Relay {
  readonly #format: StreamFormat;
  readonly #pendingBytesMax: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Whether complete lines are pending, because they are the start of an event. */
  #isInEvent = false;
  /** The first lines with the `startField` of the format. */
  #start: Buffer | undefined;
  #tail: Buffer[] = [];

  constructor(format: StreamFormat, pendingBytesMax = eventBytesMax) {
    this.#format = format;
    this.#pendingBytesMax = pendingBytesMax;
  }

  /** Returns the complete lines to forward now; undefined if there are none. */
  push(chunk: Buffer): Buffer | undefined {
    const isPart = this.#isInEvent ? !this.#endsEvent(chunk) : !chunk.includes(lineFeed);
    if (isPart && this.#pendingBytes + chunk.length <= this.#pendingBytesMax) {
      this.#addPending(chunk);
      return undefined;
    }
    const all = this.#takePending(chunk);
    const lineEnd = all.lastIndexOf(lineFeed) + 1;
    const start = isPart ? all.length : startOfPart(all.subarray(0, lineEnd));
    const end = all.length - start > this.#pendingBytesMax ? all.length : start;
    this.#isInEvent = end < lineEnd;
    if (end < all.length) this.#addPending(all.subarray(end));
    if (end === 0) return undefined;
    return this.#forward(end === all.length ? all : all.subarray(0, end));
  }

  /**
   * Call this when the upstream has closed the stream. `rest` is a last event without a line
   * feed, if its data is intact.
   */
  end(): { readonly rest: Buffer | undefined; readonly isFinished: boolean } {
    const last = this.#pendingBytes === 0 ? undefined : this.#takePending(Buffer.alloc(0));
    const isWhole = last !== undefined && isWholeEvent(last.toString('utf8'));
    const rest = isWhole ? this.#forward(last) : undefined;
    const isCut = last !== undefined && !isWhole;
    return { rest, isFinished: this.isFinished || (this.#format.canEndAnywhere === true && !isCut) };
  }

  /** Whether the forwarded part of the stream is complete. */
  get isFinished(): boolean {
    return this.#format.hasFinished(this.#sent);
  }

  fail(error: ErrorDetails): string {
    const start = this.#start?.toString('utf8') ?? '';
    return this.separator + this.#format.errorEvent(error, start + this.#sent);
  }

  /** The last lines forwarded. */
  get #sent(): string {
    return Buffer.concat(this.#tail).toString('utf8');
  }

  /**
   * The line breaks that end the last forwarded event. Without them, readers would ignore that
   * event or read whatever follows as a part of it.
   */
  get separator(): string {
    const tail = this.#sent;
    if (tail !== '' && !tail.endsWith('\n')) return '\n\n';
    const unfinished = tail.split(/\r?\n\r?\n/).at(-1) ?? '';
    // An event without data is ignored by readers, and the next event's name replaces its name.
    return /^data:/m.test(unfinished) ? '\n' : '';
  }

  /** Whether a chunk has the empty line that ends the pending event, which it may have half of. */
  #endsEvent(chunk: Buffer): boolean {
    return endOfEvents(Buffer.concat([...this.#pending.slice(-2), chunk])) > 0;
  }

  #addPending(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  #forward(bytes: Buffer): Buffer {
    const lines = hasDataOfSeveralLines(bytes) ? Buffer.from(joinDataLines(bytes.toString('utf8'))) : bytes;
    const { startField } = this.#format;
    if (startField !== undefined && this.#start === undefined && lines.includes(startField))
      this.#start = lines;
    this.#tail.push(lines);
    if (this.#tail.length > tailChunksMax) this.#tail.shift();
    return lines;
  }

  /** Removes and returns the pending bytes, followed by `chunk`. Copies only if there are any. */
  #takePending(chunk: Buffer): Buffer {
    if (this.#pendingBytes === 0) return chunk;
    const all = Buffer.concat([...this.#pending, chunk]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return all;
  }
}

/** Text that is not an object may be the whole data once its line is complete. */
function isWholeEvent(text: string): boolean {
  const data = dataLines(text).join('\n');
  return isIntact(data) || (text.endsWith('\n') && !data.startsWith('{'));
}

/** Where an event starts of which only a part of the data has arrived; the end if there is none. */
function startOfPart(lines: Buffer): number {
  const start = endOfEvents(lines);
  const [first] = dataLines(lines.toString('utf8', start));
  return first === undefined || isIntact(first) ? lines.length : start;
}

/** The position after the last empty line; 0 if there is none. */
function endOfEvents(bytes: Buffer): number {
  const [short, long] = [bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\n\r\n')];
  return Math.max(short === -1 ? 0 : short + 2, long === -1 ? 0 : long + 3);
}

/** Whether a line of data directly follows another one. */
function hasDataOfSeveralLines(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(nextData); at !== -1; at = bytes.indexOf(nextData, at + 1)) {
    const start = at === 0 ? 0 : bytes.lastIndexOf(lineFeed, at - 1) + 1;
    if (bytes.subarray(start, start + dataField.length).equals(dataField)) return true;
  }
  return false;
}

const dataField = Buffer.from('data:');
const nextData = Buffer.from('\ndata:');

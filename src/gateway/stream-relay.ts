import { dataLines, parseJsonObject } from '../dialects/server-sent-events.ts';

/** The properties of a dialect's streams that a relay needs. */
export interface StreamFormat {
  /** Whether a stream that ends with these lines is complete. */
  hasFinished(tail: string): boolean;
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
  /** To be called when the upstream has closed the stream. `rest` is to be sent before the end. */
  end(): { readonly rest: Buffer | undefined; readonly isFinished: boolean };
  /** Whether what was returned so far is a complete stream. */
  readonly isFinished: boolean;
  /** The last lines returned. */
  readonly tail: string;
  /** The line breaks that end the last event. */
  readonly separator: string;
}

const lineFeed = 0x0a;

/**
 * How many forwarded chunks the tail keeps. The end of a stream is spread over several: a finish
 * reason, the usage and an end marker.
 */
export const tailChunksMax = 6;

/** A line longer than this is forwarded before it is complete, to bound memory. */
const pendingBytesMax = 1_048_576;

/**
 * Relays an event stream byte for byte, but only in complete lines.
 *
 * The exchange creates one per stream, pushes every chunk into it and writes what it returns. An
 * incomplete last line stays pending until its line feed arrives. That delays nothing, because
 * readers cannot use half a line, and it guarantees that an error event can follow whenever the
 * stream breaks off. The relay also keeps a short tail of what it forwarded, from which the dialect
 * decides whether the stream was complete: some upstreams end every stream by just closing the
 * connection.
 */
export class StreamRelay implements Relay {
  readonly #format: StreamFormat;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #tail: Buffer[] = [];

  constructor(format: StreamFormat) {
    this.#format = format;
  }

  /** Returns the complete lines to forward now; undefined if there are none. */
  push(chunk: Buffer): Buffer | undefined {
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (end === 0) return this.#addPending(chunk);
    const lines = this.#takePending(end === chunk.length ? chunk : chunk.subarray(0, end));
    if (end < chunk.length) this.#addPending(chunk.subarray(end));
    this.#appendToTail(lines);
    return lines;
  }

  /**
   * To be called when the upstream has closed the stream. `rest` is a last line without a line
   * feed, if its data is intact.
   */
  end(): { readonly rest: Buffer | undefined; readonly isFinished: boolean } {
    const line = this.#pendingBytes === 0 ? undefined : this.#takePending(Buffer.alloc(0));
    const rest = line !== undefined && hasIntactData(line.toString('utf8')) ? line : undefined;
    if (rest !== undefined) this.#appendToTail(rest);
    const isCut = line !== undefined && rest === undefined;
    return { rest, isFinished: this.isFinished || (this.#format.canEndAnywhere === true && !isCut) };
  }

  /** Whether the forwarded part of the stream is complete. */
  get isFinished(): boolean {
    return this.#format.hasFinished(this.tail);
  }

  /** The last lines forwarded. */
  get tail(): string {
    return Buffer.concat(this.#tail).toString('utf8');
  }

  /**
   * The line breaks that end the last forwarded event. Without them, readers would ignore that
   * event or read whatever follows as a part of it.
   */
  get separator(): string {
    const { tail } = this;
    if (tail !== '' && !tail.endsWith('\n')) return '\n\n';
    const unfinished = tail.split(/\r?\n\r?\n/).at(-1) ?? '';
    // An event without data is ignored by readers, and the next event's name replaces its name.
    return /^data:/m.test(unfinished) ? '\n' : '';
  }

  /** Returns everything pending once it exceeds the limit, undefined before that. */
  #addPending(chunk: Buffer): Buffer | undefined {
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes <= pendingBytesMax) return undefined;
    const piece = this.#takePending(Buffer.alloc(0));
    this.#appendToTail(piece);
    return piece;
  }

  /** Removes and returns the pending bytes, followed by `chunk`. Copies only if there are any. */
  #takePending(chunk: Buffer): Buffer {
    if (this.#pendingBytes === 0) return chunk;
    const all = Buffer.concat([...this.#pending, chunk]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return all;
  }

  #appendToTail(lines: Buffer): void {
    this.#tail.push(lines);
    if (this.#tail.length > tailChunksMax) this.#tail.shift();
  }
}

/** Whether the data of a line without a line feed can be parsed, so that nothing is missing. */
function hasIntactData(line: string): boolean {
  const [data] = dataLines(line);
  return data === '[DONE]' || (data !== undefined && parseJsonObject(data) !== undefined);
}

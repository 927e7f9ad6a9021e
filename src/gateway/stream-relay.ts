import { dataLines, parseJsonObject } from '../dialects/server-sent-events.ts';

/** What a relay needs to know of the dialect that it carries. */
export interface StreamFormat {
  /** Whether these last lines of a stream show that it came to its end. */
  hasFinished(tail: string): boolean;
}

const lineFeed = 0x0a;

/** How many pieces back the end of a stream can be told by: a reason to finish, the usage, a mark of the end. */
const tailPiecesMax = 6;

/** A line longer than this is passed on before it is whole. */
const heldBytesMax = 1_048_576;

/**
 * Carries a stream of events through, byte for byte. Only the beginning of a line waits for the rest of it, which no reader
 * could use before: so that a stream which breaks off can always be ended by an event that says so.
 */
export class StreamRelay {
  readonly #format: StreamFormat;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #tail: Buffer[] = [];

  constructor(format: StreamFormat) {
    this.#format = format;
  }

  /** The whole lines that can be passed on now, if any. */
  push(chunk: Buffer): Buffer | undefined {
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (end === 0) return this.#hold(chunk);
    const lines = this.#withHeld(end === chunk.length ? chunk : chunk.subarray(0, end));
    if (end < chunk.length) this.#hold(chunk.subarray(end));
    this.#remember(lines);
    return lines;
  }

  /** A last line to be passed on although nothing ends it, and whether the stream had come to its end. */
  end(): { readonly rest: Buffer | undefined; readonly isFinished: boolean } {
    const held = this.#heldBytes === 0 ? undefined : this.#withHeld(Buffer.alloc(0));
    const rest = held !== undefined && isWhole(held.toString('utf8')) ? held : undefined;
    if (rest !== undefined) this.#remember(rest);
    return { rest, isFinished: this.isFinished };
  }

  /** Whether it had come to its end although it broke off after that. */
  get isFinished(): boolean {
    return this.#format.hasFinished(this.tail);
  }

  /** The last that was passed on. */
  get tail(): string {
    return Buffer.concat(this.#tail).toString('utf8');
  }

  /** What ends the event that was passed on last, so that what follows is not read as part of it, and it is read at all. */
  get separator(): string {
    const { tail } = this;
    if (tail !== '' && !tail.endsWith('\n')) return '\n\n';
    const unfinished = tail.split(/\r?\n\r?\n/).at(-1) ?? '';
    // An event that has no data yet is none; its name is replaced by that of the next.
    return /^data:/m.test(unfinished) ? '\n' : '';
  }

  #hold(chunk: Buffer): Buffer | undefined {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes <= heldBytesMax) return undefined;
    const piece = this.#withHeld(Buffer.alloc(0));
    this.#remember(piece);
    return piece;
  }

  #withHeld(chunk: Buffer): Buffer {
    if (this.#heldBytes === 0) return chunk;
    const all = Buffer.concat([...this.#held, chunk]);
    this.#held = [];
    this.#heldBytes = 0;
    return all;
  }

  #remember(lines: Buffer): void {
    this.#tail.push(lines);
    if (this.#tail.length > tailPiecesMax) this.#tail.shift();
  }
}

/** A line that was not cut, or of which nothing is missing: its data can be read. */
function isWhole(line: string): boolean {
  const [data] = dataLines(line);
  return data === '[DONE]' || (data !== undefined && parseJsonObject(data) !== undefined);
}

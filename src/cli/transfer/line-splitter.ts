/**
 * Splits a stream of bytes into lines. Only a line feed ends a line: `node:readline` also splits at
 * U+2028 and others, which are valid inside JSON strings. Working on bytes keeps the lines
 * unchanged and characters whole across chunks. A line longer than the limit throws a `RangeError`,
 * so that a file without line feeds cannot exhaust memory.
 */
export class LineSplitter {
  #parts: Buffer[] = [];
  #bytes = 0;
  readonly #lineBytesMax: number;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** Returns the lines that this chunk completes, without their line feeds. */
  push(chunk: Uint8Array): readonly Buffer[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      this.#add(bytes.subarray(start, end));
      lines.push(this.rest());
      start = end + 1;
    }
    this.#add(bytes.subarray(start));
    return lines;
  }

  /** Returns and forgets what follows the last line feed. */
  rest(): Buffer {
    // Most lines arrive in one chunk and need no copy.
    const [only] = this.#parts;
    const line = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#lineBytesMax) throw new RangeError(`has more than ${this.#lineBytesMax} bytes`);
    this.#parts.push(part);
  }
}

const lineFeed = 0x0a;

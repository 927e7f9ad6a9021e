/**
 * Cuts bytes into lines as they come. Only a line feed ends a line: JSON text may hold every other character that
 * Node's readline takes for an end. Throws when a line has more bytes than it may.
 */
export class LineSplitter {
  #parts: Buffer[] = [];
  #bytes = 0;
  readonly #lineBytesMax: number;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** The lines that this chunk completes, without their line feeds. */
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

  /** What follows the last line feed. */
  rest(): Buffer {
    const [only] = this.#parts;
    const line = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#lineBytesMax)
      throw new RangeError(`more than ${this.#lineBytesMax} bytes in a line`);
    this.#parts.push(part);
  }
}

const lineFeed = 0x0a;

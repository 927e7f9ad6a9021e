import type { NumberedLine } from './export-parser.ts';

export interface BatchLimits {
  readonly bytesMax: number;
  readonly presetsMax: number;
}

/** The lines of one request. */
export interface ImportBatch {
  readonly body: Buffer<ArrayBuffer>;
  /** The presets in it by slug, with the file line of each. */
  readonly presetLines: ReadonlyMap<string, number>;
  /** The file line of each line of the body, to translate the server's errors. */
  readonly lineNumbers: readonly number[];
  /** Its first preset has earlier lines in the previous batch, which must be imported first. */
  readonly isContinuation: boolean;
  /** Its last preset has more lines in the next batch. */
  readonly isContinued: boolean;
}

/**
 * Collects the lines of an export into batches, one per request.
 *
 * `add` returns the batches that a line completes, mostly none; call `flush` after the last line. A
 * batch holds whole presets where possible. Only a preset that exceeds the size limit by itself is
 * split: its preset line is repeated in front of the remaining lines. A single line may exceed
 * the limit, because it cannot be split. It holds at most one batch.
 */
export class ImportBatcher {
  readonly #limits: BatchLimits;
  #lines: NumberedLine[] = [];
  #bytes = 0;
  #presets = 0;
  #isContinuation = false;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  add(line: NumberedLine): readonly ImportBatch[] {
    if (line.content.type === 'preset') {
      const batches = this.#hasRoomFor(line) && this.#presets < this.#limits.presetsMax ? [] : this.flush();
      this.#push(line);
      return batches;
    }
    // The first and last line of the file describe the export; the server does not need them.
    if (line.content.type === 'export' || line.content.type === 'end') return [];
    const batches = this.#hasRoomFor(line) ? [] : [...this.#takeWholePresets(), ...this.#splitPreset(line)];
    this.#push(line);
    return batches;
  }

  /** Returns the lines that no batch contains yet, as one batch or none. */
  flush(): readonly ImportBatch[] {
    const batches = this.#lines.length === 0 ? [] : [this.#toBatch(this.#lines, false)];
    this.#restart([], false);
    return batches;
  }

  /** Moves the presets before the last one, which is still incomplete, into a batch. */
  #takeWholePresets(): readonly ImportBatch[] {
    const start = this.#lines.findLastIndex(({ content }) => content.type === 'preset');
    if (start === 0) return [];
    const batch = this.#toBatch(this.#lines.slice(0, start), false);
    this.#restart(this.#lines.slice(start), false);
    return [batch];
  }

  /**
   * Moves the lines seen so far into a batch, if the preset alone leaves no room for the next
   * one.
   */
  #splitPreset(next: NumberedLine): readonly ImportBatch[] {
    const [preset] = this.#lines;
    if (this.#hasRoomFor(next) || preset === undefined || this.#lines.length === 1) return [];
    const batch = this.#toBatch(this.#lines, true);
    this.#restart([preset], true);
    return [batch];
  }

  #hasRoomFor({ bytes }: NumberedLine): boolean {
    return this.#bytes + bytes.length + 1 <= this.#limits.bytesMax;
  }

  #push(line: NumberedLine): void {
    this.#lines.push(line);
    this.#bytes += line.bytes.length + 1;
    if (line.content.type === 'preset') this.#presets += 1;
  }

  #restart(lines: readonly NumberedLine[], isContinuation: boolean): void {
    this.#lines = [];
    this.#bytes = 0;
    this.#presets = 0;
    this.#isContinuation = isContinuation;
    for (const line of lines) this.#push(line);
  }

  #toBatch(lines: readonly NumberedLine[], isContinued: boolean): ImportBatch {
    return {
      body: Buffer.concat(lines.flatMap(({ bytes }) => [bytes, lineFeed])),
      presetLines: new Map(
        lines.flatMap(({ number, content }) => (content.type === 'preset' ? [[content.slug, number]] : [])),
      ),
      lineNumbers: lines.map(({ number }) => number),
      isContinuation: this.#isContinuation,
      isContinued,
    };
  }
}

const lineFeed = Buffer.from('\n');

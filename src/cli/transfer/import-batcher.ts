import type { NumberedLine } from './export-parser.ts';

export interface BatchLimits {
  readonly bytesMax: number;
  readonly presetsMax: number;
}

/** Lines that go to the server in one request. */
export interface ImportBatch {
  readonly body: Buffer<ArrayBuffer>;
  /** The presets in it, and the line of each. */
  readonly presetLines: ReadonlyMap<string, number>;
  /** Where each line of the body stands in the file. */
  readonly lineNumbers: readonly number[];
  /** Its first preset has earlier versions in the group before, which has to be done first. */
  readonly isContinuation: boolean;
  /** Its last preset has more versions in the group that follows. */
  readonly isContinued: boolean;
}

/**
 * Puts whole presets together up to the limits. Only a preset that is too large by itself is divided: its line is
 * repeated in front of its further versions. A single line may be larger than a group should be.
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

  /** The groups that are complete now that this line has come. */
  add(line: NumberedLine): readonly ImportBatch[] {
    if (line.content.type === 'preset') {
      const groups = this.#hasRoomFor(line) && this.#presets < this.#limits.presetsMax ? [] : this.flush();
      this.#push(line);
      return groups;
    }
    if (line.content.type !== 'version') return [];
    const groups = this.#hasRoomFor(line) ? [] : [...this.#sendWholePresets(), ...this.#divide(line)];
    this.#push(line);
    return groups;
  }

  /** What has not been given out yet. */
  flush(): readonly ImportBatch[] {
    const groups = this.#lines.length === 0 ? [] : [this.#group(this.#lines, false)];
    this.#restart([], false);
    return groups;
  }

  /** Gives out the presets before the last, which is not complete and begins the next group. */
  #sendWholePresets(): readonly ImportBatch[] {
    const start = this.#lines.findLastIndex(({ content }) => content.type === 'preset');
    if (start === 0) return [];
    const group = this.#group(this.#lines.slice(0, start), false);
    this.#restart(this.#lines.slice(start), false);
    return [group];
  }

  /** Gives out the first versions of a preset that fills a group alone. */
  #divide(next: NumberedLine): readonly ImportBatch[] {
    const [preset] = this.#lines;
    if (this.#hasRoomFor(next) || preset === undefined || this.#lines.length === 1) return [];
    const group = this.#group(this.#lines, true);
    this.#restart([preset], true);
    return [group];
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

  #group(lines: readonly NumberedLine[], isContinued: boolean): ImportBatch {
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

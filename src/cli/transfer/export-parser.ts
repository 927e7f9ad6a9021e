import { oneLine } from '../../client/printable.ts';
import { CommandError } from '../command-error.ts';
import { type ExportLine, parseExportLine } from './export-line.ts';
import { LineSplitter } from './line-splitter.ts';

/** A version holds at most a megabyte or two, and JSON may need six bytes to write one. */
const lineBytesMax = 32 * 1024 ** 2;

export interface NumberedLine {
  readonly number: number;
  readonly bytes: Buffer;
  readonly content: ExportLine;
}

/**
 * Reads an export as its bytes come and refuses what cannot be whole: every preset has to have as many versions as it
 * says, and the last line has to be there and to have counted the same. Messages say which line is meant.
 */
export class ExportParser {
  presets = 0;
  versions = 0;
  readonly #name: string;
  readonly #splitter = new LineSplitter(lineBytesMax);
  #line = 0;
  #isEmpty = true;
  #preset: { readonly slug: string; readonly versions: number; missing: number } | undefined;
  #isEnded = false;

  /** What is read is called by this name in messages. */
  constructor(name: string) {
    this.#name = name;
  }

  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): readonly NumberedLine[] {
    return this.#split(chunk).flatMap((bytes) => this.#accept(this.#unmarked(bytes)));
  }

  /** After the last chunk: a last line that lacks its line feed. */
  finish(): readonly NumberedLine[] {
    const rest = this.#unmarked(this.#splitter.rest());
    const lines = rest.length > 0 && isWhole(rest) ? this.#accept(rest) : [];
    if (this.#isEnded) return lines;
    if (this.#isEmpty && rest.toString('utf8').trim() === '')
      throw new CommandError(`${this.#name} is empty: even an export without presets has two lines.`);
    throw new CommandError(
      `${this.#name} is cut off after line ${this.#line}: an export ends with a line of the type "end".`,
    );
  }

  #split(chunk: Uint8Array): readonly Buffer[] {
    try {
      return this.#splitter.push(chunk);
    } catch (error) {
      if (error instanceof RangeError) throw this.#problem(`has ${error.message}`, this.#line + 1);
      throw error;
    }
  }

  /** A byte order mark may stand in front of the first line, and is not part of it. */
  #unmarked(bytes: Buffer): Buffer {
    const isMarked = this.#line === 0 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    return isMarked ? bytes.subarray(byteOrderMark.length) : bytes;
  }

  #accept(bytes: Buffer): readonly NumberedLine[] {
    this.#line += 1;
    if (bytes.length === 0) return [];
    this.#isEmpty = false;
    const content = this.#parse(bytes);
    if (this.#isEnded) throw this.#problem('follows the end of the export');
    if (content.type !== 'version') this.#endPreset();
    switch (content.type) {
      case 'export':
        if (this.#line !== 1) throw this.#problem('begins another export inside of this one');
        if (content.format !== 1)
          throw this.#problem(`says format ${content.format}, which only a newer presetd can read`);
        break;
      case 'preset':
        this.presets += 1;
        this.#preset = { ...content, missing: content.versions };
        break;
      case 'version':
        this.#addVersion(content);
        break;
      case 'end':
        this.#assertCounts(content);
        this.#isEnded = true;
    }
    return [{ number: this.#line, bytes, content }];
  }

  #parse(bytes: Buffer): ExportLine {
    try {
      return parseExportLine(bytes);
    } catch (error) {
      throw this.#problem(error instanceof Error ? error.message : String(error));
    }
  }

  #addVersion({ slug, version }: ExportLine & { type: 'version' }): void {
    if (this.#preset?.slug !== slug) throw this.#problem(`does not follow its preset "${slug}"`);
    const expected = this.#preset.versions - this.#preset.missing + 1;
    if (version !== expected) throw this.#problem(`must be version ${expected} of "${slug}"`);
    this.#preset.missing -= 1;
    this.versions += 1;
  }

  #endPreset(): void {
    if (this.#preset === undefined || this.#preset.missing === 0) return;
    const { slug, versions, missing } = this.#preset;
    throw this.#problem(
      `comes too early: "${slug}" has ${versions} versions and ${missing} of them are missing`,
    );
  }

  #assertCounts({ presets, versions }: ExportLine & { type: 'end' }): void {
    if (presets === this.presets && versions === this.versions) return;
    throw this.#problem(
      `has counted ${presets} presets and ${versions} versions, and there are ${this.presets} and ${this.versions}`,
    );
  }

  #problem(message: string, line = this.#line): CommandError {
    return new CommandError(`${this.#name} cannot be used: line ${line} ${oneLine(message)}.`);
  }
}

const byteOrderMark = Buffer.from('\uFEFF');

/** What is left of a line that was cut off is not JSON. */
function isWhole(rest: Buffer): boolean {
  try {
    JSON.parse(rest.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

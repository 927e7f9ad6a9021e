import { oneLine } from '../../client/printable.ts';
import { CommandError } from '../command-error.ts';
import { type ExportLine, parseExportLine } from './export-line.ts';
import { LineSplitter } from './line-splitter.ts';

/** A version holds at most a megabyte or two, and JSON may need six bytes to write one. */
const lineBytesMax = 32 * 1024 ** 2;

export interface NumberedLine {
  /** Line number in the file, from 1. */
  readonly number: number;
  /** The line without its line feed, to be passed on unchanged. */
  readonly bytes: Buffer;
  readonly content: ExportLine;
}

/**
 * Parses an export while it streams in, and rejects one that is incomplete.
 *
 * `export` runs one over the response and `import` over the file: feed it with `push`, then call
 * `finish` exactly once. It checks that every preset is followed by all of its versions in order,
 * and that the "end" line is present and its counts are right, so a truncated file is never taken
 * for a whole one. Problems are thrown as a `CommandError` that names the line; after that the
 * parser is unusable. It holds at most one line, so the size of an export does not matter.
 */
export class ExportParser {
  /** Presets and versions seen so far. */
  presets = 0;
  versions = 0;
  readonly #name: string;
  readonly #splitter = new LineSplitter(lineBytesMax);
  #line = 0;
  #isEmpty = true;
  /** The current preset, and how many of its versions have not been seen yet. */
  #preset: { readonly slug: string; readonly versions: number; missing: number } | undefined;
  #isEnded = false;

  /** `name` is what error messages call the source, at the beginning of a sentence. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Returns the lines that this chunk completes. */
  push(chunk: Uint8Array): readonly NumberedLine[] {
    return this.#split(chunk).flatMap((bytes) => this.#accept(this.#withoutMark(bytes)));
  }

  /** Call after the last chunk. Returns the last line if it has no line feed. */
  finish(): readonly NumberedLine[] {
    const rest = this.#withoutMark(this.#splitter.rest());
    const lines = rest.length > 0 && isJson(rest) ? this.#accept(rest) : [];
    if (this.#isEnded) return lines;
    if (this.#isEmpty && rest.toString('utf8').trim() === '')
      throw new CommandError(`${this.#name} is empty: even an export without presets has two lines.`);
    throw new CommandError(
      `${this.#name} is truncated after line ${this.#line}: an export ends with a line of type "end".`,
    );
  }

  #split(chunk: Uint8Array): readonly Buffer[] {
    try {
      return this.#splitter.push(chunk);
    } catch (error) {
      if (error instanceof RangeError) throw this.#problem(error.message, this.#line + 1);
      throw error;
    }
  }

  /** Some editors put a byte order mark in front of the first line. */
  #withoutMark(bytes: Buffer): Buffer {
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
        if (this.#line !== 1) throw this.#problem('begins another export');
        if (content.format !== 1)
          throw this.#problem(`has format ${content.format}, which requires a newer presetd`);
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
    throw this.#problem(`comes too early: "${slug}" lacks ${missing} of ${versions} versions`);
  }

  #assertCounts({ presets, versions }: ExportLine & { type: 'end' }): void {
    if (presets === this.presets && versions === this.versions) return;
    throw this.#problem(
      `counts ${presets} presets and ${versions} versions, but the file has ${this.presets} and ${this.versions}`,
    );
  }

  /** `message` continues a sentence that begins with the line number. */
  #problem(message: string, line = this.#line): CommandError {
    return new CommandError(`${this.#name} is not a valid export: line ${line} ${oneLine(message)}.`);
  }
}

const byteOrderMark = Buffer.from('\uFEFF');

/** A line that was cut off is not valid JSON: an object needs its closing brace. */
function isJson(rest: Buffer): boolean {
  try {
    JSON.parse(rest.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

import { oneLine } from '../../core/text/printable.ts';
import { CommandError } from '../command-error.ts';
import { pluralize } from '../ui/text.ts';

/** A version holds at most a megabyte or two, and JSON may need six bytes to write one. */
const lineBytesMax = 32 * 1024 ** 2;

/**
 * One line of an export (NDJSON). Only the fields that the command line needs are declared; the
 * rest is passed on as bytes, so that a newer server can add fields.
 */
type ExportLine =
  | { readonly type: 'export'; readonly format: number; readonly presets: number }
  | {
      readonly type: 'preset';
      readonly slug: string;
      readonly versions: number;
      readonly cases?: readonly string[];
    }
  | { readonly type: 'version'; readonly slug: string; readonly version: number }
  | { readonly type: 'case'; readonly slug: string; readonly name: string }
  | { readonly type: 'draft'; readonly slug: string }
  | { readonly type: 'end'; readonly presets: number; readonly versions: number };

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
 * `finish` exactly once. It checks that every preset is followed by all of its versions and then by
 * all of its test cases, each in order, and that the "end" line is present and its counts are
 * right, so a truncated file is never taken for a whole one. Problems are thrown as a
 * `CommandError` that names the line; after that the parser is unusable. It holds at most one line,
 * so the size of an export does not matter.
 */
export class ExportParser {
  /** Presets and versions seen so far. */
  presets = 0;
  versions = 0;
  readonly #name: string;
  readonly #splitter = new LineSplitter(lineBytesMax);
  #line = 0;
  #isEmpty = true;
  /** The current preset, and how many of its versions and cases have been seen. */
  #preset: CurrentPreset | undefined;
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
      throw new CommandError(
        `${this.#name} is empty. An export has at least two lines, even without presets.`,
      );
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
    if (content.type !== 'version') this.#assertAllVersions();
    if (content.type !== 'version' && content.type !== 'case') this.#assertAllCases();
    switch (content.type) {
      case 'export':
        if (this.#line !== 1) throw this.#problem('begins another export');
        if (content.format !== 1)
          throw this.#problem(`has format ${content.format}, which requires a newer presetd`);
        break;
      case 'preset':
        this.presets += 1;
        this.#preset = { ...content, cases: content.cases ?? [], seenVersions: 0, seenCases: 0 };
        break;
      case 'version':
        this.#addVersion(content);
        break;
      case 'case':
        this.#addCase(content);
        break;
      case 'draft':
        this.#presetOf(content);
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

  #presetOf({ slug }: { readonly slug: string }): CurrentPreset {
    if (this.#preset?.slug === slug) return this.#preset;
    throw this.#problem(`does not follow its preset "${slug}"`);
  }

  #addVersion(line: ExportLine & { type: 'version' }): void {
    const preset = this.#presetOf(line);
    const expected = preset.seenVersions + 1;
    if (line.version !== expected) throw this.#problem(`must be version ${expected} of "${line.slug}"`);
    preset.seenVersions += 1;
    this.versions += 1;
  }

  #addCase(line: ExportLine & { type: 'case' }): void {
    const preset = this.#presetOf(line);
    const expected = preset.cases[preset.seenCases];
    if (expected === undefined)
      throw this.#problem(`is a test case that the line of "${line.slug}" does not name`);
    if (line.name !== expected) throw this.#problem(`must be the test case "${expected}" of "${line.slug}"`);
    preset.seenCases += 1;
  }

  #assertAllVersions(): void {
    if (this.#preset === undefined) return;
    const { slug, versions, seenVersions } = this.#preset;
    if (seenVersions === versions) return;
    throw this.#problem(
      `comes too early: "${slug}" lacks ${versions - seenVersions} of ${versions} versions`,
    );
  }

  #assertAllCases(): void {
    if (this.#preset === undefined) return;
    const { slug, cases, seenCases } = this.#preset;
    const missing = cases.length - seenCases;
    if (missing === 0) return;
    throw this.#problem(
      `comes too early: "${slug}" lacks ${missing} of ${pluralize(cases.length, 'test case')}`,
    );
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

interface CurrentPreset {
  readonly slug: string;
  readonly versions: number;
  readonly cases: readonly string[];
  seenVersions: number;
  seenCases: number;
}

/** Throws an `Error` whose message continues a sentence that begins with "line 3". */
function parseExportLine(bytes: Buffer): ExportLine {
  const value = parseJson(bytes);
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  // The type comes from a file: "constructor" must not find an inherited property.
  const fields = Object.hasOwn(requiredFields, String(type)) ? requiredFields[String(type)] : undefined;
  if (fields === undefined) throw new Error('is not an export record');
  for (const [name, kind] of Object.entries(fields)) {
    const field: unknown = Reflect.get(Object(value), name);
    if (typeof field !== kind) throw new Error(`must have a ${kind} "${name}"`);
  }
  const { cases = [] }: { cases?: unknown } = Object(value);
  const isList = Array.isArray(cases) && cases.every((name) => typeof name === 'string');
  if (type === 'preset' && !isList) throw new Error('must have a list of strings "cases"');
  return value as ExportLine;
}

const requiredFields: Readonly<Record<string, Readonly<Record<string, 'number' | 'string'>>>> = {
  export: { format: 'number', presets: 'number' },
  preset: { slug: 'string', versions: 'number' },
  version: { slug: 'string', version: 'number' },
  case: { slug: 'string', name: 'string' },
  draft: { slug: 'string' },
  end: { presets: 'number', versions: 'number' },
};

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Error('is not JSON');
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

  /** Removes and returns the text after the last line feed. */
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

export interface CsvRow {
  /** Where it begins in the file, counted from 1. */
  readonly line: number;
  /** Where it ends: further down when a value in quotation marks has line breaks. */
  readonly lastLine: number;
  /** Without the space around them. */
  readonly values: readonly string[];
}

/** A quotation mark that is never closed would make one row of all that follows. */
const rowCharactersMax = 1024 ** 2;

/**
 * Makes rows of text as it comes (RFC 4180). It never refuses what can be read in some way: a quotation mark inside of a
 * value stands for itself, rows may have any number of values, and lines may end in all three ways.
 */
export class CsvParser {
  readonly #delimiter: string;
  readonly #endOfRun: RegExp;
  #text = '';
  #values: string[] = [];
  #value = '';
  #rowCharacters = 0;
  #isQuoted = false;
  /** The space after a mark that closes the value, unless something else follows. */
  #spaceAfterMark: string | undefined;
  #wasQuoted = false;
  #line = 1;
  #rowLine = 1;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#endOfRun = new RegExp(`["\r\n${delimiter}]`, 'g');
  }

  /** Where the row begins that is not at its end yet. */
  get rowLine(): number {
    return this.#rowLine;
  }

  get isInQuotes(): boolean {
    return this.#isQuoted;
  }

  get isRowTooLong(): boolean {
    return this.#rowCharacters > rowCharactersMax;
  }

  /** The rows that end in this text, which follows what was given before. */
  push(text: string, isLast = false): readonly CsvRow[] {
    const all = this.#text + text;
    const rows: CsvRow[] = [];
    let at = 0;
    while (at < all.length && !this.isRowTooLong) {
      at = this.#readRun(all, at);
      const isWhole = isLast || at + 1 < all.length;
      // What a quotation mark and a carriage return are depends on what follows them.
      if (at >= all.length || (!isWhole && /["\r]/.test(all.charAt(at)))) break;
      at = this.#readSign(all, at, rows);
    }
    this.#text = all.slice(at);
    if (isLast && !this.#isQuoted) this.#endRow(rows, this.#line);
    return rows;
  }

  /** Up to the next character that may mean something. */
  #readRun(all: string, from: number): number {
    this.#endOfRun.lastIndex = from;
    const end = this.#endOfRun.exec(all)?.index ?? all.length;
    if (end > from) this.#append(all.slice(from, end));
    return end;
  }

  #readSign(all: string, at: number, rows: CsvRow[]): number {
    const sign = all.charAt(at);
    if (sign === '"') return this.#readMark(all, at);
    const isBreak = sign !== this.#delimiter;
    const end = sign === '\r' && all.charAt(at + 1) === '\n' ? at + 2 : at + 1;
    if (isBreak) this.#line += 1;
    if (this.#isQuoted) this.#append(all.slice(at, end));
    else if (isBreak) this.#endRow(rows, this.#line - 1);
    else this.#endValue();
    return end;
  }

  #readMark(all: string, at: number): number {
    if (!this.#isQuoted) {
      if (this.#value === '' && this.#spaceAfterMark === undefined) this.#isQuoted = true;
      else this.#append('"');
      return at + 1;
    }
    if (all.charAt(at + 1) === '"') {
      this.#append('"');
      return at + 2;
    }
    this.#isQuoted = false;
    this.#wasQuoted = true;
    this.#spaceAfterMark = '';
    return at + 1;
  }

  #append(text: string): void {
    this.#rowCharacters += text.length;
    if (this.#spaceAfterMark !== undefined) this.#appendAfterMark(this.#spaceAfterMark + text);
    else this.#value += this.#isQuoted || this.#value !== '' ? text : text.replace(/^[ \t\f]+/, '');
  }

  #appendAfterMark(text: string): void {
    const isSpace = text.trim() === '';
    this.#spaceAfterMark = isSpace ? text : undefined;
    // A mark that closes nothing was not an opening one either.
    if (!isSpace) this.#value = `"${this.#value}"${text}`;
  }

  #endValue(): void {
    this.#values.push(this.#value.trim());
    this.#value = '';
    this.#spaceAfterMark = undefined;
  }

  #endRow(rows: CsvRow[], lastLine: number): void {
    if (this.#wasQuoted || this.#value !== '' || this.#values.length > 0) {
      this.#endValue();
      rows.push({ line: this.#rowLine, lastLine, values: this.#values });
    }
    this.#values = [];
    this.#wasQuoted = false;
    this.#rowCharacters = 0;
    this.#rowLine = this.#line;
  }
}

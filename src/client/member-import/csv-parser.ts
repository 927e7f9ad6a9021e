export interface CsvRow {
  /** Where it begins in the file, from 1. */
  readonly line: number;
  /** Where it ends: later than `line` if a quoted value contains line breaks. */
  readonly lastLine: number;
  /** Without surrounding white space. */
  readonly values: readonly string[];
}

/** Bounds memory: an unclosed quotation mark would make one row of the rest of the file. */
const rowCharactersMax = 1024 ** 2;

/**
 * An incremental CSV parser (RFC 4180) that runs in Node.js and in browsers.
 *
 * Feed it text with `push`, which returns the rows that are complete; the last call passes
 * `isLast`. It is lenient like spreadsheets are: a quotation mark inside an unquoted value is
 * literal, rows may have any number of values, and lines may end with LF, CRLF or CR. It never
 * throws. The caller checks `isRowTooLong` after each `push` and `isInQuotes` at the end, and
 * reports `rowLine`.
 */
export class CsvParser {
  readonly #delimiter: string;
  /** The next character that is not plain text. */
  readonly #special: RegExp;
  /** Text that cannot be interpreted before more arrives. */
  #pending = '';
  #values: string[] = [];
  #value = '';
  #rowCharacters = 0;
  #isInQuotes = false;
  /**
   * White space after a closing quotation mark, undefined outside of that position. It is dropped
   * at the end of the value, and restored if more text follows: then the quotes were literal.
   */
  #spaceAfterQuote: string | undefined;
  /** Whether the row has a quoted value. A row of one empty quoted value is still a row. */
  #wasQuoted = false;
  #line = 1;
  #rowLine = 1;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#special = new RegExp(`["\r\n${delimiter}]`, 'g');
  }

  /** The line on which the current, incomplete row begins. */
  get rowLine(): number {
    return this.#rowLine;
  }

  get isInQuotes(): boolean {
    return this.#isInQuotes;
  }

  get isRowTooLong(): boolean {
    return this.#rowCharacters > rowCharactersMax;
  }

  /** Returns the rows that this text completes. */
  push(text: string, isLast = false): readonly CsvRow[] {
    const all = this.#pending + text;
    const rows: CsvRow[] = [];
    let at = 0;
    while (at < all.length && !this.isRowTooLong) {
      at = this.#readText(all, at);
      const isWhole = isLast || at + 1 < all.length;
      // The meaning of a quotation mark or a carriage return depends on the next character.
      if (at >= all.length || (!isWhole && /["\r]/.test(all.charAt(at)))) break;
      at = this.#readSpecial(all, at, rows);
    }
    this.#pending = all.slice(at);
    if (isLast && !this.#isInQuotes) this.#endRow(rows, this.#line);
    return rows;
  }

  /** Consumes plain text up to the next special character. */
  #readText(all: string, from: number): number {
    this.#special.lastIndex = from;
    const end = this.#special.exec(all)?.index ?? all.length;
    if (end > from) this.#append(all.slice(from, end));
    return end;
  }

  #readSpecial(all: string, at: number, rows: CsvRow[]): number {
    const special = all.charAt(at);
    if (special === '"') return this.#readQuote(all, at);
    const isBreak = special !== this.#delimiter;
    const end = special === '\r' && all.charAt(at + 1) === '\n' ? at + 2 : at + 1;
    if (isBreak) this.#line += 1;
    if (this.#isInQuotes) this.#append(all.slice(at, end));
    else if (isBreak) this.#endRow(rows, this.#line - 1);
    else this.#endValue();
    return end;
  }

  #readQuote(all: string, at: number): number {
    if (!this.#isInQuotes) {
      if (this.#value === '' && this.#spaceAfterQuote === undefined) this.#isInQuotes = true;
      else this.#append('"');
      return at + 1;
    }
    if (all.charAt(at + 1) === '"') {
      this.#append('"');
      return at + 2;
    }
    this.#isInQuotes = false;
    this.#wasQuoted = true;
    this.#spaceAfterQuote = '';
    return at + 1;
  }

  #append(text: string): void {
    this.#rowCharacters += text.length;
    if (this.#spaceAfterQuote !== undefined) this.#appendAfterQuote(this.#spaceAfterQuote + text);
    else this.#value += this.#isInQuotes || this.#value !== '' ? text : text.replace(/^[ \t\f]+/, '');
  }

  #appendAfterQuote(text: string): void {
    const isSpace = text.trim() === '';
    this.#spaceAfterQuote = isSpace ? text : undefined;
    // Text follows the closing quote, so both quotes were literal.
    if (!isSpace) this.#value = `"${this.#value}"${text}`;
  }

  #endValue(): void {
    this.#values.push(this.#value.trim());
    this.#value = '';
    this.#spaceAfterQuote = undefined;
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

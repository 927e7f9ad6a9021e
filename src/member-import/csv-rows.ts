export interface CsvRow {
  /** Where it begins in the file, from 1. */
  readonly line: number;
  /** Where it ends: later than `line` if a quoted value contains line breaks. */
  readonly lastLine: number;
  /** Without surrounding white space. */
  readonly values: readonly string[];
}

/**
 * A file cannot be imported at all. The message names the file, says why and is meant for its user.
 */
export class MemberFileError extends Error {
  override readonly name = 'MemberFileError';
}

/**
 * Reads the rows of a CSV file while its bytes stream in. The delimiter is detected from the first
 * line. Blank lines are skipped. Throws a `MemberFileError` if the file cannot be read to its end.
 */
export async function* readCsvRows(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<CsvRow> {
  const texts = decodeUtf8(chunks, name);
  const head = await readHead(texts);
  const parser = new CsvParser(detectDelimiter(head));
  yield* rowsWithContent(parser.push(head));
  for await (const text of texts) {
    yield* rowsWithContent(parser.push(text));
    if (parser.isRowTooLong)
      throw new MemberFileError(
        `${name} has a row of more than 1 MiB on line ${parser.rowLine}. A quotation mark may not be closed there.`,
      );
  }
  yield* rowsWithContent(parser.push('', true));
  if (parser.isInQuotes)
    throw new MemberFileError(`${name} has a quotation mark on line ${parser.rowLine} that is not closed.`);
}

function rowsWithContent(rows: readonly CsvRow[]): readonly CsvRow[] {
  return rows.filter(({ values }) => values.some((value) => value !== ''));
}

/**
 * Decodes a stream of UTF-8 and drops a byte order mark. Throws a `MemberFileError` at the first
 * invalid byte, which names the line and suggests a conversion. `name` is what the message calls
 * the file.
 */
async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 1;
  let isFirst = true;
  for await (const chunk of chunks) {
    const text = decodeOrExplain(() => decoder.decode(chunk, { stream: true }), chunk, name, line);
    line += countLineFeeds(text);
    // The mark may be spread over several chunks, so it is removed from the text, not from the
    // bytes.
    const start = isFirst && text.startsWith('\uFEFF') ? 1 : 0;
    if (text !== '') isFirst = false;
    if (text.length > start) yield text.slice(start);
  }
  // Fails if the file ends in the middle of a character.
  decodeOrExplain(() => decoder.decode(), new Uint8Array(), name, line);
}

function decodeOrExplain(decode: () => string, chunk: Uint8Array, name: string, line: number): string {
  try {
    return decode();
  } catch (error) {
    const [before = ''] = new TextDecoder().decode(chunk).split('\uFFFD');
    throw new MemberFileError(
      `${name} is not valid UTF-8 (line ${line + countLineFeeds(before)}). Save it as "CSV UTF-8" in your spreadsheet, or convert it with "iconv -f ${guessEncoding(chunk)} -t utf-8".`,
      { cause: error },
    );
  }
}

/**
 * UTF-16 starts with a mark of its own. Anything else is most likely what Excel writes by default.
 */
function guessEncoding([first, second]: Uint8Array): string {
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark ? 'utf-16' : 'windows-1252';
}

function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/**
 * Returns the text up to the end of the first line that is not blank, plus whatever arrived with
 * it.
 */
async function readHead(texts: AsyncGenerator<string>): Promise<string> {
  let head = '';
  let isInLine = false;
  while (head.length < headerCharactersMax) {
    const { done, value } = await texts.next();
    if (done) break;
    head += value;
    // Search only the new text: searching all of it again for each chunk would take quadratic time.
    const ofLine: string = isInLine ? value : value.trimStart();
    if (/[\r\n]/.test(ofLine)) break;
    isInLine ||= ofLine !== '';
  }
  return head;
}

/** Stop looking for the end of the header after this; no real header is longer. */
const headerCharactersMax = 64 * 1024;

/**
 * The most frequent of comma, semicolon and tab in the first line. Spreadsheets write semicolons
 * where the comma is the decimal separator, and copying cells yields tabs.
 */
function detectDelimiter(head: string): string {
  const [line = ''] = head.trimStart().split(/[\r\n]/, 1);
  const unquoted = line.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((delimiter) => [delimiter, unquoted.split(delimiter).length] as const);
  return counts.reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

/**
 * An incremental CSV parser (RFC 4180) that runs in Node.js and in browsers. csv-parse does not
 * serve both: it streams in a browser only with a polyfill of Node.js streams, a bundle of
 * 200 kB, and it cannot read files that have both white space after a closing quote and literal
 * quotes. The tests compare the two on everything else.
 *
 * Feed it text with `push`, which returns the rows that are complete; the last call passes
 * `isLast`. It is lenient like spreadsheets are: a quotation mark inside an unquoted value is
 * literal, rows may have any number of values, and lines may end with LF, CRLF or CR. It never
 * throws. The caller checks `isRowTooLong` after each `push` and `isInQuotes` at the end, and
 * reports `rowLine`.
 */
class CsvParser {
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
   * White space after a closing quotation mark, undefined outside that position. It is dropped
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

/** Bounds memory: an unclosed quotation mark would make one row of the rest of the file. */
const rowCharactersMax = 1024 ** 2;

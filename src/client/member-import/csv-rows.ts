import { CsvParser, type CsvRow } from './csv-parser.ts';
import { decodeUtf8 } from './decode-utf8.ts';
import { MemberFileError } from './member-file-error.ts';

/** Stop looking for the end of the header after this; no real header is longer. */
const headerCharactersMax = 64 * 1024;

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

import { CsvParser, type CsvRow } from './csv-parser.ts';
import { decodeUtf8 } from './decode-utf8.ts';
import { MemberFileError } from './member-file-error.ts';

const headerCharactersMax = 64 * 1024;

/** Reads the rows of a CSV file as its bytes come; lines without anything in them are skipped. */
export async function* readCsvRows(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<CsvRow> {
  const texts = decodeUtf8(chunks, name);
  const head = await readHead(texts);
  const parser = new CsvParser(delimiterOf(head));
  yield* rowsWithContent(parser.push(head));
  for await (const text of texts) {
    yield* rowsWithContent(parser.push(text));
    if (parser.isRowTooLong) throw unreadable(parser, name, 'it has more than 1 MiB; perhaps a');
  }
  yield* rowsWithContent(parser.push('', true));
  if (parser.isInQuotes) throw unreadable(parser, name, 'a');
}

function rowsWithContent(rows: readonly CsvRow[]): readonly CsvRow[] {
  return rows.filter(({ values }) => values.some((value) => value !== ''));
}

function unreadable({ rowLine }: CsvParser, name: string, problem: string): MemberFileError {
  return new MemberFileError(
    `${name} cannot be read from line ${rowLine} on: ${problem} quotation mark is opened there and not closed.`,
  );
}

/** The text up to the end of the first line that has something in it, and what came with it. */
async function readHead(texts: AsyncGenerator<string>): Promise<string> {
  let head = '';
  let isInLine = false;
  while (head.length < headerCharactersMax) {
    const { done, value } = await texts.next();
    if (done) break;
    head += value;
    // Only what is new is searched, and from where the line begins: a long one would else be read again at each letter.
    const ofLine: string = isInLine ? value : value.trimStart();
    if (/[\r\n]/.test(ofLine)) break;
    isInLine ||= ofLine !== '';
  }
  return head;
}

/** Spreadsheets separate values by a semicolon where numbers have a comma in them; from a table, tabs are copied. */
function delimiterOf(head: string): string {
  const [line = ''] = head.trimStart().split(/[\r\n]/, 1);
  const unquoted = line.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((sign) => [sign, unquoted.split(sign).length] as const);
  return counts.reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, type Info, parse } from 'csv-parse';
import { CommandError } from '../command-error.ts';
import { oneLine } from '../printable.ts';
import { utf8Text } from './utf8-text.ts';

export interface CsvRow {
  /** Where it begins in the file, counted from 1. */
  readonly line: number;
  /** Where it ends: further down when a value in quotation marks has line breaks. */
  readonly lastLine: number;
  /** Without the space around them. */
  readonly values: readonly string[];
}

const headerBytesMax = 64 * 1024;
/** A quotation mark that is never closed would make one row of all that follows. */
const rowBytesMax = 1024 ** 2;

/** Reads the rows of a CSV file (RFC 4180) as its bytes come; lines without anything in them are skipped. */
export async function* readCsvRows(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<CsvRow> {
  const { head, rest } = await readHead(utf8Text(chunks, name));
  const lines = new LineCount();
  const placed: CsvRow[] = [];
  const parser = parse({
    delimiter: delimiterOf(head),
    record_delimiter: ['\r\n', '\n', '\r'],
    // A row gets its place as it is parsed: an error throws those away that are not read yet, and they count.
    on_record(record, info) {
      placed.push(lines.place(record, info));
      return record;
    },
    ltrim: true,
    // A mark that is not doubled inside of a value stands for itself, and how many values there are is checked later.
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: rowBytesMax,
  });
  // What fails is thrown where the parser is read.
  pipeline(Readable.from(joined(head, rest)), parser).catch(() => undefined);
  try {
    for await (const _ of parser) {
      const row = placed.shift();
      if (row?.values.some((value) => value !== '')) yield row;
    }
  } catch (error) {
    throw error instanceof CsvError ? csvProblem(error, name, lines.next(parser.info)) : error;
  }
}

/** The parser counts the two characters that end a line in a quoted value as two lines, so lines are counted here. */
class LineCount {
  #lines = 0;

  place(record: readonly string[], info: Info): CsvRow {
    const line = this.next(info);
    const breaks = record.reduce((sum, value) => sum + (value.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    this.#lines += 1 + breaks;
    return { line, lastLine: line + breaks, values: record.map((value) => value.trim()) };
  }

  /** The line in which the next row begins. */
  next({ empty_lines }: Info): number {
    return this.#lines + empty_lines + 1;
  }
}

function csvProblem(error: CsvError, name: string, line: number): CommandError {
  const problem = problems[error.code] ?? oneLine(error.message);
  return new CommandError(`${name} cannot be read from line ${line} on: ${problem}.`, { cause: error });
}

const problems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is opened there and not closed',
  CSV_MAX_RECORD_SIZE: 'it has more than 1 MiB; perhaps a quotation mark is opened there and not closed',
};

/** The bytes up to the end of the first line that has something in it. */
async function readHead(
  chunks: AsyncGenerator<Uint8Array>,
): Promise<{ head: Buffer; rest: AsyncGenerator<Uint8Array> }> {
  let head = Buffer.alloc(0);
  while (!/\S[^\r\n]*[\r\n]/.test(head.toString('utf8')) && head.length < headerBytesMax) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return { head, rest: chunks };
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* rest;
}

/** Spreadsheets separate values by a semicolon where numbers have a comma in them; from a table, tabs are copied. */
function delimiterOf(head: Buffer): string {
  const [line = ''] = head
    .toString('utf8')
    .trimStart()
    .split(/[\r\n]/, 1);
  const unquoted = line.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((sign) => [sign, unquoted.split(sign).length] as const);
  return counts.reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

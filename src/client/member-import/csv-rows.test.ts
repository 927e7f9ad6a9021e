import { CsvError, parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { CsvRow } from './csv-parser.ts';
import { readCsvRows } from './csv-rows.ts';

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(content: string | Uint8Array, size = 64 * 1024): Promise<readonly CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const row of readCsvRows(inChunks(Buffer.from(content as string), size), 'people.csv'))
    rows.push(row);
  return rows;
}

/** "line: values", or "first-last: values". */
const shown = (rows: readonly CsvRow[]) =>
  rows.map(
    ({ line, lastLine, values }) => `${line}${lastLine === line ? '' : `-${lastLine}`}: ${values.join('|')}`,
  );

describe('readCsvRows', () => {
  it.each([
    ['plain rows', 'a,b\n1,2\n', ['1: a|b', '2: 1|2']],
    ['a last line without an end', 'a,b\n1,2', ['1: a|b', '2: 1|2']],
    ['CRLF', 'a,b\r\n1,2\r\n', ['1: a|b', '2: 1|2']],
    ['CR', 'a,b\r1,2\r', ['1: a|b', '2: 1|2']],
    ['lines that end in different ways', 'a,b\r\n1,2\n3,4\r\n', ['1: a|b', '2: 1|2', '3: 3|4']],
    ['a byte order mark', '\uFEFFa,b\n1,2\n', ['1: a|b', '2: 1|2']],
    ['blank lines', '\n\r\na,b\n\n  \n1,2\n,\n\n3,4\n\n', ['3: a|b', '6: 1|2', '9: 3|4']],
    ['quotation marks', '"a","b, c"\n"say ""hi""",2\n', ['1: a|b, c', '2: say "hi"|2']],
    ['space around values', ' a , "b" \n 1 ,\u00a02\n', ['1: a|b', '2: 1|2']],
    ['space after marks', '"a, b" ,"" \t,"c" "d" ,"" "e" \r\n"f" ', ['1: a, b||"c" "d"|"" "e"', '2: f']],
    ['line breaks in a value', 'a,b\n"x\ny\n",2\n3,4\n', ['1: a|b', '2-4: x\ny|2', '5: 3|4']],
    ['CRLF in a value', 'a,b\r\n"x\r\n\r\ny",2\r\n\r\n3,4\r\n', ['1: a|b', '2-4: x\r\n\r\ny|2', '6: 3|4']],
    ['rows of other lengths', 'a,b\n1\n1,2,3\n', ['1: a|b', '2: 1', '3: 1|2|3']],
    ['semicolons', 'a;"b,c,d"\n1,5;2\n', ['1: a|b,c,d', '2: 1,5|2']],
    ['tabs', 'a\tb\n1,5\t2\n', ['1: a|b', '2: 1,5|2']],
    ['one column', 'a\n1\n', ['1: a', '2: 1']],
    ['marks that are not doubled', 'a,b\nA "B" C,2\n"A" B,4\n', ['1: a|b', '2: A "B" C|2', '3: "A" B|4']],
    ['nothing', '', []],
    ['space only', ' \n\n', []],
    ['letters of all kinds', 'ä,日本\n🙂,é\n', ['1: ä|日本', '2: 🙂|é']],
  ])('%s', async (_title, content, rows) => {
    expect(shown(await read(content))).toEqual(rows);
    // However the bytes come.
    expect(shown(await read(content, 1))).toEqual(rows);
    expect(shown(await read(content, 2))).toEqual(rows);
  });

  it.each([
    [Buffer.from('a,b\n1,2\nJ\xfcrgen,3\n', 'latin1'), 3],
    [Buffer.from('\uFEFFa,b\n', 'utf16le'), 1],
    [Buffer.from([0x61, 0x0a, 0xe2, 0x82]), 2],
  ])('says which line of %j is not UTF-8, and what to do', async (content, line) => {
    for (const size of [1, 3, 1_000])
      await expect(read(content, size)).rejects.toThrow(
        `people.csv is not UTF-8, first in line ${line}: save it as "CSV UTF-8" in the spreadsheet, or convert it`,
      );
  });

  it.each([
    ['is not closed', 'a,b\r\n"x\r\ny",1\r\n\r\n2,"3\n4,5\n', 'a'],
    [
      'holds more than a row may',
      `a,b\r\n"x\r\ny",1\r\n\r\n2,"${'3\n'.repeat(600_000)}`,
      'it has more than 1 MiB; perhaps a',
    ],
  ])('says where a quotation mark begins that %s', async (_title, content, problem) => {
    await expect(read(content)).rejects.toThrow(
      `people.csv cannot be read from line 5 on: ${problem} quotation mark is opened there and not closed.`,
    );
  });

  it('reads a long line that does not end at once', async () => {
    // Reading the line again at each letter would take half a trillion steps.
    const line = 'a'.repeat(1_000_000);
    expect(shown(await read(line, line.length))).toEqual([`1: ${line}`]);
  });

  it('reads whatever comes as a well-known parser does', async () => {
    const texts = randomTexts(2_000).filter(isReadElsewhere);
    expect(texts.length).toBeGreaterThan(1_900);
    for (const content of texts) {
      const expected = parsedElsewhere(content);
      if (expected === undefined) await expect(read(content)).rejects.toThrow('quotation mark');
      else
        expect(
          (await read(content)).map(({ values }) => values),
          JSON.stringify(content),
        ).toEqual(expected);
    }
  });
});

/** Of signs that mean something, the same ones every time; all have commas in the first line. */
function randomTexts(count: number): readonly string[] {
  const signs = ['"', '""', ',', '\n', '\r\n', '\r', ' ', 'a', 'b c', ';'];
  let state = 7;
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const text = () => Array.from({ length: 1 + next(14) }, () => signs[next(signs.length)]).join('');
  return Array.from({ length: count }, () => `x,y,z,,,,,,,\n${text()}`);
}

/**
 * The other parser allows space after a closing mark either everywhere or nowhere, and then refuses a mark that closes
 * nothing; and where nothing is between two marks, it takes a third one after space for the beginning of the value.
 */
function isReadElsewhere(content: string): boolean {
  const isMixed = !allowsSpaceAfterMarks(content) && /" +([,\r\n]|$)/.test(content);
  return !isMixed && !/"" +"/.test(content);
}

function allowsSpaceAfterMarks(content: string): boolean {
  try {
    parse(content, { ...options, rtrim: true });
    return true;
  } catch (error) {
    return !(error instanceof CsvError && error.code === 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE');
  }
}

const options = {
  record_delimiter: ['\r\n', '\n', '\r'],
  ltrim: true,
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
};

function parsedElsewhere(content: string): readonly (readonly string[])[] | undefined {
  try {
    const rows: string[][] = parse(content, { ...options, rtrim: allowsSpaceAfterMarks(content) });
    const trimmed = rows.map((values) => values.map((value) => value.trim()));
    return trimmed.filter((values) => values.some((value) => value !== ''));
  } catch {
    return undefined;
  }
}

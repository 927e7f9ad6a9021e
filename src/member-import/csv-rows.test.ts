import { CsvError, parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { type CsvRow, readCsvRows } from './csv-rows.ts';

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
const format = (rows: readonly CsvRow[]) =>
  rows.map(
    ({ line, lastLine, values }) => `${line}${lastLine === line ? '' : `-${lastLine}`}: ${values.join('|')}`,
  );

describe('readCsvRows', () => {
  it.each([
    ['plain rows', 'a,b\n1,2\n', ['1: a|b', '2: 1|2']],
    ['no final line break', 'a,b\n1,2', ['1: a|b', '2: 1|2']],
    ['CRLF', 'a,b\r\n1,2\r\n', ['1: a|b', '2: 1|2']],
    ['CR', 'a,b\r1,2\r', ['1: a|b', '2: 1|2']],
    ['mixed line endings', 'a,b\r\n1,2\n3,4\r\n', ['1: a|b', '2: 1|2', '3: 3|4']],
    ['a byte order mark', '\uFEFFa,b\n1,2\n', ['1: a|b', '2: 1|2']],
    ['blank lines', '\n\r\na,b\n\n  \n1,2\n,\n\n3,4\n\n', ['3: a|b', '6: 1|2', '9: 3|4']],
    ['quoted values', '"a","b, c"\n"say ""hi""",2\n', ['1: a|b, c', '2: say "hi"|2']],
    ['white space around values', ' a , "b" \n 1 ,\u00a02\n', ['1: a|b', '2: 1|2']],
    [
      'white space after quotes',
      '"a, b" ,"" \t,"c" "d" ,"" "e" \r\n"f" ',
      ['1: a, b||"c" "d"|"" "e"', '2: f'],
    ],
    ['line breaks in a value', 'a,b\n"x\ny\n",2\n3,4\n', ['1: a|b', '2-4: x\ny|2', '5: 3|4']],
    ['CRLF in a value', 'a,b\r\n"x\r\n\r\ny",2\r\n\r\n3,4\r\n', ['1: a|b', '2-4: x\r\n\r\ny|2', '6: 3|4']],
    ['rows of different lengths', 'a,b\n1\n1,2,3\n', ['1: a|b', '2: 1', '3: 1|2|3']],
    ['semicolons', 'a;"b,c,d"\n1,5;2\n', ['1: a|b,c,d', '2: 1,5|2']],
    ['tabs', 'a\tb\n1,5\t2\n', ['1: a|b', '2: 1,5|2']],
    ['one column', 'a\n1\n', ['1: a', '2: 1']],
    ['quotes inside unquoted values', 'a,b\nA "B" C,2\n"A" B,4\n', ['1: a|b', '2: A "B" C|2', '3: "A" B|4']],
    ['no content', '', []],
    ['white space only', ' \n\n', []],
    ['characters of all kinds', 'ä,日本\n🙂,é\n', ['1: ä|日本', '2: 🙂|é']],
  ])('a CSV file with %s is read in chunks of any size', async (_title, content, rows) => {
    expect(format(await read(content))).toEqual(rows);
    expect(format(await read(content, 1))).toEqual(rows);
    expect(format(await read(content, 2))).toEqual(rows);
  });

  it.each([
    [Buffer.from('a,b\n1,2\nJ\xfcrgen,3\n', 'latin1'), 3],
    [Buffer.from('\uFEFFa,b\n', 'utf16le'), 1],
    [Buffer.from([0x61, 0x0a, 0xe2, 0x82]), 2],
  ])('the line of %j that is not UTF-8 is reported: %i', async (content, line) => {
    for (const size of [1, 3, 1_000])
      await expect(read(content, size)).rejects.toThrow(
        `people.csv is not valid UTF-8 (line ${line}). Save it as "CSV UTF-8" in your spreadsheet, or convert it`,
      );
  });

  it.each([
    [
      'an unclosed quotation mark',
      'a,b\r\n"x\r\ny",1\r\n\r\n2,"3\n4,5\n',
      'a quotation mark on line 5 that is not closed.',
    ],
    [
      'a row over the limit',
      `a,b\r\n"x\r\ny",1\r\n\r\n2,"${'3\n'.repeat(600_000)}`,
      'a row of more than 1 MiB on line 5. A quotation mark may not be closed there.',
    ],
  ])('%s is reported with the line where it begins', async (_title, content, problem) => {
    await expect(read(content)).rejects.toThrow(`people.csv has ${problem}`);
  });

  it('a header of a million characters is read in linear time', async () => {
    // Rescanning the line for each chunk would take quadratic time.
    const line = 'a'.repeat(1_000_000);
    expect(format(await read(line, line.length))).toEqual([`1: ${line}`]);
  });

  it('random CSV is read like csv-parse reads it', async () => {
    const texts = randomTexts(2_000).filter(isComparable);
    expect(texts.length).toBeGreaterThan(1_900);
    for (const content of texts) {
      const expected = parseWithReference(content);
      if (expected === undefined) await expect(read(content)).rejects.toThrow('quotation mark');
      else
        expect(
          (await read(content)).map(({ values }) => values),
          JSON.stringify(content),
        ).toEqual(expected);
    }
  });
});

/**
 * Random texts of special characters, the same on every run. The first line fixes the delimiter.
 */
function randomTexts(count: number): readonly string[] {
  const tokens = ['"', '""', ',', '\n', '\r\n', '\r', ' ', 'a', 'b c', ';'];
  let state = 7;
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const text = () => Array.from({ length: 1 + next(14) }, () => tokens[next(tokens.length)]).join('');
  return Array.from({ length: count }, () => `x,y,z,,,,,,,\n${text()}`);
}

/**
 * Excludes texts that csv-parse reads differently: it allows white space after a closing quote
 * either everywhere or nowhere, in which case it rejects a literal quote. After an empty quoted
 * value and a space, it takes the next quote for the start of the value.
 */
function isComparable(content: string): boolean {
  const isMixed = !allowsSpaceAfterQuotes(content) && /" +([,\r\n]|$)/.test(content);
  return !isMixed && !/"" +"/.test(content);
}

function allowsSpaceAfterQuotes(content: string): boolean {
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

function parseWithReference(content: string): readonly (readonly string[])[] | undefined {
  try {
    const rows: string[][] = parse(content, { ...options, rtrim: allowsSpaceAfterQuotes(content) });
    const trimmed = rows.map((values) => values.map((value) => value.trim()));
    return trimmed.filter((values) => values.some((value) => value !== ''));
  } catch {
    return undefined;
  }
}

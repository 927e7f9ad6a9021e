import { MemberFileError } from './member-file-error.ts';

/** The text of bytes without a byte order mark, and an error at the first line that is not UTF-8. */
export async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 1;
  let isFirst = true;
  for await (const chunk of chunks) {
    const text = decoded(() => decoder.decode(chunk, { stream: true }), chunk, name, line);
    line += lineFeedsOf(text);
    // The mark is decoded once it is whole, which a chunk need not bring alone; it is given out as a letter of no width.
    const start = isFirst && text.startsWith('\uFEFF') ? 1 : 0;
    if (text !== '') isFirst = false;
    if (text.length > start) yield text.slice(start);
  }
  decoded(() => decoder.decode(), new Uint8Array(), name, line);
}

function decoded(decode: () => string, chunk: Uint8Array, name: string, line: number): string {
  try {
    return decode();
  } catch (error) {
    const [before = ''] = new TextDecoder().decode(chunk).split('\uFFFD');
    throw new MemberFileError(
      `${name} is not UTF-8, first in line ${line + lineFeedsOf(before)}: save it as "CSV UTF-8" in the spreadsheet, or convert it ("iconv -f ${encodingOf(chunk)} -t utf-8").`,
      { cause: error },
    );
  }
}

/** What it may be instead: a mark of two bytes tells, else it is what spreadsheets write. */
function encodingOf([first, second]: Uint8Array): string {
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark ? 'utf-16' : 'windows-1252';
}

function lineFeedsOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

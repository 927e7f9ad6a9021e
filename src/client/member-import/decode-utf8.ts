import { MemberFileError } from './member-file-error.ts';

/**
 * Decodes a stream of UTF-8 and drops a byte order mark. Throws a `MemberFileError` at the first
 * invalid byte, which names the line and suggests a conversion. `name` is what the message calls
 * the file.
 */
export async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
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

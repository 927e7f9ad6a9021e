/**
 * A reader for server-sent events. `EventSource` cannot be used here: it sends no headers and no
 * body.
 */

/** The three line endings that the specification allows. */
const lineEnd = /\r\n|\n|\r/;

/**
 * Yields the data of each event once it is complete; event names and comments are dropped. Returns
 * "too long" when the stream exceeds `bytesMax`, and cancels it.
 */
export async function* readSse(
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<string, 'ended' | 'too long'> {
  const decoder = new TextDecoder();
  const parser = createSseParser();
  let bytes = 0;
  // Leaving this loop early, for whatever reason, cancels the stream.
  for await (const chunk of chunksOf(stream)) {
    bytes += chunk.length;
    if (bytes > bytesMax) return 'too long';
    yield* parser.push(decoder.decode(chunk, { stream: true }));
  }
  // Ends the last line; an event is complete only after an empty one, so a cut-off event is lost.
  yield* parser.push('\n');
  return 'ended';
}

/** Some browsers cannot iterate over a ReadableStream. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

interface SseParser {
  /** Accepts the next part of the text, cut anywhere, and returns the data of completed events. */
  push(text: string): readonly string[];
}

/** A parser keeps the unfinished line and event between calls. */
export function createSseParser(): SseParser {
  let rest = '';
  let data: string[] = [];

  function parseLine(line: string): readonly string[] {
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    if (line !== '' || data.length === 0) return [];
    const event = data.join('\n');
    data = [];
    return [event];
  }

  return {
    push(text) {
      const all = rest + text;
      // This may be the first half of \r\n, so wait for the next character.
      const end = all.endsWith('\r') ? all.length - 1 : all.length;
      const lines = all.slice(0, end).split(lineEnd);
      rest = `${lines.pop() ?? ''}${all.slice(end)}`;
      return lines.flatMap(parseLine);
    },
  };
}

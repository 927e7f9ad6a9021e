/** Ends a line in a stream of events, in one of three ways. */
const lineEnd = /\r\n|\n|\r/;

/** The data of every event of a stream, as soon as the event is whole. Names of events and comments are passed over. */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<string, 'ended' | 'too long'> {
  const decoder = new TextDecoder();
  const parser = createEventParser();
  let bytes = 0;
  // Leaving the loop early, for whatever reason, also gives up the stream.
  for await (const chunk of chunksOf(stream)) {
    bytes += chunk.length;
    if (bytes > bytesMax) return 'too long';
    yield* parser.push(decoder.decode(chunk, { stream: true }));
  }
  yield* parser.push('\n');
  return 'ended';
}

/** Not every browser lets a stream itself be iterated. */
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

interface EventParser {
  /** Takes the next piece of the text, wherever it was cut, and gives the data of the events that it completes. */
  push(text: string): readonly string[];
}

export function createEventParser(): EventParser {
  let rest = '';
  let data: string[] = [];

  function take(line: string): readonly string[] {
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    if (line !== '' || data.length === 0) return [];
    const event = data.join('\n');
    data = [];
    return [event];
  }

  return {
    push(text) {
      const all = rest + text;
      // The second half of an end of line may still come.
      const end = all.endsWith('\r') ? all.length - 1 : all.length;
      const lines = all.slice(0, end).split(lineEnd);
      rest = `${lines.pop() ?? ''}${all.slice(end)}`;
      return lines.flatMap(take);
    },
  };
}

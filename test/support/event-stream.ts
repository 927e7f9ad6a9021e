import type { Dialect } from '../../src/core/preset.ts';
import { apiKey } from './server.ts';
import { pathOf } from './wire/recordings.ts';

export interface StreamedEvent {
  /** Undefined where the event has no name of its own. */
  readonly name: string | undefined;
  /** Undefined where it has none: no official stream has such an event. */
  readonly data: string | undefined;
}

export interface ParsedStream {
  readonly events: readonly StreamedEvent[];
  /** What stands after the last event that is complete. */
  readonly rest: string;
}

/** Reads server-sent events. Comments are left out; everything else that ends with an empty line is an event. */
export function parseEvents(text: string): ParsedStream {
  const blocks = text.split(/\r?\n\r?\n/);
  const rest = blocks.pop() ?? '';
  return { events: blocks.map(parseBlock).filter((event) => event !== undefined), rest };
}

function parseBlock(block: string): StreamedEvent | undefined {
  const lines = block.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith(':'));
  if (lines.length === 0) return undefined;
  const valuesOf = (field: string) =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).replace(/^ /, ''));
  const data = valuesOf('data');
  return { name: valuesOf('event').at(-1), data: data.length === 0 ? undefined : data.join('\n') };
}

export interface OpenStream {
  readonly status: number;
  readonly headers: Headers;
  /** Reads on until this has come, and gives back all that came so far. Fails where the stream ends before. */
  until(text: string): Promise<string>;
  /** Reads to the end and gives back everything from the beginning. */
  end(): Promise<string>;
  /** Hangs up. */
  abort(): void;
}

/** Asks for a stream and returns as soon as its headers have come. */
export async function openStream(
  { url }: { readonly url: string },
  dialect: Dialect,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenStream> {
  const aborter = new AbortController();
  const response = await fetch(`${url}/api/v1${pathOf[dialect]}`, {
    method: 'POST',
    body: JSON.stringify({ stream: true, ...body }),
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    signal: aborter.signal,
  });
  if (response.body === null) throw new Error('the answer has no body');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const read = async () => {
    const { done, value } = await reader.read();
    text += value ?? '';
    return !done;
  };
  return {
    status: response.status,
    headers: response.headers,
    async until(wanted) {
      while (!text.includes(wanted))
        if (!(await read())) throw new Error(`the stream ended without ${wanted}: ${text}`);
      return text;
    },
    async end() {
      while (await read());
      return text;
    },
    abort: () => aborter.abort(),
  };
}

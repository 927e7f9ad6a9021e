import type { Dialect } from '../../src/core/presets/preset.ts';
import { apiKey } from './server.ts';
import { pathOf } from './wire/recordings.ts';

/** A server-sent event. */
export interface StreamedEvent {
  /** Undefined for an event without a name. */
  readonly name: string | undefined;
  /** Undefined for an event without data, which no official stream contains. */
  readonly data: string | undefined;
}

export interface ParsedStream {
  readonly events: readonly StreamedEvent[];
  /** The text after the last complete event. */
  readonly rest: string;
}

/**
 * Parses server-sent events. Skips comments; everything else that ends with an empty line is an
 * event.
 */
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

/** Writes the data of each event in lines of its own, as JSON with indentation. */
export function inSeveralLines(stream: string): string {
  return stream.replaceAll(/^data: (\{.*)$/gm, (_, json) =>
    JSON.stringify(JSON.parse(json), null, 2).replaceAll(/^/gm, 'data: '),
  );
}

/** A response that is still being streamed. */
export interface OpenStream {
  readonly status: number;
  readonly headers: Headers;
  /**
   * Reads until this text has arrived and returns everything so far. Rejects if the stream ends
   * before.
   */
  until(text: string): Promise<string>;
  /** Reads to the end and returns everything from the start. */
  end(): Promise<string>;
  /** Disconnects. */
  abort(): void;
}

/**
 * Requests a stream and resolves when the response headers have arrived. With a cookie in the
 * headers, no key is sent.
 */
export async function openStream(
  { url }: { readonly url: string },
  dialect: Dialect,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
  query = '',
): Promise<OpenStream> {
  const aborter = new AbortController();
  const response = await fetch(`${url}/api/v1${pathOf[dialect]}${query}`, {
    method: 'POST',
    body: JSON.stringify({ stream: true, ...asksForUsage(dialect), ...body }),
    headers: {
      ...(headers.cookie === undefined && { authorization: `Bearer ${apiKey}` }),
      'content-type': 'application/json',
      ...headers,
    },
    signal: aborter.signal,
  });
  if (response.body === null) throw new Error('the response has no body');
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
    async until(expected) {
      while (!text.includes(expected))
        if (!(await read())) throw new Error(`the stream ended without ${expected}: ${text}`);
      return text;
    },
    async end() {
      while (await read());
      return text;
    },
    abort: () => aborter.abort(),
  };
}

/** So that a client gets all events of the upstream. Other dialects always report usage. */
function asksForUsage(dialect: Dialect): object {
  return dialect === 'chat-completions' ? { stream_options: { include_usage: true } } : {};
}

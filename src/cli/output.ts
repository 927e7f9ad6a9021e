import { printable } from '../client/printable.ts';
import { colorCodes } from './paint.ts';

/** Whatever a command writes goes through here, so that nothing of it can steer a terminal, whoever it is from. */

/** To standard output. Our own colours pass. */
export function print(text: string): void {
  const ours = colorCodes();
  const parts = text.split(/(\p{Cc}\[\d+m)/u).map((part) => (ours.has(part) ? part : printable(part)));
  process.stdout.write(`${parts.join('')}\n`);
}

/** To standard error: what is not the output that was asked for. */
export function printStderr(text: string): void {
  // biome-ignore lint/suspicious/noConsole: unlike the stream itself, it does not mind that nobody listens any more.
  console.error(printable(text));
}

/** For standard output that is a terminal, piece by piece: JSON that says the same. */
export async function* printableJson(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of bytes) yield printable(decoder.decode(chunk, { stream: true }));
  yield printable(decoder.decode());
}

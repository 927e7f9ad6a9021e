import { styleText } from 'node:util';
import { printable } from '../../core/text/printable.ts';

/**
 * The only way to the terminal for commands, and the colors they use there. Much of what they print
 * comes from a server, from files or from other users, so control characters are escaped here,
 * once, and cannot move the cursor or change colors. Results go to standard output; everything else
 * goes to standard error, so that a pipe receives results only.
 */

/** Prints to standard output. Our own color codes pass unescaped. */
export function print(text: string): void {
  const ownCodes = colorCodes();
  const parts = text.split(/(\p{Cc}\[\d+m)/u).map((part) => (ownCodes.has(part) ? part : printable(part)));
  process.stdout.write(`${parts.join('')}\n`);
}

/**
 * Every escape sequence that `paintForStdout` can emit right now: none if it does not color.
 * `print` lets exactly these through, so a server cannot inject colors of its own.
 */
function colorCodes(): ReadonlySet<string> {
  return new Set(styles.flatMap((style) => paintForStdout(style, ' ').split(' ')));
}

/** Prints a notice, warning, summary or error to standard error. */
export function printStderr(text: string): void {
  // biome-ignore lint/suspicious/noConsole: unlike process.stderr.write, it ignores a closed pipe.
  console.error(printable(text));
}

/**
 * The notice goes to standard error and only the secret to standard output, so that it can be
 * piped.
 */
export function printSecret(secret: string, notice: string): void {
  printStderr(notice);
  print(secret);
}

/**
 * Escapes a stream of JSON for a terminal. The result parses to the same value, because control
 * characters occur only inside strings. Decoding as a stream keeps characters whole across chunks.
 */
export async function* printableJson(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of bytes) yield printable(decoder.decode(chunk, { stream: true }));
  yield printable(decoder.decode());
}

const styles = ['bold', 'dim', 'red', 'green', 'cyan'] as const;

/** Passed to render functions, so that tests can render without colors. */
export type Paint = (style: (typeof styles)[number], text: string) => string;

/**
 * Colors text only if standard output is a terminal that supports it. Node.js also honors NO_COLOR.
 */
export const paintForStdout: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

export const noPaint: Paint = (_style, text) => text;

import { styleText } from 'node:util';

const styles = ['bold', 'dim', 'red', 'green', 'cyan'] as const;

/** Passed to render functions, so that tests can render without colors. */
export type Paint = (style: (typeof styles)[number], text: string) => string;

/**
 * Colors text only if standard output is a terminal that supports it. Node.js also honors NO_COLOR.
 */
export const paintForStdout: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

export const noPaint: Paint = (_style, text) => text;

/**
 * Every escape sequence that `paintForStdout` can emit right now: none if it does not color.
 * `print` lets exactly these through, so a server cannot inject colors of its own.
 */
export function colorCodes(): ReadonlySet<string> {
  return new Set(styles.flatMap((style) => paintForStdout(style, ' ').split(' ')));
}

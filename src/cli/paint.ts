import { styleText } from 'node:util';

const styles = ['bold', 'dim', 'red', 'green', 'cyan'] as const;

export type Paint = (style: (typeof styles)[number], text: string) => string;

/** Colours for standard output where it is a terminal that has them; Node.js also heeds NO_COLOR here. */
export const paintForStdout: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

export const noPaint: Paint = (_style, text) => text;

/** All that paint for output consists of. */
export function colorCodes(): ReadonlySet<string> {
  return new Set(styles.flatMap((style) => paintForStdout(style, ' ').split(' ')));
}

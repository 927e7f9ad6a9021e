import { styleText } from 'node:util';

export type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'cyan', text: string) => string;

/** Colours for standard output where it is a terminal that has them; Node.js also heeds NO_COLOR here. */
export const paintForOutput: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

export const paintNothing: Paint = (_style, text) => text;

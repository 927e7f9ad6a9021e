import { onInterrupt } from './interrupt.ts';

const redrawMs = 100;
const barPlaces = 30;

export interface Progress {
  /** How many there will be, once that is known. */
  expect(total: number): void;
  advance(count: number): void;
  /** Takes the bar away, so that something can be said; the next step brings it back. */
  clear(): void;
  /** Takes the bar away for good. */
  finish(): void;
}

/** A bar on standard error while something takes long. Nothing where that is no terminal, or something else is written to it. */
export function startProgress(doing: string, noun: string, isHidden = false): Progress {
  const stream = process.stderr;
  let total: number | undefined;
  let done = 0;
  let drawnAt: number | undefined;
  const draw = () => {
    if (isHidden || !stream.isTTY || (drawnAt !== undefined && performance.now() - drawnAt < redrawMs))
      return;
    drawnAt = performance.now();
    // A line that wraps could not be taken back; some terminals do not know how wide they are.
    const line = renderProgress(doing, noun, done, total).slice(0, (stream.columns || 80) - 1);
    // The rest of the line is erased after the text, since a line that is empty for a moment flickers.
    stream.write(`\r${line}\u001b[K`);
  };
  const clear = () => {
    if (drawnAt !== undefined) stream.write('\r\u001b[K');
    drawnAt = undefined;
  };
  const stopListening = onInterrupt(clear);
  return {
    expect(count) {
      total = count;
      draw();
    },
    advance(count) {
      done += count;
      draw();
    },
    clear,
    finish() {
      stopListening();
      clear();
    },
  };
}

/** "Importing [######........................] 2000 of 10000 presets" */
export function renderProgress(doing: string, noun: string, done: number, total: number | undefined): string {
  if (total === undefined) return `${doing} ${done} ${noun}`;
  const filled = total === 0 ? barPlaces : Math.min(barPlaces, Math.floor((done / total) * barPlaces));
  return `${doing} [${'#'.repeat(filled)}${'.'.repeat(barPlaces - filled)}] ${done} of ${total} ${noun}`;
}

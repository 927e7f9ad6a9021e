import { onInterrupt } from '../interrupt.ts';

/** Ten redraws a second look smooth and cost next to nothing. */
const redrawIntervalMs = 100;
const barWidth = 30;

/**
 * A progress bar on standard error.
 *
 * A command starts one before long work, feeds it with `expect` and `advance`, and must call
 * `finish`, also on failure. Call `clear` before printing anything else: the bar occupies the
 * current line and is redrawn by the next `advance`. If a signal ends the process, the bar is
 * erased first. Nothing is drawn if standard error is not a terminal.
 */
export interface Progress {
  /** Sets the total, as soon as it is known. Until then only the count is shown. */
  expect(total: number): void;
  advance(count: number): void;
  clear(): void;
  finish(): void;
}

/** Such as "preset" and "presets". */
type Noun = readonly [one: string, many: string];

/** `isHidden` suppresses the bar where the command writes its output to the same terminal. */
export function startProgress(title: string, noun: Noun, isHidden = false): Progress {
  const stream = process.stderr;
  let total: number | undefined;
  let done = 0;
  let drawnAt: number | undefined;
  const draw = () => {
    if (
      isHidden ||
      !stream.isTTY ||
      (drawnAt !== undefined && performance.now() - drawnAt < redrawIntervalMs)
    )
      return;
    drawnAt = performance.now();
    // A line that wraps could not be erased. Some terminals report a width of 0.
    const line = renderProgress(title, noun, done, total).slice(0, (stream.columns || 80) - 1);
    // Erase the rest of the line after writing: clearing the line first would flicker.
    stream.write(`\r${line}\u001b[K`);
  };
  const clear = () => {
    if (drawnAt !== undefined) stream.write('\r\u001b[K');
    drawnAt = undefined;
  };
  const removeListeners = onInterrupt(clear);
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
      removeListeners();
      clear();
    },
  };
}

/** "Importing [######........................] 2000 of 10000 presets" */
export function renderProgress(
  title: string,
  [one, many]: Noun,
  done: number,
  total: number | undefined,
): string {
  const noun = (total ?? done) === 1 ? one : many;
  if (total === undefined) return `${title} ${done} ${noun}`;
  const filled = total === 0 ? barWidth : Math.min(barWidth, Math.floor((done / total) * barWidth));
  return `${title} [${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${done} of ${total} ${noun}`;
}

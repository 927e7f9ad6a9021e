import { CommandError } from './command-error.ts';

/** Signals that ask a command to end. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `cleanUp` when a signal ends the process, such as to remove a temporary file. The process
 * then still dies from that signal, which shells and scripts rely on. Returns a function that
 * removes the listeners again; call it as soon as there is nothing left to clean up.
 */
export function onInterrupt(cleanUp: () => void): () => void {
  const removeListeners = () => {
    for (const signal of endSignals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals) => {
    removeListeners();
    cleanUp();
    // Without a listener the signal has its default effect.
    process.kill(process.pid, signal);
  };
  for (const signal of endSignals) process.on(signal, end);
  return removeListeners;
}

/**
 * Runs `work` to its end even if a signal asks the process to end, which then dies from that signal.
 * `work` gets an `AbortSignal`, to skip what is left and only clean up.
 */
export async function finishOnInterrupt<Result>(
  work: (interruption: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let received: NodeJS.Signals | undefined;
  const note = (signal: NodeJS.Signals) => {
    received ??= signal;
    controller.abort(new CommandError('Interrupted.'));
  };
  for (const signal of endSignals) process.on(signal, note);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of endSignals) process.off(signal, note);
    if (received !== undefined) process.kill(process.pid, received);
  }
}

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

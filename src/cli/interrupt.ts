const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Tidies up when a signal ends the process, which then ends as if nobody had listened. Returns what stops listening. */
export function onInterrupt(tidyUp: () => void): () => void {
  const stopListening = () => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals) => {
    stopListening();
    tidyUp();
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.on(signal, end);
  return stopListening;
}

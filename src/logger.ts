import { fstatSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Lines are put together up to here, then written at once. */
const batchCharacters = 16_384;

/** And no line waits longer than this. */
const waitMs = 1_000;

/**
 * JSON lines on standard output, in batches, so that logging never holds up a request. A file takes a batch at once; a
 * pipe may have a slow reader, and is written to in the background.
 */
export function createLogger(level: string): Logger {
  return pino({ level }, batched(pino.destination({ dest: standardOutput, sync: isFile(standardOutput) })));
}

const standardOutput = 1;

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** Pino can do this too, but measures everything that waits anew at each line, which takes as long as making the line. */
function batched(destination: ReturnType<typeof pino.destination>): DestinationStream & {
  flush(done?: (error?: Error) => void): void;
} {
  let waiting = '';
  const send = () => {
    if (waiting !== '') destination.write(waiting);
    waiting = '';
  };
  setInterval(send, waitMs).unref();
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= batchCharacters) send();
    },
    flush(done) {
      send();
      destination.flush(done);
    },
  };
}

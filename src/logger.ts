import { fstatSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Lines are put together up to here, then written at once. */
const batchCharacters = 16_384;

/** Of what several processes write into one pipe, the kernel keeps together only so much. */
const sharedBatchCharacters = 4_096;

/** And no line waits longer than this. */
const waitMs = 1_000;

/**
 * JSON lines on standard output, in batches, so that logging never holds up a request. A file takes a batch at once; a
 * pipe may have a slow reader, and is written to in the background.
 */
export function createLogger(level: string, isShared = false): Logger {
  const isToFile = isFile(standardOutput);
  const batchMax = isShared && !isToFile ? sharedBatchCharacters : batchCharacters;
  const destination = pino.destination({ dest: standardOutput, sync: isToFile, maxWrite: batchMax });
  return pino({ level }, batched(destination, batchMax));
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
function batched(
  destination: ReturnType<typeof pino.destination>,
  batchMax: number,
): DestinationStream & {
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
      if (waiting.length + line.length > batchMax) send();
      waiting += line;
    },
    flush(done) {
      send();
      destination.flush(done);
    },
  };
}

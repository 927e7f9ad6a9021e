import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogFormat } from './config.ts';
import { prettyLine } from './pretty-log.ts';

export interface LoggerOptions {
  readonly level: string;
  readonly format: LogFormat;
  /** Whether other processes write to the same standard output. */
  readonly isShared: boolean;
}

/** Lines are put together up to here, then written at once. */
const batchCharacters = 16_384;

/** Of what several processes write into one pipe, the kernel keeps together only so much. */
const sharedBatchCharacters = 4_096;

/** And no line waits longer than this. */
const waitMs = 1_000;

/**
 * Lines on standard output, in batches, so that logging never holds up a request. A file takes a batch at once; a
 * pipe may have a slow reader, and is written to in the background. A terminal gets every line at once, each in one
 * write: somebody is watching, the processes that share it must not mix their lines, and none may be lost at exit.
 */
export function createLogger({ level, format, isShared }: LoggerOptions): Logger {
  const isTerminal = isatty(standardOutput);
  const isToFile = isFile(standardOutput);
  const batchMax = isShared && !isToFile ? sharedBatchCharacters : batchCharacters;
  const sync = isToFile || isTerminal;
  const destination = pino.destination({ dest: standardOutput, sync, maxWrite: batchMax });
  const lines = isTerminal ? untilHangUp(destination) : batched(destination, batchMax);
  if (!isPretty(format)) return pino({ level }, lines);
  const pretty: FlushableStream = {
    write: (line) => lines.write(prettyLine(line, { isShared })),
    flush: (done) => lines.flush(done),
  };
  return pino({ level }, pretty);
}

/** A terminal that is closed answers EIO from then on. The server goes on, or stops as it should, without a log. */
function untilHangUp(destination: Destination): FlushableStream {
  let isGone = false;
  destination.on('error', () => {
    isGone = true;
  });
  return {
    write(line) {
      if (!isGone) destination.write(line);
    },
    flush(done) {
      if (isGone) done?.();
      else destination.flush(done);
    },
  };
}

/** Whether the log, and what the server says at its start, are for people. */
export function isPretty(format: LogFormat): boolean {
  return format === 'auto' ? isatty(standardOutput) : format === 'pretty';
}

type Destination = ReturnType<typeof pino.destination>;

interface FlushableStream extends DestinationStream {
  flush(done?: (error?: Error) => void): void;
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
function batched(destination: Destination, batchMax: number): FlushableStream {
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

import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogFormat } from '../config/server-config.ts';
import { prettyLine } from './pretty-log.ts';

interface LoggerOptions {
  readonly level: string;
  readonly format: LogFormat;
  /** Whether other processes write to the same stdout. */
  readonly isShared: boolean;
}

/** Lines are buffered up to this size and written together. */
const batchCharacters = 16_384;

/** PIPE_BUF on Linux: writes of several processes to one pipe are atomic only up to this size. */
const sharedBatchCharacters = 4_096;

/** No line stays in the buffer longer than this. */
const flushIntervalMs = 1_000;

/**
 * Creates a logger that writes to stdout in batches, so that logging never delays a request.
 *
 * Files are written synchronously, which is fast. A pipe can have a slow reader, so it is written
 * in the background. A terminal gets each line at once, in a single synchronous write: someone is
 * watching, processes that share it must not mix their lines, and nothing may be lost on exit. Call
 * `flush` before exiting.
 */
export function createLogger({ level, format, isShared }: LoggerOptions): Logger {
  const isTerminal = isatty(stdout);
  const isToFile = isFile(stdout);
  const batchMax = isShared && !isToFile ? sharedBatchCharacters : batchCharacters;
  const sync = isToFile || isTerminal;
  const destination = pino.destination({ dest: stdout, sync, maxWrite: batchMax });
  const lines = isTerminal ? untilTerminalCloses(destination) : batched(destination, batchMax);
  if (!isPretty(format)) return pino({ level }, lines);
  const pretty: FlushableStream = {
    write: (line) => lines.write(prettyLine(line, { isShared })),
    flush: (done) => lines.flush(done),
  };
  return pino({ level }, pretty);
}

/**
 * Writing to a closed terminal fails with EIO. The server then continues, or shuts down, without a
 * log.
 */
function untilTerminalCloses(destination: Destination): FlushableStream {
  let isClosed = false;
  destination.on('error', () => {
    isClosed = true;
  });
  return {
    write(line) {
      if (!isClosed) destination.write(line);
    },
    flush(done) {
      if (isClosed) done?.();
      else destination.flush(done);
    },
  };
}

/** Whether the log and the start-up banner use the human-readable format. */
export function isPretty(format: LogFormat): boolean {
  return format === 'auto' ? isatty(stdout) : format === 'pretty';
}

type Destination = ReturnType<typeof pino.destination>;

interface FlushableStream extends DestinationStream {
  flush(done?: (error?: Error) => void): void;
}

const stdout = 1;

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/**
 * Buffers lines. Pino has this too (`minLength`), but it measures the whole buffer again for every
 * line, which takes as long as formatting the line.
 */
function batched(destination: Destination, batchMax: number): FlushableStream {
  let buffer = '';
  const send = () => {
    if (buffer !== '') destination.write(buffer);
    buffer = '';
  };
  setInterval(send, flushIntervalMs).unref();
  return {
    write(line) {
      if (buffer.length + line.length > batchMax) send();
      buffer += line;
    },
    flush(done) {
      send();
      destination.flush(done);
    },
  };
}

import { type Logger, pino } from 'pino';

/**
 * JSON lines on standard output. They are written in the background and in batches, so that logging never holds up a
 * request; a line is at most a second late.
 */
export function createLogger(level: string): Logger {
  return pino({ level }, pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 1_000 }));
}

import { connect } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

export interface RawExchange {
  readonly response: Buffer;
  /** Whether the connection was closed or reset before the deadline. */
  readonly hasEnded: boolean;
  /** Whether the connection was reset, which may lose a response. */
  readonly isReset: boolean;
}

export interface RawExchangeOptions {
  /** Offsets at which the bytes are split into separate writes. */
  readonly cuts: readonly number[];
  /**
   * If false, the server may be waiting for more, so the client ends its side after a period of
   * silence.
   */
  readonly isComplete: boolean;
}

/** So long that only a hang reaches it, not a busy machine. */
const deadlineMs = 120_000;

/** After this silence of the server, the client ends its side. No assertion depends on it. */
const silenceMs = 100;

/** Sends raw bytes and waits until the connection closes. */
export async function exchangeRaw(
  port: number,
  bytes: Buffer,
  { cuts, isComplete }: RawExchangeOptions,
): Promise<RawExchange> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const ended = new Promise<{ hasEnded: boolean; isReset: boolean }>((resolve) => {
    const hang = setTimeout(() => {
      resolve({ hasEnded: false, isReset: false });
      socket.destroy();
    }, deadlineMs);
    let silence: NodeJS.Timeout | undefined;
    const endAfterSilence = () => {
      if (isComplete) return;
      clearTimeout(silence);
      silence = setTimeout(() => socket.end(), silenceMs);
    };
    socket.on('connect', endAfterSilence);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      endAfterSilence();
    });
    socket.on('end', () => socket.end());
    let isReset = false;
    socket.on('error', () => {
      isReset = true;
    });
    socket.on('close', () => {
      clearTimeout(hang);
      clearTimeout(silence);
      resolve({ hasEnded: true, isReset });
    });
  });
  let start = 0;
  for (const end of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    if (!socket.destroyed && socket.writable && end > start) socket.write(bytes.subarray(start, end));
    start = Math.max(start, end);
    await yieldToEventLoop();
  }
  return { ...(await ended), response: Buffer.concat(chunks) };
}

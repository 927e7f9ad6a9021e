import { connect } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

export interface RawExchange {
  /** All that came back. */
  readonly answer: Buffer;
  /** Whether the server was done with it in time; a reset is an end as well. */
  readonly hasEnded: boolean;
  /** Whether the connection was torn rather than closed, by which an answer may be lost. */
  readonly isReset: boolean;
}

export interface RawExchangeOptions {
  /** How many times the bytes are cut, so that they come in pieces. */
  readonly cuts: readonly number[];
  /** Whether the server may be waiting for more: it is then told that nothing follows, once it has been silent for a while. */
  readonly isWhole: boolean;
}

/** Tells a hang from a machine that is busy with other things. */
const deadlineMs = 120_000;

/** How long the server may be silent before it is told that nothing follows. Nothing is concluded from it. */
const silenceMs = 100;

/** Sends bytes as they are and waits for the end of the connection. */
export async function exchangeRaw(
  port: number,
  bytes: Buffer,
  { cuts, isWhole }: RawExchangeOptions,
): Promise<RawExchange> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const ended = new Promise<{ hasEnded: boolean; isReset: boolean }>((resolve) => {
    const hang = setTimeout(() => {
      resolve({ hasEnded: false, isReset: false });
      socket.destroy();
    }, deadlineMs);
    let silence: NodeJS.Timeout | undefined;
    const listen = () => {
      if (isWhole) return;
      clearTimeout(silence);
      silence = setTimeout(() => socket.end(), silenceMs);
    };
    socket.on('connect', listen);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      listen();
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
  return { ...(await ended), answer: Buffer.concat(chunks) };
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { LoadRequest } from '../load.ts';
import { processorMs } from '../cpu-time.ts';

/** What a request took, on average. */
export interface Slice {
  readonly ms: number;
  /** Of these processes. */
  readonly processorMs: number;
}

/** Some connections that ask in a closed loop, for as long as they are told to and no longer. */
export interface Asker {
  /** While all connections ask, or as many of them as are to. */
  ask(milliseconds: number, next: () => LoadRequest, connections?: number): Promise<Slice>;
  close(): void;
}

/**
 * A client that does next to nothing: it writes a request, and reads until the answer is there. Autocannon measures whole
 * seconds, which is too long for slices that take turns.
 */
export async function openAsker(
  url: string,
  connections: number,
  processIds: readonly number[],
): Promise<Asker> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).setNoDelay(true));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return {
    async ask(milliseconds, next, asking = connections) {
      const begin = performance.now();
      const processorBegin = processorMs(processIds);
      const counts = await Promise.all(
        sockets
          .slice(0, asking)
          .map((socket) => askUntil(socket, begin + milliseconds, () => bytesOf(next(), hostname))),
      );
      const count = counts.reduce((sum, each) => sum + each, 0);
      return {
        ms: (performance.now() - begin) / count,
        processorMs: (processorMs(processIds) - processorBegin) / count,
      };
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Answers with how many requests it made, one at least. */
function askUntil(socket: Socket, end: number, next: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let missing: number | undefined;
    const stop = (error?: Error) => {
      socket.off('data', take).off('error', stop).off('close', closed);
      if (error === undefined) resolve(count);
      else reject(error);
    };
    const closed = () => stop(new Error('the server closed a connection in the middle of the benchmark'));
    const take = (chunk: Buffer) => {
      if (missing === undefined) {
        // The head of an answer is far shorter than what arrives at once.
        const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n') + 4);
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
        if (!/^HTTP\/1.1 2/.test(head) || Number.isNaN(length)) {
          stop(new Error(`an answer is not what it should be: ${chunk.toString('utf8', 0, 500)}`));
          return;
        }
        missing = head.length + length;
      }
      missing -= chunk.length;
      if (missing > 0) return;
      missing = undefined;
      count += 1;
      if (performance.now() < end) socket.write(next());
      else stop();
    };
    socket.on('data', take).on('error', stop).on('close', closed);
    socket.write(next());
  });
}

function bytesOf({ method, path, headers, body }: LoadRequest, host: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}${length}\r\n${body ?? ''}`;
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { cpuMs } from '../cpu-time.ts';
import type { LoadRequest } from '../load.ts';

/** The average cost of a request. */
export interface Slice {
  readonly ms: number;
  /** CPU time of the measured processes. */
  readonly cpuMs: number;
}

/** Connections that send requests in a closed loop, for a given time. */
export interface LoadClient {
  /** Sends requests until the time is over, on all connections or on the first few. */
  run(milliseconds: number, next: () => LoadRequest, connections?: number): Promise<Slice>;
  /** Closes the connections. Call it when no run is in progress. */
  close(): void;
}

/**
 * Opens the connections of a minimal client, which writes a request and reads until the response is
 * complete. Autocannon measures whole seconds, too long for slices that alternate.
 */
export async function openLoadClient(
  url: string,
  connections: number,
  processIds: readonly number[],
): Promise<LoadClient> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).setNoDelay(true));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return {
    async run(milliseconds, next, active = connections) {
      const begin = performance.now();
      const cpuMsBefore = cpuMs(processIds);
      const counts = await Promise.all(
        sockets
          .slice(0, active)
          .map((socket) => sendUntil(socket, begin + milliseconds, () => requestText(next(), hostname))),
      );
      const count = counts.reduce((sum, each) => sum + each, 0);
      return {
        ms: (performance.now() - begin) / count,
        cpuMs: (cpuMs(processIds) - cpuMsBefore) / count,
      };
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Sends requests over one connection until the end time, at least one. Resolves with their number.
 */
function sendUntil(socket: Socket, end: number, next: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let bytesMissing: number | undefined;
    const settle = (error?: Error) => {
      socket.off('data', onData).off('error', settle).off('close', onClose);
      if (error === undefined) resolve(count);
      else reject(error);
    };
    const onClose = () => settle(new Error('the server closed a connection during the benchmark'));
    const onData = (chunk: Buffer) => {
      if (bytesMissing === undefined) {
        // A response head is far shorter than one read of the socket.
        const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n') + 4);
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
        if (!/^HTTP\/1.1 2/.test(head) || Number.isNaN(length)) {
          settle(new Error(`unexpected response: ${chunk.toString('utf8', 0, 500)}`));
          return;
        }
        bytesMissing = head.length + length;
      }
      bytesMissing -= chunk.length;
      if (bytesMissing > 0) return;
      bytesMissing = undefined;
      count += 1;
      if (performance.now() < end) socket.write(next());
      else settle();
    };
    socket.on('data', onData).on('error', settle).on('close', onClose);
    socket.write(next());
  });
}

/** A request as it goes over the wire. */
function requestText({ method, path, headers, body }: LoadRequest, host: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}${length}\r\n${body ?? ''}`;
}

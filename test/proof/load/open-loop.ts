import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface TimedResponse {
  readonly status: number;
  readonly head: string;
  /** With `atRate`, since the request was due, so that it includes time in the client's queue. */
  readonly ms: number;
}

export interface LoadResult {
  readonly responses: readonly TimedResponse[];
  /** Connections that closed without a response. */
  readonly lost: number;
  readonly seconds: number;
}

/**
 * Sends prepared requests over raw sockets, one at a time per socket. It is so cheap that it can
 * overload a server on the same machine.
 */
export class LoadClient {
  readonly #port: number;
  readonly #idle: Socket[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #connectionsMax: number;

  constructor(url: string, connectionsMax: number) {
    this.#port = Number(new URL(url).port);
    this.#connectionsMax = connectionsMax;
  }

  /** Open loop: sends each request when it is due, regardless of earlier responses. */
  async atRate(perSecond: number, requests: readonly Buffer[]): Promise<LoadResult> {
    const startedAt = performance.now();
    // `servedWaiting` is the index of the next one, because shifting a long array is slow.
    const waiting: (() => void)[] = [];
    let servedWaiting = 0;
    const responses: TimedResponse[] = [];
    let lost = 0;
    const inFlight: Promise<void>[] = [];
    for (let sent = 0; sent < requests.length; ) {
      const due = Math.min(requests.length, Math.ceil(((performance.now() - startedAt) / 1_000) * perSecond));
      for (; sent < due; sent += 1) {
        const request = requests[sent];
        if (request === undefined) break;
        const dueAt = startedAt + (sent / perSecond) * 1_000;
        const sendAndRecord = async () => {
          const response = await this.#send(request);
          waiting[servedWaiting]?.();
          if (servedWaiting < waiting.length) servedWaiting += 1;
          if (response === undefined) lost += 1;
          else responses.push({ ...response, ms: performance.now() - dueAt });
        };
        if (this.#hasRoom()) inFlight.push(sendAndRecord());
        else inFlight.push(new Promise<void>((resolve) => waiting.push(resolve)).then(sendAndRecord));
      }
      await delay(2);
    }
    await Promise.all(inFlight);
    return { responses, lost, seconds: (performance.now() - startedAt) / 1_000 };
  }

  /** Closed loop: keeps this many requests in flight. */
  async withConcurrency(concurrency: number, requests: readonly Buffer[]): Promise<LoadResult> {
    const startedAt = performance.now();
    const responses: TimedResponse[] = [];
    let lost = 0;
    let next = 0;
    const work = async () => {
      for (;;) {
        const request = requests[next];
        next += 1;
        if (request === undefined) return;
        const sentAt = performance.now();
        const response = await this.#send(request);
        if (response === undefined) lost += 1;
        else responses.push({ ...response, ms: performance.now() - sentAt });
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return { responses, lost, seconds: (performance.now() - startedAt) / 1_000 };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #hasRoom(): boolean {
    return this.#idle.length > 0 || this.#sockets.size < this.#connectionsMax;
  }

  async #send(request: Buffer): Promise<Omit<TimedResponse, 'ms'> | undefined> {
    const socket = this.#idle.pop() ?? this.#open();
    socket.write(request);
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      const onEnd = () => {
        socket.off('data', onData);
        resolve(undefined);
      };
      const onData = (chunk: Buffer) => {
        chunks.push(chunk);
        const response = parseResponse(chunks);
        if (response === undefined) return;
        socket.off('data', onData);
        socket.off('close', onEnd);
        this.#idle.push(socket);
        resolve(response);
      };
      socket.on('data', onData);
      socket.once('close', onEnd);
    });
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      const index = this.#idle.indexOf(socket);
      if (index >= 0) this.#idle.splice(index, 1);
    });
    return socket;
  }
}

/** Undefined until the response is complete. */
function parseResponse(chunks: readonly Buffer[]): Omit<TimedResponse, 'ms'> | undefined {
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (bytes.length < headEnd + 4 + length) return undefined;
  return { status: Number(head.slice(9, 12)), head };
}

export function requestBytes(method: string, path: string, key: string, body?: string): Buffer {
  const length =
    body === undefined
      ? ''
      : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n${length}\r\n${body ?? ''}`,
  );
}

export function percentile(responses: readonly TimedResponse[], share: number): number {
  const sorted = responses.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

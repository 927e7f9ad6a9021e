import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Shot {
  readonly status: number;
  readonly head: string;
  /** From when it was due, not from when it could be sent: those who wait in line wait, too. */
  readonly ms: number;
}

export interface LoadResult {
  readonly shots: readonly Shot[];
  /** Connections that ended without an answer. */
  readonly lost: number;
  readonly seconds: number;
}

/**
 * A load of raw sockets, each with one request at a time, so cheap that it can ask for more than a server can give on the
 * same machine.
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

  /** Sends each request when it is due, whatever became of those before it. */
  async atRate(perSecond: number, requests: readonly Buffer[]): Promise<LoadResult> {
    const startedAt = performance.now();
    // By number, since the front of a long array is slow to take from.
    const waiting: (() => void)[] = [];
    let servedWaiting = 0;
    const shots: Shot[] = [];
    let lost = 0;
    const underWay: Promise<void>[] = [];
    for (let sent = 0; sent < requests.length; ) {
      const due = Math.min(requests.length, Math.ceil(((performance.now() - startedAt) / 1_000) * perSecond));
      for (; sent < due; sent += 1) {
        const request = requests[sent];
        if (request === undefined) break;
        const dueAt = startedAt + (sent / perSecond) * 1_000;
        const shoot = async () => {
          const answer = await this.#ask(request);
          waiting[servedWaiting]?.();
          if (servedWaiting < waiting.length) servedWaiting += 1;
          if (answer === undefined) lost += 1;
          else shots.push({ ...answer, ms: performance.now() - dueAt });
        };
        if (this.#hasRoom()) underWay.push(shoot());
        else underWay.push(new Promise<void>((resolve) => waiting.push(resolve)).then(shoot));
      }
      await delay(2);
    }
    await Promise.all(underWay);
    return { shots, lost, seconds: (performance.now() - startedAt) / 1_000 };
  }

  /** So many at a time, the next when one is answered. */
  async inTurn(atOnce: number, requests: readonly Buffer[]): Promise<LoadResult> {
    const startedAt = performance.now();
    const shots: Shot[] = [];
    let lost = 0;
    let next = 0;
    const take = async () => {
      for (;;) {
        const request = requests[next];
        next += 1;
        if (request === undefined) return;
        const sentAt = performance.now();
        const answer = await this.#ask(request);
        if (answer === undefined) lost += 1;
        else shots.push({ ...answer, ms: performance.now() - sentAt });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, take));
    return { shots, lost, seconds: (performance.now() - startedAt) / 1_000 };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #hasRoom(): boolean {
    return this.#idle.length > 0 || this.#sockets.size < this.#connectionsMax;
  }

  async #ask(request: Buffer): Promise<Omit<Shot, 'ms'> | undefined> {
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
        const answer = readAnswer(chunks);
        if (answer === undefined) return;
        socket.off('data', onData);
        socket.off('close', onEnd);
        this.#idle.push(socket);
        resolve(answer);
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

/** Undefined until it is whole. */
function readAnswer(chunks: readonly Buffer[]): Omit<Shot, 'ms'> | undefined {
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

export function percentile(shots: readonly Shot[], share: number): number {
  const sorted = shots.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * One end of the IPC pipe between the supervisor and a worker. `cluster.Worker` is one on both
 * sides.
 */
interface ChannelEndpoint {
  send(message: Message, sent: () => void): unknown;
  on(event: 'message', listener: (message: Message) => void): unknown;
  isConnected(): boolean;
}

type Handler = (payload: never) => unknown;

/** Message handlers by message type. */
export type Handlers = Readonly<Record<string, Handler>>;

export interface Channel {
  /**
   * Sends a message and resolves to the result of the other end's handler. Resolves to undefined if
   * no response arrives in time, for example because the other process has exited.
   */
  request(type: string, payload?: unknown, timeoutMs?: number): Promise<unknown>;
  /** Sends a message without waiting for a response. It is lost if the other process has exited. */
  notify(type: string, payload?: unknown): void;
}

interface Message {
  readonly type: string;
  readonly payload?: unknown;
  /** Matches a response to its request. Absent for notifications. */
  readonly id?: number;
}

const responseType = 'response';

const defaultTimeoutMs = 5_000;

/**
 * Opens a request/response channel over an IPC pipe.
 *
 * Both ends open one; it lives as long as its process. Messages travel only between processes of
 * the same version, so their types may change freely. Pending requests are bounded by their
 * timeouts. A type without a handler is ignored, and a request for it resolves to undefined.
 */
export function openChannel(
  endpoint: ChannelEndpoint,
  handlerOf: (type: string) => Handler | undefined,
): Channel {
  const pending = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  const send = (message: Message) => {
    // Without a callback, `send` throws if the other process exits before this one notices.
    if (endpoint.isConnected()) endpoint.send(message, () => {});
  };
  endpoint.on('message', async ({ type, payload, id }) => {
    if (type === responseType) return pending.get(Number(id))?.(payload);
    const result = await handlerOf(type)?.(payload as never);
    if (id !== undefined) send({ type: responseType, id, payload: result });
  });
  return {
    notify: (type, payload) => send({ type, payload }),
    request(type, payload, timeoutMs = defaultTimeoutMs) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        const settle = (result?: unknown) => {
          clearTimeout(timer);
          pending.delete(id);
          resolve(result);
        };
        const timer = setTimeout(settle, timeoutMs);
        pending.set(id, settle);
        send({ type, payload, id });
      });
    },
  };
}

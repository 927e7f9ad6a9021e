/** One end of the pipe between the supervisor and a worker. */
export interface End {
  send(message: Message, sent: () => void): unknown;
  on(event: 'message', listener: (message: Message) => void): unknown;
  isConnected(): boolean;
}

type Handler = (value: never) => unknown;
export type Handlers = Readonly<Record<string, Handler>>;

export interface Channel {
  /** Undefined where the other end does not answer in time: it may be gone. */
  ask(subject: string, value?: unknown, patienceMs?: number): Promise<unknown>;
  /** What is told to an end that is gone is lost. */
  tell(subject: string, value?: unknown): void;
}

interface Message {
  readonly subject: string;
  readonly value?: unknown;
  /** Of a question, and of its answer. */
  readonly id?: number;
}

const answerSubject = 'answer';

const usualPatienceMs = 5_000;

/** Questions and news, both ways. */
export function openChannel(end: End, handlerOf: (subject: string) => Handler | undefined): Channel {
  const waiting = new Map<number, (answer: unknown) => void>();
  let lastId = 0;
  const send = (message: Message) => {
    // Without somebody to tell that it was not sent, it would be thrown: the other end may be gone before that is known here.
    if (end.isConnected()) end.send(message, () => {});
  };
  end.on('message', async ({ subject, value, id }) => {
    if (subject === answerSubject) return waiting.get(Number(id))?.(value);
    const answer = await handlerOf(subject)?.(value as never);
    if (id !== undefined) send({ subject: answerSubject, id, value: answer });
  });
  return {
    tell: (subject, value) => send({ subject, value }),
    ask(subject, value, patienceMs = usualPatienceMs) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        const settle = (answer?: unknown) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(answer);
        };
        const timer = setTimeout(settle, patienceMs);
        waiting.set(id, settle);
        send({ subject, value, id });
      });
    },
  };
}

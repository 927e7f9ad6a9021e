import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { charactersPerToken } from './estimate-tokens.ts';

/** Beyond this, texts are estimated instead of queued. */
const pendingMax = 64;

/** One text takes a second at most, but several may wait for each other. */
const defaultTimeoutMs = 5_000;

/** The thread ends after this long without work, which frees its memory. */
const idleMs = 60_000;

/**
 * Counts tokens in a thread of its own, with the tokenizer of OpenAI's models.
 *
 * The first text starts the thread, and a minute without texts ends it. It responds in order, so
 * that the first of `#pending` belongs to the next response. Whatever goes wrong, a count is
 * estimated from the length of the text, because callers only use counts to plan ahead.
 */
export class Tokenizer {
  readonly #timeoutMs: number;
  #worker: Worker | undefined;
  #pending: ((tokens: number | undefined) => void)[] = [];
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(timeoutMs = defaultTimeoutMs) {
    this.#timeoutMs = timeoutMs;
  }

  async count(text: string): Promise<number> {
    if (text === '') return 0;
    return (await this.#countInThread(text)) ?? Math.ceil(text.length / charactersPerToken);
  }

  /** Ends the thread. A later count starts another. */
  close(): void {
    void this.#worker?.terminate();
    this.#forget();
  }

  /** Undefined if the thread is busy, slow or broken. */
  #countInThread(text: string): Promise<number | undefined> {
    if (this.#pending.length >= pendingMax) return Promise.resolve(undefined);
    clearTimeout(this.#idleTimer);
    this.#worker ??= this.#start();
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const timer = setTimeout(resolve, this.#timeoutMs, undefined);
    this.#pending.push((tokens) => {
      clearTimeout(timer);
      resolve(tokens);
    });
    this.#worker.postMessage(text);
    return promise;
  }

  #start(): Worker {
    // The package has compiled files.
    const worker = new Worker(new URL(`./tokenizer-worker${extname(import.meta.url)}`, import.meta.url));
    worker.on('message', (tokens: number) => {
      this.#pending.shift()?.(tokens);
      if (this.#pending.length === 0) this.#idleTimer = setTimeout(() => this.close(), idleMs).unref();
    });
    worker.on('error', () => {
      if (worker === this.#worker) this.#forget();
    });
    // It must not keep the process alive. A listener would undo this.
    worker.unref();
    return worker;
  }

  #forget(): void {
    clearTimeout(this.#idleTimer);
    this.#worker = undefined;
    const pending = this.#pending;
    this.#pending = [];
    for (const resolve of pending) resolve(undefined);
  }
}

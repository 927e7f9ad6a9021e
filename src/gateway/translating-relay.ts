import type { StreamTranslator } from '../dialects/translate/translate-stream.ts';
import { type Relay, tailChunksMax } from './stream-relay.ts';

/**
 * Relays an event stream in another dialect than the upstream's. It writes only whole events, so
 * that an error event can follow at any time, and keeps a tail of them, which error events
 * continue.
 */
export class TranslatingRelay implements Relay {
  readonly separator = '';
  readonly #translator: StreamTranslator;
  readonly #tail: string[] = [];

  constructor(translator: StreamTranslator) {
    this.#translator = translator;
  }

  push(chunk: Buffer): Buffer | undefined {
    return this.#written(this.#translator.push(chunk));
  }

  end(): { readonly rest: Buffer | undefined; readonly isFinished: boolean } {
    const { text, isFinished } = this.#translator.end();
    return { rest: this.#written(text), isFinished };
  }

  get isFinished(): boolean {
    return this.#translator.isFinished;
  }

  get tail(): string {
    return this.#tail.join('');
  }

  #written(text: string): Buffer | undefined {
    if (text === '') return undefined;
    this.#tail.push(text);
    if (this.#tail.length > tailChunksMax) this.#tail.shift();
    return Buffer.from(text);
  }
}

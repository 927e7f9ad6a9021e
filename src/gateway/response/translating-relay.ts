import type { ErrorDetails } from '../../dialects/model/error-details.ts';
import type { StreamTranslator } from '../../dialects/translate/translate-stream.ts';
import type { Relay } from './stream-relay.ts';

/**
 * Relays an event stream in another dialect than the upstream's. It writes only whole events, so
 * that an error event can follow at any time.
 */
export class TranslatingRelay implements Relay {
  readonly separator = '';
  readonly #translator: StreamTranslator;

  constructor(translator: StreamTranslator) {
    this.#translator = translator;
  }

  push(chunk: Buffer): Buffer | undefined {
    return toBuffer(this.#translator.push(chunk));
  }

  end(): { readonly rest: Buffer | undefined; readonly isFinished: boolean } {
    const { text, isFinished } = this.#translator.end();
    return { rest: toBuffer(text), isFinished };
  }

  get isFinished(): boolean {
    return this.#translator.isFinished;
  }

  fail({ status, message }: ErrorDetails): string {
    return this.#translator.fail(status, message);
  }
}

function toBuffer(text: string): Buffer | undefined {
  return text === '' ? undefined : Buffer.from(text);
}

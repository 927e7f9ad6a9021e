import type { Body, FailedAttempt } from '../../core/content-log/call-content.ts';
import { parseJsonObject } from '../../core/loose-json.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import type { CompletionContext } from '../../dialects/model/completion.ts';
import { dataLines } from '../../dialects/model/server-sent-events.ts';
import { StreamFold } from '../../dialects/translate/fold-stream.ts';

/** How the response of a call is read: as a dialect, as any JSON or events, or not at all. */
export type RecordedKind = Dialect | 'other' | 'media';

/**
 * Collects what a client gets, from which the content of the call is made.
 *
 * The trace of a call has one if the content is logged. A stream is put together while it is sent, so
 * that only its text is in memory, up to the limit of the workspace. Responses that are no text, such
 * as images, are left out.
 */
export class ContentRecorder {
  readonly failures: FailedAttempt[] = [];
  readonly #kind: RecordedKind;
  readonly #bytesMax: number;
  #body: Buffer | string | undefined;
  #isTooLong = false;
  /** Of a stream, one of these is there. */
  #fold: StreamFold | undefined;
  #events: unknown[] | undefined;
  #eventBytes = 0;

  constructor(kind: RecordedKind, bytesMax: number) {
    this.#kind = kind;
    this.#bytesMax = bytesMax;
  }

  /** Takes complete lines of an event stream. */
  addLines(lines: Buffer): void {
    if (this.#kind === 'media') return;
    const text = lines.toString('utf8');
    if (this.#kind === 'other') this.#addEvents(text);
    else {
      this.#fold ??= new StreamFold(this.#kind, this.#bytesMax);
      this.#fold.push(text);
    }
  }

  setBody(body: Buffer | string): void {
    if (this.#kind !== 'media') this.#body = body;
  }

  /** The body is too long to be kept. */
  omitBody(): void {
    this.#isTooLong = true;
  }

  /** The response, once nothing follows. */
  finish(context: CompletionContext): { readonly response: Body; readonly isWhole: boolean } {
    if (this.#fold !== undefined) {
      this.#fold.end();
      const { characters, isComplete } = this.#fold;
      const value = this.#fold.body(context);
      return {
        response: value === undefined ? null : { value, bytes: characters },
        isWhole: isComplete,
      };
    }
    if (this.#events !== undefined)
      return {
        response: { value: this.#events, bytes: this.#eventBytes },
        isWhole: this.#eventBytes <= this.#bytesMax,
      };
    return { response: this.#body ?? null, isWhole: !this.#isTooLong };
  }

  #addEvents(text: string): void {
    this.#events ??= [];
    this.#eventBytes += text.length;
    if (this.#eventBytes > this.#bytesMax) return;
    for (const line of dataLines(text)) {
      const event = parseJsonObject(line);
      if (event !== undefined) this.#events.push(event);
    }
  }
}

import type { Body, FailedAttempt } from '../../core/content-log/call-content.ts';
import type { ContentShare } from '../../core/content-log/content-memory.ts';
import { parseJsonObject } from '../../core/json/loose-json.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import type { CompletionContext } from '../../dialects/model/completion.ts';
import { dataLines } from '../../dialects/model/server-sent-events.ts';
import { StreamFold } from '../../dialects/translate/fold-stream.ts';

/** How to parse a response: as a dialect, as generic JSON or events, or not at all (`media`). */
export type RecordedKind = Dialect | 'other' | 'media';

/**
 * Collects the response to a client for the content log.
 *
 * The trace of a call has one if the content is logged. A stream is put together while it is sent,
 * so that only its text is in memory, up to the limit of the workspace. Its share of the memory of
 * all contents grows with it; when there is none left, everything is dropped. Responses that are no
 * text, such as images, are left out.
 */
export class ContentRecorder {
  readonly failures: FailedAttempt[] = [];
  readonly share: ContentShare;
  readonly #kind: RecordedKind;
  readonly #bytesMax: number;
  #body: Buffer | string | undefined;
  #isTooLong = false;
  #isDropped = false;
  /** For a stream, exactly one of these is set. */
  #fold: StreamFold | undefined;
  #events: unknown[] | undefined;
  #eventBytes = 0;

  constructor(kind: RecordedKind, bytesMax: number, share: ContentShare) {
    this.share = share;
    this.#kind = kind;
    this.#bytesMax = bytesMax;
  }

  /** Whether nothing is kept, because the memory is used up. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** Takes complete lines of an event stream. */
  addLines(lines: Buffer): void {
    if (this.#kind === 'media' || this.#isDropped) return;
    const text = lines.toString('utf8');
    if (this.#kind === 'other') this.#addEvents(text);
    else {
      this.#fold ??= new StreamFold(this.#kind, this.#bytesMax);
      this.#fold.push(text);
    }
    this.#resizeShare();
  }

  setBody(body: Buffer | string): void {
    if (this.#kind === 'media' || this.#isDropped) return;
    this.#body = body;
    this.#resizeShare();
  }

  /** The body is too long to be kept. */
  omitBody(): void {
    this.#isTooLong = true;
  }

  /** The response, once nothing follows. */
  finish(
    context: CompletionContext,
    requestBytes: number,
  ): { readonly response: Body; readonly isWhole: boolean } {
    if (this.#fold !== undefined) {
      this.#fold.end();
      const { isComplete } = this.#fold;
      const value = this.#fold.body(context);
      // Responses repeats fields of the request, such as tools.
      const bytes = this.#fold.bytes + (this.#kind === 'responses' ? requestBytes : 0);
      return {
        response: value === undefined ? null : { value, bytes },
        isWhole: isComplete,
      };
    }
    if (this.#events !== undefined)
      return {
        response: { value: this.#events, bytes: this.#eventBytes },
        isWhole: !this.#isTooLong,
      };
    return { response: this.#body ?? null, isWhole: !this.#isTooLong };
  }

  #addEvents(text: string): void {
    this.#events ??= [];
    this.#isTooLong ||= this.#eventBytes + text.length > this.#bytesMax;
    if (this.#isTooLong) return;
    this.#eventBytes += text.length;
    for (const line of dataLines(text)) {
      const event = parseJsonObject(line);
      if (event !== undefined) this.#events.push(event);
    }
  }

  #resizeShare(): void {
    const bytes = (this.#body?.length ?? 0) + this.#eventBytes + (this.#fold?.bytes ?? 0);
    if (this.share.resize(bytes)) return;
    this.#isDropped = true;
    this.#body = undefined;
    this.#events = undefined;
    this.#fold = undefined;
  }
}

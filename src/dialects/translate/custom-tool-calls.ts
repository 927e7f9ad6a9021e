import { type EventOf, HeldText, type StreamEvent } from './stream-events.ts';
import { customInput } from './tool-input.ts';

/**
 * Turns the calls of functions that stand for custom tools into calls of custom tools, in a stream.
 * Their arguments are held back until they are complete, because the text is inside of JSON.
 */
export class CustomToolCalls {
  readonly #names: ReadonlySet<string>;
  readonly #held = new HeldText();
  #arguments: string | undefined;

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  push(event: StreamEvent): readonly StreamEvent[] {
    if (event.type === 'block-start') return [this.#start(event)];
    if (this.#arguments === undefined) return [event];
    if (event.type === 'delta') {
      this.#held.add(event.text);
      this.#arguments += event.text;
      return [];
    }
    const text = customInput(this.#arguments);
    this.#arguments = undefined;
    return text === '' ? [event] : [{ type: 'delta', text }, event];
  }

  #start(event: EventOf<'block-start'>): StreamEvent {
    const { block } = event;
    if (block.kind !== 'tool-call' || block.isCustom || !this.#names.has(block.name)) return event;
    this.#arguments = '';
    return { type: 'block-start', block: { ...block, isCustom: true } };
  }
}

import type { CompletionContext } from './completion.ts';
import { BufferedTextLimit, type EventOf, type StreamEvent } from './stream-events.ts';
import { customInput } from './tool-input.ts';

/**
 * Turns tool calls in a stream into calls of the tools that the client has declared, which the
 * upstream may know as functions with another name.
 *
 * The translator creates one instance per stream if the client has declared such tools. The
 * arguments of a function that stands for a custom tool are buffered until the block ends, because
 * the tool's text is a string inside their JSON. All other events are passed on at once.
 */
export class DeclaredTools {
  readonly #context: CompletionContext;
  readonly #buffered = new BufferedTextLimit();
  #arguments: string | undefined;

  constructor(context: CompletionContext) {
    this.#context = context;
  }

  push(event: StreamEvent): readonly StreamEvent[] {
    if (event.type === 'block-start') return [this.#start(event)];
    if (this.#arguments === undefined) return [event];
    if (event.type === 'delta') {
      this.#buffered.add(event.text);
      this.#arguments += event.text;
      return [];
    }
    const text = customInput(this.#arguments);
    this.#arguments = undefined;
    return text === '' ? [event] : [{ type: 'delta', text }, event];
  }

  #start(event: EventOf<'block-start'>): StreamEvent {
    const { block } = event;
    if (block.kind !== 'tool-call') return event;
    const { customTools, namespacedTools } = this.#context;
    const isText = !block.isCustom && customTools?.has(block.name) === true;
    if (isText) this.#arguments = '';
    const tool = namespacedTools?.get(block.name);
    return { type: 'block-start', block: { ...block, ...tool, isCustom: block.isCustom || isText } };
  }
}

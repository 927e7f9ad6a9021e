import type { CompletionContext } from '../model/completion.ts';
import { BufferedTextLimit, type EventOf, type StreamEvent } from '../model/stream-events.ts';
import { customInput, noArguments } from '../model/tool-input.ts';
import { asDeclared } from './declared-calls.ts';

/**
 * Turns the tool calls of a stream into calls that the client understands: of the tools that it has
 * declared, which the upstream may know as functions with another name, and with arguments.
 *
 * The translator creates one instance per stream, for what its parser returns. The arguments of a
 * function that stands for a custom tool are buffered until the block ends, because the tool's text
 * is a string inside their JSON. All other events are passed on at once. A function that was called
 * without arguments gets an empty object at the end of the block, because clients parse them.
 */
export class StreamedToolCalls {
  readonly #context: CompletionContext;
  readonly #write: (event: StreamEvent) => void;
  readonly #buffered = new BufferedTextLimit();
  #call: OpenCall | undefined;

  constructor(context: CompletionContext, write: (event: StreamEvent) => void) {
    this.#context = context;
    this.#write = write;
  }

  push(event: StreamEvent): void {
    const call = this.#call;
    if (event.type === 'block-start') this.#write(this.#start(event));
    else if (event.type === 'block-end') this.#end(event);
    else if (event.type === 'delta' && call !== undefined) this.#continue(call, event);
    else this.#write(event);
  }

  #start(event: EventOf<'block-start'>): StreamEvent {
    const { block } = event;
    if (block.kind !== 'tool-call') return event;
    const declared = asDeclared(block, this.#context);
    const { isCustom } = declared;
    this.#call = {
      isFunction: !isCustom,
      isBlank: true,
      buffer: isCustom && !block.isCustom ? '' : undefined,
    };
    return { type: 'block-start', block: { ...block, ...declared } };
  }

  #continue(call: OpenCall, event: EventOf<'delta'>): void {
    if (call.buffer === undefined) {
      call.isBlank &&= event.text.trim() === '';
      this.#write(event);
    } else {
      this.#buffered.add(event.text);
      call.buffer += event.text;
    }
  }

  #end(event: EventOf<'block-end'>): void {
    const { isFunction, isBlank, buffer = '' } = this.#call ?? {};
    this.#call = undefined;
    const text = isFunction && isBlank ? noArguments : customInput(buffer);
    if (text !== '') this.#write({ type: 'delta', text });
    this.#write(event);
  }
}

interface OpenCall {
  /** Whether its input is JSON. */
  readonly isFunction: boolean;
  isBlank: boolean;
  /** Undefined if nothing has to be buffered. */
  buffer: string | undefined;
}

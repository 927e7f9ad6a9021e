import type { JsonObject } from '../../core/json/json-object.ts';
import { asObjects } from '../../core/json/loose-json.ts';
import type { CompletionContext, Stop, TokenUsage } from '../model/completion.ts';
import type { Citation, Logprobs } from '../model/content.ts';
import { writeNote } from '../model/note.ts';
import { responseId, toolCallId } from '../model/response-ids.ts';
import { sealReasoning } from '../model/sealed-reasoning.ts';
import { doneMarker, writeEvent } from '../model/server-sent-events.ts';
import {
  BufferedTextLimit,
  type EventOf,
  type StartedBlock,
  type StreamWriter,
} from '../model/stream-events.ts';
import type { ReasoningBlock } from '../model/turns.ts';
import { withLists, writeCompletion, writePart } from './completion.ts';
import { errorCodeOf, writeFailureEvents } from './errors.ts';
import { idPrefix, itemId } from './item-ids.ts';
import { writeReasoning } from './reasoning.ts';

/**
 * Writes the events of a response.
 *
 * Consecutive texts are parts of one message, every other block is an item of its own. An item is
 * done when the next one starts or the response ends, because the last one is incomplete if the
 * response is. The last event repeats the whole output, which is therefore kept.
 */
export function createStreamWriter(context: CompletionContext): StreamWriter {
  return new ResponsesStreamWriter(context);
}

class ResponsesStreamWriter implements StreamWriter {
  readonly dropped = new Set<string>();
  isFinished = false;
  readonly #context: CompletionContext;
  readonly #buffered = new BufferedTextLimit();
  #start: EventOf<'start'> | undefined;
  #id = '';
  #sequenceNumber = 0;
  /** The items that are done. */
  readonly #output: JsonObject[] = [];
  /** The item that was added last, until it is done. */
  #item: OpenItem | undefined;
  #block: StartedBlock = { kind: 'text' };
  #text = '';
  #citations: Citation[] = [];
  #logprobs: { readonly path: string; readonly list: JsonObject[] } | undefined;
  /** Where the open block is in the output, as fields of its events. */
  #place: JsonObject = {};
  /** The text of an event that continues the open block, up to its only string, and after it. */
  #deltaPrefix = '';
  #deltaSuffix = '';

  constructor(context: CompletionContext) {
    this.#context = context;
  }

  fail(status: number, message: string, code = errorCodeOf(status)): string {
    this.isFinished = true;
    const response = this.#start === undefined ? undefined : this.#writeResponse().response;
    return writeFailureEvents({ status, message, code }, response, this.#sequenceNumber) + done;
  }

  start(start: EventOf<'start'>): string {
    this.#start = start;
    this.#id = responseId(idPrefix, start.id, this.#context.requestId);
    const { response: whole } = this.#writeResponse();
    const response = { ...whole, status: 'in_progress', completed_at: null, usage: null };
    return this.#write('response.created', { response }) + this.#write('response.in_progress', { response });
  }

  startBlock(block: StartedBlock): string {
    this.#block = block;
    this.#text = '';
    this.#logprobs = undefined;
    switch (block.kind) {
      case 'text':
      case 'refusal':
        return this.#startPart(block.kind);
      case 'tool-call':
        return this.#closeItem() + this.#startCall(block);
      case 'reasoning':
        // The item waits for text: without any it has the form, and the id, in which it ends.
        return this.#closeItem();
    }
  }

  #startPart(kind: 'text' | 'refusal'): string {
    const opened = this.#item?.kind === 'message' ? '' : this.#closeItem() + this.#startMessage();
    this.#setPlace({ content_index: this.#item?.parts.length ?? 0 });
    if (kind === 'text') this.#setDelta('response.output_text.delta', ',"logprobs":[]');
    else this.#setDelta('response.refusal.delta');
    return opened + this.#write('response.content_part.added', { ...this.#place, part: emptyParts[kind] });
  }

  #startMessage(): string {
    const id = itemId('message', this.#id, this.#output.length);
    return this.#openItem('message', { id, type: 'message', role: 'assistant' }, { content: [] });
  }

  #startCall(block: StartedBlock & { readonly kind: 'tool-call' }): string {
    const { name, isCustom, namespace } = block;
    const index = this.#output.length;
    const call = {
      call_id: block.id || toolCallId(this.#id, index),
      name,
      ...(namespace !== undefined && { namespace }),
    };
    const opened = isCustom
      ? this.#openItem(
          'call',
          { id: itemId('custom', this.#id, index), type: 'custom_tool_call', ...call },
          { input: '' },
        )
      : this.#openItem(
          'call',
          { id: itemId('function', this.#id, index), type: 'function_call', ...call },
          { arguments: '' },
        );
    this.#setPlace({});
    this.#setDelta(`response.${inputEvent(isCustom)}.delta`);
    return opened;
  }

  #startReasoning(): string {
    const id = itemId('reasoning', this.#id, this.#output.length);
    const opened = this.#openItem('reasoning', { id, type: 'reasoning' }, { summary: [] });
    this.#setPlace({ summary_index: 0 });
    this.#setDelta('response.reasoning_summary_text.delta');
    const part = { type: 'summary_text', text: '' };
    return opened + this.#write('response.reasoning_summary_part.added', { ...this.#place, part });
  }

  continueBlock(event: EventOf<'delta'>): string {
    const { text, logprobs } = event;
    this.#buffered.addDelta(event);
    this.#text += text;
    if (logprobs !== undefined) return this.#writeLogprobs(text, logprobs);
    const { kind } = this.#block;
    const opened = kind === 'reasoning' && this.#item === undefined ? this.#startReasoning() : '';
    const number = this.#sequenceNumber;
    this.#sequenceNumber += 1;
    return `${opened}${this.#deltaPrefix}${JSON.stringify(text)}${this.#deltaSuffix}${number}}\n\n`;
  }

  #writeLogprobs(delta: string, { path, list }: Logprobs): string {
    this.#logprobs ??= { path, list: [] };
    for (const logprob of list) this.#logprobs.list.push(logprob);
    if (this.#block.kind === 'refusal')
      return this.#write('response.refusal.delta', { ...this.#place, delta });
    const logprobs = list.map(withLists);
    return this.#write('response.output_text.delta', { ...this.#place, delta, logprobs });
  }

  cite(citation: Citation): void {
    this.#buffered.add(JSON.stringify(citation));
    this.#citations.push(citation);
  }

  endBlock(reasoning: Original | undefined): string {
    const block = this.#block;
    switch (block.kind) {
      case 'text':
      case 'refusal':
        return this.#endPart(block.kind);
      case 'tool-call':
        return this.#endCall(block.isCustom);
      case 'reasoning':
        return reasoning === undefined ? '' : this.#endReasoning(reasoning);
    }
  }

  /** Annotations wait for the end of the part, because most of them refer to all of its text. */
  #endPart(kind: 'text' | 'refusal'): string {
    const text = this.#text;
    const block = { kind, text, citations: this.#citations, logprobs: this.#logprobs, extras: noExtras };
    const part = writePart(block, (path) => this.dropped.add(path));
    this.#item?.parts.push(part);
    this.#citations = [];
    const { logprobs } = part;
    const added = asObjects(part.annotations).map((annotation, annotation_index) =>
      this.#write('response.output_text.annotation.added', { ...this.#place, annotation_index, annotation }),
    );
    const done =
      kind === 'text'
        ? this.#write('response.output_text.done', { ...this.#place, text, logprobs })
        : this.#write('response.refusal.done', { ...this.#place, refusal: text });
    return added.join('') + done + this.#write('response.content_part.done', { ...this.#place, part });
  }

  #endCall(isCustom: boolean): string {
    const content = isCustom ? { input: this.#text } : { arguments: this.#text };
    if (this.#item !== undefined) this.#item.content = content;
    const name = isCustom ? {} : { name: this.#item?.fields.name };
    return this.#write(`response.${inputEvent(isCustom)}.done`, { ...this.#place, ...content, ...name });
  }

  #endReasoning(original: Original): string {
    const text = this.#text;
    if (this.#item === undefined) {
      const id = itemId('reasoning', this.#id, this.#output.length);
      const item: JsonObject = { id, ...writeReasoning({ text, original }) };
      return this.#openItem('reasoning', { id: item.id, type: 'reasoning' }, { summary: [] }, item);
    }
    const part = { type: 'summary_text', text };
    this.#item.content = { summary: [part], encrypted_content: sealReasoning(original) };
    return (
      this.#write('response.reasoning_summary_text.done', { ...this.#place, text }) +
      this.#write('response.reasoning_summary_part.done', { ...this.#place, part })
    );
  }

  #openItem(kind: OpenItem['kind'], fields: JsonObject, content: JsonObject, done = content): string {
    const parts: JsonObject[] = [];
    this.#item = { kind, fields, parts, content: kind === 'message' ? { content: parts } : done };
    const status = kind === 'reasoning' ? {} : { status: 'in_progress' };
    const item = { ...fields, ...status, ...content };
    return this.#write('response.output_item.added', { output_index: this.#output.length, item });
  }

  #closeItem(status = 'completed'): string {
    if (this.#item === undefined) return '';
    const { kind, fields, content } = this.#item;
    const item = { ...fields, ...(kind !== 'reasoning' && { status }), ...content };
    const done = this.#write('response.output_item.done', { output_index: this.#output.length, item });
    this.#output.push(item);
    this.#item = undefined;
    return done;
  }

  finish({ stop, usage, extras = {}, dropped }: EventOf<'finish'>): string {
    this.isFinished = true;
    const { response, missing } = this.#writeResponse(stop, usage, extras);
    const closed = this.#closeItem(String(response.status));
    return (
      closed +
      this.#write(`response.${response.status}`, {
        response: {
          ...response,
          output: this.#output,
          ...writeNote([...(dropped ?? []), ...this.dropped], missing),
        },
      }) +
      done
    );
  }

  /** The response with the items that are done so far. */
  #writeResponse(
    stop: Stop = { reason: 'end' },
    usage: TokenUsage | undefined = this.#start?.usage,
    extras: JsonObject = {},
  ): { readonly response: JsonObject; readonly missing: readonly string[] } {
    const { id, model, created } = this.#start ?? noStart;
    const completion = { id, model, created, content: [], stop, usage, extras };
    const { body, dropped, missing } = writeCompletion(completion, this.#context);
    for (const path of dropped) this.dropped.add(path);
    return { response: { ...body, output: this.#output }, missing };
  }

  #setPlace(place: JsonObject): void {
    this.#place = { item_id: this.#item?.fields.id, output_index: this.#output.length, ...place };
  }

  /** Most events of a stream are deltas, so only their text and number are written anew. */
  #setDelta(type: string, after = ''): void {
    const head = JSON.stringify({ type, ...this.#place });
    this.#deltaPrefix = `event: ${type}\ndata: ${head.slice(0, -1)},"delta":`;
    this.#deltaSuffix = `${after},"sequence_number":`;
  }

  #write(type: string, fields: JsonObject): string {
    const sequence_number = this.#sequenceNumber;
    this.#sequenceNumber += 1;
    return writeEvent({ type, ...fields, sequence_number });
  }
}

type Original = ReasoningBlock['original'];

interface OpenItem {
  readonly kind: 'message' | 'call' | 'reasoning';
  readonly fields: JsonObject;
  /** The parts of a message that are done. */
  readonly parts: JsonObject[];
  /** The fields that the item has besides, once it is done. */
  content: JsonObject;
}

/** OpenAI does not send it, but the Open Responses specification requires it, and SDKs skip it. */
const done = `data: ${doneMarker}\n\n`;

const emptyParts = {
  text: { type: 'output_text', text: '', annotations: [], logprobs: [] },
  refusal: { type: 'refusal', refusal: '' },
} as const;

const noExtras = { dialect: 'responses', fields: {} } as const;

const noStart = { id: undefined, model: undefined, created: undefined };

function inputEvent(isCustom: boolean): string {
  return isCustom ? 'custom_tool_call_input' : 'function_call_arguments';
}

import { isJsonObject, type JsonObject } from '../json-object.ts';
import { BlockSequencer, type Slot } from '../translate/block-sequencer.ts';
import { asObject, asObjects, asText, asTime } from '../translate/loose-json.ts';
import { agreeWithCalls } from '../translate/stop.ts';
import { parseStreamError } from '../translate/stream-error.ts';
import type { StreamEvent, StreamParser } from '../translate/stream-events.ts';
import { parseCitation } from './citations.ts';
import { parseCompletion } from './completion.ts';
import { parseReceivedReasoning } from './reasoning.ts';

/**
 * Parses the events of a response. Every output item has its own slot in the order of blocks.
 *
 * Not all servers send all events, so only the first of several that say the same is needed: what
 * was not streamed is taken from the item once it is done, and an item that never was from the
 * whole response in the last event.
 */
export function createStreamParser(): StreamParser {
  return new ResponsesStreamParser();
}

class ResponsesStreamParser implements StreamParser {
  readonly dropped = new Set<string>();
  readonly #sequencer = new BlockSequencer();
  /** By `output_index`. */
  readonly #items = new Map<unknown, Item>();
  #hasStarted = false;
  #hasToolCalls = false;

  push(event: JsonObject): readonly StreamEvent[] {
    this.#parse(event);
    return this.#sequencer.take();
  }

  /** Only an event ends a stream, so nothing is left to say. */
  end(): readonly StreamEvent[] {
    return [];
  }

  #parse(event: JsonObject): void {
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
        this.#start(asObject(event.response));
        break;
      case 'response.output_item.added':
        this.#openItem(event.output_index, asObject(event.item));
        break;
      case 'response.content_part.added':
        this.#startPart(event, asObject(event.part).type === 'refusal' ? 'refusal' : 'text');
        break;
      case 'response.output_text.delta':
        this.#continueText(event, 'text');
        break;
      case 'response.refusal.delta':
        this.#continueText(event, 'refusal');
        break;
      case 'response.output_text.annotation.added':
        this.#cite(event);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#continueCall(event);
        break;
      case 'response.reasoning_summary_text.delta':
        this.#continueReasoning(event, event.summary_index, true);
        break;
      case 'response.reasoning_text.delta':
        this.#continueReasoning(event, event.content_index, false);
        break;
      case 'response.output_item.done':
        this.#closeItem(event.output_index, asObject(event.item));
        break;
      case 'response.completed':
      case 'response.incomplete':
        this.#finish(asObject(event.response));
        break;
      case 'response.failed':
        this.#sequencer.addOutside(parseStreamError(asObject(event.response).error));
        break;
      case 'error':
        // OpenAI documents these fields at the top level, but sends them in an object.
        this.#sequencer.addOutside(parseStreamError(isJsonObject(event.error) ? event.error : event));
        break;
    }
  }

  #start({ id, model, created_at: created }: JsonObject): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#sequencer.addOutside({
      type: 'start',
      id: asText(id),
      model: asText(model),
      created: asTime(created),
      usage: undefined,
    });
  }

  #openItem(index: unknown, item: JsonObject): Item {
    this.#start({});
    const opened: Item = { kind: kindOf(item), slot: this.#sequencer.open(), part: undefined, isDone: false };
    this.#items.set(index, opened);
    if (opened.kind === 'tool-call') this.#startCall(opened, item);
    return opened;
  }

  #startCall(opened: Item, { type, call_id: id, name }: JsonObject): void {
    this.#hasToolCalls = true;
    const isCustom = type === 'custom_tool_call';
    this.#sequencer.add(opened.slot, {
      type: 'block-start',
      block: { kind: 'tool-call', id: textIn(id), name: textIn(name), isCustom },
    });
  }

  /** Starts a part of a message, unless it is the open one, and ends the part before it. */
  #startPart({ output_index: index, content_index: partIndex }: JsonObject, kind: 'text' | 'refusal'): void {
    const item = this.#items.get(index);
    if (item?.kind !== 'message' || item.part?.index === partIndex) return;
    this.#endPart(item);
    item.part = { index: partIndex, isOpen: true };
    this.#sequencer.add(item.slot, { type: 'block-start', block: { kind } });
  }

  #endPart({ slot, part }: Item): void {
    if (part?.isOpen !== true) return;
    part.isOpen = false;
    this.#sequencer.add(slot, { type: 'block-end' });
  }

  #continueText(event: JsonObject, kind: 'text' | 'refusal'): void {
    this.#startPart(event, kind);
    this.#addDelta(this.#items.get(event.output_index), event.delta, asObjects(event.logprobs));
  }

  #cite(event: JsonObject): void {
    const item = this.#items.get(event.output_index);
    if (item?.part?.isOpen !== true || !isJsonObject(event.annotation)) return;
    this.#sequencer.add(item.slot, { type: 'citation', citation: parseCitation(event.annotation) });
  }

  #continueCall({ output_index: index, delta }: JsonObject): void {
    const item = this.#items.get(index);
    if (item?.kind !== 'tool-call') return;
    item.part = { index: 0, isOpen: true };
    this.#addDelta(item, delta);
  }

  /** The parts of a summary are paragraphs. */
  #continueReasoning(event: JsonObject, partIndex: unknown, isSummary: boolean): void {
    const item = this.#items.get(event.output_index);
    if (item?.kind !== 'reasoning') return;
    // Text that follows a summary, or the reverse, says the same in other words.
    if (item.part !== undefined && item.part.isSummary !== isSummary) return;
    if (item.part === undefined)
      this.#sequencer.add(item.slot, { type: 'block-start', block: { kind: 'reasoning', isSummary } });
    else if (item.part.index !== partIndex) this.#addDelta(item, '\n\n');
    item.part = { index: partIndex, isOpen: true, isSummary };
    this.#addDelta(item, event.delta);
  }

  #addDelta(item: Item | undefined, text: unknown, list: readonly JsonObject[] = []): void {
    if (item === undefined || typeof text !== 'string' || text === '') return;
    this.#sequencer.add(
      item.slot,
      list.length === 0
        ? { type: 'delta', text }
        : { type: 'delta', text, logprobs: { dialect: 'responses', list } },
    );
  }

  #closeItem(index: unknown, item: JsonObject): void {
    const opened = this.#items.get(index) ?? this.#openItem(index, item);
    if (opened.isDone) return;
    opened.isDone = true;
    switch (opened.kind) {
      case 'message':
        this.#closeMessage(opened, index, item);
        break;
      case 'tool-call':
        if (opened.part === undefined) this.#addDelta(opened, item.arguments ?? item.input);
        this.#sequencer.add(opened.slot, { type: 'block-end' });
        break;
      case 'reasoning':
        this.#closeReasoning(opened, item);
        break;
      default:
        this.dropped.add(`output.*.${opened.kind}`);
    }
    this.#sequencer.close(opened.slot);
  }

  #closeMessage(opened: Item, index: unknown, { content }: JsonObject): void {
    if (opened.part === undefined)
      for (const [at, part] of asObjects(content).entries()) this.#addPart(part, index, at);
    this.#endPart(opened);
  }

  /** Adds a part that was not streamed. */
  #addPart(part: JsonObject, output_index: unknown, content_index: number): void {
    const place = { output_index, content_index };
    const isRefusal = part.type === 'refusal';
    const delta = isRefusal ? part.refusal : part.text;
    this.#startPart(place, isRefusal ? 'refusal' : 'text');
    this.#continueText({ ...place, delta, logprobs: part.logprobs }, isRefusal ? 'refusal' : 'text');
    for (const annotation of asObjects(part.annotations)) this.#cite({ ...place, annotation });
  }

  #closeReasoning({ slot, part }: Item, item: JsonObject): void {
    const block = parseReceivedReasoning({ ...item, type: 'reasoning' }, 'output.*');
    if (block === undefined) return;
    const { isSummary, text, original } = block;
    if (part === undefined) {
      this.#sequencer.add(slot, { type: 'block-start', block: { kind: 'reasoning', isSummary } });
      if (text !== '') this.#sequencer.add(slot, { type: 'delta', text });
    }
    this.#sequencer.add(slot, { type: 'block-end', reasoning: original });
  }

  #finish(response: JsonObject): void {
    this.#start(response);
    for (const [index, item] of asObjects(response.output).entries()) this.#closeItem(index, item);
    for (const index of this.#items.keys()) this.#closeItem(index, {});
    const { completion, dropped } = parseCompletion({ ...response, output: [] });
    for (const path of dropped) this.dropped.add(path);
    this.#sequencer.addOutside({
      type: 'finish',
      stop: agreeWithCalls(completion.stop, this.#hasToolCalls),
      usage: completion.usage,
      extras: completion.extras,
      dropped: this.dropped,
    });
  }
}

interface Item {
  /** The type of an item that is not translated. */
  readonly kind: string;
  readonly slot: Slot;
  /** The part that was streamed last; undefined if nothing was. */
  part: { readonly index: unknown; isOpen: boolean; readonly isSummary?: boolean } | undefined;
  isDone: boolean;
}

function kindOf({ type }: JsonObject): string {
  if (type === 'function_call' || type === 'custom_tool_call') return 'tool-call';
  return textIn(type);
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

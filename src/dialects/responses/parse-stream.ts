import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject, asObjects, asText, asTime, textOf } from '../../core/json/loose-json.ts';
import { BlockSequencer } from '../model/block-sequencer.ts';
import type { TokenUsage } from '../model/completion.ts';
import { agreeWithCalls, type Failure } from '../model/stop.ts';
import type { StreamEvent, StreamParser } from '../model/stream-events.ts';
import { parseStreamError } from '../model/upstream-error.ts';
import {
  argumentsPath,
  parseCitation,
  parseCompletion,
  parseInput,
  parseItem,
  parseLogprobs,
} from './completion.ts';
import { parseReceivedReasoning } from './reasoning.ts';
import { findFailure } from './stop-reason.ts';
import { addContent, type StreamedItem, StreamedItems } from './streamed-items.ts';
import { parseUsage } from './usage.ts';

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
  usage: TokenUsage | undefined;
  readonly #sequencer = new BlockSequencer();
  readonly #items = new StreamedItems();
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
      case 'response.queued':
      case 'response.in_progress':
        this.#start(asObject(event.response));
        break;
      case 'response.output_item.added':
        this.#announceItem(asObject(event.item), event.output_index);
        break;
      case 'response.content_part.added':
        if (isShown(event.part)) this.#startPart(event, event.part.type === 'refusal' ? 'refusal' : 'text');
        break;
      case 'response.output_text.delta':
        this.#continueText(event, 'text');
        break;
      case 'response.refusal.delta':
        this.#continueText(event, 'refusal');
        break;
      case 'response.output_text.annotation.added':
        this.#cite(this.#items.findOpen('message', event), event.annotation);
        break;
      case 'response.content_part.done':
        if (isShown(event.part)) this.#completePart(this.#items.findOpen('message', event), event.part);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#continueCall(event);
        break;
      case 'response.reasoning_summary_text.delta':
        this.#continueReasoning(event, event.summary_index, 'summary');
        break;
      case 'response.reasoning_text.delta':
        this.#continueReasoning(event, event.content_index, 'text');
        break;
      case 'response.output_item.done':
        this.#endItem(asObject(event.item), event.output_index);
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#end(asObject(event.response), event.type.slice('response.'.length));
        break;
      case 'error':
      case 'response.error':
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

  #announceItem(item: JsonObject, index: unknown): void {
    if (!this.#items.isKnown(item, index)) this.#openItem(item, index);
  }

  #openItem(item: JsonObject, index: unknown): StreamedItem {
    this.#start({});
    const opened = this.#items.add(item, index, this.#sequencer.open());
    if (opened.kind === 'tool-call') this.#startCall(opened, item);
    return opened;
  }

  #startCall({ slot }: StreamedItem, { type, call_id: id, name }: JsonObject): void {
    this.#hasToolCalls = true;
    const isCustom = type === 'custom_tool_call';
    this.#sequencer.add(slot, {
      type: 'block-start',
      block: { kind: 'tool-call', id: textOf(id), name: textOf(name), isCustom, inputPath: argumentsPath },
    });
  }

  /** The item that an event continues. Some servers do not announce it. */
  #itemOf(event: JsonObject, type: 'message' | 'reasoning'): StreamedItem {
    return (
      this.#items.findOpen(type, event) ?? this.#openItem({ type, id: event.item_id }, event.output_index)
    );
  }

  /** Starts a part of a message, unless it is the last one, and ends the part before it. */
  #startPart(event: JsonObject, kind: 'text' | 'refusal'): StreamedItem {
    const item = this.#itemOf(event, 'message');
    const index = event.content_index ?? item.part?.index ?? 0;
    if (item.part?.index !== index || item.part.kind !== kind) this.#openPart(item, index, kind);
    return item;
  }

  #openPart(item: StreamedItem, index: unknown, kind: 'text' | 'refusal'): void {
    this.#endPart(item);
    item.part = { index, kind, isEmpty: true, citations: 0 };
    this.#sequencer.add(item.slot, { type: 'block-start', block: { kind } });
  }

  #endPart({ slot, part }: StreamedItem): void {
    if (part !== undefined) this.#sequencer.add(slot, { type: 'block-end' });
  }

  #continueText(event: JsonObject, kind: 'text' | 'refusal'): void {
    this.#addDelta(this.#startPart(event, kind), event.delta, event.logprobs);
  }

  #cite(item: StreamedItem | undefined, annotation: unknown): void {
    if (item?.part === undefined || !isJsonObject(annotation)) return;
    item.part.citations += 1;
    this.#sequencer.add(item.slot, { type: 'citation', citation: parseCitation(annotation) });
  }

  /** Adds what was not streamed of the last part. */
  #completePart(item: StreamedItem | undefined, part: JsonObject): void {
    if (item?.part === undefined) return;
    if (item.part.isEmpty) this.#addDelta(item, part.text ?? part.refusal, part.logprobs);
    for (const each of asObjects(part.annotations).slice(item.part.citations)) this.#cite(item, each);
  }

  #continueCall(event: JsonObject): void {
    const item = this.#items.findOpen('tool-call', event);
    if (item === undefined) return;
    item.part ??= { index: 0, kind: 'input', isEmpty: true, citations: 0 };
    this.#addDelta(item, event.delta);
  }

  /** The parts of a summary are paragraphs. */
  #continueReasoning(event: JsonObject, partIndex: unknown, kind: 'summary' | 'text'): void {
    const item = this.#itemOf(event, 'reasoning');
    // Text that follows a summary, or the reverse, says the same in other words.
    if (item.part !== undefined && item.part.kind !== kind) return;
    if (item.part === undefined)
      this.#sequencer.add(item.slot, {
        type: 'block-start',
        block: { kind: 'reasoning', isSummary: kind === 'summary' },
      });
    else if (item.part.index !== partIndex) this.#addDelta(item, '\n\n');
    item.part = { index: partIndex, kind, isEmpty: item.part?.isEmpty ?? true, citations: 0 };
    this.#addDelta(item, event.delta);
  }

  #addDelta(item: StreamedItem, text: unknown, given?: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    addContent(item, text);
    if (item.part !== undefined) item.part.isEmpty = false;
    const logprobs = parseLogprobs(given);
    this.#sequencer.add(
      item.slot,
      logprobs === undefined ? { type: 'delta', text } : { type: 'delta', text, logprobs },
    );
  }

  #endItem(item: JsonObject, index: unknown): void {
    this.#closeItem(this.#items.findEnded(item, index) ?? this.#openItem(item, index), item);
  }

  /** Ends an item, whose final form has what was not streamed; empty if it is not known. */
  #closeItem(opened: StreamedItem, item: JsonObject): void {
    if (opened.isDone) return;
    opened.isDone = true;
    // Only for the names of what is lost.
    if (item.type !== undefined) parseItem(item, (path) => this.dropped.add(path));
    switch (opened.kind) {
      case 'message':
        this.#closeMessage(opened, asObjects(item.content));
        break;
      case 'tool-call':
        if (opened.part?.isEmpty !== false && item.type !== undefined)
          this.#addDelta(opened, parseInput(item));
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

  #closeMessage(opened: StreamedItem, content: readonly JsonObject[]): void {
    const streamed = opened.part === undefined ? 0 : Number(opened.part.index) + 1;
    this.#completePart(opened, content[streamed - 1] ?? {});
    for (const [at, part] of content.entries()) if (at >= streamed) this.#addPart(opened, part, at);
    this.#endPart(opened);
  }

  /** Adds a part that was not streamed. */
  #addPart(item: StreamedItem, part: JsonObject, index: number): void {
    if (!isShown(part)) return;
    this.#openPart(item, index, part.type === 'refusal' ? 'refusal' : 'text');
    this.#completePart(item, part);
  }

  #closeReasoning(opened: StreamedItem, item: JsonObject): void {
    const block = parseReceivedReasoning({ ...item, type: 'reasoning' }, 'output.*');
    if (block === undefined) return;
    const { isSummary, text, original } = block;
    if (opened.part === undefined)
      this.#sequencer.add(opened.slot, { type: 'block-start', block: { kind: 'reasoning', isSummary } });
    if (opened.part?.isEmpty !== false) this.#addDelta(opened, text);
    this.#sequencer.add(opened.slot, { type: 'block-end', reasoning: original });
  }

  /** Not all servers change the status in the event that ends a response. */
  #end(response: JsonObject, ending: string): void {
    const { status, usage } = response;
    this.usage = parseUsage(usage);
    const isUnchanged = typeof status !== 'string' || status === 'in_progress' || status === 'queued';
    const ended = isUnchanged ? { ...response, status: ending } : response;
    const failure = findFailure({ status: ending }) ?? findFailure(ended);
    if (failure === undefined) this.#finish(ended);
    else this.#fail(ended, failure);
  }

  #fail({ error }: JsonObject, failure: Failure): void {
    const described = isJsonObject(error) ? parseStreamError(error) : failure;
    this.#sequencer.addOutside({ ...described, type: 'error' });
  }

  #finish(response: JsonObject): void {
    this.#start(response);
    const output = asObjects(response.output);
    const matches = this.#items.match(output);
    for (const item of output) this.#closeItem(matches.get(item) ?? this.#openItem(item, undefined), item);
    for (const item of this.#items.open) this.#closeItem(item, {});
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

/** Whether a part is one of an answer. Reasoning has parts, too. */
function isShown(part: unknown): part is JsonObject {
  return isJsonObject(part) && (part.type === 'output_text' || part.type === 'refusal');
}

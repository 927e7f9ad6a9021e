import type { JsonObject } from '../../core/json/json-object.ts';
import { asObjects, asText } from '../../core/json/loose-json.ts';
import type { Slot } from '../model/block-sequencer.ts';
import { parseInput } from './completion.ts';
import { parseReceivedReasoning } from './reasoning.ts';

/** An output item of a stream. */
export interface StreamedItem {
  /** The type of an item that is not translated. */
  readonly kind: string;
  readonly slot: Slot;
  /** The `output_index` of its first event. */
  readonly index: unknown;
  /** Its own id, and that of the call that it is. */
  readonly ids: ReadonlySet<unknown>;
  readonly callId: string | undefined;
  /** The part that was streamed last; undefined if nothing was. */
  part: StreamedPart | undefined;
  isDone: boolean;
  /** The start of the content, and its length: enough to recognize it. */
  head: string;
  length: number;
}

interface StreamedPart {
  readonly index: unknown;
  readonly kind: 'text' | 'refusal' | 'summary' | 'input';
  /** Whether it was announced only. */
  isEmpty: boolean;
  /** How many were streamed so far. */
  citations: number;
}

/**
 * Finds the output item that an event is about.
 *
 * Events name their item by id and by its place in the output, the event that ends an item repeats
 * it, and the last event repeats all of them. Servers contradict themselves in all of this: GitHub
 * Copilot has another id in every event, others count places differently in the last event, or have
 * the place 0 for every tool call. An item that is not recognized is output that the client gets
 * twice. The parser adds every item it opens; items stay until the end of the stream.
 */
export class StreamedItems {
  readonly #items: StreamedItem[] = [];

  add(item: JsonObject, index: unknown, slot: Slot): StreamedItem {
    const kind = kindOf(item);
    const added: StreamedItem = {
      kind,
      slot,
      index,
      ids: idsOf(item),
      callId: asText(item.call_id),
      part: undefined,
      isDone: false,
      head: '',
      length: 0,
    };
    // Arguments alone do not tell one call from another.
    if (kind === 'tool-call') addContent(added, nameLine(item));
    this.#items.push(added);
    return added;
  }

  /** The open item that an event continues. An event without any place continues the last one. */
  findOpen(kind: string, { item_id: id, output_index: index }: JsonObject): StreamedItem | undefined {
    const isOpen = (item: StreamedItem) => !item.isDone && item.kind === kind;
    return (
      this.#items.findLast((item) => isOpen(item) && item.ids.has(id)) ??
      this.#items.findLast((item) => isOpen(item) && (index === undefined || item.index === index))
    );
  }

  /** Whether an item that was announced is announced again. */
  isKnown(item: JsonObject, index: unknown): boolean {
    return this.open.some((each) => each.index === index && hasSameId(each, item));
  }

  /** The item that an event ends, even if it has ended already; undefined for a new item. */
  findEnded(item: JsonObject, index: unknown): StreamedItem | undefined {
    const same = this.#items.filter(({ kind }) => kind === kindOf(item));
    const open = same.filter(({ isDone }) => !isDone);
    return (
      open.findLast((each) => hasSameId(each, item)) ??
      open.findLast((each) => each.index === index && !isOtherCall(each, item)) ??
      open.find((each) => hasSameContent(each, item)) ??
      same.find(
        (each) =>
          each.index === index &&
          (hasSameId(each, item) || (hasSameContent(each, item) && !isOtherCall(each, item))),
      )
    );
  }

  /** Pairs the items of the whole response with those that were streamed, one with one. */
  match(output: readonly JsonObject[]): ReadonlyMap<JsonObject, StreamedItem> {
    const matches = new Map<JsonObject, StreamedItem>();
    const unmatched = new Set(this.#items);
    for (const isSame of [hasSameId, hasSameContent, hasSamePlace])
      for (const [index, item] of output.entries()) {
        if (matches.has(item)) continue;
        const found = unmatched
          .values()
          .find((each) => each.kind === kindOf(item) && isSame(each, item, index));
        if (found === undefined) continue;
        matches.set(item, found);
        unmatched.delete(found);
      }
    return matches;
  }

  get open(): readonly StreamedItem[] {
    return this.#items.filter(({ isDone }) => !isDone);
  }
}

/** Notes the part of an item's content by which it is recognized. */
export function addContent(item: StreamedItem, text: string): void {
  if (item.head.length < headCharactersMax) item.head = (item.head + text).slice(0, headCharactersMax);
  item.length += text.length;
}

const headCharactersMax = 4_096;

function hasSameId({ ids }: StreamedItem, item: JsonObject): boolean {
  return !ids.isDisjointFrom(idsOf(item));
}

function hasSameContent({ head, length }: StreamedItem, item: JsonObject): boolean {
  const content = contentOf(item);
  return content.length === length && content.startsWith(head);
}

function hasSamePlace({ index }: StreamedItem, _item: JsonObject, place: number): boolean {
  return index === place;
}

/** Whether both are calls, but not the same one to the client. */
function isOtherCall({ callId }: StreamedItem, { call_id: id }: JsonObject): boolean {
  return callId !== undefined && id !== undefined && callId !== id;
}

function idsOf({ id, call_id }: JsonObject): ReadonlySet<unknown> {
  return new Set([id, call_id].filter((value) => typeof value === 'string' && value !== ''));
}

/** The text in which an item is streamed, as a whole. */
function contentOf(item: JsonObject): string {
  switch (kindOf(item)) {
    case 'message':
      return asObjects(item.content)
        .map(({ text, refusal }) => asText(text) ?? asText(refusal) ?? '')
        .join('');
    case 'tool-call':
      return nameLine(item) + parseInput(item);
    default:
      return parseReceivedReasoning(item, '')?.text ?? '';
  }
}

function nameLine({ name }: JsonObject): string {
  return `${asText(name) ?? ''}\n`;
}

function kindOf({ type }: JsonObject): string {
  return type === 'function_call' || type === 'custom_tool_call' ? 'tool-call' : (asText(type) ?? '');
}

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { CompletionContext } from '../model/completion.ts';
import type { Citation } from '../model/content.ts';
import { writeNote } from '../model/note.ts';
import { responseId, toolCallId } from '../model/response-ids.ts';
import { sealReasoning } from '../model/sealed-reasoning.ts';
import { writeData } from '../model/server-sent-events.ts';
import {
  BufferedTextLimit,
  type EventOf,
  type StartedBlock,
  type StreamWriter,
} from '../model/stream-events.ts';
import type { ReasoningBlock } from '../model/turns.ts';
import { stopLosses } from '../openai/stop.ts';
import { idPrefix, writeCitations } from './completion.ts';
import { errorEvent } from './errors.ts';
import { writeReasoning } from './reasoning.ts';
import { writeStop } from './stop-reason.ts';
import { findMissingCounts, writeUsage } from './usage.ts';

/**
 * Writes the chunks of a completion.
 *
 * The translator creates one writer per stream. Text is written as it arrives, so of the open block
 * only its length is kept, and its citations, which are written when it ends. Tool calls are
 * numbered among themselves, from 0, and so are details of reasoning; both counters last until the
 * end of the stream, as do id and model, which every chunk repeats. The finish event or an error
 * ends the stream.
 */
export function createStreamWriter(context: CompletionContext): StreamWriter {
  return new ChatStreamWriter(context);
}

class ChatStreamWriter implements StreamWriter {
  readonly dropped = new Set<string>();
  isFinished = false;
  readonly #context: CompletionContext;
  readonly #buffered = new BufferedTextLimit();
  readonly #includesUsage: boolean;
  #id: string;
  #model: string;
  #created: number;
  #hasRole = false;
  /** Whether there was anything but reasoning. */
  #hasContent = false;
  #block: StartedBlock = { kind: 'text' };
  #callIndex = -1;
  /** Details of reasoning are numbered over all blocks. */
  #detailIndex = 0;
  /** The length of the text that was written of all text blocks, and of this block. */
  #contentCharacters = 0;
  #blockCharacters = 0;
  #citations: Citation[] = [];
  /** The text of a chunk up to its delta. */
  #chunkPrefix = '';
  /** The text of a chunk that continues the open block, up to its only string, and after it. */
  #deltaPrefix = '';
  #deltaSuffix = '';
  /** The JSON between the two copies of a reasoning text in one event. */
  #detailPrefix = '';

  constructor(context: CompletionContext) {
    const { stream_options: options } = context.request;
    this.#context = context;
    this.#includesUsage = isJsonObject(options) && options.include_usage === true;
    this.#id = responseId(idPrefix, undefined, context.requestId);
    this.#model = context.model;
    this.#created = context.created;
  }

  fail(status: number, message: string): string {
    this.isFinished = true;
    const sent = { id: this.#id, created: this.#created, model: this.#model };
    return errorEvent({ status, message, requestId: this.#context.requestId }, writeData(sent));
  }

  start({ id, model, created }: EventOf<'start'>): string {
    this.#id = responseId(idPrefix, id, this.#context.requestId);
    this.#model = model ?? this.#model;
    this.#created = created ?? this.#created;
    const head = JSON.stringify(this.#chunk([]));
    this.#chunkPrefix = `data: ${head.slice(0, -']}'.length)}{"index":0,"delta":`;
    return '';
  }

  /** The role waits for the first block, because a message without text has the content null. */
  startBlock(block: StartedBlock): string {
    this.#block = block;
    this.#blockCharacters = 0;
    this.#hasContent ||= block.kind !== 'reasoning';
    const role = this.#writeRole(block.kind === 'text' ? '' : null);
    switch (block.kind) {
      case 'text':
        this.#setDelta('{"content":', '}');
        return role;
      case 'refusal':
        this.#setDelta('{"refusal":', '}');
        return role;
      case 'reasoning':
        this.#setReasoningDelta(block.isSummary);
        return role;
      case 'tool-call':
        return role + this.#startCall(block);
    }
  }

  #startCall({ id, name, isCustom }: StartedBlock & { readonly kind: 'tool-call' }): string {
    this.#callIndex += 1;
    const index = this.#callIndex;
    const type = isCustom ? 'custom' : 'function';
    const input = isCustom ? 'input' : 'arguments';
    this.#setDelta(`{"tool_calls":[{"index":${index},"${type}":{"${input}":`, '}}]}');
    const call = { index, id: id || toolCallId(this.#id, index), type, [type]: { name, [input]: '' } };
    return this.#writeDelta({ tool_calls: [call] });
  }

  /** Most chunks of a stream are deltas, so only their text is written anew. */
  continueBlock({ text, logprobs }: EventOf<'delta'>): string {
    const { kind } = this.#block;
    this.#blockCharacters += text.length;
    if (logprobs !== undefined) return this.#writeLogprobs(text, logprobs.list);
    const json = JSON.stringify(text);
    return kind === 'reasoning'
      ? this.#deltaPrefix + json + this.#detailPrefix + json + this.#deltaSuffix
      : this.#deltaPrefix + json + this.#deltaSuffix;
  }

  #writeLogprobs(text: string, list: readonly JsonObject[]): string {
    const isRefusal = this.#block.kind === 'refusal';
    const choice = {
      index: 0,
      delta: isRefusal ? { refusal: text } : { content: text },
      logprobs: isRefusal ? { content: null, refusal: list } : { content: list, refusal: null },
      finish_reason: null,
    };
    return writeData(this.#chunk([choice]));
  }

  cite(citation: Citation): void {
    this.#buffered.add(JSON.stringify(citation));
    this.#citations.push(citation);
  }

  endBlock(reasoning: Original | undefined): string {
    return reasoning === undefined ? this.#endText() : this.#endReasoning(reasoning);
  }

  /** Citations wait for the end of the block, because most of them refer to all of its text. */
  #endText(): string {
    if (this.#block.kind !== 'text') return '';
    const start = this.#contentCharacters;
    const range = { start, end: start + this.#blockCharacters };
    this.#contentCharacters = range.end;
    const annotations = writeCitations(this.#citations, range, (path) => this.dropped.add(path));
    this.#citations = [];
    return annotations.length === 0 ? '' : this.#writeDelta({ annotations });
  }

  /**
   * OpenRouter streams the text of a detail with the same index in each piece. Clients join pieces
   * in different ways, so only the last one has other fields.
   */
  #setReasoningDelta(isSummary: boolean): void {
    this.#setDelta('{"reasoning":', `,"index":${this.#detailIndex}}]}`);
    this.#detailPrefix = `,"reasoning_details":[{"type":"${typeOf(isSummary)}","${isSummary ? 'summary' : 'text'}":`;
  }

  #endReasoning(original: Original): string {
    const isSummary = this.#block.kind === 'reasoning' && this.#block.isSummary;
    const details = lastDetails(original, isSummary, this.#blockCharacters).map((detail, at) => ({
      ...detail,
      index: this.#detailIndex + at,
    }));
    this.#detailIndex += details.length;
    return this.#writeDelta({ reasoning_details: details });
  }

  #setDelta(before: string, after: string): void {
    this.#deltaPrefix = this.#chunkPrefix + before;
    this.#deltaSuffix = after + chunkSuffix;
  }

  #writeDelta(delta: JsonObject): string {
    return this.#chunkPrefix + JSON.stringify(delta) + chunkSuffix;
  }

  #writeRole(content: string | null): string {
    if (this.#hasRole) return '';
    this.#hasRole = true;
    return this.#writeDelta({ role: 'assistant', content, refusal: null });
  }

  finish({ stop, usage, extras = {}, dropped }: EventOf<'finish'>): string {
    this.isFinished = true;
    for (const path of stopLosses(stop)) this.dropped.add(path);
    const role = this.#writeRole(null);
    const delta = this.#hasContent ? {} : { content: '' };
    const chunk = {
      ...this.#chunk([{ index: 0, delta, logprobs: null, ...writeStop(stop) }]),
      ...(typeof extras.service_tier === 'string' && { service_tier: extras.service_tier }),
    };
    const counts = this.#includesUsage ? usage : undefined;
    const missing = counts === undefined ? [] : findMissingCounts(counts);
    const note = writeNote([...(dropped ?? []), ...this.dropped], missing);
    const end =
      counts === undefined
        ? writeData({ ...chunk, ...note })
        : writeData(chunk) + writeData({ ...chunk, choices: [], usage: writeUsage(counts), ...note });
    return `${role}${end}data: [DONE]\n\n`;
  }

  /**
   * OpenAI also has `system_fingerprint` and `usage`, which may be null or missing. They are left
   * out, because OpenRouter's SDK rejects null.
   */
  #chunk(choices: readonly JsonObject[]): JsonObject {
    return {
      id: this.#id,
      object: 'chat.completion.chunk',
      created: this.#created,
      model: this.#model,
      choices,
    };
  }
}

/**
 * The details that are left to write at the end of a block, of whose text so many characters were
 * streamed. That text was one detail. The form of OpenRouter for the whole block may need several,
 * so that it would not come back unchanged; then it is sealed.
 */
function lastDetails(original: Original, isSummary: boolean, characters: number): readonly JsonObject[] {
  const details = writeReasoning([
    { kind: 'reasoning', text: '', isSummary, original, path: '' },
  ]).reasoning_details;
  const whole = (Array.isArray(details) ? details : []) as readonly JsonObject[];
  if (characters === 0) return whole;
  const [{ text, summary, ...last } = {}, ...others] = whole;
  const type = typeOf(isSummary);
  const shown = isSummary ? summary : text;
  const isStreamed = last.type === type && typeof shown === 'string' && shown.length === characters;
  if (isStreamed && others.every((detail) => detail.type !== type)) return [last, ...others];
  return [
    { type, format: 'unknown' },
    { type: 'reasoning.encrypted', data: sealReasoning(original), format: 'unknown' },
  ];
}

/** The text of a chunk after its delta. */
const chunkSuffix = ',"logprobs":null,"finish_reason":null}]}\n\n';

type Original = ReasoningBlock['original'];

function typeOf(isSummary: boolean): string {
  return isSummary ? 'reasoning.summary' : 'reasoning.text';
}

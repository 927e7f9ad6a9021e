import type { JsonObject } from '../../core/json/json-object.ts';
import { asObject } from '../../core/json/loose-json.ts';
import type { CompletionContext } from '../model/completion.ts';
import type { Citation } from '../model/content.ts';
import { writeNote } from '../model/note.ts';
import { responseId, toolCallId } from '../model/response-ids.ts';
import { sealReasoning } from '../model/sealed-reasoning.ts';
import { writeEvent } from '../model/server-sent-events.ts';
import {
  BufferedTextLimit,
  type EventOf,
  type StartedBlock,
  type StreamWriter,
} from '../model/stream-events.ts';
import { inputObject, parseArguments } from '../model/tool-input.ts';
import type { ReasoningBlock } from '../model/turns.ts';
import { idPrefix, writeAllCitations, writeCompletion } from './completion.ts';
import { errorEvent } from './errors.ts';
import { writeStop } from './stop-reason.ts';
import { writeUsage } from './usage.ts';

/**
 * Writes the events of a message.
 *
 * The translator creates one writer per stream. Blocks are numbered as they are written, without
 * gaps: a text that stays empty is skipped. Text is written as it arrives, so of the open block
 * only its length is kept, and its citations, which are written when it ends. The arguments of a
 * function are buffered, because they have to be checked: pings take their place, so that nobody
 * takes the stream for dead. Kept until the end of the stream: the id and whether the model
 * refused. The finish event or an error ends the stream.
 */
export function createStreamWriter(context: CompletionContext): StreamWriter {
  return new MessagesStreamWriter(context);
}

class MessagesStreamWriter implements StreamWriter {
  readonly dropped = new Set<string>();
  isFinished = false;
  readonly #context: CompletionContext;
  readonly #buffered = new BufferedTextLimit();
  #id = '';
  /** How many blocks there were, and the index of the last one that was written. */
  #blockCount = 0;
  #index = -1;
  #block: StartedBlock = { kind: 'text' };
  #isBlockStarted = false;
  #hasRefusal = false;
  #blockCharacters = 0;
  #citations: Citation[] = [];
  #arguments = '';
  /** The text of a delta event up to its only string. */
  #deltaPrefix = '';

  constructor(context: CompletionContext) {
    this.#context = context;
  }

  fail(status: number, message: string): string {
    this.isFinished = true;
    return errorEvent({ status, message, requestId: this.#context.requestId });
  }

  start({ id, model }: EventOf<'start'>): string {
    this.#id = responseId(idPrefix, id, this.#context.requestId);
    return writeEvent({
      type: 'message_start',
      message: {
        id: this.#id,
        type: 'message',
        role: 'assistant',
        model: model ?? this.#context.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        usage: writeUsage({ input: this.#context.estimatedInputTokens }),
      },
    });
  }

  /**
   * Blocks wait for text: Anthropic rejects empty ones when clients send them back, and whether
   * reasoning is redacted is only known when it ends. A tool call may have no input.
   */
  startBlock(block: StartedBlock): string {
    this.#block = block;
    this.#isBlockStarted = false;
    this.#blockCharacters = 0;
    this.#blockCount += 1;
    if (block.kind === 'refusal') this.#hasRefusal = true;
    return block.kind === 'tool-call' ? this.#writeStart() : '';
  }

  continueBlock({ text, logprobs }: EventOf<'delta'>): string {
    if (logprobs !== undefined) this.dropped.add(logprobs.path);
    const start = this.#isBlockStarted ? '' : this.#writeStart();
    const block = this.#block;
    this.#blockCharacters += text.length;
    if (block.kind !== 'tool-call') return start + this.#writeDelta(text);
    // The input of a tool is an object here, so the text of a custom tool is a string in one.
    if (block.isCustom) return start + this.#writeDelta(JSON.stringify(text).slice(1, -1));
    this.#buffered.add(text);
    this.#arguments += text;
    return start + ping;
  }

  cite(citation: Citation): void {
    this.#buffered.add(JSON.stringify(citation));
    this.#citations.push(citation);
  }

  endBlock(reasoning: Original | undefined): string {
    const rest = this.#completeBlock(reasoning);
    if (!this.#isBlockStarted) return rest;
    return `${rest}event: content_block_stop\ndata: {"type":"content_block_stop","index":${this.#index}}\n\n`;
  }

  #completeBlock(reasoning: Original | undefined): string {
    const block = this.#block;
    switch (block.kind) {
      case 'reasoning':
        return reasoning === undefined ? '' : this.#sign(reasoning);
      case 'tool-call':
        return this.#writeDelta(block.isCustom ? '"}' : this.#takeArguments(block.inputPath));
      default:
        return this.#citations.length === 0 ? '' : this.#cite();
    }
  }

  /** Arguments that are not an object get the same form as in a whole response. */
  #takeArguments(path: string): string {
    const text = this.#arguments;
    this.#arguments = '';
    if (parseArguments(text) !== undefined) return text;
    this.dropped.add(path);
    return JSON.stringify(inputObject(text));
  }

  /** Citations wait for the end of the block: only then it is known if they refer to all of it. */
  #cite(): string {
    const range = { start: 0, end: this.#blockCharacters };
    const citations = writeAllCitations(this.#citations, range, (path) => this.dropped.add(path));
    this.#citations = [];
    return citations.map((citation) => this.#writeBlockDelta({ type: 'citations_delta', citation })).join('');
  }

  /** Reasoning of another dialect is sealed in the signature, also if it has no visible text. */
  #sign(original: Original): string {
    const { dialect, part } = original;
    if (dialect === 'messages' && part.type !== 'thinking') return this.#writeStart(part);
    const start = this.#isBlockStarted ? '' : this.#writeStart();
    const signature = dialect === 'messages' ? part.signature : sealReasoning(original);
    if (typeof signature !== 'string') return start;
    return start + this.#writeBlockDelta({ type: 'signature_delta', signature });
  }

  #writeStart(content_block = this.#emptyBlock()): string {
    const index = this.#index + 1;
    const { kind, isCustom } = { isCustom: false, ...this.#block };
    this.#index = index;
    this.#isBlockStarted = true;
    this.#deltaPrefix = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":${deltaPrefixes[kind]}`;
    const start = writeEvent({ type: 'content_block_start', index, content_block });
    return isCustom ? start + this.#writeDelta('{"input":"') : start;
  }

  #emptyBlock(): JsonObject {
    const block = this.#block;
    switch (block.kind) {
      case 'tool-call': {
        const id = block.id || toolCallId(this.#id, this.#blockCount - 1);
        return { type: 'tool_use', id, name: block.name, input: {}, caller: { type: 'direct' } };
      }
      case 'reasoning':
        return { type: 'thinking', thinking: '', signature: '' };
      default:
        return { type: 'text', text: '' };
    }
  }

  /** Most events of a stream are deltas, so only their text is written anew. */
  #writeDelta(text: string): string {
    return `${this.#deltaPrefix}${JSON.stringify(text)}}}\n\n`;
  }

  #writeBlockDelta(delta: JsonObject): string {
    return writeEvent({ type: 'content_block_delta', index: this.#index, delta });
  }

  finish({ stop, usage, extras = {}, dropped }: EventOf<'finish'>): string {
    this.isFinished = true;
    const completion = { id: this.#id, model: '', created: 0, content: [], stop, usage, extras };
    const { body, dropped: lost, missing } = writeCompletion(completion, this.#context);
    for (const path of lost) this.dropped.add(path);
    // The text of a refusal is text like any other here. Only the stop reason tells them apart.
    const isRefusal = this.#hasRefusal && stop.reason === 'end';
    const counts = asObject(body.usage);
    const end = writeEvent({
      type: 'message_delta',
      delta: { ...writeStop(isRefusal ? { reason: 'refusal' } : stop), stop_details: null },
      usage: usage?.input === undefined ? withoutInput(counts) : counts,
      ...writeNote([...(dropped ?? []), ...this.dropped], missing),
    });
    return `${end}event: message_stop\ndata: {"type":"message_stop"}\n\n`;
  }
}

type Original = ReasoningBlock['original'];

const deltaPrefixes: Readonly<Record<StartedBlock['kind'], string>> = {
  text: '{"type":"text_delta","text":',
  refusal: '{"type":"text_delta","text":',
  'tool-call': '{"type":"input_json_delta","partial_json":',
  reasoning: '{"type":"thinking_delta","thinking":',
};

/** Clients keep the counts of `message_start` that `message_delta` leaves out. */
function withoutInput(usage: JsonObject): JsonObject {
  const { input_tokens: _, cache_creation_input_tokens: __, cache_read_input_tokens: ___, ...rest } = usage;
  return rest;
}

const ping = writeEvent({ type: 'ping' });

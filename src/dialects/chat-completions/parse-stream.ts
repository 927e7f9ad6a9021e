import { isJsonObject, type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import { asObject, asObjects, asTime, parseJsonObject, textOf } from '../../core/json/loose-json.ts';
import { BlockSequencer, type Slot } from '../model/block-sequencer.ts';
import type { Stop, TokenUsage } from '../model/completion.ts';
import { agreeWithCalls, type Failure } from '../model/stop.ts';
import {
  BufferedTextLimit,
  type EventOf,
  type StreamEvent,
  type StreamParser,
} from '../model/stream-events.ts';
import { mergeUsage } from '../model/token-usage.ts';
import type { ReasoningBlock } from '../model/turns.ts';
import { hasOtherFields } from '../model/unknown-fields.ts';
import { parseStreamError } from '../model/upstream-error.ts';
import { parseSignature } from './call-signature.ts';
import {
  argumentsPath,
  callLosses,
  choiceLosses,
  parseCitation,
  parseCompletion,
  parseLogprobs,
} from './completion.ts';
import { type ReasoningPiece, ReasoningRun, reasoningPieces } from './reasoning-run.ts';
import { findFailure, parseStop } from './stop-reason.ts';
import { parseUsage } from './usage.ts';

/**
 * Parses the chunks of a completion.
 *
 * The translator creates one parser per stream. Chunks do not say where a block ends. Text and
 * reasoning end where anything else starts. A tool call ends there too, but only if its arguments
 * are complete, because calls may interleave; other blocks are queued behind it. Kept until the end
 * of the stream: the calls, and the fields that a whole completion has once. The usage follows the
 * finish reason, so the end waits for it.
 */
export function createStreamParser(): StreamParser {
  return new ChatStreamParser();
}

class ChatStreamParser implements StreamParser {
  readonly dropped = new Set<string>();
  readonly #sequencer = new BlockSequencer();
  readonly #buffered = new BufferedTextLimit();
  #hasStarted = false;
  #isFinished = false;
  /** The open block of text or refusal. */
  #text: { readonly kind: 'text' | 'refusal'; readonly slot: Slot } | undefined;
  #reasoning: { readonly run: ReasoningRun; readonly slot: Slot } | undefined;
  readonly #calls: Call[] = [];
  /** Why the choice ended, once it is known. */
  #stop: Stop | undefined;
  #failure: Failure | undefined;
  /** The fields of the chunks that a whole completion has once. */
  #completion: JsonObject = {};

  get usage(): TokenUsage | undefined {
    return parseUsage(this.#completion.usage);
  }

  push(chunk: JsonObject): readonly StreamEvent[] {
    if (this.#isFinished) return [];
    const error = findError(chunk);
    if (error === undefined) this.#parse(chunk);
    else this.#fail(parseStreamError(error), chunk);
    return this.#sequencer.take();
  }

  end(): readonly StreamEvent[] {
    if (this.#stop !== undefined && !this.#isFinished) this.#finish(this.#stop);
    return this.#sequencer.take();
  }

  #parse(chunk: JsonObject): void {
    for (const choice of asObjects(chunk.choices)) this.#parseChoice(choice, chunk);
    if (!this.#hasStarted || this.#stop !== undefined || isJsonObject(chunk.usage)) this.#keep(chunk);
    // Some servers count in every chunk, but only the end has the final count.
    if (this.#stop !== undefined && isJsonObject(chunk.usage)) this.#finish(this.#stop);
  }

  /** OpenAI pads chunks with random text. */
  #keep({ choices: _, obfuscation: __, usage, ...fields }: JsonObject): void {
    const known = mergeUsage(asObject(this.#completion.usage), asObject(usage));
    this.#completion = { ...this.#completion, ...omitNullish(fields), usage: known };
  }

  #parseChoice(choice: JsonObject, chunk: JsonObject): void {
    if (choice.index !== undefined && choice.index !== 0) {
      this.dropped.add(`choices.${String(choice.index)}`);
      return;
    }
    // Azure starts with a chunk that has no choices and an empty id.
    if (!this.#hasStarted) this.#start(chunk);
    const delta = asObject(choice.delta);
    if (hasOtherFields(choice, choiceFields) || hasOtherFields(delta, deltaFields))
      this.#drop(choiceLosses({ ...choice, delta: null, message: delta }));
    this.#parseDelta(delta, asObject(choice.logprobs));
    if (typeof choice.finish_reason !== 'string') return;
    this.#failure = findFailure(choice);
    this.#stop = parseStop(choice, (path) => this.dropped.add(path));
  }

  #start(chunk: JsonObject): void {
    const { id, model, created } = chunk;
    this.#hasStarted = true;
    this.#keep(chunk);
    this.#sequencer.addOutside({
      type: 'start',
      id: textOf(id) || undefined,
      model: textOf(model) || undefined,
      created: asTime(created),
      usage: undefined,
    });
  }

  #parseDelta(delta: JsonObject, logprobs: JsonObject): void {
    if (this.#stop !== undefined) return;
    for (const piece of reasoningPieces(delta)) this.#continueReasoning(piece);
    if (typeof delta.content === 'string') this.#continueText('text', delta.content, logprobs.content);
    else if (Array.isArray(delta.content)) this.#continueParts(delta.content);
    if (typeof delta.refusal === 'string') this.#continueText('refusal', delta.refusal, logprobs.refusal);
    if (Array.isArray(delta.annotations)) this.#cite(delta.annotations);
    if (Array.isArray(delta.tool_calls)) this.#continueCalls(delta.tool_calls);
    if (isJsonObject(delta.function_call)) this.#continueFunctionCall(delta.function_call);
  }

  #continueText(kind: 'text' | 'refusal', text: string, given?: unknown): void {
    if (text === '') return;
    if (this.#text?.kind !== kind) {
      this.#endBlocks();
      this.#text = { kind, slot: this.#sequencer.open() };
      this.#sequencer.add(this.#text.slot, { type: 'block-start', block: { kind } });
    }
    const logprobs = parseLogprobs(given);
    this.#sequencer.add(
      this.#text.slot,
      logprobs === undefined ? { type: 'delta', text } : { type: 'delta', text, logprobs },
    );
  }

  /** Mistral's content is a list of parts while its models reason. */
  #continueParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      if (!isJsonObject(part)) continue;
      if (part.type === 'text' && typeof part.text === 'string') this.#continueText('text', part.text);
      else this.dropped.add(`choices.*.message.content.*.${String(part.type)}`);
    }
  }

  #cite(annotations: readonly unknown[]): void {
    for (const annotation of annotations) {
      if (!isJsonObject(annotation)) continue;
      if (this.#text?.kind === 'text')
        this.#sequencer.add(this.#text.slot, { type: 'citation', citation: parseCitation(annotation) });
      else this.dropped.add('choices.*.message.annotations');
    }
  }

  #continueReasoning(piece: ReasoningPiece): void {
    if (this.#reasoning?.run.accepts(piece) !== true) {
      this.#endBlocks();
      this.#reasoning = { run: new ReasoningRun(), slot: this.#sequencer.open() };
      const { isSummary } = piece;
      this.#sequencer.add(this.#reasoning.slot, {
        type: 'block-start',
        block: { kind: 'reasoning', isSummary },
      });
    }
    const { run, slot } = this.#reasoning;
    run.add(piece);
    if (piece.text !== '') this.#sequencer.add(slot, { type: 'delta', text: piece.text });
  }

  /** Hidden parts that came after the visible one are blocks of their own. */
  #endReasoning({ run, slot }: { readonly run: ReasoningRun; readonly slot: Slot }): void {
    for (const [index, { original, isSummary, text }] of run.blocks('choices.*.message').entries()) {
      if (index > 0) {
        this.#sequencer.add(slot, { type: 'block-start', block: { kind: 'reasoning', isSummary } });
        if (text !== '') this.#sequencer.add(slot, { type: 'delta', text });
      }
      this.#sequencer.add(slot, { type: 'block-end', reasoning: original });
    }
    this.#sequencer.close(slot);
  }

  #continueCalls(entries: readonly unknown[]): void {
    for (const entry of entries) if (isJsonObject(entry)) this.#continueCall(this.#findCall(entry), entry);
  }

  /** The predecessor of tool calls, of which there is only one. */
  #continueFunctionCall(entry: JsonObject): void {
    this.#continueCall(this.#calls[0] ?? this.#openCall(0), { function: entry });
  }

  /**
   * Finds the call that an entry belongs to. Servers may leave out the index or the id, or have the
   * same index for all calls, but the first entry of a call always has its name.
   */
  #findCall(entry: JsonObject): Call {
    const { index, id } = entry;
    const same = textOf(id) === '' ? undefined : this.#calls.find((call) => call.id === id);
    if (same !== undefined) return same;
    const last = Number.isInteger(index)
      ? this.#calls.findLast((call) => call.index === index)
      : this.#calls.at(-1);
    return last === undefined || startsAnother(entry, last) ? this.#openCall(index) : last;
  }

  #openCall(index: unknown): Call {
    this.#endBlocks();
    const slot = this.#sequencer.open();
    const call: Call = { index, slot, id: '', name: '', isCustom: false, input: '', state: 'unnamed' };
    this.#calls.push(call);
    return call;
  }

  #continueCall(call: Call, entry: JsonObject): void {
    const { name, input } = contentOf(entry);
    if (hasOtherFields(entry, callFields) || hasOtherFields(asObject(entry.function), functionFields))
      this.#drop(callLosses(entry));
    if (call.state === 'ended') {
      if (input.trim() !== '') this.dropped.add(argumentsPath);
      return;
    }
    this.#buffered.add(input);
    call.input += input;
    if (call.state === 'started') {
      if (input !== '') this.#sequencer.add(call.slot, { type: 'delta', text: input });
      return;
    }
    call.id ||= textOf(entry.id);
    call.signature ??= parseSignature(entry)?.original;
    call.name = name;
    call.isCustom = isJsonObject(entry.custom);
    if (name !== '') this.#startCall(call);
  }

  #startCall(call: Call): void {
    call.state = 'started';
    const { id, name, isCustom, input, slot, signature } = call;
    if (signature !== undefined) {
      this.#sequencer.add(slot, { type: 'block-start', block: { kind: 'reasoning', isSummary: false } });
      this.#sequencer.add(slot, { type: 'block-end', reasoning: signature });
    }
    this.#sequencer.add(slot, {
      type: 'block-start',
      block: { kind: 'tool-call', id, name, isCustom, inputPath: argumentsPath },
    });
    if (input !== '') this.#sequencer.add(slot, { type: 'delta', text: input });
  }

  #endCall(call: Call): void {
    if (call.state === 'unnamed') this.#startCall(call);
    call.state = 'ended';
    this.#sequencer.add(call.slot, { type: 'block-end' });
    this.#sequencer.close(call.slot);
  }

  /** Ends all blocks that are complete, because another one starts. */
  #endBlocks(): void {
    if (this.#text !== undefined) {
      this.#sequencer.add(this.#text.slot, { type: 'block-end' });
      this.#sequencer.close(this.#text.slot);
      this.#text = undefined;
    }
    if (this.#reasoning !== undefined) {
      this.#endReasoning(this.#reasoning);
      this.#reasoning = undefined;
    }
    for (const call of this.#calls) if (call.state === 'started' && isComplete(call)) this.#endCall(call);
  }

  #finish(stop: Stop): void {
    if (this.#failure === undefined) this.#complete(stop);
    else this.#fail({ type: 'error', ...this.#failure });
  }

  #complete(stop: Stop): void {
    this.#isFinished = true;
    this.#endBlocks();
    for (const call of this.#calls) if (call.state !== 'ended') this.#endCall(call);
    const { completion, dropped } = parseCompletion(this.#completion);
    this.#drop(dropped);
    this.#sequencer.addOutside({
      type: 'finish',
      stop: agreeWithCalls(stop, this.#calls.length > 0),
      usage: completion.usage,
      extras: completion.extras,
      dropped: this.dropped,
    });
  }

  #drop(paths: readonly string[]): void {
    for (const path of paths) this.dropped.add(path);
  }

  #fail(error: EventOf<'error'>, chunk: JsonObject = {}): void {
    this.#isFinished = true;
    this.#keep(chunk);
    this.#sequencer.addOutside(error);
  }
}

/** OpenRouter may have the error in the choice that failed. */
function findError({ error, choices }: JsonObject): JsonObject | undefined {
  if (isJsonObject(error)) return error;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isJsonObject(choice) && isJsonObject(choice.error) ? choice.error : undefined;
}

interface Call {
  readonly index: unknown;
  readonly slot: Slot;
  id: string;
  name: string;
  isCustom: boolean;
  signature?: ReasoningBlock['original'] | undefined;
  input: string;
  state: 'unnamed' | 'started' | 'ended';
}

/** Fields of nearly all chunks, which are known. */
const choiceFields: ReadonlySet<string> = new Set(['index', 'delta', 'finish_reason']);
const deltaFields: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls', 'reasoning_content']);
const callFields: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function']);
const functionFields: ReadonlySet<string> = new Set(['name', 'arguments']);

/** Whether an entry with the index of a call is the first of the next call. */
function startsAnother(entry: JsonObject, call: Call): boolean {
  const { name, input } = contentOf(entry);
  if (name === '' || call.name === '') return false;
  return textOf(entry.id) === '' ? input !== '' && isComplete(call) : call.id !== entry.id;
}

function contentOf({ function: called, custom }: JsonObject): {
  readonly name: string;
  readonly input: string;
} {
  if (isJsonObject(custom)) return { name: textOf(custom.name), input: textOf(custom.input) };
  const { name, arguments: input } = isJsonObject(called) ? called : {};
  return { name: textOf(name), input: isJsonObject(input) ? JSON.stringify(input) : textOf(input) };
}

/** Whether the arguments cannot continue. That is never known of free text. */
function isComplete({ isCustom, input }: Call): boolean {
  return !isCustom && parseJsonObject(input) !== undefined;
}

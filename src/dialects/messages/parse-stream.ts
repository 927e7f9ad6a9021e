import { isJsonObject, type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import { asObject, asText, textOf } from '../../core/json/loose-json.ts';
import type { TokenUsage } from '../model/completion.ts';
import { agreeWithCalls } from '../model/stop.ts';
import { BufferedTextLimit, type StreamEvent, type StreamParser } from '../model/stream-events.ts';
import { mergeUsage } from '../model/token-usage.ts';
import { parseStreamError } from '../model/upstream-error.ts';
import { blockLosses, inputPath, parseCitation, parseCompletion } from './completion.ts';
import { parseStop } from './stop-reason.ts';
import { parseUsage } from './usage.ts';

/**
 * Parses the events of a message.
 *
 * The translator creates one parser per stream. Blocks already follow one another in this dialect,
 * so every event is passed on at once. Kept until the end of the open block: its kind, the text of
 * thinking, which is signed as a whole, and tool input that was sent whole at its start. Kept until
 * the end of the stream: the fields of the message, for its usage and stop reason. `message_stop`
 * ends the stream; without it, the stream broke off.
 */
export function createStreamParser(): StreamParser {
  return new MessagesStreamParser();
}

class MessagesStreamParser implements StreamParser {
  readonly dropped = new Set<string>();
  readonly #buffered = new BufferedTextLimit();
  #block: OpenBlock | undefined;
  #hasToolCalls = false;
  /** The fields of a whole message, except for its content. */
  #message: JsonObject = {};

  get usage(): TokenUsage | undefined {
    return parseUsage(this.#message.usage);
  }

  push(event: JsonObject): readonly StreamEvent[] {
    switch (event.type) {
      case 'message_start':
        return this.#start(asObject(event.message));
      case 'content_block_start':
        return this.#startBlock(event.content_block);
      case 'content_block_delta':
        return isJsonObject(event.delta) ? this.#continueBlock(event.delta) : nothing;
      case 'content_block_stop':
        return this.#endBlock();
      case 'message_delta': {
        const { type: _, delta, ...fields } = event;
        this.#update({ ...asObject(delta), ...fields });
        return nothing;
      }
      case 'message_stop':
        return [...this.#endBlock(), this.#finish()];
      case 'error':
        return [parseStreamError(event.error)];
      default:
        return nothing;
    }
  }

  /** Only `message_stop` ends a stream, so nothing is left to say. */
  end(): readonly StreamEvent[] {
    return nothing;
  }

  #start(message: JsonObject): readonly StreamEvent[] {
    const { id, model, usage } = message;
    this.#update(message);
    return [
      { type: 'start', id: asText(id), model: asText(model), created: undefined, usage: parseUsage(usage) },
    ];
  }

  #startBlock(block: unknown): readonly StreamEvent[] {
    if (!isJsonObject(block)) return nothing;
    const ended = this.#endBlock();
    const started = this.#open(block);
    return ended.length === 0 ? started : [...ended, ...started];
  }

  #open(block: JsonObject): readonly StreamEvent[] {
    for (const path of blockLosses(block)) this.dropped.add(path);
    switch (block.type) {
      case 'text':
        this.#block = { kind: 'text' };
        return [{ type: 'block-start', block: { kind: 'text' } }, ...deltaOf(block.text)];
      case 'tool_use':
        this.#block = { kind: 'tool-call', input: block.input };
        this.#hasToolCalls = true;
        return [
          {
            type: 'block-start',
            block: {
              kind: 'tool-call',
              id: textOf(block.id),
              name: textOf(block.name),
              isCustom: false,
              inputPath,
            },
          },
        ];
      case 'thinking':
      case 'redacted_thinking':
        this.#block = { kind: 'reasoning', part: block, text: textOf(block.thinking) };
        return [
          { type: 'block-start', block: { kind: 'reasoning', isSummary: false } },
          ...deltaOf(block.thinking),
        ];
      default:
        this.dropped.add(`content.*.${textOf(block.type)}`);
        return nothing;
    }
  }

  #continueBlock(delta: JsonObject): readonly StreamEvent[] {
    const block = this.#block;
    // The delta of a block that was dropped.
    if (block === undefined) return nothing;
    switch (delta.type) {
      case 'text_delta':
        return deltaOf(delta.text);
      case 'input_json_delta':
        return this.#continueInput(delta.partial_json);
      case 'thinking_delta':
        return this.#continueThinking(delta.thinking);
      case 'signature_delta':
        if (block.kind === 'reasoning') block.part = { ...block.part, signature: delta.signature };
        return nothing;
      case 'citations_delta':
        return isJsonObject(delta.citation)
          ? [{ type: 'citation', citation: parseCitation(delta.citation) }]
          : nothing;
      default:
        this.dropped.add(`content.*.${textOf(delta.type)}`);
        return nothing;
    }
  }

  #continueInput(json: unknown): readonly StreamEvent[] {
    const events = deltaOf(json);
    if (events.length > 0 && this.#block?.kind === 'tool-call') this.#block.input = undefined;
    return events;
  }

  #continueThinking(text: unknown): readonly StreamEvent[] {
    if (typeof text !== 'string' || this.#block?.kind !== 'reasoning') return nothing;
    this.#buffered.add(text);
    this.#block.text += text;
    return deltaOf(text);
  }

  #endBlock(): readonly StreamEvent[] {
    const block = this.#block;
    if (block === undefined) return nothing;
    this.#block = undefined;
    switch (block.kind) {
      case 'text':
        return [{ type: 'block-end' }];
      case 'tool-call':
        // Input that was given whole, at the start. It is an empty object if there is none.
        return [
          ...(block.input === undefined ? [] : deltaOf(JSON.stringify(block.input))),
          { type: 'block-end' },
        ];
      case 'reasoning':
        return [{ type: 'block-end', reasoning: { dialect: 'messages', part: thinkingPart(block) } }];
    }
  }

  #update({ usage, ...fields }: JsonObject): void {
    const known = mergeUsage(asObject(this.#message.usage), asObject(usage));
    this.#message = { ...this.#message, ...omitNullish(fields), usage: known };
  }

  #finish(): StreamEvent {
    const { completion, dropped } = parseCompletion({ ...this.#message, content: [] });
    for (const path of dropped) this.dropped.add(path);
    return {
      type: 'finish',
      stop: agreeWithCalls(parseStop(this.#message), this.#hasToolCalls),
      usage: completion.usage,
      extras: completion.extras,
      dropped: this.dropped,
    };
  }
}

/** The block that was started last, until it ends. */
type OpenBlock =
  | { readonly kind: 'text' }
  /** `input` is undefined once a piece of it was streamed. */
  | { readonly kind: 'tool-call'; input: unknown }
  | { readonly kind: 'reasoning'; part: JsonObject; text: string };

const nothing: readonly StreamEvent[] = [];

/** The block as it is in a whole message. */
function thinkingPart({ part, text }: { readonly part: JsonObject; readonly text: string }): JsonObject {
  return part.type === 'thinking' ? { ...part, thinking: text } : part;
}

function deltaOf(text: unknown): readonly StreamEvent[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'delta', text }] : nothing;
}

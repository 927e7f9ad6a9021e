import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asList } from '../../core/json/loose-json.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import type { CompletionContext, Stop } from '../model/completion.ts';
import type { Citation } from '../model/content.ts';
import { dataLines, doneMarker, parseData } from '../model/server-sent-events.ts';
import {
  type EventOf,
  type StartedBlock,
  StreamError,
  type StreamEvent,
  type StreamParser,
} from '../model/stream-events.ts';
import type { OutputBlock, ReasoningBlock } from '../model/turns.ts';

/**
 * Puts a stream together to the body of a whole response in the same dialect.
 *
 * It is fed the lines that a client gets, and keeps the text in them, up to a limit. Past the
 * limit, it reads nothing more. `body` can be asked for at any time, so that of a stream that was
 * cut off there is what arrived.
 */
export class StreamFold {
  readonly #dialect: Dialect;
  readonly #charactersMax: number;
  readonly #parser: StreamParser;
  #start: EventOf<'start'> | undefined;
  #finish: EventOf<'finish'> | undefined;
  #error: EventOf<'error'> | undefined;
  readonly #blocks: FoldedBlock[] = [];
  #characters = 0;
  #partBytes = 0;
  /** The whole response, which responses has in its last event. */
  #whole: JsonObject | undefined;
  #wholeBytes = 0;
  /** Whether the parser has given up. */
  #isBroken = false;

  constructor(dialect: Dialect, charactersMax: number) {
    this.#dialect = dialect;
    this.#charactersMax = charactersMax;
    this.#parser = dialectOf[dialect].stream.createParser();
  }

  /** Whether the end of the response is there. */
  get isComplete(): boolean {
    return this.#finish !== undefined && !this.#isFull;
  }

  get characters(): number {
    return this.#characters;
  }

  /** About what it keeps: text, and the JSON of events that have more than text. */
  get bytes(): number {
    return this.#partBytes + this.#wholeBytes;
  }

  get #isFull(): boolean {
    return this.#characters > this.#charactersMax || this.#isBroken;
  }

  /** Takes complete lines. What is no event of the dialect is skipped. */
  push(lines: string): void {
    try {
      for (const line of dataLines(lines)) {
        if (this.#isFull) return;
        const data = parseData(line);
        if (data === doneMarker) this.#addAll(this.#parser.end());
        else if (data !== undefined) this.#read(data, line.length);
      }
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      this.#isBroken = true;
    }
  }

  /** Call this at the end of the stream. */
  end(): void {
    if (this.#finish === undefined && !this.#isFull) this.#addAll(this.#parser.end());
  }

  /** Undefined if nothing of a response arrived. */
  body(context: CompletionContext): JsonObject | undefined {
    if (this.isComplete && this.#whole !== undefined) return this.#whole;
    if (this.#start === undefined && this.#blocks.length === 0) return this.#errorBody(context);
    const { id, model, created, usage } = this.#start ?? noStart;
    const completion = {
      id,
      model,
      created,
      content: this.#blocks.map((block) => toOutput(block, this.#dialect)),
      stop: this.#finish?.stop ?? interrupted,
      usage: this.#finish?.usage ?? this.#parser.usage ?? usage,
      extras: this.#finish?.extras ?? {},
    };
    const { body } = dialectOf[this.#dialect].completion.write(completion, context);
    // The writer derives an id of its own from it.
    return { ...body, ...(id !== undefined && { id }), ...this.#errorBody(context) };
  }

  #read(event: JsonObject, bytes: number): void {
    const events = this.#parser.push(event);
    this.#addAll(events);
    const { response } = event;
    if (isJsonObject(response) && asList(response.output).length > 0) {
      this.#whole = response;
      this.#wholeBytes = bytes;
    } else this.#partBytes += events.every(isText) ? textBytes(events) : bytes;
  }

  #errorBody({ requestId }: CompletionContext): JsonObject | undefined {
    if (this.#error === undefined) return undefined;
    const { status, message } = this.#error;
    const { error } = dialectOf[this.#dialect].errors.write({ status, message, requestId });
    return { error };
  }

  #addAll(events: readonly StreamEvent[]): void {
    for (const event of events) this.#add(event);
  }

  #add(event: StreamEvent): void {
    const block = this.#blocks.at(-1);
    switch (event.type) {
      case 'start':
        this.#start = event;
        break;
      case 'block-start':
        this.#blocks.push({ started: event.block, texts: [], citations: [], logprobs: [] });
        break;
      case 'delta':
        this.#characters += event.text.length;
        block?.texts.push(event.text);
        if (event.logprobs !== undefined) block?.logprobs.push(...event.logprobs.list);
        break;
      case 'citation':
        block?.citations.push(event.citation);
        break;
      case 'block-end':
        if (block !== undefined) block.reasoning = event.reasoning;
        break;
      case 'finish':
        this.#finish = event;
        break;
      case 'error':
        this.#error = event;
        break;
    }
  }
}

/** Whether only the text of an event is kept. */
function isText(event: StreamEvent): event is EventOf<'delta'> {
  return event.type === 'delta' && event.logprobs === undefined;
}

function textBytes(events: readonly EventOf<'delta'>[]): number {
  return events.reduce((sum, { text }) => sum + text.length + stringBytes, 0);
}

/** The memory of a string besides its characters. */
const stringBytes = 24;

const noStart = { id: undefined, model: undefined, created: undefined, usage: undefined };

/** A stream that was cut off has no reason for its end. */
const interrupted: Stop = { reason: 'length' };

interface FoldedBlock {
  readonly started: StartedBlock;
  readonly texts: string[];
  readonly citations: Citation[];
  readonly logprobs: JsonObject[];
  reasoning?: ReasoningBlock['original'] | undefined;
}

/** Reasoning that was cut off has no part of its own yet. */
const unfinishedReasoning: Readonly<Record<Dialect, (text: string) => JsonObject>> = {
  'chat-completions': (reasoning) => ({ reasoning }),
  messages: (thinking) => ({ type: 'thinking', thinking }),
  responses: (text) => ({ type: 'reasoning', summary: [{ type: 'summary_text', text }] }),
};

function toOutput(
  { started, texts, citations, logprobs, reasoning }: FoldedBlock,
  dialect: Dialect,
): OutputBlock {
  const text = texts.join('');
  const extras = { dialect, fields: {} } as const;
  const probabilities = logprobs.length === 0 ? undefined : { list: logprobs, path: 'logprobs' };
  switch (started.kind) {
    case 'text':
      return {
        kind: 'text',
        text,
        logprobs: probabilities,
        ...(citations.length > 0 && { citations }),
        extras,
      };
    case 'refusal':
      return { kind: 'refusal', text, logprobs: probabilities, extras };
    case 'reasoning':
      return {
        kind: 'reasoning',
        text,
        isSummary: started.isSummary,
        original: reasoning ?? { dialect, part: unfinishedReasoning[dialect](text) },
        path: '',
      };
    case 'tool-call': {
      const { id, name, isCustom, namespace, inputPath } = started;
      return {
        kind: 'tool-call',
        id,
        name,
        input: text,
        isCustom,
        ...(namespace !== undefined && { namespace }),
        extras,
        path: '',
        inputPath,
      };
    }
  }
}

import { isJsonObject, type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import { textOf } from '../../core/json/loose-json.ts';
import { BufferedTextLimit } from '../model/stream-events.ts';
import type { ReasoningBlock } from '../model/turns.ts';
import { parseReceivedReasoning } from './reasoning.ts';

/** A piece of reasoning in a chunk: one of its details, or text in fields of its delta. */
export interface ReasoningPiece {
  readonly type: 'detail' | 'texts';
  readonly fields: JsonObject;
  readonly text: string;
  readonly isSummary: boolean;
}

/** The pieces in the delta of a chunk. OpenRouter repeats the text of details in `reasoning`. */
export function reasoningPieces(delta: JsonObject): readonly ReasoningPiece[] {
  const { reasoning_details: details, reasoning, reasoning_content } = delta;
  if (!details && !reasoning && !reasoning_content) return none;
  const pieces = Array.isArray(details) ? details.filter(isJsonObject).map(detailPiece) : [];
  if (pieces.some(({ text }) => text !== '')) return pieces;
  const text = textOf(reasoning) || textOf(reasoning_content);
  if (text === '') return pieces;
  const fields = omitNullish({ reasoning, reasoning_content });
  return [{ type: 'texts', fields, text, isSummary: false }, ...pieces];
}

const none: readonly ReasoningPiece[] = [];

function detailPiece(fields: JsonObject): ReasoningPiece {
  const text = textOf(fields.text) || textOf(fields.summary);
  return { type: 'detail', fields, text, isSummary: fields.type === 'reasoning.summary' };
}

/**
 * Pieces of reasoning that follow one another, of which only the first may be visible text.
 *
 * The parser starts a run with the first piece and ends it where a piece of another run or another
 * block starts, or with the stream. Until then the run keeps all its pieces, joined to what they
 * are in a whole message, because only that is signed. `BufferedTextLimit` bounds their text.
 */
export class ReasoningRun {
  readonly #buffered = new BufferedTextLimit();
  readonly #texts: Fields = {};
  readonly #details: Fields[] = [];
  #isEmpty = true;

  /** Whether a piece belongs to this run. */
  accepts({ type, fields, text }: ReasoningPiece): boolean {
    if (this.#isEmpty || (type === 'detail' && text === '')) return true;
    const last = this.#details.at(-1);
    return type === 'texts' ? last === undefined : last !== undefined && continues(fields, last);
  }

  add({ type, fields, text }: ReasoningPiece): void {
    this.#isEmpty = false;
    this.#buffered.add(text);
    if (type === 'texts') append(this.#texts, fields);
    else this.#addDetail(fields);
  }

  #addDetail(fields: JsonObject): void {
    const last = this.#details.at(-1);
    if (last !== undefined && continues(fields, last)) append(last, fields);
    else {
      this.#buffered.add(textOf(fields.data));
      this.#details.push({ ...fields });
    }
  }

  /** The blocks that a whole message would have. */
  blocks(path: string): readonly ReasoningBlock[] {
    return parseReceivedReasoning({ ...this.#texts, reasoning_details: this.#details }, path);
  }
}

type Fields = Record<string, unknown>;

/** Whether a detail is the next piece of another. The signature is in the last piece. */
function continues(detail: JsonObject, last: JsonObject): boolean {
  return (
    detail.type === last.type &&
    detail.type !== 'reasoning.encrypted' &&
    textOf(last.signature) === '' &&
    isSameOrAbsent(detail.index, last.index) &&
    isSameOrAbsent(detail.id, last.id)
  );
}

function isSameOrAbsent(one: unknown, other: unknown): boolean {
  return one === other || (one ?? undefined) === undefined || (other ?? undefined) === undefined;
}

/** Adds a piece to what came before it: texts are continued, other fields replaced. */
function append(to: Fields, piece: JsonObject): void {
  for (const [name, value] of Object.entries(piece)) {
    if (value === null) continue;
    const before = to[name];
    to[name] = textFields.has(name) && typeof before === 'string' ? before + textOf(value) : value;
  }
}

const textFields = new Set(['text', 'summary', 'reasoning', 'reasoning_content']);

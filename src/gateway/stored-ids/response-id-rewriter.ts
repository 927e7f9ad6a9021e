import { type FoundString, findJsonStrings, type StringShape } from './find-json-strings.ts';
import type { StoredKind } from './response-ids.ts';

/** Where an object of an upstream has ids to sign. */
export type IdShape = { readonly [key: string]: StringShape<StoredKind> };

export interface RewriterOptions {
  /** Undefined if an id cannot be signed; it then stays as it is. */
  readonly sign: (id: string, kind: StoredKind) => string | undefined;
  /** Where a body has ids, or the response in an event. */
  readonly shape: IdShape;
  /** The client's ids of responses in the request, by those that the upstream got for them. */
  readonly responses?: Readonly<Record<string, string>>;
  /** The same for items. Only errors quote them. */
  readonly items?: Readonly<Record<string, string>>;
}

/** Changes what an upstream returns before the client gets it. One serves one response. */
export interface ResponseRewriter {
  /** For a body that is JSON, or its start. */
  rewriteBody(body: Buffer): Buffer;
  /** For lines of an event stream, in order. */
  rewriteLines(lines: Buffer): Buffer;
  /** For the text of an error, which may quote an id that was in the request. */
  rewriteError(text: string): string;
}

/** The ids of an item that refer to stored items. */
export const itemShape = { id: 'item', approval_request_id: 'item' } as const satisfies IdShape;

/**
 * Replaces an upstream's ids of responses and items with signed ones, in the bytes that it returns.
 *
 * Nothing is parsed, and all other bytes stay the same. The id of a response is found where the
 * response object starts, and then replaced wherever it occurs as a whole string. Ids of items are
 * replaced only where they are found: there can be many of them. One rewriter serves one response.
 */
export class ResponseIdRewriter implements ResponseRewriter {
  readonly #options: RewriterOptions;
  readonly #eventShape: IdShape;
  readonly #hasShape: boolean;
  /** Signed ids of responses by the upstream's, both in quotes. */
  readonly #responses = new Map<string, string>();
  readonly #items = new Map<string, string | undefined>();

  constructor(options: RewriterOptions) {
    this.#options = options;
    this.#hasShape = Object.keys(options.shape).length > 0;
    this.#eventShape = { response: options.shape, item: itemShape, item_id: 'item' };
    for (const [id, signedId] of Object.entries(options.responses ?? {})) this.#add(id, signedId);
  }

  rewriteBody(body: Buffer): Buffer {
    return rewriteText(body, (text) => {
      const found = this.#hasShape ? findJsonStrings(text, this.#options.shape) : [];
      return this.#replaceResponses(this.#signIds(text, found));
    });
  }

  rewriteLines(lines: Buffer): Buffer {
    return rewriteText(lines, (text) => {
      const found = this.#hasShape ? this.#findInEvents(text) : [];
      return this.#replaceResponses(this.#signIds(text, found));
    });
  }

  rewriteError(text: string): string {
    const signed = new Map(Object.entries({ ...this.#options.responses, ...this.#options.items }));
    if (signed.size === 0) return text;
    // Longest first, because one id may be the beginning of another.
    const ids = [...signed.keys()].toSorted((one, other) => other.length - one.length);
    const pattern = new RegExp(ids.map((id) => RegExp.escape(id)).join('|'), 'g');
    return text.replaceAll(pattern, (id) => signed.get(id) ?? id);
  }

  #findInEvents(lines: string): readonly FoundString<StoredKind>[] {
    const found: FoundString<StoredKind>[] = [];
    for (let start = 0; start < lines.length; ) {
      const lineFeed = lines.indexOf('\n', start);
      const end = lineFeed === -1 ? lines.length : lineFeed;
      if (lines.startsWith(dataField, start))
        for (const id of findJsonStrings(lines, this.#eventShape, start + dataField.length)) found.push(id);
      start = end + 1;
    }
    return found;
  }

  /** Replaces ids of items, and remembers those of responses. */
  #signIds(text: string, found: readonly FoundString<StoredKind>[]): string {
    let signed = '';
    let start = 0;
    for (const { kind, start: from, end } of found) {
      const id = text.slice(from, end);
      if (kind === 'response') this.#learn(id);
      const signedId = kind === 'item' ? this.#signItem(id) : undefined;
      if (signedId === undefined) continue;
      signed += text.slice(start, from) + signedId;
      start = end;
    }
    return signed + text.slice(start);
  }

  #learn(id: string): void {
    if (this.#responses.has(`"${id}"`)) return;
    const signedId = this.#options.sign(id, 'response');
    if (signedId !== undefined) this.#add(id, signedId);
  }

  #add(id: string, signedId: string): void {
    this.#responses.set(`"${id}"`, `"${signedId}"`);
  }

  /** Most events of a stream are about the same item. */
  #signItem(id: string): string | undefined {
    if (!this.#items.has(id) && this.#items.size < itemsMax)
      this.#items.set(id, this.#options.sign(id, 'item'));
    return this.#items.get(id);
  }

  #replaceResponses(text: string): string {
    let replaced = text;
    for (const [id, signedId] of this.#responses) replaced = replaced.replaceAll(id, signedId);
    return replaced;
  }
}

const dataField = 'data:';

/** Bounds the work for one response. Real ones have at most a few hundred. */
const itemsMax = 10_000;

/** As latin1, a character is a byte. Returns the same buffer if nothing changes. */
function rewriteText(bytes: Buffer, rewrite: (text: string) => string): Buffer {
  const text = bytes.toString('latin1');
  const rewritten = rewrite(text);
  return rewritten === text ? bytes : Buffer.from(rewritten, 'latin1');
}

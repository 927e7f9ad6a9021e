import { findJsonString } from './find-json-string.ts';

/** The fields of a response object that contain ids of responses. */
export type IdField = 'id' | 'previous_response_id';

export interface RewriterOptions {
  /** Undefined if an id cannot be signed; it then stays as it is. */
  readonly sign: (id: string) => string | undefined;
  /** The fields of the response whose ids are signed. */
  readonly fields: readonly IdField[];
  /** Ids that are known before the response arrives, by the upstream's id. */
  readonly known?: Readonly<Record<string, string>>;
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

/**
 * Replaces an upstream's ids of responses with signed ones, in the bytes that it returns.
 *
 * Nothing is parsed: ids are looked up once, where the response object starts, and replaced
 * wherever they occur as a whole string. All other bytes stay the same. One rewriter serves one
 * response.
 */
export class ResponseIdRewriter implements ResponseRewriter {
  readonly #options: RewriterOptions;
  readonly #replacements: Replacement[] = [];
  #hasLearned: boolean;

  constructor(options: RewriterOptions) {
    this.#options = options;
    this.#hasLearned = options.fields.length === 0;
    for (const [id, signedId] of Object.entries(options.known ?? {})) this.#add(id, signedId);
  }

  rewriteBody(body: Buffer): Buffer {
    if (!this.#hasLearned) this.#learn(body, []);
    return this.#replace(body);
  }

  rewriteLines(lines: Buffer): Buffer {
    if (!this.#hasLearned) this.#learnFromLines(lines);
    return this.#replace(lines);
  }

  rewriteError(text: string): string {
    let rewritten = text;
    for (const [id, signedId] of Object.entries(this.#options.known ?? {}))
      rewritten = rewritten.replaceAll(id, signedId);
    return rewritten;
  }

  /** The first event of most streams has the response. */
  #learnFromLines(lines: Buffer): void {
    for (let start = 0; start < lines.length && !this.#hasLearned; ) {
      const lineFeed = lines.indexOf('\n', start);
      const end = lineFeed === -1 ? lines.length : lineFeed;
      if (lines.toString('latin1', start, start + dataField.length) === dataField)
        this.#learn(lines.subarray(start + dataField.length, end), ['response']);
      start = end + 1;
    }
  }

  #learn(json: Buffer, path: readonly string[]): void {
    for (const field of this.#options.fields) {
      const position = findJsonString(json, [...path, field]);
      if (position === undefined) continue;
      const id = json.toString('utf8', position.start, position.end);
      // No upstream has ids that JSON would escape.
      const signedId = id.includes('\\') ? undefined : this.#options.sign(id);
      if (signedId !== undefined) this.#add(id, signedId);
      this.#hasLearned = true;
    }
  }

  #add(id: string, signedId: string): void {
    this.#replacements.push({ from: Buffer.from(`"${id}"`), to: Buffer.from(`"${signedId}"`) });
  }

  #replace(bytes: Buffer): Buffer {
    let replaced = bytes;
    for (const replacement of this.#replacements) replaced = replaceAll(replaced, replacement);
    return replaced;
  }
}

interface Replacement {
  readonly from: Buffer;
  readonly to: Buffer;
}

const dataField = 'data:';

/** Returns the same buffer if there is nothing to replace, which is the case for most events. */
function replaceAll(bytes: Buffer, { from, to }: Replacement): Buffer {
  let found = bytes.indexOf(from);
  if (found === -1) return bytes;
  const pieces: Buffer[] = [];
  let start = 0;
  for (; found !== -1; found = bytes.indexOf(from, start)) {
    pieces.push(bytes.subarray(start, found), to);
    start = found + from.length;
  }
  pieces.push(bytes.subarray(start));
  return Buffer.concat(pieces);
}

import { type CooperativeTask, createYieldCheck } from '../cooperative-task.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { isRawNumber, parseExact } from '../json-text.ts';
import type { Body, CallContent, ContentPart, RawContent } from './call-content.ts';
import type { ContentLogSettings } from './content-log-settings.ts';
import { type Redaction, redactionOf } from './redaction.ts';

/**
 * Makes of a call what may be stored: without what the patterns of the workspace match, without the
 * credentials that tools have in a body, and not longer than the limit.
 *
 * Strings are cut before they are redacted, because that is the expensive part, but after a margin in
 * which a match can end. The longest strings are cut first, so that the structure of a conversation
 * survives a long document or an image in it.
 */
export function* prepareContent(raw: RawContent, settings: ContentLogSettings): CooperativeTask<CallContent> {
  const parts: Parts = { request: null, sent: null, response: null };
  for (const name of partNames) {
    parts[name] = parseBody(raw[name]);
    yield;
  }
  const truncated = new Set(raw.truncated);
  const length = yield* chooseLength([parts, raw.failures], settings.bytesMax);
  const size = () => sizeWith([parts, raw.failures], length);
  for (const name of omitWhile(parts, () => size() > settings.bytesMax)) truncated.add(name);
  const walker = new Walker(redactionOf(settings.redactionPatterns), length);
  for (const name of partNames) {
    walker.hasCut = false;
    parts[name] = yield* walker.copy(parts[name]);
    if (walker.hasCut) truncated.add(name);
  }
  const failures = (yield* walker.copy(raw.failures)) as CallContent['failures'];
  const content = (): CallContent => ({
    ...parts,
    sentDialect: raw.sentDialect,
    failures,
    truncated: partNames.filter((name) => truncated.has(name)),
  });
  // A replacement may be longer than what it replaces.
  const isTooLong = () => Buffer.byteLength(JSON.stringify(content())) > settings.bytesMax;
  for (const name of omitWhile(parts, isTooLong)) truncated.add(name);
  return isTooLong() ? { ...content(), failures: [] } : content();
}

type Parts = Record<ContentPart, unknown>;

/** Omits parts, those that others may stand for first, and returns which. */
function omitWhile(parts: Parts, isTooLong: () => boolean): readonly ContentPart[] {
  const omitted: ContentPart[] = [];
  for (const name of ['sent', 'request', 'response'] as const) {
    if (parts[name] === null) continue;
    if (!isTooLong()) break;
    parts[name] = null;
    omitted.push(name);
  }
  return omitted;
}

const partNames = ['request', 'sent', 'response'] as const satisfies readonly ContentPart[];

function parseBody(body: Body): unknown {
  if (body === null) return null;
  if (typeof body === 'object' && !Buffer.isBuffer(body)) return body.value;
  const text = body.toString();
  if (text === '') return null;
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

/** The longest string that a content may have, so that it fits: halved until it does. */
function* chooseLength(content: unknown, bytesMax: number): CooperativeTask<number> {
  let length = Number.POSITIVE_INFINITY;
  while (length > shortestCut && sizeWith(content, length) > bytesMax) {
    length = length === Number.POSITIVE_INFINITY ? longestCut : length / 2;
    yield;
  }
  return length;
}

const longestCut = 131_072;
/** Cutting even shorter strings would leave nothing that is worth reading. */
const shortestCut = 256;

/** The size of the JSON of a value whose strings are cut; an escape counts as a few characters. */
function sizeWith(value: unknown, charactersMax: number): number {
  if (typeof value === 'string') {
    if (value.length > charactersMax) return Buffer.byteLength(value.slice(0, charactersMax)) + 40;
    return Buffer.byteLength(value) + 2;
  }
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + sizeWith(each, charactersMax) + 1, 2);
  if (!isJsonObject(value) || isRawNumber(value)) return 8;
  return Object.entries(value).reduce(
    (sum, [name, each]) => sum + name.length + 4 + sizeWith(each, charactersMax),
    2,
  );
}

const valuesPerStep = 2_000;

/** Copies JSON values, cutting and redacting their strings. Equal strings are redacted once. */
class Walker {
  hasCut = false;
  readonly #redaction: Redaction;
  readonly #charactersMax: number;
  readonly #known = new Map<string, string>();
  readonly #shouldYield = createYieldCheck(valuesPerStep);

  constructor(redaction: Redaction, charactersMax: number) {
    this.#redaction = redaction;
    this.#charactersMax = charactersMax;
  }

  *copy(value: unknown): CooperativeTask<unknown> {
    if (this.#shouldYield()) yield;
    if (typeof value === 'string') return yield* this.#text(value);
    if (Array.isArray(value)) {
      const copied: unknown[] = [];
      for (const each of value) copied.push(yield* this.copy(each));
      return copied;
    }
    if (!isJsonObject(value) || isRawNumber(value)) return value;
    const entries: [string, unknown][] = [];
    for (const [name, each] of Object.entries(value)) {
      const isSecret = isCredential(value, name, each);
      entries.push([yield* this.#text(name), isSecret ? removed : yield* this.copy(each)]);
    }
    return Object.fromEntries(entries);
  }

  *#text(text: string): CooperativeTask<string> {
    const isCut = text.length > this.#charactersMax;
    if (isCut) this.hasCut = true;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const end = isCut ? this.#charactersMax : text.length;
    const kept = yield* this.#redaction.redact(text, end);
    const result = isCut ? `${kept}… [${text.length - end} more characters]` : kept;
    this.#known.set(text, result);
    return result;
  }
}

const removed = '[redacted]';

/** Tools on other servers may have credentials in the body of a request. */
function isCredential(parent: JsonObject, name: string, value: unknown): boolean {
  if (name === 'authorization_token') return typeof value === 'string';
  return parent.type === 'mcp' && (name === 'authorization' || name === 'headers');
}

import { type CooperativeTask, createYieldCheck } from '../concurrency/cooperative-task.ts';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { isRawNumber } from '../json/json-text.ts';
import { parseInSteps } from '../json/parse-in-steps.ts';
import type { Body, CallContent, ContentPart, RawContent } from './call-content.ts';
import type { ContentLogSettings } from './content-log-settings.ts';
import { type Redaction, redactionOf } from './redaction.ts';

/**
 * Makes of a call what may be stored: without what the patterns of the workspace match, without the
 * credentials that tools have in a body, and not longer than the limit.
 *
 * Strings are cut before they are redacted, because that is the expensive part, but after a margin
 * in which a match can end. The longest strings are cut first, so that the structure of a
 * conversation survives a long document or an image in it.
 */
export function* prepareContent(raw: RawContent, settings: ContentLogSettings): CooperativeTask<CallContent> {
  const parts: Parts = { request: null, sent: null, response: null };
  for (const name of partNames) {
    parts[name] = yield* parseBody(raw[name]);
    yield;
  }
  const truncated = new Set(raw.truncated);
  const { cut, sizes } = yield* chooseCut({ ...parts, failures: raw.failures }, settings.bytesMax);
  for (const name of omitTooLong(parts, sizes, settings.bytesMax)) truncated.add(name);
  const walker = new Walker(redactionOf(settings.redactionPatterns), cut);
  for (const name of partNames) {
    walker.hasCut = false;
    parts[name] = yield* walker.copy(parts[name]);
    if (walker.hasCut) truncated.add(name);
  }
  const failures = (yield* walker.copy(raw.failures)) as CallContent['failures'];
  const content = (names: ReadonlySet<ContentPart>): CallContent => ({
    ...parts,
    sentDialect: raw.sentDialect,
    failures,
    truncated: partNames.filter((name) => names.has(name)),
  });
  // A replacement may be longer than what it replaces.
  const exactSizes = yield* measureExactly(parts, content(new Set(partNames)));
  for (const name of omitTooLong(parts, exactSizes, settings.bytesMax)) truncated.add(name);
  const whole = content(truncated);
  return sumOf(exactSizes) > settings.bytesMax ? { ...whole, failures: [] } : whole;
}

type Parts = Record<ContentPart, unknown>;

/** The sizes of the parts, and of what is stored with them. */
type Sizes = Record<ContentPart | 'failures', number>;

const sumOf = (sizes: Sizes) => Object.values(sizes).reduce((sum, size) => sum + size, 0);

/** Omits parts, those that others may stand for first, and returns which. */
function omitTooLong(parts: Parts, sizes: Sizes, bytesMax: number): readonly ContentPart[] {
  const omitted: ContentPart[] = [];
  for (const name of ['sent', 'request', 'response'] as const) {
    if (sumOf(sizes) <= bytesMax) break;
    if (parts[name] === null) continue;
    parts[name] = null;
    sizes[name] = nullBytes;
    omitted.push(name);
  }
  return omitted;
}

const nullBytes = 4;

const partNames = ['request', 'sent', 'response'] as const satisfies readonly ContentPart[];

function* parseBody(body: Body): CooperativeTask<unknown> {
  if (body === null) return null;
  if (typeof body === 'object' && !Buffer.isBuffer(body)) return body.value;
  if (body.length === 0) return null;
  try {
    return yield* parseInSteps(body);
  } catch {
    return body.toString();
  }
}

/** How long strings may be. Even shorter ones would leave nothing that is worth reading. */
const cuts = [
  Number.POSITIVE_INFINITY,
  ...[131_072, 65_536, 32_768, 16_384, 8_192, 4_096, 2_048, 1_024, 512, 256],
];
const shortestCut = 256;

/** Chooses the longest cut with which a content fits, or else the shortest. */
function* chooseCut(
  content: Record<keyof Sizes, unknown>,
  bytesMax: number,
): CooperativeTask<{ readonly cut: number; readonly sizes: Sizes }> {
  const measured = {
    request: yield* measure(content.request, bytesMax),
    sent: yield* measure(content.sent, bytesMax),
    response: yield* measure(content.response, bytesMax),
    failures: yield* measure(content.failures, bytesMax),
  };
  const sizesAt = (index: number): Sizes => ({
    request: measured.request[index] ?? 0,
    sent: measured.sent[index] ?? 0,
    response: measured.response[index] ?? 0,
    failures: measured.failures[index] ?? 0,
  });
  const fitting = cuts.findIndex((_, index) => sumOf(sizesAt(index)) <= bytesMax);
  const index = fitting === -1 ? cuts.length - 1 : fitting;
  return { cut: cuts[index] ?? shortestCut, sizes: sizesAt(index) };
}

/**
 * The approximate sizes of the JSON of a value, one for each cut of its strings. Visits every value
 * once, and none after even the smallest size is too large.
 */
function* measure(value: unknown, bytesMax: number): CooperativeTask<readonly number[]> {
  const shouldYield = createYieldCheck(valuesPerStep);
  const ofLongStrings = cuts.map(() => 0);
  let others = 0;
  const pending = [value];
  while (pending.length > 0 && others + (ofLongStrings.at(-1) ?? 0) <= bytesMax) {
    if (shouldYield()) yield;
    const next = pending.pop();
    if (typeof next === 'string') {
      if (next.length <= shortestCut) others += Buffer.byteLength(next) + 2;
      else {
        for (const [index, cut] of cuts.entries())
          ofLongStrings[index] = (ofLongStrings[index] ?? 0) + sizeOfCut(next, cut, bytesMax);
        if (shouldYield(Math.min(next.length, bytesMax) / charactersPerValue)) yield;
      }
    } else if (Array.isArray(next)) {
      others += next.length + 2;
      if (others <= bytesMax) for (const each of next) pending.push(each);
    } else if (isJsonObject(next) && !isRawNumber(next)) {
      others += 2;
      for (const [name, each] of Object.entries(next)) {
        others += name.length + 4;
        pending.push(each);
      }
    } else others += 8;
  }
  return ofLongStrings.map((bytes) => bytes + others);
}

/** Measuring so many characters takes as long as visiting a value. */
const charactersPerValue = 1_000;

/** The size of a string that is cut; an escape counts as a few characters. */
function sizeOfCut(text: string, cut: number, bytesMax: number): number {
  if (text.length > cut) return Buffer.byteLength(text.slice(0, cut)) + 40;
  return text.length > bytesMax ? text.length : Buffer.byteLength(text) + 2;
}

/** The sizes of the JSON of parts, and of the rest of the content. */
function* measureExactly(parts: Parts, content: CallContent): CooperativeTask<Sizes> {
  const sizes = { request: 0, sent: 0, response: 0, failures: 0 };
  for (const name of partNames) {
    sizes[name] = Buffer.byteLength(JSON.stringify(parts[name]));
    yield;
  }
  const rest = JSON.stringify({ ...content, request: null, sent: null, response: null });
  return { ...sizes, failures: Buffer.byteLength(rest) - partNames.length * nullBytes };
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

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { parseJsonObject } from '../../core/json/loose-json.ts';
import { isForwarded } from '../request/request-headers.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/**
 * Keeps an upstream's secrets out of what clients read: error responses, error events and headers.
 *
 * JSON can write any character as an escape, and errors often quote other errors as JSON inside a
 * string. The pattern therefore matches each character of a secret both as itself and as an escape,
 * and JSON is redacted string by string, after decoding: a replacement in the raw text could cut an
 * escape in half. Completions are never rewritten.
 */
const replacement = '…';

export function containsSecret(text: string, upstream: Upstream): boolean {
  const { literals, pattern } = secretsOf(upstream);
  for (const literal of literals) if (text.includes(literal)) return true;
  // This runs for every response header. The pattern costs ten times as much and can only match an
  // escape, which needs a backslash.
  return literals.length > 0 && text.includes('\\') && text.search(pattern) !== -1;
}

/** For text that is not JSON. Text without a secret is returned unchanged. */
export function redactText(text: string, upstream: Upstream): string {
  return containsSecret(text, upstream) ? text.replaceAll(secretsOf(upstream).pattern, replacement) : text;
}

/** Redacts the keys and strings of valid JSON. All other bytes stay the same. */
export function redactJson(json: string, upstream: Upstream): string {
  if (!containsSecret(json, upstream)) return json;
  return json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, (quoted) =>
    containsSecret(quoted, upstream) ? JSON.stringify(redactText(JSON.parse(quoted), upstream)) : quoted,
  );
}

/** Redacts a complete body unless it is a completion: errors may come with a 2xx status. */
export function redactBody(body: Buffer, upstream: Upstream): Buffer {
  if (!mayContainSecret(body, upstream)) return body;
  const json = body.toString('utf8');
  if (!containsSecret(json, upstream) || isCompletion(parseJsonObject(json.replace(/^\uFEFF/, ''))))
    return body;
  return Buffer.from(redactJson(json, upstream));
}

/** Redacts everything but completions in the complete lines of a stream. */
export function redactEvents(lines: Buffer, upstream: Upstream): Buffer {
  if (!mayContainSecret(lines, upstream)) return lines;
  const text = lines.toString('utf8');
  if (!containsSecret(text, upstream)) return lines;
  return Buffer.from(text.replaceAll(/[^\r\n]+/g, (line) => redactLine(line, upstream)));
}

/** A line without a JSON object is a comment, an event name or part of a multi-line error. */
function redactLine(line: string, upstream: Upstream): string {
  const [, field = '', data = ''] = /^(data: ?)?(.*)$/.exec(line) ?? [];
  const event = field === '' ? undefined : parseJsonObject(data);
  if (event === undefined) return redactText(line, upstream);
  return isCompletion(event) ? line : field + redactJson(data, upstream);
}

/** Tests raw bytes, so that completions without secrets or suspicious escapes stay undecoded. */
function mayContainSecret(bytes: Buffer, upstream: Upstream): boolean {
  const { literals, escapes } = secretsOf(upstream);
  return (
    literals.some((literal) => bytes.includes(literal)) || escapes.some((start) => bytes.includes(start))
  );
}

/**
 * Whether an object has the shape of a completion or of a part of one, in any dialect. Errors have
 * too many shapes to list (at the top, in a choice, in a failed response), so anything else counts
 * as one.
 */
function isCompletion(value: JsonObject | undefined): boolean {
  if (value === undefined) return false;
  const { type, object, error, response, choices } = value;
  if (isPresent(error) || (isJsonObject(response) && isPresent(response.error))) return false;
  if (Array.isArray(choices))
    return choices.every((choice) => !isJsonObject(choice) || !isPresent(choice.error));
  return (typeof type === 'string' && type !== 'error') || object === 'response';
}

function isPresent(error: unknown): boolean {
  return error !== undefined && error !== null;
}

interface Secrets {
  /** Longest first, because one secret may contain another. */
  readonly literals: readonly string[];
  /** The beginnings of all escapes that can spell one of their characters. */
  readonly escapes: readonly string[];
  /** Matches every spelling of every secret. */
  readonly pattern: RegExp;
}

/** Entries disappear together with their upstream after a reload. */
const compiledSecrets = new WeakMap<Upstream, Secrets>();

/** The upstream's secrets, compiled on first use. */
function secretsOf(upstream: Upstream): Secrets {
  let secrets = compiledSecrets.get(upstream);
  if (secrets === undefined) {
    const literals = findSecrets(upstream).toSorted((a, b) => b.length - a.length);
    const shorts = ['"', '\\', '/'].filter((sign) => literals.some((literal) => literal.includes(sign)));
    const escapes = literals.length === 0 ? [] : ['\\u', ...shorts.map((sign) => `\\${sign}`)];
    secrets = { literals, escapes, pattern: new RegExp(literals.map(anySpelling).join('|'), 'g') };
    compiledSecrets.set(upstream, secrets);
  }
  return secrets;
}

/** The API key, and configured header values that look like secrets. */
function findSecrets({ key, kind, headers }: Upstream): readonly string[] {
  const values = Object.entries(headers)
    .filter(([name, value]) => !isForwarded(kind, name) && (secretName.test(name) || looksRandom(value)))
    .map(([, value]) => value.trim().replace(/^(?:basic|bearer|token) +/i, ''));
  return [key?.secret ?? '', ...values].filter(isLongEnough);
}

/** Each level of JSON inside JSON doubles the backslashes: 15 are enough for four levels. */
const backslashes = String.raw`\\{1,15}`;

function anySpelling(secret: string): string {
  const spellings = Array.from({ length: secret.length }, (_, index) => {
    const character = secret.charAt(index);
    const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
    const digits = hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    const short = shortEscapes[character];
    const spelling = short === undefined ? `u${digits}` : `(?:u${digits}|${short})`;
    // A match may only begin at the first backslash of a run; otherwise a long run takes quadratic
    // time.
    const start = index === 0 ? String.raw`(?<!\\)` : '';
    return `(?:${RegExp.escape(character)}|${start}${backslashes}${spelling})`;
  });
  return spellings.join('');
}

/** The characters with a two-character escape in JSON that can occur in a header or variable. */
const shortEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': String.raw`\\`,
  '/': '/',
  '\t': 't',
};

/**
 * Local servers often use a dummy key such as `x`, which occurs in every text. Digits alone may be
 * any number.
 */
function isLongEnough(text: string): boolean {
  return text.length >= 8 && !/^\d+$/.test(text);
}

const secretName = /auth|cookie|credential|key|pass|secret|signature|token/i;

/** Rules out names of regions, providers and products, which errors may mention. */
function looksRandom(text: string): boolean {
  return text.length >= 16 && /\d/.test(text) && /[a-z]/i.test(text) && !/\s/.test(text);
}

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { parseJsonObject } from '../../core/json/loose-json.ts';
import { dialects } from '../../core/presets/preset.ts';
import type { ReasoningBlock } from './turns.ts';

/**
 * Every dialect has an opaque text in its reasoning that clients send back unchanged: a signature,
 * or encrypted content. Sealing puts reasoning of another dialect into such a text, so that the
 * provider gets back exactly what it sent, although the client speaks another dialect.
 */
export function sealReasoning({ dialect, part }: ReasoningBlock['original']): string {
  return prefix + encode(JSON.stringify({ dialect, part }));
}

/**
 * Returns undefined for a text that a provider wrote itself. A client can seal anything, so check
 * that the part is reasoning before it is sent to a provider.
 */
export function unsealReasoning(text: unknown): ReasoningBlock['original'] | undefined {
  if (typeof text !== 'string' || !text.startsWith(prefix)) return undefined;
  const sealed = parseJsonObject(decode(text.slice(prefix.length)));
  if (sealed === undefined || !isJsonObject(sealed.part)) return undefined;
  const dialect = dialects.find((name) => name === sealed.dialect);
  return dialect && { dialect, part: sealed.part };
}

export function isSealed(text: unknown): boolean {
  return unsealReasoning(text) !== undefined;
}

/** Whether a request may contain sealed reasoning. */
export function mayBeSealed(bytes: { includes(text: string): boolean }): boolean {
  return bytes.includes(prefix);
}

const prefix = 'presetd.v1.';

/** As base64url. The dashboard translates conversations too, and browsers have no `Buffer`. */
function encode(text: string): string {
  const bytes = [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte));
  return btoa(bytes.join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Empty for a text that is not base64url. */
function decode(text: string): string {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return '';
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

/** A message without some parts of one of its lists; the same object if it has none of them. */
export function withoutParts(
  message: JsonObject,
  list: string,
  isRemoved: (part: JsonObject) => boolean,
): JsonObject {
  const parts = message[list];
  if (!Array.isArray(parts)) return message;
  const kept = parts.filter((part: unknown) => !isJsonObject(part) || !isRemoved(part));
  return kept.length === parts.length ? message : { ...message, [list]: kept };
}

import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { parseJsonObject } from '../server-sent-events.ts';
import type { ReasoningBlock } from './turns.ts';

/**
 * Every dialect has an opaque text in its reasoning that clients send back unchanged: a signature,
 * or encrypted content. Sealing puts reasoning of another dialect into such a text, so that the
 * provider gets back exactly what it sent, although the client speaks another dialect.
 */
export function sealReasoning({ dialect, part }: ReasoningBlock['original']): string {
  return prefix + encode(JSON.stringify({ dialect, part }));
}

/** Returns undefined for a text that a provider wrote itself. */
export function unsealReasoning(text: unknown): ReasoningBlock['original'] | undefined {
  if (typeof text !== 'string' || !text.startsWith(prefix)) return undefined;
  const sealed = parseJsonObject(decode(text.slice(prefix.length)));
  if (sealed === undefined || !isJsonObject(sealed.part)) return undefined;
  const dialect = dialects.find((name) => name === sealed.dialect);
  if (dialect === undefined || !isReasoning[dialect](sealed.part)) return undefined;
  return { dialect, part: sealed.part };
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

/** Clients could seal anything, which must not become something else than reasoning. */
const isReasoning: Readonly<Record<Dialect, (part: JsonObject) => boolean>> = {
  'chat-completions': ({ type, ...part }) =>
    type === undefined
      ? Object.keys(part).every((name) => name === 'reasoning' || name === 'reasoning_content')
      : typeof type === 'string' && (type.startsWith('reasoning.') || type === callSignature),
  messages: ({ type }) => type === 'thinking' || type === 'redacted_thinking',
  responses: ({ type }) => type === 'reasoning',
};

/** The type of the part that `call-signature.ts` makes. */
export const callSignature = 'call_signature';

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
  return prefix + Buffer.from(JSON.stringify({ dialect, part })).toString('base64url');
}

/** Returns undefined for a text that a provider wrote itself. */
export function unsealReasoning(text: unknown): ReasoningBlock['original'] | undefined {
  if (typeof text !== 'string' || !text.startsWith(prefix)) return undefined;
  const sealed = parseJsonObject(Buffer.from(text.slice(prefix.length), 'base64url').toString('utf8'));
  if (sealed === undefined || !isJsonObject(sealed.part)) return undefined;
  const dialect = dialects.find((name) => name === sealed.dialect);
  if (dialect === undefined || !isReasoning[dialect](sealed.part)) return undefined;
  return { dialect, part: sealed.part };
}

/** Whether a request may contain sealed reasoning. */
export function mayBeSealed(bytes: Buffer): boolean {
  return bytes.includes(prefix);
}

const prefix = 'presetd.v1.';

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

import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { SecretStore } from '../../core/storage.ts';

/** A response that an upstream has stored, or an item of its input or output. */
export interface StoredObject {
  /** The name of the upstream. */
  readonly upstream: string;
  /** The upstream's id of it. */
  readonly id: string;
  /**
   * The marks of all presets that its conversation came through. Empty if any part of it was
   * created without a preset.
   */
  readonly presets: readonly PresetMark[];
}

export type StoredKind = 'response' | 'item';

/** Stands for a preset in ids, whatever its name is at the time. */
export type PresetMark = string;

/** The second half of a UUIDv7, which is random. The whole would make ids longer for nothing. */
export function markPreset(presetId: string): PresetMark {
  return presetId.replaceAll('-', '').slice(-2 * markBytes);
}

/**
 * Ids of stored responses and their items as clients see them. They contain what is needed to find
 * the response and a signature for the workspace, so that a caller can only reach responses of
 * their own workspace, at the upstream that made them.
 */
export interface ResponseIds {
  /** Undefined if the upstream's id is too long, or could be read as more than a path segment. */
  sign(workspaceId: string, kind: StoredKind, stored: StoredObject): string | undefined;
  /** Undefined if the id was not signed for this workspace and kind. */
  open(workspaceId: string, kind: StoredKind, signedId: string): StoredObject | undefined;
}

/** Far longer than the ids of any known upstream. */
const upstreamIdBytesMax = 256;
/** Some are base64. */
const upstreamId = /^[\w+=-]+$/;
const upstreamNameBytesMax = 63;
const signatureBytes = 16;

const markBytes = 8;
/** A conversation that came through more presets has none in its ids. */
const marksMax = 8;
/** The first byte counts marks from here. Without marks, it is the length of a name. */
const marked = 0x80;

/** Items keep the prefix of their type, such as `msg_`. */
export const idPrefix = /^[a-z]{1,16}_/;
const prefixCharactersMax = 17;

/**
 * After its prefix, an id is base64url of the length of the upstream's name in one byte, the
 * name, the upstream's id, and the first half of an HMAC-SHA256. Marks of presets are in front of
 * that, after their number.
 */
export function createResponseIds(secret: string): ResponseIds {
  const key = createSecretKey(secret, 'utf8');
  return {
    sign(workspaceId, kind, { upstream, id, presets }) {
      if (id.length > upstreamIdBytesMax || !upstreamId.test(id)) return undefined;
      const marks = presets.length > marksMax ? [] : presets;
      const nameStart = marks.length === 0 ? 0 : 1 + marks.length * markBytes;
      const nameBytes = Buffer.byteLength(upstream);
      // One buffer for all parts: every stored response is signed.
      const contentBytes = nameStart + 1 + nameBytes + id.length;
      const bytes = Buffer.allocUnsafe(contentBytes + signatureBytes);
      if (marks.length > 0) bytes[0] = marked + marks.length;
      for (const [index, mark] of marks.entries()) bytes.write(mark, 1 + index * markBytes, 'hex');
      bytes[nameStart] = nameBytes;
      bytes.write(upstream, nameStart + 1);
      bytes.write(id, nameStart + 1 + nameBytes);
      bytes.set(signatureOf(key, workspaceId, bytes.subarray(0, contentBytes)), contentBytes);
      return prefixOf(kind, id) + bytes.toString('base64url');
    },
    open(workspaceId, kind, signedId) {
      const [prefix] = idPrefix.exec(signedId) ?? [];
      if (prefix === undefined || signedId.length > signedCharactersMax) return undefined;
      const bytes = Buffer.from(signedId.slice(prefix.length), 'base64url');
      const content = bytes.subarray(0, -signatureBytes);
      // Decoding skips what is not base64url: only one form of an id is valid.
      if (bytes.toString('base64url') !== signedId.slice(prefix.length) || content.length === 0)
        return undefined;
      if (!timingSafeEqual(bytes.subarray(-signatureBytes), signatureOf(key, workspaceId, content)))
        return undefined;
      const stored = parseContent(content);
      return prefix === prefixOf(kind, stored.id) ? stored : undefined;
    },
  };
}

/**
 * The upstream's id in an id that clients see, whether or not its signature is valid: only for
 * finding what the caller may see in any case. Undefined if there is none.
 */
export function upstreamIdIn(signedId: string): string | undefined {
  const [prefix] = idPrefix.exec(signedId) ?? [];
  if (prefix === undefined || signedId.length > signedCharactersMax) return undefined;
  const content = Buffer.from(signedId.slice(prefix.length), 'base64url').subarray(0, -signatureBytes);
  return content.length === 0 ? undefined : parseContent(content).id;
}

function prefixOf(kind: StoredKind, id: string): string {
  return kind === 'response' ? 'resp_' : (idPrefix.exec(id)?.[0] ?? 'item_');
}

/** Reads what `sign` wrote. */
function parseContent(content: Buffer): StoredObject {
  const count = Math.max(0, (content[0] ?? 0) - marked);
  const nameStart = count === 0 ? 0 : 1 + count * markBytes;
  const idStart = nameStart + 1 + (content[nameStart] ?? 0);
  return {
    upstream: content.toString('utf8', nameStart + 1, idStart),
    id: content.toString('utf8', idStart),
    presets: Array.from({ length: count }, (_, index) =>
      content.toString('hex', 1 + index * markBytes, 1 + (index + 1) * markBytes),
    ),
  };
}

/** The workspace has a fixed length, so it cannot be confused with what follows. */
function signatureOf(key: KeyObject, workspaceId: string, content: Buffer): Buffer {
  return createHmac('sha256', key).update(workspaceId).update(content).digest().subarray(0, signatureBytes);
}

const signedBytesMax =
  1 + marksMax * markBytes + 1 + upstreamNameBytesMax + upstreamIdBytesMax + signatureBytes;
const signedCharactersMax = prefixCharactersMax + Math.ceil((signedBytesMax * 4) / 3);

/**
 * Loads the secret on first use, and keeps it. All servers on one database share it, so that each
 * accepts the ids that another signed, also after a restart.
 */
export function createResponseIdLoader(secrets: SecretStore, clock: Clock): () => Promise<ResponseIds> {
  let loaded: Promise<ResponseIds> | undefined;
  const load = async () => {
    const candidate = randomBytes(32).toString('base64url');
    return createResponseIds(await secrets.findOrCreate('response-ids', candidate, clock()));
  };
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

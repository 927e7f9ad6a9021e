/**
 * The fields of a request that captures leave out because they concern a single call: who asks, and
 * how the response is delivered and stored.
 */

import type { Dialect } from '../../core/presets/preset.ts';
import { isJsonObject, type JsonObject, omitNullish } from '../json-object.ts';
import { isKnownField, knownFields } from '../known-fields.ts';
import { shortenId } from './accepted-ids.ts';

/** Translates all fields that concern the call, and reports those it cannot express. */
export function translateCallFields(
  request: JsonObject,
  from: Dialect,
  to: Dialect,
  drop: (path: string) => void,
): JsonObject {
  const { metadata, user, safety_identifier: safety, stream_options: options } = request;
  const rest = Object.entries(request).filter(([name]) => !translated.has(name) && isCallField(name, from));
  for (const [name] of rest) if (!isCallField(name, to)) drop(name);
  const shared = Object.fromEntries(rest.filter(([name]) => isCallField(name, to)));
  if (from === 'messages') return { ...shared, ...omitNullish(fromMetadata(metadata, user, drop)) };
  if (to === 'messages') {
    if (metadata !== undefined) drop('metadata');
    if (user !== undefined && safety !== undefined && user !== safety) drop('user');
    const id = safety ?? user;
    return { ...shared, ...(id !== undefined && { metadata: { user_id: id } }) };
  }
  const obfuscation = isJsonObject(options) ? options.include_obfuscation : undefined;
  return omitNullish({
    ...shared,
    metadata,
    user,
    safety_identifier: safety,
    stream_options: obfuscation === undefined ? undefined : { include_obfuscation: obfuscation },
  });
}

/**
 * Fields with another form, or without an effect elsewhere: usage is always reported, and the
 * gateway has applied the preset.
 */
const translated: ReadonlySet<string> = new Set([
  'metadata',
  'user',
  'safety_identifier',
  'stream_options',
  'usage',
  'preset',
  'presetd',
]);

const callKinds: readonly string[] = ['delivery', 'identity', 'call', 'preset', 'extension'];

function isCallField(name: string, dialect: Dialect): boolean {
  return isKnownField(name, dialect) && callKinds.includes(knownFields[dialect][name] ?? '');
}

/** Messages has only one key. OpenAI limits the length of an id, and Claude Code exceeds that. */
function fromMetadata(metadata: unknown, user: unknown, drop: (path: string) => void): JsonObject {
  const { user_id: id, ...others } = isJsonObject(metadata) ? metadata : {};
  for (const [name, value] of Object.entries(others)) if (value !== null) drop(`metadata.${name}`);
  if (user !== undefined && id !== undefined && user !== id) drop('metadata.user_id');
  const given = user ?? id;
  return { user: typeof given === 'string' ? shortenId(given, userLengthMax) : given };
}

const userLengthMax = 64;

/** Shared by the two OpenAI dialects to parse and write content. */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import {
  type AudioBlock,
  type Base64Source,
  type Drop,
  type FileBlock,
  type FileIdSource,
  pickExtras,
  pickNestedExtras,
  type RefusalBlock,
  type UntypedSource,
  type UrlSource,
} from '../model/content.ts';
import { bareMediaType, parseUrl, toDataUrl } from '../model/data-url.ts';

export function parseRefusal(part: JsonObject, dialect: Dialect): RefusalBlock | undefined {
  const { type: _, refusal: text, ...fields } = part;
  return typeof text === 'string' ? { kind: 'refusal', text, extras: { dialect, fields } } : undefined;
}

export function writeRefusal({ text, extras }: RefusalBlock, dialect: Dialect, drop: Drop): JsonObject {
  return { type: 'refusal', refusal: text, ...pickExtras(extras, dialect, [], drop) };
}

export function parseAudio(part: JsonObject, dialect: Dialect): AudioBlock | undefined {
  const { type: _, input_audio: audio, ...fields } = part;
  if (!isJsonObject(audio)) return undefined;
  const { data, format, ...rest } = audio;
  if (typeof data !== 'string' || typeof format !== 'string') return undefined;
  const nested = { name: 'input_audio', fields: rest };
  return { kind: 'audio', data, format, extras: { dialect, type: 'input_audio', fields, nested } };
}

export function writeAudio({ data, format, extras }: AudioBlock, dialect: Dialect, drop: Drop): JsonObject {
  return {
    type: 'input_audio',
    input_audio: { data, format, ...pickNestedExtras(extras, dialect) },
    ...pickExtras(extras, dialect, ['prompt_cache_breakpoint'], drop),
  };
}

/**
 * Parses the only value that is given. Returns undefined if there is none or more than one, because
 * a part with two sources is ambiguous. Null counts as absent.
 */
export function parseOnlySource<Source>(
  candidates: readonly (readonly [value: unknown, parse: (text: string) => Source])[],
): Source | undefined {
  const [given, ...others] = candidates.filter(([value]) => value !== undefined && value !== null);
  if (given === undefined || others.length > 0) return undefined;
  const [value, parse] = given;
  return typeof value === 'string' ? parse(value) : undefined;
}

export function parseFileId(id: string): FileIdSource {
  return { type: 'file-id', id };
}

/**
 * File data is a `data:` URL or plain base64. OpenRouter's chat completions also accept the URL of
 * a file there.
 */
export function parseFileData(data: string): UrlSource | Base64Source | UntypedSource {
  const source = parseUrl(data);
  return source.type === 'base64' || /^(?:https?|data):/i.test(data) ? source : { type: 'untyped', data };
}

export function writeFileData(source: Base64Source | UntypedSource): string {
  return source.type === 'base64' ? toDataUrl(source) : source.data;
}

/**
 * OpenAI rejects file data without a name. Documents of other dialects may lack one, so they get a
 * name with the extension by which OpenAI recognizes them.
 */
export function fileName({ name, source, extras }: FileBlock, dialect: Dialect): unknown {
  if (name !== undefined || extras.dialect === dialect) return name;
  if (source.type === 'text') return 'document.txt';
  return source.type === 'base64' && bareMediaType(source.mediaType) === 'application/pdf'
    ? 'document.pdf'
    : undefined;
}

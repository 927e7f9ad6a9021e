import { isJsonObject, type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import {
  type Base64Source,
  createContentFormat,
  type Drop,
  type Extras,
  type FileBlock,
  type FileIdSource,
  type ImageBlock,
  type ParsedBlock,
  parseText,
  pickExtras,
  pickNestedExtras,
  type TextSource,
  type UrlSource,
} from '../model/content.ts';
import { bareMediaType, decodeText, isPdf } from '../model/data-url.ts';

const dialect = 'messages';

export const { parseContent, parsePart, writeContent } = createContentFormat(
  dialect,
  parseKnownPart,
  writeBlock,
);

function parseKnownPart(part: JsonObject): ParsedBlock | undefined {
  switch (part.type) {
    case 'text':
      return parseText(part, dialect);
    case 'image':
      return parseImage(part);
    case 'document':
      return parseDocument(part);
    default:
      return undefined;
  }
}

function parseImage({ type: _, source: given, ...fields }: JsonObject): ImageBlock | undefined {
  const source = parseSource(given);
  if (source === undefined || source.type === 'text') return undefined;
  const extras = { dialect, fields, nested: extrasInside(given, source) } as const;
  return { kind: 'image', source, detail: undefined, extras };
}

/** Base64 is for PDFs only. A document that consists of blocks has no counterpart elsewhere. */
function parseDocument({ type: _, source: given, title, ...fields }: JsonObject): FileBlock | undefined {
  const source = parseSource(given);
  if (source === undefined || (source.type === 'base64' && source.mediaType !== pdf)) return undefined;
  const extras = { dialect, type: 'document', fields, nested: extrasInside(given, source) } as const;
  return { kind: 'file', source, name: title ?? undefined, extras };
}

const pdf = 'application/pdf';
const plainText = 'text/plain';

/** The sources that this dialect has. */
type Source = UrlSource | Base64Source | FileIdSource | TextSource;

/** Returns undefined for a source that is unknown or not valid. */
function parseSource(given: unknown): Source | undefined {
  if (!isJsonObject(given)) return undefined;
  const { type, media_type: mediaType, data, url, file_id: id } = given;
  if (type === 'url' && typeof url === 'string') return { type, url };
  if (type === 'file' && typeof id === 'string') return { type: 'file-id', id };
  if (typeof data !== 'string') return undefined;
  if (type === 'text' && mediaType === plainText) return { type, text: data };
  return type === 'base64' && typeof mediaType === 'string' ? { type, mediaType, data } : undefined;
}

function writeSource(source: Source): JsonObject {
  switch (source.type) {
    case 'url':
      return { type: 'url', url: source.url };
    case 'file-id':
      return { type: 'file', file_id: source.id };
    case 'text':
      return { type: 'text', media_type: plainText, data: source.text };
    case 'base64':
      return { type: 'base64', media_type: source.mediaType, data: source.data };
  }
}

function extrasInside(given: unknown, source: Source): NonNullable<Extras['nested']> {
  const written = writeSource(source);
  const rest = Object.entries(given as JsonObject).filter(([name]) => !Object.hasOwn(written, name));
  return { name: 'source', fields: Object.fromEntries(rest) };
}

/** Messages has no audio. A refusal is text like any other. */
function writeBlock(block: ParsedBlock, drop: Drop): JsonObject | undefined {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text, ...pickExtras(block.extras, dialect, supported, drop) };
    case 'refusal':
      drop('type');
      return { type: 'text', text: block.text, ...pickExtras(block.extras, dialect, supported, drop) };
    case 'image':
      return writeImage(block, drop);
    case 'file':
      return writeDocument(block, drop);
    case 'audio':
      return undefined;
  }
}

const supported = ['cache_control'];

function writeImage({ source, detail, extras }: ImageBlock, drop: Drop): JsonObject {
  const isDefault = detail === undefined || detail === null || detail === 'auto';
  if (!isDefault) drop(extras.nested === undefined ? 'detail' : `${extras.nested.name}.detail`);
  return {
    type: 'image',
    source: { ...writeSource(withCorrectType(source)), ...pickNestedExtras(extras, dialect) },
    ...pickExtras(extras, dialect, supported, drop),
  };
}

/** OpenAI accepts `image/jpg`, which is common but not a media type. Anthropic rejects it. */
function withCorrectType(source: ImageBlock['source']): ImageBlock['source'] {
  if (source.type !== 'base64' || source.mediaType !== 'image/jpg') return source;
  return { ...source, mediaType: 'image/jpeg' };
}

function writeDocument({ source: given, name, extras }: FileBlock, drop: Drop): JsonObject | undefined {
  const source = toDocumentSource(given, drop);
  if (source === undefined) return undefined;
  return {
    type: 'document',
    source: { ...writeSource(source), ...pickNestedExtras(extras, dialect) },
    ...omitNullish({ title: name }),
    ...pickExtras(extras, dialect, supported, drop),
  };
}

/** Data must be a PDF or text here. Text of any kind, such as CSV, is sent as plain text. */
function toDocumentSource(source: FileBlock['source'], drop: Drop): Source | undefined {
  if (source.type !== 'base64' && source.type !== 'untyped') return source;
  const { data } = source;
  const mediaType = source.type === 'base64' ? bareMediaType(source.mediaType) : undefined;
  if (mediaType === pdf || (mediaType === undefined && isPdf(data)))
    return { type: 'base64', mediaType: pdf, data };
  if (mediaType === undefined || !/^(?:text\/|application\/json$)/.test(mediaType)) return undefined;
  const text = decodeText(data);
  if (text === undefined) return undefined;
  if (mediaType !== plainText) drop('media_type');
  return { type: 'text', text };
}

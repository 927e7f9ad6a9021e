import { isJsonObject, type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import {
  createContentFormat,
  type Drop,
  type FileBlock,
  type ImageBlock,
  type ParsedBlock,
  parseText,
  pickExtras,
  pickNestedExtras,
  type TextSource,
} from '../model/content.ts';
import { parseUrl, toDataUrl } from '../model/data-url.ts';
import {
  fileName,
  parseAudio,
  parseFileData,
  parseFileId,
  parseOnlySource,
  parseRefusal,
  writeAudio,
  writeFileData,
  writeRefusal,
} from '../openai/content.ts';

const dialect = 'chat-completions';

export const { parseContent, parsePart, writeContent } = createContentFormat(
  dialect,
  parseKnownPart,
  writeBlock,
);

function parseKnownPart(part: JsonObject): ParsedBlock | undefined {
  switch (part.type) {
    case 'text':
      return parseText(part, dialect);
    case 'refusal':
      return parseRefusal(part, dialect);
    case 'image_url':
      return parseImage(part);
    case 'file':
      return parseFile(part);
    case 'input_audio':
      return parseAudio(part, dialect);
    default:
      return undefined;
  }
}

function parseImage({ type: _, image_url: image, ...fields }: JsonObject): ImageBlock | undefined {
  if (!isJsonObject(image)) return undefined;
  const { url, detail, ...rest } = image;
  if (typeof url !== 'string') return undefined;
  const nested = { name: 'image_url', fields: rest };
  const extras = { dialect, type: 'image_url', fields, nested } as const;
  return { kind: 'image', source: parseUrl(url), detail, extras };
}

function parseFile({ type: _, file, ...fields }: JsonObject): FileBlock | undefined {
  if (!isJsonObject(file)) return undefined;
  const { file_data: data, file_id: id, filename, ...rest } = file;
  const source = parseOnlySource<FileBlock['source']>([
    [data, parseFileData],
    [id, parseFileId],
  ]);
  if (source === undefined) return undefined;
  const nested = { name: 'file', fields: rest };
  return { kind: 'file', source, name: filename ?? undefined, extras: { dialect, fields, nested } };
}

function writeBlock(block: ParsedBlock, drop: Drop): JsonObject | undefined {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text, ...pickExtras(block.extras, dialect, textExtras, drop) };
    case 'refusal':
      return writeRefusal(block, dialect, drop);
    case 'image':
      return writeImage(block, drop);
    case 'file':
      return writeFile(block, drop);
    case 'audio':
      return writeAudio(block, dialect, drop);
  }
}

/** OpenRouter accepts `cache_control` on text only. */
const textExtras = ['cache_control', 'prompt_cache_breakpoint'];

/** An uploaded image can only be sent as a file in this dialect, which models treat differently. */
function writeImage({ source, detail, extras }: ImageBlock, drop: Drop): JsonObject | undefined {
  if (source.type === 'file-id') return undefined;
  const url = source.type === 'url' ? source.url : toDataUrl(source);
  return {
    type: 'image_url',
    image_url: { url, ...(detail !== undefined && { detail }), ...pickNestedExtras(extras, dialect) },
    ...pickExtras(extras, dialect, ['prompt_cache_breakpoint'], drop),
  };
}

/**
 * Only PDFs are files to every model here, so a document given as text becomes a text part. Only
 * OpenRouter accepts the URL of a file, as its data.
 */
function writeFile(block: FileBlock, drop: Drop): JsonObject | undefined {
  const { source, name, extras } = block;
  if (source.type === 'text') {
    drop('type');
    if (name !== undefined) drop('title');
    return { type: 'text', text: source.text, ...pickExtras(extras, dialect, textExtras, drop) };
  }
  if (source.type === 'url' && extras.dialect !== dialect) return undefined;
  return {
    type: 'file',
    file: {
      ...writeFileSource(source),
      ...omitNullish({ filename: fileName(block, dialect) }),
      ...pickNestedExtras(extras, dialect),
    },
    ...pickExtras(extras, dialect, ['prompt_cache_breakpoint'], drop),
  };
}

function writeFileSource(source: Exclude<FileBlock['source'], TextSource>): JsonObject {
  if (source.type === 'file-id') return { file_id: source.id };
  return { file_data: source.type === 'url' ? source.url : writeFileData(source) };
}

import { type JsonObject, omitNullish } from '../../core/json/json-object.ts';
import {
  createContentFormat,
  type Drop,
  type FileBlock,
  type ImageBlock,
  type ParsedBlock,
  parseText,
  pickExtras,
  type Role,
  type TextBlock,
} from '../model/content.ts';
import { encodeText, parseUrl, toDataUrl } from '../model/data-url.ts';
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

const dialect = 'responses';

export const { parseContent, parsePart, writeContent } = createContentFormat(
  dialect,
  parseKnownPart,
  writeBlock,
);

function parseKnownPart(part: JsonObject): ParsedBlock | undefined {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return parseText(part, dialect);
    case 'refusal':
      return parseRefusal(part, dialect);
    case 'input_image':
      return parseImage(part);
    case 'input_file':
      return parseFile(part);
    case 'input_audio':
      return parseAudio(part, dialect);
    default:
      return undefined;
  }
}

/** Required in this dialect, where others say nothing. */
const defaultDetail = 'auto';

function parseImage(part: JsonObject): ImageBlock | undefined {
  const { type: _, image_url: url, file_id: id, detail, ...fields } = part;
  const source = parseOnlySource<ImageBlock['source']>([
    [url, parseUrl],
    [id, parseFileId],
  ]);
  if (source === undefined) return undefined;
  const isDefault = detail === null || detail === defaultDetail;
  const extras = { dialect, type: 'input_image', fields } as const;
  return { kind: 'image', source, detail: isDefault ? undefined : detail, extras };
}

function parseFile(part: JsonObject): FileBlock | undefined {
  const { type: _, file_data: data, file_id: id, file_url: fileUrl, filename, ...fields } = part;
  const source = parseOnlySource<FileBlock['source']>([
    [data, parseFileData],
    [id, parseFileId],
    [fileUrl, (url) => ({ type: 'url', url })],
  ]);
  if (source === undefined) return undefined;
  const extras = { dialect, type: 'input_file', fields } as const;
  return { kind: 'file', source, name: filename ?? undefined, extras };
}

function writeBlock(block: ParsedBlock, drop: Drop, role: Role): JsonObject | undefined {
  switch (block.kind) {
    case 'text':
      return writeText(block, role, drop);
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

/**
 * OpenAI rejects `input_text` from the assistant. The text of the assistant requires annotations
 * and cannot end a cached prefix.
 */
function writeText({ text, extras }: TextBlock, role: Role, drop: Drop): JsonObject {
  return role === 'user'
    ? { type: 'input_text', text, ...pickExtras(extras, dialect, supported, drop) }
    : { type: 'output_text', text, annotations: [], ...pickExtras(extras, dialect, [], drop) };
}

/** The extras of other dialects that parts of the user have here, too. */
export const supported = ['prompt_cache_breakpoint'];

function writeImage({ source, detail, extras }: ImageBlock, drop: Drop): JsonObject {
  return {
    type: 'input_image',
    ...writeImageSource(source),
    detail: detail ?? defaultDetail,
    ...pickExtras(extras, dialect, supported, drop),
  };
}

function writeImageSource(source: ImageBlock['source']): JsonObject {
  if (source.type === 'file-id') return { file_id: source.id };
  return { image_url: source.type === 'url' ? source.url : toDataUrl(source) };
}

function writeFile(block: FileBlock, drop: Drop): JsonObject | undefined {
  const source = writeFileSource(block.source);
  if (source === undefined) return undefined;
  return {
    type: 'input_file',
    ...source,
    ...omitNullish({ filename: fileName(block, dialect) }),
    ...pickExtras(block.extras, dialect, supported, drop),
  };
}

/** Text is sent as a text file. Returns undefined if it cannot be encoded. */
function writeFileSource(source: FileBlock['source']): JsonObject | undefined {
  if (source.type === 'url') return { file_url: source.url };
  if (source.type === 'file-id') return { file_id: source.id };
  if (source.type !== 'text') return { file_data: writeFileData(source) };
  const data = encodeText(source.text);
  return data === undefined
    ? undefined
    : { file_data: toDataUrl({ type: 'base64', mediaType: 'text/plain', data }) };
}

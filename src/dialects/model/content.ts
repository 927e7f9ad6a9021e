/**
 * The content of a message, independent of the dialect, through which conversations are translated.
 *
 * `content.ts` in each dialect's folder parses content into blocks and writes blocks as content.
 * A block has fields for what dialects express in different forms. All other fields of a part are
 * kept in `extras`, and a part that is not understood is kept whole. Parsing and writing in the
 * same dialect therefore loses nothing, and writing in another names everything it loses.
 */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';

export type Role = 'user' | 'assistant';

/** In every dialect, a string is short for one text part. It stays a string in translation. */
export type Content = string | readonly Block[];

export type Block = ParsedBlock | NativeBlock;

export type ParsedBlock = TextBlock | RefusalBlock | ImageBlock | FileBlock | AudioBlock;

export interface TextBlock {
  readonly kind: 'text';
  readonly text: string;
  /** In responses only. Requests keep the citations they replay in `extras`. */
  readonly citations?: readonly Citation[];
  readonly logprobs?: Logprobs | undefined;
  readonly extras: Extras;
}

/** The model's own words when it declines to answer. Messages can only express it as text. */
export interface RefusalBlock {
  readonly kind: 'refusal';
  readonly text: string;
  readonly logprobs?: Logprobs | undefined;
  readonly extras: Extras;
}

/** The probabilities of tokens, which have the same form in both OpenAI dialects. */
export interface Logprobs {
  readonly list: readonly JsonObject[];
  /** Where the response has them. */
  readonly path: string;
}

/** A source that a text refers to. Web pages are the only kind that all dialects have. */
export type Citation = UrlCitation | { readonly type: 'native'; readonly path: string };

export interface UrlCitation {
  readonly type: 'url';
  readonly url: string;
  readonly title: string | undefined;
  /** The range of the text, in characters. Messages has none. */
  readonly start: number | undefined;
  readonly end: number | undefined;
  /** The quoted text of the page. OpenAI has no quotes, but OpenRouter adds them. */
  readonly quote: string | undefined;
  /** The names of other fields, which only the dialect of the citation can express. */
  readonly unshared: readonly string[];
  /** The list that it is in. */
  readonly path: string;
}

export interface ImageBlock {
  readonly kind: 'image';
  readonly source: UrlSource | Base64Source | FileIdSource;
  /** The resolution at which the model sees the image; `auto` is the default of all dialects. */
  readonly detail: unknown;
  readonly extras: Extras;
}

/** A PDF or another document. */
export interface FileBlock {
  readonly kind: 'file';
  readonly source: UrlSource | Base64Source | UntypedSource | FileIdSource | TextSource;
  /** `filename`, or `title` in messages. */
  readonly name: unknown;
  readonly extras: Extras;
}

export interface AudioBlock {
  readonly kind: 'audio';
  readonly data: string;
  readonly format: string;
  readonly extras: Extras;
}

/** A part that only its own dialect can express, or that is not valid there either. */
export interface NativeBlock {
  readonly kind: 'native';
  readonly dialect: Dialect;
  readonly part: unknown;
  /** Whether it stands between messages, not in one. Only responses has such items. */
  readonly isItem?: true;
}

export interface UrlSource {
  readonly type: 'url';
  readonly url: string;
}

export interface Base64Source {
  readonly type: 'base64';
  /** May have parameters. */
  readonly mediaType: string;
  readonly data: string;
}

/** Base64 data without a media type, which OpenAI accepts. */
export interface UntypedSource {
  readonly type: 'untyped';
  readonly data: string;
}

/** A file that was uploaded before. The id is only valid at the provider that issued it. */
export interface FileIdSource {
  readonly type: 'file-id';
  readonly id: string;
}

/** A document given as plain text. */
export interface TextSource {
  readonly type: 'text';
  readonly text: string;
}

/** Fields of a part that blocks have no field for, such as `cache_control`. */
export interface Extras {
  /** The dialect that the fields belong to. */
  readonly dialect: Dialect;
  /** The type of the part, if it differs from the kind of its block. A lost part is named by it. */
  readonly type?: string;
  readonly fields: JsonObject;
  /** Fields of the object inside the part that holds its content, such as `image_url`. */
  readonly nested?: { readonly name: string; readonly fields: JsonObject };
}

export interface WrittenContent {
  readonly content: string | readonly unknown[];
  /**
   * Paths relative to the content: the index of a block that was dropped, or the index and the name
   * of a part of it, such as `0.cache_control`. Names are those of the source dialect.
   */
  readonly dropped: readonly string[];
}

/** Called by writers with the name of a part that they cannot express. */
export type Drop = (part: string) => void;

/**
 * How a dialect reads and writes content, one part per block, given how it does so for a part.
 * `parse` returns undefined for a part that it does not understand, which becomes a native block,
 * and `write` for a block to drop.
 */
export function createContentFormat(
  dialect: Dialect,
  parse: (part: JsonObject) => ParsedBlock | undefined,
  write: (block: ParsedBlock, drop: Drop, role: Role) => JsonObject | undefined,
) {
  const parsePart = (part: unknown): Block =>
    (isJsonObject(part) ? parse(part) : undefined) ?? { kind: 'native', dialect, part };
  return {
    parsePart,
    /** Accepts any value; null counts as no content. */
    parseContent: (content: unknown): Content => {
      if (typeof content === 'string') return content;
      if (content === undefined || content === null) return [];
      return (Array.isArray(content) ? content : [content]).map(parsePart);
    },
    writeContent: (content: Content, role: Role = 'user'): WrittenContent =>
      typeof content === 'string'
        ? { content, dropped: [] }
        : writeBlocks(content, dialect, (block, drop) => write(block, drop, role)),
  };
}

function writeBlocks(
  content: Exclude<Content, string>,
  dialect: Dialect,
  write: (block: ParsedBlock, drop: Drop) => JsonObject | undefined,
): WrittenContent {
  const parts: unknown[] = [];
  const dropped: string[] = [];
  for (const [index, block] of content.entries()) {
    const droppedParts: string[] = [];
    const part =
      block.kind === 'native'
        ? nativePart(block, dialect)
        : write(block, (name) => droppedParts.push(`${index}.${name}`));
    if (part === undefined) dropped.push(`${index}`);
    else {
      parts.push(part);
      dropped.push(...droppedParts);
    }
  }
  return { content: parts, dropped };
}

function nativePart(block: NativeBlock, dialect: Dialect): unknown {
  return block.dialect === dialect ? block.part : undefined;
}

/** A text part has the same form in every dialect, except for its type. */
export function parseText({ type: _, text, ...fields }: JsonObject, dialect: Dialect): TextBlock | undefined {
  return typeof text === 'string' ? { kind: 'text', text, extras: { dialect, fields } } : undefined;
}

/**
 * The extras to write next to the content of a part: all of them in their own dialect, otherwise
 * those that are supported. Calls `drop` for the others, except for empty values.
 */
export function pickExtras(
  { fields, nested, dialect }: Extras,
  target: Dialect,
  supported: readonly string[],
  drop: Drop,
): JsonObject {
  if (dialect === target) return fields;
  const entries = Object.entries(fields).filter(([, value]) => !isEmpty(value));
  for (const [name] of entries) if (!supported.includes(name)) drop(name);
  if (nested !== undefined) dropNested(nested, drop);
  return Object.fromEntries(entries.filter(([name]) => supported.includes(name)));
}

function dropNested({ name, fields }: NonNullable<Extras['nested']>, drop: Drop): void {
  for (const [field, value] of Object.entries(fields)) if (!isEmpty(value)) drop(`${name}.${field}`);
}

/** The extras to write inside the nested object. No dialect supports those of another. */
export function pickNestedExtras({ nested, dialect }: Extras, target: Dialect): JsonObject {
  return dialect === target && nested !== undefined ? nested.fields : {};
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

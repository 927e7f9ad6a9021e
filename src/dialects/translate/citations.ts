/** Shared by the dialects to parse and write citations. */

import type { Dialect } from '../../core/presets/preset.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import type { Citation } from './content.ts';

export type UrlCitation = Extract<Citation, { readonly type: 'url' }>;

/** Where in the written content the text is that a citation belongs to. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Parses the fields of a cited web page. Any other source is known to its own dialect only. */
export function parseUrlCitation(fields: unknown, dialect: Dialect, part: JsonObject): Citation {
  const original = { dialect, part };
  if (!isJsonObject(fields) || typeof fields.url !== 'string') return { type: 'native', original };
  const { url, title, start_index: start, end_index: end } = fields;
  return {
    type: 'url',
    url,
    title: typeof title === 'string' ? title : undefined,
    start: Number.isSafeInteger(start) ? (start as number) : undefined,
    end: Number.isSafeInteger(end) ? (end as number) : undefined,
    original,
  };
}

/** The fields of a cited web page in both OpenAI dialects, all of them required except for one. */
export function writeUrlCitation(citation: UrlCitation, text: TextRange): JsonObject {
  const { url, title = '', start = 0, end = text.end - text.start } = citation;
  const content = citedText(citation);
  return {
    url,
    title,
    start_index: text.start + start,
    end_index: text.start + end,
    ...(content !== undefined && { content }),
  };
}

/** The quote from the source. OpenAI has none, but OpenRouter adds it. */
export function citedText({ original: { dialect, part } }: Citation): string | undefined {
  const fields = dialect === 'chat-completions' ? part.url_citation : part;
  if (!isJsonObject(fields)) return undefined;
  const text = dialect === 'messages' ? fields.cited_text : fields.content;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** The parts of a citation that a dialect cannot express, as paths in the source. */
export function citationLosses(citation: Citation, to: Dialect, text: TextRange): readonly string[] {
  const { dialect, part } = citation.original;
  const path = citationPaths[dialect];
  if (citation.type === 'native') return [path];
  if (to === 'messages') {
    const { start = 0, end = text.end - text.start } = citation;
    const isWhole = start === 0 && end === text.end - text.start;
    return isWhole ? [] : [`${path}.*.start_index`, `${path}.*.end_index`];
  }
  return dialect === 'messages' && part.encrypted_index ? [`${path}.*.encrypted_index`] : [];
}

const citationPaths: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'choices.*.message.annotations',
  messages: 'content.*.citations',
  responses: 'output.*.content.*.annotations',
};

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { Citation, UrlCitation } from './content.ts';

/** Where in the written content the text is that a citation belongs to. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses the fields of a cited web page, which is undefined for any other source: those are known
 * to their own dialect only.
 */
export function parseUrlCitation(
  fields: unknown,
  own: Pick<UrlCitation, 'path' | 'unshared'> & { readonly quote: unknown },
): Citation {
  const { path, quote } = own;
  if (!isJsonObject(fields) || typeof fields.url !== 'string') return { type: 'native', path };
  const { url, title, start_index: start, end_index: end } = fields;
  return {
    ...own,
    type: 'url',
    url,
    title: typeof title === 'string' ? title : undefined,
    start: Number.isSafeInteger(start) ? (start as number) : undefined,
    end: Number.isSafeInteger(end) ? (end as number) : undefined,
    quote: typeof quote === 'string' && quote !== '' ? quote : undefined,
  };
}

/** Writes those citations that are web pages, and reports what `lossesOf` finds in them. */
export function writeCitations(
  citations: readonly Citation[],
  write: (citation: UrlCitation) => JsonObject,
  lossesOf: (citation: UrlCitation) => readonly string[],
  drop: (path: string) => void,
): readonly JsonObject[] {
  return citations.flatMap((citation) => {
    if (citation.type === 'native') {
      drop(citation.path);
      return [];
    }
    for (const name of lossesOf(citation)) drop(`${citation.path}.*.${name}`);
    return [write(citation)];
  });
}

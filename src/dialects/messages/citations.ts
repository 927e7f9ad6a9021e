import type { JsonObject } from '../json-object.ts';
import { citedText, parseUrlCitation, type UrlCitation } from '../translate/citations.ts';
import type { Citation } from '../translate/content.ts';

/** Parses one of a text block's `citations`, which refer to the whole text. */
export function parseCitation(citation: JsonObject): Citation {
  const isUrl = citation.type === 'web_search_result_location';
  return parseUrlCitation(isUrl ? citation : undefined, 'messages', citation);
}

/** The quote and the index are required, but only Anthropic's own search has them. */
export function writeCitation(citation: UrlCitation): JsonObject {
  return {
    type: 'web_search_result_location',
    url: citation.url,
    title: citation.title ?? null,
    cited_text: citedText(citation) ?? '',
    encrypted_index: '',
  };
}

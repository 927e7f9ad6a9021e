import type { JsonObject } from '../json-object.ts';
import {
  parseUrlCitation,
  type TextRange,
  type UrlCitation,
  writeUrlCitation,
} from '../translate/citations.ts';
import type { Citation } from '../translate/content.ts';

/** Parses one of a text part's `annotations`. */
export function parseCitation(annotation: JsonObject): Citation {
  const isUrl = annotation.type === 'url_citation';
  return parseUrlCitation(isUrl ? annotation : undefined, 'responses', annotation);
}

export function writeCitation(citation: UrlCitation, text: TextRange): JsonObject {
  return { type: 'url_citation', ...writeUrlCitation(citation, text) };
}

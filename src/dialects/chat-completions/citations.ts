import type { JsonObject } from '../json-object.ts';
import {
  parseUrlCitation,
  type TextRange,
  type UrlCitation,
  writeUrlCitation,
} from '../translate/citations.ts';
import type { Citation } from '../translate/content.ts';

/** Parses one of a message's `annotations`. */
export function parseCitation(annotation: JsonObject): Citation {
  const { type, url_citation: fields } = annotation;
  return parseUrlCitation(type === 'url_citation' ? fields : undefined, 'chat-completions', annotation);
}

export function writeCitation(citation: UrlCitation, text: TextRange): JsonObject {
  return { type: 'url_citation', url_citation: writeUrlCitation(citation, text) };
}

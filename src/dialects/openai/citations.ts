/** The citations of both OpenAI dialects. */

import type { JsonObject } from '../../core/json/json-object.ts';
import { type TextRange, writeCitations } from '../model/citations.ts';
import type { Citation, UrlCitation } from '../model/content.ts';

/** The fields of a cited web page, all of them required except for the quote. */
function writeFields({ url, title = '', start, end, quote }: UrlCitation, text: TextRange): JsonObject {
  return {
    url,
    title,
    start_index: text.start + (start ?? 0),
    end_index: end === undefined ? text.end : text.start + end,
    ...(quote !== undefined && { content: quote }),
  };
}

/** Writes the web pages among the citations of a text; `wrap` adds a dialect's own shape. */
export function writeAnnotations(
  citations: readonly Citation[],
  text: TextRange,
  wrap: (fields: JsonObject) => JsonObject,
  drop: (path: string) => void,
): readonly JsonObject[] {
  return writeCitations(
    citations,
    (citation) => ({ type: 'url_citation', ...wrap(writeFields(citation, text)) }),
    ({ unshared }) => unshared,
    drop,
  );
}

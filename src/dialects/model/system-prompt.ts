/**
 * Joins the text of several message contents with blank lines; null if there is no text. A content
 * is a string or a list of parts. Anything else counts as empty, because schemas do not check items
 * of unknown types.
 */
export function joinSystemPrompt(contents: readonly unknown[]): string | null {
  return joinTexts(contents.map(textOfContent), '\n\n') || null;
}

/** The text parts of one message, one per line. */
function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? joinTexts(content.map(textOfPart), '\n') : '';
}

function textOfPart(part: unknown): string {
  if (typeof part !== 'object' || part === null || !('type' in part) || !('text' in part)) return '';
  const isText = part.type === 'text' || part.type === 'input_text';
  return isText && typeof part.text === 'string' ? part.text : '';
}

function joinTexts(texts: readonly string[], separator: string): string {
  return texts.filter((text) => text !== '').join(separator);
}

/**
 * Text from elsewhere, fit for a terminal: what would move the cursor, change colours or turn the direction of reading
 * is shown as an escape. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, (character) =>
    character === '\n' || character === '\t' ? character : escapeOf(character),
  );
}

/** The same for a place that has room for one line. */
export function oneLine(text: string): string {
  return text.replaceAll(unprintable, escapeOf);
}

/** The first letters, as people count them, with a sign where some are left out. */
export function truncate(text: string, lettersMax: number): string {
  if (text.length <= lettersMax) return text;
  let count = 0;
  let end = 0;
  for (const { index } of letters.segment(text)) {
    count += 1;
    if (count === lettersMax) end = index;
    if (count > lettersMax) return `${text.slice(0, end)}…`;
  }
  return text;
}

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });
const unprintable = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeOf(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  return shortEscapes[character] ?? `\\u${code}`;
}

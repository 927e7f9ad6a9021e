/**
 * Escapes untrusted text for a terminal, such as a name that another user chose. Characters that
 * move the cursor, change colors or reverse the reading direction become escapes such as `\u001b`.
 * Line breaks and tabs stay; use `oneLine` where they would break the layout.
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, (character) =>
    character === '\n' || character === '\t' ? character : escapeOf(character),
  );
}

/**
 * Like `printable`, but also escapes line breaks and tabs, for cells, titles and error messages.
 */
export function oneLine(text: string): string {
  return text.replaceAll(unprintable, escapeOf);
}

/**
 * Cuts text to at most `lettersMax` letters, the last of which is then an ellipsis. Letters are
 * grapheme clusters, so an emoji or an accented letter is never cut in half.
 */
export function truncate(text: string, lettersMax: number): string {
  if (text.length <= lettersMax) return text;
  let count = 0;
  let end = 0;
  for (const { index } of segmenter().segment(text)) {
    count += 1;
    if (count === lettersMax) end = index;
    if (count > lettersMax) return `${text.slice(0, end)}…`;
  }
  return text;
}

let letters: Intl.Segmenter | undefined;

/** Created on first use: that takes 20 ms, and most commands never truncate anything. */
function segmenter(): Intl.Segmenter {
  letters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return letters;
}

/**
 * Control characters, line and paragraph separators, and the bidirectional overrides and isolates.
 */
const unprintable = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeOf(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  return shortEscapes[character] ?? `\\u${code}`;
}

/** Undoes one edit of a text, and keeps those that were made after it. */

/** Undefined if a later edit touches the same place. */
export function revertEdit(before: string, after: string, now: string): string | undefined {
  const edit = changeOf(after, before);
  const later = changeOf(after, now);
  if (later.from === later.to && later.text === '') return before;
  const isEarlierInText = edit.to < later.from;
  if (!isEarlierInText && later.to >= edit.from) return undefined;
  // Both positions refer to the text after the edit; a later edit before it moves it.
  const shift = isEarlierInText ? 0 : later.text.length - (later.to - later.from);
  return now.slice(0, edit.from + shift) + edit.text + now.slice(edit.to + shift);
}

/** The one part in which two texts differ: what replaces `from` to `to` of the first. */
function changeOf(first: string, second: string) {
  const lengthMax = Math.min(first.length, second.length);
  let start = 0;
  while (start < lengthMax && first[start] === second[start]) start += 1;
  let end = 0;
  while (end < lengthMax - start && first.at(-1 - end) === second.at(-1 - end)) end += 1;
  return { from: start, to: first.length - end, text: second.slice(start, second.length - end) };
}

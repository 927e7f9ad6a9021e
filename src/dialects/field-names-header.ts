const headerBytesMax = 1_024;

/** Field names can hold anything that JSON can, a header cannot: the names are percent-encoded and their sum is bounded. */
export function fieldNamesHeader(fields: readonly string[]): string | undefined {
  if (fields.length === 0) return undefined;
  const names: string[] = [];
  let bytes = 0;
  for (const field of fields) {
    // What is cut off first cannot be longer than what is allowed, and cutting may leave half a character.
    const name = encodeURIComponent(field.slice(0, headerBytesMax).toWellFormed());
    bytes += name.length + 2;
    if (bytes > headerBytesMax) break;
    names.push(name);
  }
  const hidden = fields.length - names.length;
  return [...names, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join(', ');
}

/** Proxies commonly limit all response headers together to 8 KB. */
const headerBytesMax = 1_024;

/**
 * Lists field names in a header; undefined if there are none. Clients choose the names, which may
 * be any JSON string: they are percent-encoded, and names beyond the limit are only counted ("and 3
 * more").
 */
export function fieldNamesHeader(fields: readonly string[]): string | undefined {
  if (fields.length === 0) return undefined;
  const names: string[] = [];
  let bytes = 0;
  for (const field of fields) {
    // Encoding never shortens a name, so more than the limit need not be encoded. The cut may split
    // a surrogate pair, which `encodeURIComponent` would throw on.
    const name = encodeURIComponent(field.slice(0, headerBytesMax).toWellFormed());
    bytes += name.length + 2;
    if (bytes > headerBytesMax) break;
    names.push(name);
  }
  const omitted = fields.length - names.length;
  return [...names, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join(', ');
}

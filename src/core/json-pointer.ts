/**
 * Returns one segment of a JSON Pointer (RFC 6901) for error messages. Unlike the RFC it also makes
 * the key printable: no U+0000 and no unpaired surrogates.
 */
export function pointerSegment(key: string | number): string {
  const escaped = String(key).replaceAll('~', '~0').replaceAll('/', '~1');
  return `/${escaped.toWellFormed().replaceAll('\0', '\\u0000')}`;
}

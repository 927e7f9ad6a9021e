/** One step of a JSON Pointer (RFC 6901), fit to be shown: whatever the key holds, it stays one line of valid text. */
export function pointerSegment(key: string | number): string {
  const escaped = String(key).replaceAll('~', '~0').replaceAll('/', '~1');
  return `/${escaped.toWellFormed().replaceAll('\0', '\\u0000')}`;
}

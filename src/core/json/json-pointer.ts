/** JSON Pointers (RFC 6901), which locate a value inside JSON. */

/**
 * One segment of a pointer for error messages. Unlike the RFC it also makes the key printable: no
 * U+0000 and no unpaired surrogates.
 */
export function pointerSegment(key: string | number): string {
  return `/${escapeKey(String(key)).toWellFormed().replaceAll('\0', '\\u0000')}`;
}

/** Escapes a key as the RFC requires. */
export function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The keys and indexes that a pointer names, as strings. */
export function parsePointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Base64 data, with its media type in a `data:` URL or without one, and as text. */

import type { Base64Source, UrlSource } from './content.ts';

/** Splits a `data:` URL with base64 data. Any other URL stays as it is. */
export function parseUrl(url: string): UrlSource | Base64Source {
  const [prefix, mediaType] = /^data:([^,]{1,255});base64,/.exec(url) ?? [];
  if (prefix === undefined || mediaType === undefined) return { type: 'url', url };
  return { type: 'base64', mediaType, data: url.slice(prefix.length) };
}

export function toDataUrl({ mediaType, data }: Base64Source): string {
  return `data:${mediaType};base64,${data}`;
}

/** A media type in lower case and without parameters. */
export function bareMediaType(mediaType: string): string {
  return mediaType.replace(/;.*/s, '').trim().toLowerCase();
}

export function isPdf(data: string): boolean {
  return data.startsWith(pdfSignature);
}

/** The last characters also encode what follows in a file. */
const pdfSignature = btoa('%PDF-').slice(0, 6);

/** Undefined if the text has unpaired surrogates, which UTF-8 cannot express. */
export function encodeText(text: string): string | undefined {
  if (!text.isWellFormed()) return undefined;
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Undefined if the data is not valid base64 of valid UTF-8. */
export function decodeText(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

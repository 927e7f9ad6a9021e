/** What fits in a header. The longest keys in use are tokens of a few thousand characters. */
export function isUpstreamKey(text: string): boolean {
  return /^[\x21-\x7e]{1,8192}$/.test(text);
}

export const upstreamKeyRule = 'must be at most 8192 visible ASCII characters without spaces';

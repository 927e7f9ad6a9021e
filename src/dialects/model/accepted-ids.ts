/**
 * Ids are written by clients and providers, and each provider has its own rules for those it
 * accepts. An id that breaks them is replaced by one that depends on nothing else, so that a tool
 * call and its result still match, and the next request says the same.
 */

export function shortenId(id: string, lengthMax: number): string {
  return id.length <= lengthMax ? id : withHash(id.slice(0, lengthMax - hashLength - 1), id);
}

/**
 * Anthropic accepts only letters, digits, underscores and hyphens in the ids of tool calls, and all
 * providers only these in the names of tools.
 */
export function restrictId(id: string): string {
  return /^[\w-]+$/.test(id) ? id : withHash(id.replaceAll(/[^\w-]/g, '_'), id);
}

function withHash(start: string, id: string): string {
  return `${start}_${hash(id)}`;
}

const hashLength = 16;

/**
 * FNV-1a, twice with 32 bits and different primes. Browsers, which also run this code, have no
 * synchronous hash of their own.
 */
function hash(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(hashLength / 2, '0')).join('');
}

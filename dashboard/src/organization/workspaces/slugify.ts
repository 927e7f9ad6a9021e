/** The API's limit for workspace slugs. */
const charactersMax = 50;

/**
 * Suggests a slug for a name: "search-ads" for "Search & Ads". Empty if no letter or digit is left.
 */
export function slugify(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-/, '').slice(0, charactersMax).replace(/-$/, '');
}

const charactersMax = 50;

/** A slug for a name, as the server takes them: "Search & Ads" becomes "search-ads". Empty where nothing is left. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-/, '').slice(0, charactersMax).replace(/-$/, '');
}

export const baseUrlRule =
  'must be an http or https URL such as https://api.example.com/v1, without user name, password, query, fragment or the path of a dialect such as /chat/completions';

export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[@?#]/.test(text)) return false;
  return !/\/(chat\/completions|messages|responses|models)\/*$/.test(url.pathname);
}

/** Without a slash at its end, because the path of a dialect begins with one. */
export function trimTrailingSlash(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, '');
}

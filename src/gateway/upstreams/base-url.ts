export const baseUrlRule =
  'must be an http or https URL such as https://api.example.com/v1, without credentials, query, fragment or a dialect path such as /chat/completions';

/** Rejects credentials, because dry runs show the URL, and a query, because paths are appended. */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[@?#]/.test(text)) return false;
  return !/\/(chat\/completions|messages|responses|models)\/*$/.test(url.pathname);
}

/** The path of a dialect, which begins with a slash, can be appended to the result. */
export function trimTrailingSlash(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, '');
}

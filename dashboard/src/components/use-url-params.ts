import { useLocation, useSearchParams } from 'wouter';

type Values = Readonly<Record<string, string>>;

/**
 * Filters as query parameters of the URL, so that they survive a reload and can be shared. A
 * missing parameter reads as an empty string.
 */
export function useUrlParams() {
  const [search, setSearch] = useSearchParams();
  const [path] = useLocation();
  return {
    value: (name: string) => search.get(name) ?? '',
    /** Sets several parameters at once; an empty value removes one. */
    change: (values: Values, { replace = false } = {}) =>
      // From the URL as it is now: two components may change it before either renders again.
      setSearch(() => withValues(new URLSearchParams(window.location.search), values), { replace }),
    /** The URL that `change` would lead to, for links. */
    hrefWith: (values: Values) => `${path}?${withValues(search, values)}`,
  };
}

/** Keeps parameters that are not mentioned. */
function withValues(before: URLSearchParams, values: Values): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}

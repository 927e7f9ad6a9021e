import { useLocation, useSearchParams } from 'wouter';

type Values = Readonly<Record<string, string>>;

/** What is chosen on a page stands in its address, so that it can be kept, shared and gone back to. */
export function useSearchValues() {
  const [search, setSearch] = useSearchParams();
  const [path] = useLocation();
  return {
    value: (name: string) => search.get(name) ?? '',
    offset: Math.max(0, Math.trunc(Number(search.get('offset') ?? 0)) || 0),
    /** An empty value is left out. */
    change: (values: Values, { replace = false } = {}) =>
      setSearch((before) => withValues(before, values), { replace }),
    /** The address of this page after such a change. */
    hrefWith: (values: Values) => `${path}?${withValues(search, values)}`,
  };
}

function withValues(before: URLSearchParams, values: Values): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}

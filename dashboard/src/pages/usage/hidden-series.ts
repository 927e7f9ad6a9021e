/**
 * Which series the charts leave out, by name. A name keeps its state while the filters change: it
 * may come back. If none of those on the page would be shown, all are.
 */
export type HiddenSeries = ReadonlySet<string>;

export const nothingHidden: HiddenSeries = new Set();

/** Hides a series that is shown, and shows one that is hidden. */
export function toggleSeries(hidden: HiddenSeries, name: string, names: readonly string[]): HiddenSeries {
  const next = hidden.has(name)
    ? [...hidden].filter((other) => other !== name)
    : [...hidden, name].filter((other) => names.includes(other));
  return names.every((other) => next.includes(other)) ? nothingHidden : new Set(next);
}

/** Hides all others. If it is already the only one, shows all again. */
export function isolateSeries(hidden: HiddenSeries, name: string, names: readonly string[]): HiddenSeries {
  const others = names.filter((other) => other !== name);
  const isOnly = !hidden.has(name) && others.every((other) => hidden.has(other));
  return isOnly ? nothingHidden : new Set(others);
}

/** As it is in the URL: names separated by commas. */
export function formatHidden(hidden: HiddenSeries): string {
  return [...hidden].map((name) => encodeURIComponent(name)).join(',');
}

/** A name that cannot be decoded hides nothing. */
export function parseHidden(text: string): HiddenSeries {
  return new Set(text.split(',').flatMap(decodeName));
}

function decodeName(text: string): string[] {
  try {
    return text === '' ? [] : [decodeURIComponent(text)];
  } catch {
    return [];
  }
}

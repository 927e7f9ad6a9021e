/**
 * Numbers in texts. The pages are in English, so the locale is fixed: the browser's could format
 * numbers differently from the words around them.
 */

/** A number with its noun: "1 person", "12,000 people". */
export function formatCount(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** With digit grouping: "12,000". */
export function formatNumber(number: number): string {
  return number.toLocaleString('en-US');
}

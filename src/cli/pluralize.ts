/** "1 preset", "2 presets": for nouns that form the plural with -s. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** More than anyone reads next to an editor, and still fast to render. */
const charactersMax = 20_000;

/** Cuts a long text and says how much is missing. */
export function truncate(text: string): string {
  const rest = text.length - charactersMax;
  if (rest <= 0) return text;
  return `${text.slice(0, charactersMax).toWellFormed()}… and ${rest.toLocaleString('en-US')} more characters`;
}

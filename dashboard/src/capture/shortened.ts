/** More than anybody reads beside an editor, and little enough to be shown at once. */
const charactersMax = 20_000;

export function shortened(text: string): string {
  const rest = text.length - charactersMax;
  if (rest <= 0) return text;
  return `${text.slice(0, charactersMax).toWellFormed()}… and ${rest.toLocaleString('en-US')} more characters`;
}

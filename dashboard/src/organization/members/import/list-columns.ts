import { formatNumber } from '../../../ui/format-number.ts';

/** More would bury the rest of the dialog, and some files have thousands. */
const columnsMax = 20;
const charactersMax = 100;

/** "Team, City and 3 more". */
export function listColumns(titles: readonly string[]): string {
  const shown = titles.slice(0, columnsMax).map(shortened).join(', ');
  const rest = titles.length - columnsMax;
  return rest > 0 ? `${shown} and ${formatNumber(rest)} more` : shown;
}

function shortened(title: string): string {
  return title.length > charactersMax ? `${title.slice(0, charactersMax).toWellFormed()}…` : title;
}

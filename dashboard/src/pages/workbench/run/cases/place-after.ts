/** A control in a table, such as the second of the third row. */
export interface Place {
  readonly row: number;
  readonly control: number;
}

interface Size {
  readonly rows: number;
  readonly controls: number;
}

/** How many rows PageUp and PageDown move. */
const pageRows = 5;

/** Where a key leads; undefined if it leads nowhere. Every row has as many controls. */
export function placeAfter(
  key: string,
  { row, control }: Place,
  { rows, controls }: Size,
): Place | undefined {
  const last = rows - 1;
  const next: Readonly<Record<string, Place>> = {
    ArrowUp: { row: row - 1, control },
    ArrowDown: { row: row + 1, control },
    ArrowLeft: { row, control: control - 1 },
    ArrowRight: { row, control: control + 1 },
    PageUp: { row: Math.max(0, row - pageRows), control },
    PageDown: { row: Math.min(last, row + pageRows), control },
    Home: { row: 0, control },
    End: { row: last, control },
  };
  const place = next[key];
  const isInside = (index: number, count: number) => index >= 0 && index < count;
  return place && isInside(place.row, rows) && isInside(place.control, controls) ? place : undefined;
}

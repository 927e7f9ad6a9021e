import type { GroupOptions } from './table-options.ts';

/** A row, the details of the row before it, or the heading of those that follow. */
export type Line<Row> =
  | {
      readonly kind: 'row';
      readonly key: string;
      readonly id: string;
      readonly row: Row;
      /** How many rows like this one follow it, hidden until the user opens them. */
      readonly similar: number;
    }
  | { readonly kind: 'details'; readonly key: string; readonly row: Row }
  | { readonly kind: 'heading'; readonly key: string; readonly text: string };

/** Opened parts: the details of a row by its id, similar rows by `similarKey`. */
export type OpenParts = ReadonlySet<string>;

export function similarKey(rowId: string): string {
  return `similar ${rowId}`;
}

/** Two similar rows take as little room as one and a button. */
const similarMin = 3;

/**
 * A page of the API. A longer run is split: if thousands of rows looked like one, its end would
 * stay in sight, and the table would load page after page.
 */
const similarMax = 100;

interface Item<Row> {
  readonly id: string;
  readonly row: Row;
}

export function linesOf<Row>(
  items: readonly Item<Row>[],
  open: OpenParts,
  groups: GroupOptions<Row> | undefined,
): readonly Line<Row>[] {
  const linesOfItem = ({ id, row }: Item<Row>, similar = 0): readonly Line<Row>[] => [
    { kind: 'row', key: id, id, row, similar },
    ...(open.has(id) ? [{ kind: 'details', key: `details ${id}`, row } as const] : []),
  ];
  if (groups === undefined) return items.flatMap((item) => linesOfItem(item));
  let heading: string | undefined;
  return runsOf(items, groups).flatMap(({ text, run: [first, ...others] }) => {
    if (first === undefined) return [];
    const isNew = text !== heading;
    heading = text;
    const isRun = others.length + 1 >= similarMin;
    const isShown = !isRun || open.has(similarKey(first.id));
    return [
      ...(isNew ? [{ kind: 'heading', key: `heading ${first.id}`, text } as const] : []),
      ...linesOfItem(first, isRun ? others.length : 0),
      ...(isShown ? others.flatMap((item) => linesOfItem(item)) : []),
    ];
  });
}

interface Run<Row> {
  readonly text: string;
  readonly run: Item<Row>[];
}

/** Rows below the same heading that follow each other and have the same key. */
function runsOf<Row>(
  items: readonly Item<Row>[],
  { headingOf, similarityOf }: GroupOptions<Row>,
): readonly Run<Row>[] {
  const runs: Run<Row>[] = [];
  let last: string | undefined;
  for (const item of items) {
    const text = headingOf(item.row);
    const key = `${text}\n${similarityOf(item.row)}`;
    const current = runs.at(-1);
    if (current !== undefined && key === last && current.run.length < similarMax) current.run.push(item);
    else runs.push({ text, run: [item] });
    last = key;
  }
  return runs;
}

import type { ReactNode } from 'react';

/** A column of a `DataTable`. */
export interface Column<Row> {
  /** In the URL while it is sorted, and in the browser while it is hidden: keep it stable. */
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /**
   * The value to sort by, to search and to export. A column without one, such as a button, is only
   * shown.
   */
  readonly value?: (row: Row) => CellValue;
  /** Exported instead of `value`: an address, say, identifies a person better than a name. */
  readonly exportValue?: (row: Row) => CellValue;
  /** For screen readers only, such as for a column of buttons. */
  readonly isTitleHidden?: boolean;
  /** Its values explain themselves: the card of a narrow screen does not repeat the title. */
  readonly isObvious?: boolean;
  /** Right-aligned, with digits of equal width. */
  readonly isNumber?: boolean;
  /** Its text is never shortened, as suits times and badges. Numbers never are either. */
  readonly isFit?: boolean;
  /** Its text takes a second line before it is shortened. */
  readonly wraps?: boolean;
  /** It is no wider than its content, also where there is room to spare. */
  readonly isNarrow?: boolean;
  /** Beside a text that wraps, such as a link. It is never shortened. */
  readonly aside?: (row: Row) => ReactNode;
  /** False for a column with a value that has no useful order. */
  readonly isSortable?: boolean;
  /** The first click sorts from last to first, as suits times and counts. */
  readonly isDescendingFirst?: boolean;
  /** Shown only after the user has chosen it. */
  readonly isHiddenByDefault?: boolean;
  /** The name of a row: always shown, and the heading of its card on narrow screens. */
  readonly isFixed?: boolean;
}

export type CellValue = string | number | boolean | null | undefined;

/** The order of the rows; undefined for the order in which the server returns them. */
export interface Sort {
  readonly id: string;
  readonly isDescending: boolean;
}

/** A filter with a few choices. Its value is the query parameter `id` of the URL. */
export interface Facet<Row> {
  readonly id: string;
  readonly label: string;
  /** Pairs of value and text. The first is the default, usually `''` for everything. */
  readonly options: readonly (readonly [value: string, text: string])[];
  /** Whether a row matches. Omit it if the server filters. */
  readonly matches?: (row: Row, value: string) => boolean;
}

/** Reads "name" or "-created" from a URL. */
export function parseSort(text: string): Sort | undefined {
  const isDescending = text.startsWith('-');
  const id = isDescending ? text.slice(1) : text;
  return id === '' ? undefined : { id, isDescending };
}

export function formatSort(sort: Sort | undefined): string {
  return sort === undefined ? '' : `${sort.isDescending ? '-' : ''}${sort.id}`;
}

/** In one direction, then in the other, then in the order of the server again. */
export function nextSort<Row>(current: Sort | undefined, column: Column<Row>): Sort | undefined {
  const first = column.isDescendingFirst ?? false;
  if (current?.id !== column.id) return { id: column.id, isDescending: first };
  return current.isDescending === first ? { id: column.id, isDescending: !first } : undefined;
}

export function isSortable<Row>({ value, isSortable: isAllowed = true }: Column<Row>): boolean {
  return value !== undefined && isAllowed;
}

/** Numbers inside a text count as numbers: "key 9" comes before "key 10". */
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Ascending. Empty values are handled by the caller. */
export function compareValues(a: CellValue, b: CellValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(String(a), String(b));
}

/** Rows without a value come last in both directions. Without a sort, the rows themselves. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
  const column = columns.find(({ id }) => id === sort?.id);
  if (sort === undefined || column === undefined) return rows;
  const [filled, empty] = [[], []] as [{ row: Row; value: CellValue }[], Row[]];
  for (const row of rows) {
    const value = column.value?.(row);
    if (value === null || value === undefined || value === '') empty.push(row);
    else filled.push({ row, value });
  }
  const sign = sort.isDescending ? -1 : 1;
  filled.sort((a, b) => sign * compareValues(a.value, b.value));
  return [...filled.map(({ row }) => row), ...empty];
}

/** Each word of the search has to occur in some value of the row, in any order and case. */
export function matchesText<Row>(row: Row, columns: readonly Column<Row>[], search: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = columns.map(({ value }) => String(value?.(row) ?? '').toLowerCase()).join('\n');
  return words.every((word) => text.includes(word));
}

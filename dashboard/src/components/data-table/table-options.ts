import type { ReactNode } from 'react';
import type { MenuItem } from '../menu.tsx';

export interface SearchOptions {
  readonly label: string;
  readonly placeholder: string;
  readonly maxLength: number;
  /** The page passes the `q` of the URL to the server. Otherwise the table searches its columns. */
  readonly isOnServer?: boolean;
  /** How to narrow a list that is too long for the table to search. */
  readonly narrowing?: string;
}

export interface RowMenu {
  /** Accessible name, such as "Actions for ada@example.com". */
  readonly label: string;
  readonly items: readonly (MenuItem | false | undefined)[];
}

export interface SelectionOptions<Row> {
  /** Names a row for screen readers. */
  readonly nameOf: (row: Row) => string;
  /** Buttons for the selected rows. */
  readonly actions: (rows: readonly Row[], clear: () => void) => ReactNode;
}

export interface DetailsOptions<Row> {
  /** Names a row for screen readers. */
  readonly nameOf: (row: Row) => string;
  readonly render: (row: Row) => ReactNode;
}

/** Only in the order of the server: another order separates what belongs together. */
export interface GroupOptions<Row> {
  /** The heading above rows that follow each other, such as their day. */
  readonly headingOf: (row: Row) => string;
  /** Rows that follow each other and have the same text are shown as one, which can be opened. */
  readonly similarityOf: (row: Row) => string;
}

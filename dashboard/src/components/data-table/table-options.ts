import {
  columnVisibilityFeature,
  createSortedRowModel,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table';
import type { ReactNode } from 'react';
import type { MenuItem } from '../menu.tsx';

export interface SearchOptions {
  readonly label: string;
  readonly placeholder: string;
  readonly maxLength: number;
  /** The page passes the `q` of the URL to the server. Otherwise the table searches its columns. */
  readonly isOnServer?: boolean;
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

/** The parts of TanStack Table that every table uses. */
export const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  rowSelectionFeature,
  columnVisibilityFeature,
});

export type TableFeatures = typeof features;

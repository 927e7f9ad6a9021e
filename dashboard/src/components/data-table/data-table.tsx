/**
 * The table of every list: sort, filters, columns, export, selection and a menu per row.
 *
 * Rows come from a `RowSource`. What the browser sorts or filters itself needs every row, so such a
 * table first loads the rest of the list and says so; until then it shows the rows dimmed and in
 * the order of the server. It never sorts or filters only a part.
 *
 * Sort, search and facets are in the URL. The choice of columns is kept in the browser.
 */

import { type RowSelectionState, useTable } from '@tanstack/react-table';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { RowSource } from '../../api/row-source.ts';
import { Button } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { EmptyState, ErrorNotice } from '../notice.tsx';
import { useUrlParams } from '../use-url-params.ts';
import { type Column, compareValues, type Facet, isEmptyValue, isSortable, matchesText } from './column.ts';
import styles from './data-table.module.css';
import { TableFooter } from './table-footer.tsx';
import {
  type DetailsOptions,
  features,
  type RowMenu,
  type SearchOptions,
  type SelectionOptions,
  type TableFeatures,
} from './table-options.ts';
import { TableSkeleton } from './table-skeleton.tsx';
import { useColumnChoices, useSort } from './table-state.ts';
import { TableView } from './table-view.tsx';
import { Toolbar } from './toolbar.tsx';

export interface DataTableProps<Row> {
  /** Identifies the table in the browser's storage and in the names of exported files. */
  readonly id: string;
  /** Accessible name. */
  readonly label: string;
  /** Singular and plural of a row: "member", "members". */
  readonly noun: readonly [one: string, many: string];
  /** Their ids must not change while the table is mounted, except for optional columns. */
  readonly columns: readonly Column<Row>[];
  readonly source: RowSource<Row>;
  readonly keyOf: (row: Row) => string;
  readonly search?: SearchOptions;
  readonly facets?: readonly Facet<Row>[];
  /** More filters, before the facets. The page applies them. */
  readonly filters?: ReactNode;
  /** Whether `filters` restrict the rows, so that an empty table offers to clear them. */
  readonly isFiltered?: boolean;
  /** Clears `filters`, together with the search and the facets. */
  readonly onClear?: () => void;
  /** Actions of a row, in a menu at its end. Undefined for rows without any. */
  readonly rowMenu?: (row: Row) => RowMenu | undefined;
  readonly selection?: SelectionOptions<Row>;
  /** More about a row, below it once the user opens it. */
  readonly details?: DetailsOptions<Row>;
  /** Why nothing matches the filters, if there is more to say. */
  readonly noMatch?: ReactNode;
  /** Shown if there are no rows without any filter. */
  readonly empty?: ReactNode;
  /** The URL parameter of the sort; another one for the second table of a page. */
  readonly sortParameter?: string;
  /** For a short list inside a page or dialog: without toolbar and footer. */
  readonly isPlain?: boolean;
}

/** More rows are not loaded for a sort or filter; the user narrows the list on the server first. */
const sortedRowsMax = 20_000;

const noRows: readonly never[] = [];

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { id, label, noun, columns, source, keyOf, search, facets = noRows, isPlain = false } = props;
  const { value, change } = useUrlParams();
  const { sort, setSort } = useSort(columns, props.sortParameter);
  const choices = useColumnChoices(id, columns);
  const [selected, setSelected] = useState<RowSelectionState>({});
  const q = search === undefined ? '' : value('q');
  const localText = search?.isOnServer ? '' : q;
  const localFacets = facets.filter((facet) => facet.matches && isChosen(facet, value(facet.id)));
  const isLocallyFiltered = localText !== '' || localFacets.length > 0;
  const needsAll = isLocallyFiltered || (sort !== undefined && !source.isServerSorted);
  const isTooLong = source.hasMore && (source.total ?? source.rows?.length ?? 0) > sortedRowsMax;
  const isComplete = source.rows !== undefined && !source.hasMore;
  const isLoadingAll =
    needsAll && !isComplete && !isTooLong && source.rows !== undefined && source.error === null;
  useLoadAll(source, isLoadingAll);

  const filterKey = [localText, ...localFacets.flatMap((facet) => [facet.id, value(facet.id)])].join('\n');
  const refine = (all: readonly Row[]) =>
    all.filter(
      (row) =>
        matchesText(row, columns, localText) &&
        localFacets.every((facet) => facet.matches?.(row, value(facet.id))),
    );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the filters
  const rows = useMemo(() => {
    const all = source.rows ?? noRows;
    return isComplete && isLocallyFiltered ? refine(all) : [...all];
  }, [source.rows, isComplete, filterKey]);

  const columnKey = columns.map((column) => column.id).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new array on each render would sort again
  const definitions = useMemo(() => columns.map(definitionOf), [columnKey]);
  const table = useTable<TableFeatures, Row>({
    features,
    columns: definitions,
    data: rows,
    getRowId: keyOf,
    manualSorting: source.isServerSorted || !isComplete,
    enableMultiSort: false,
    state: {
      sorting: sort === undefined ? [] : [{ id: sort.id, desc: sort.isDescending }],
      rowSelection: selected,
      columnVisibility: Object.fromEntries(columns.map((column) => [column.id, choices.isShown(column)])),
    },
    onRowSelectionChange: setSelected,
  });
  const selectedRows = table.getSelectedRowModel().rows.map(({ original }) => original);
  const isFiltered =
    q !== '' || facets.some((facet) => isChosen(facet, value(facet.id))) || props.isFiltered === true;
  const clear = () => {
    change({ q: '', ...Object.fromEntries(facets.map((facet) => [facet.id, ''])) });
    props.onClear?.();
  };
  return (
    <div className={classNames(styles.root, isPlain && styles.plain)}>
      {!isPlain && (
        <Toolbar
          id={id}
          noun={noun}
          columns={columns}
          choices={choices}
          search={search}
          facets={facets}
          filters={props.filters}
          source={source}
          sort={sort}
          onSort={setSort}
          // An export has what the table shows. Without a filter of the browser, it fetches the rest.
          exported={
            isComplete && !source.isStale
              ? {
                  count: rows.length,
                  rows: () => table.getSortedRowModel().rows.map(({ original }) => original),
                }
              : undefined
          }
          refine={isLocallyFiltered ? refine : undefined}
          isLoadingAll={isLoadingAll}
        />
      )}
      {selectedRows.length > 0 && props.selection && (
        <section className={styles.selected} aria-label="Selected rows">
          <span aria-live="polite">{selectedRows.length} selected</span>
          {props.selection.actions(selectedRows, () => setSelected({}))}
          <Button isSmall variant="quiet" onClick={() => setSelected({})}>
            Clear selection
          </Button>
        </section>
      )}
      {source.error !== null && source.rows === undefined ? (
        <div className={styles.inset}>
          <ErrorNotice error={source.error} title={`Could not load the ${noun[1]}`} retry={source.refetch} />
        </div>
      ) : source.rows === undefined ? (
        <TableSkeleton label={`Loading ${noun[1]}`} columnCount={columns.filter(choices.isShown).length} />
      ) : rows.length === 0 && !source.hasMore ? (
        isFiltered ? (
          <EmptyState title={`No matching ${noun[1]}`}>
            {props.noMatch}
            <Button onClick={clear}>Clear filters</Button>
          </EmptyState>
        ) : (
          (props.empty ?? <EmptyState title={`No ${noun[1]}`} />)
        )
      ) : (
        <TableView
          label={label}
          table={table}
          columns={columns.filter(choices.isShown)}
          isSortPossible={!isTooLong || source.isServerSorted}
          isSorted={isComplete || source.isServerSorted}
          sort={sort}
          onSort={setSort}
          rowCount={isComplete ? rows.length : source.isTotalExact ? source.total : undefined}
          isStale={source.isStale || isLoadingAll}
          rowMenu={props.rowMenu}
          selection={props.selection}
          details={props.details}
        />
      )}
      {source.rows !== undefined && (!isPlain || source.hasMore) && (
        <TableFooter
          noun={noun}
          source={source}
          shownCount={rows.length}
          isLoadingAll={isLoadingAll}
          isTooLong={isTooLong && needsAll}
        />
      )}
    </div>
  );
}

function isChosen<Row>({ options }: Facet<Row>, value: string): boolean {
  return value !== '' && value !== options[0]?.[0] && options.some(([option]) => option === value);
}

/** Loads page after page while `isNeeded`. */
function useLoadAll<Row>(source: RowSource<Row>, isNeeded: boolean): void {
  useEffect(() => {
    if (isNeeded && !source.isLoadingMore && !source.isStale) source.loadMore();
  });
}

function definitionOf<Row>(column: Column<Row>) {
  return {
    id: column.id,
    accessorFn: (row: Row) => {
      const value = column.value?.(row);
      return isEmptyValue(value) ? undefined : value;
    },
    enableSorting: isSortable(column),
    // Rows without a value come last in both directions.
    sortUndefined: 'last' as const,
    sortFn: (
      a: { getValue(id: string): unknown },
      b: { getValue(id: string): unknown },
      id: string,
    ): number => compareValues(a.getValue(id) as string | number, b.getValue(id) as string | number),
  };
}

/**
 * The table of every list: sort, filters, columns, export, selection and a menu per row.
 *
 * Rows come from a `RowSource`. What the browser sorts or filters itself needs every row, so such a
 * table first loads the rest of the list and says so; until then it shows the rows dimmed and in
 * the order of the server. It never sorts or filters only a part.
 *
 * Sort, search and facets are in the URL. The choice of columns is kept in the browser.
 */

import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import type { RowSource } from '../../api/row-source.ts';
import { Button } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { EmptyState, ErrorNotice } from '../notice.tsx';
import { useUrlParams } from '../use-url-params.ts';
import { type Column, type Facet, formatSort, matchesText, sortRows } from './column.ts';
import styles from './data-table.module.css';
import { TableFooter } from './table-footer.tsx';
import type {
  DetailsOptions,
  GroupOptions,
  RowMenu,
  SearchOptions,
  SelectionOptions,
} from './table-options.ts';
import { TableSkeleton } from './table-skeleton.tsx';
import { useColumnChoices, useSort } from './table-state.ts';
import { type Select, TableView } from './table-view.tsx';
import { Toolbar } from './toolbar.tsx';

export interface DataTableProps<Row> {
  /** Identifies the table in the browser's storage and in the names of exported files. */
  readonly id: string;
  /** Accessible name. */
  readonly label: string;
  /** Singular and plural of a row: "member", "members". */
  readonly noun: readonly [one: string, many: string];
  /** Memoized if values depend on more than the row: a change searches and sorts all rows anew. */
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
  readonly groups?: GroupOptions<Row>;
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
  const { isShown } = choices;
  const shownColumns = useMemo(() => columns.filter(isShown), [columns, isShown]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const q = search === undefined ? '' : value('q');
  const localText = search?.isOnServer ? '' : q;
  const localFacets = facets.filter((facet) => facet.matches && isChosen(facet, value(facet.id)));
  const isLocallyFiltered = localText !== '' || localFacets.length > 0;
  const needsAll = isLocallyFiltered || (sort !== undefined && !source.isServerSorted);
  const isTooLong = source.hasMore && (source.total ?? source.rows?.length ?? 0) > sortedRowsMax;
  // Unfiltered rows would look as if they matched.
  const isUnsearchable = isLocallyFiltered && isTooLong;
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key and the columns stand for `refine`
  const found = useMemo(() => {
    const all = source.rows ?? noRows;
    return isComplete && isLocallyFiltered ? refine(all) : all;
  }, [source.rows, isComplete, filterKey, columns]);
  const sortedHere = source.isServerSorted || !isComplete ? undefined : sort;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new object on each render would sort again
  const rows = useMemo(() => sortRows(found, columns, sortedHere), [found, columns, formatSort(sortedHere)]);
  const selectedRows = selected.size === 0 ? noRows : rows.filter((row) => selected.has(keyOf(row)));
  const isFiltered =
    q !== '' || facets.some((facet) => isChosen(facet, value(facet.id))) || props.isFiltered === true;
  const clear = () => {
    change({ q: '', ...Object.fromEntries(facets.map((facet) => [facet.id, ''])) });
    props.onClear?.();
  };
  const select = useCallback<Select>((ids, isSelected) => {
    const chosen = new Set(ids);
    setSelected((before) =>
      isSelected ? new Set([...before, ...chosen]) : new Set([...before].filter((id) => !chosen.has(id))),
    );
  }, []);
  const clearSelection = () => setSelected(new Set());
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
          // An export has what the table shows. Without a browser's filter, it fetches the rest.
          exported={isComplete && !source.isStale ? rows : undefined}
          refine={isLocallyFiltered ? refine : undefined}
          isLoadingAll={isLoadingAll}
        />
      )}
      {selectedRows.length > 0 && props.selection && (
        <section className={styles.selected} aria-label="Selected rows">
          <span aria-live="polite">{selectedRows.length} selected</span>
          {props.selection.actions(selectedRows, clearSelection)}
          <Button isSmall variant="quiet" onClick={clearSelection}>
            Clear selection
          </Button>
        </section>
      )}
      {source.error !== null && source.rows === undefined ? (
        <div className={styles.inset}>
          <ErrorNotice error={source.error} title={`Could not load the ${noun[1]}`} retry={source.refetch} />
        </div>
      ) : source.rows === undefined ? (
        <TableSkeleton label={`Loading ${noun[1]}`} columnCount={shownColumns.length} />
      ) : isUnsearchable ? (
        <EmptyState title={`Too many ${noun[1]} to search`} illustration="search">
          <p>{search?.narrowing ?? 'Narrow the list first.'}</p>
        </EmptyState>
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
          rows={rows}
          keyOf={keyOf}
          columns={shownColumns}
          isSortPossible={!isTooLong || source.isServerSorted}
          isSorted={isComplete || source.isServerSorted}
          sort={sort}
          onSort={setSort}
          rowCount={isComplete ? rows.length : source.isTotalExact ? source.total : undefined}
          isStale={source.isStale || isLoadingAll}
          rowMenu={props.rowMenu}
          selection={props.selection}
          selected={selected}
          onSelect={select}
          details={props.details}
          groups={sort === undefined ? props.groups : undefined}
        />
      )}
      {source.rows !== undefined && !isUnsearchable && (!isPlain || source.hasMore) && (
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

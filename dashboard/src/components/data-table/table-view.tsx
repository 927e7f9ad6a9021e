import type { ReactTable, Row as TableRow } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, ArrowUpDown, ChevronDown, ChevronRight, Ellipsis } from 'lucide-react';
import { type CSSProperties, Fragment, useLayoutEffect, useRef, useState } from 'react';
import { classNames } from '../class-names.ts';
import { Menu } from '../menu.tsx';
import { type Column, isSortable, nextSort, type Sort } from './column.ts';
import styles from './data-table.module.css';
import type { DetailsOptions, RowMenu, SelectionOptions, TableFeatures } from './table-options.ts';

interface TableViewProps<Row extends object> {
  readonly label: string;
  readonly table: ReactTable<TableFeatures, Row>;
  /** Those that are shown. */
  readonly columns: readonly Column<Row>[];
  readonly isSortPossible: boolean;
  /** False while rows are missing that the order needs. */
  readonly isSorted: boolean;
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort | undefined) => void;
  /** Undefined if it is not known. */
  readonly rowCount: number | undefined;
  readonly isStale: boolean;
  readonly rowMenu: ((row: Row) => RowMenu | undefined) | undefined;
  readonly selection: SelectionOptions<Row> | undefined;
  readonly details: DetailsOptions<Row> | undefined;
}

/** A row, or the details of the row before it. */
interface Line<Row extends object> {
  readonly row: TableRow<TableFeatures, Row>;
  readonly isDetails: boolean;
}

/** With fewer rows than this, all are rendered: the browser can then search and print them. */
const virtualFrom = 120;

/**
 * A real table, of which long lists render only the rows near the window. On narrow screens each
 * row becomes a card with the column titles beside its values.
 */
export function TableView<Row extends object>(props: TableViewProps<Row>) {
  const { label, table, columns, rowCount, isStale, selection, rowMenu, details } = props;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const lines = table.getSortedRowModel().rows.flatMap((row): readonly Line<Row>[] =>
    open.has(row.id)
      ? [
          { row, isDetails: false },
          { row, isDetails: true },
        ]
      : [{ row, isDetails: false }],
  );
  const { body, before, after, shown, measure } = useVisibleLines(
    lines.map(({ row, isDetails }) => `${row.id}${isDetails}`),
  );
  const toggle = (id: string) =>
    setOpen((current) => {
      const next = new Set(current);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const columnCount = columns.length + [selection, details, rowMenu].filter(Boolean).length;
  const minWidth = minWidthOf(columns) + (columnCount - columns.length) * 44;
  const detailsCount = lines.length - table.getSortedRowModel().rows.length;
  const { box, isNarrow } = useIsNarrow(minWidth);
  return (
    <div
      ref={box}
      className={isNarrow ? styles.isScrolling : undefined}
      style={{ '--table-min-width': `${minWidth}px` } as CSSProperties}
    >
      <table
        className={classNames(styles.table, isStale && 'stale')}
        aria-label={label}
        aria-busy={isStale}
        // With the header. -1: more rows than are known.
        aria-rowcount={rowCount === undefined ? -1 : rowCount + detailsCount + 1}
      >
        <colgroup>
          {selection && <col className={styles.narrow} />}
          {details && <col className={styles.narrow} />}
          {columns.map(({ id, width }) => (
            <col key={id} style={{ width }} />
          ))}
          {rowMenu && <col className={styles.narrow} />}
        </colgroup>
        <Header {...props} />
        <Spacer height={before} columnCount={columnCount} />
        <tbody ref={body}>
          {shown.map((index) => {
            const line = lines[index];
            if (line === undefined) return null;
            const { row, isDetails } = line;
            return isDetails ? (
              <tr
                key={`${row.id} details`}
                ref={measure}
                data-index={index}
                aria-rowindex={index + 2}
                className={styles.details}
              >
                <td colSpan={columnCount}>{details?.render(row.original)}</td>
              </tr>
            ) : (
              <tr
                key={row.id}
                ref={measure}
                data-index={index}
                aria-rowindex={index + 2}
                aria-selected={selection ? row.getIsSelected() : undefined}
                className={classNames(row.getIsSelected() && styles.isSelected)}
              >
                {selection && (
                  <td className={styles.check}>
                    <input
                      type="checkbox"
                      aria-label={`Select ${selection.nameOf(row.original)}`}
                      checked={row.getIsSelected()}
                      onChange={row.getToggleSelectedHandler()}
                    />
                  </td>
                )}
                {details && (
                  <td className={styles.toggle}>
                    <button
                      type="button"
                      aria-label={`Details of ${details.nameOf(row.original)}`}
                      aria-expanded={open.has(row.id)}
                      onClick={() => toggle(row.id)}
                    >
                      {open.has(row.id) ? (
                        <ChevronDown aria-hidden="true" />
                      ) : (
                        <ChevronRight aria-hidden="true" />
                      )}
                    </button>
                  </td>
                )}
                {columns.map(({ id, title, isTitleHidden, cell, isNumber, isFixed }) => (
                  <td
                    key={id}
                    data-title={isTitleHidden || isFixed ? undefined : title}
                    className={classNames(isFixed && styles.heading, isNumber && styles.number)}
                  >
                    {cell(row.original)}
                  </td>
                ))}
                {rowMenu && (
                  <td className={styles.menu}>
                    <RowActions menu={rowMenu(row.original)} />
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
        <Spacer height={after} columnCount={columnCount} />
      </table>
    </div>
  );
}

/** Less than this is too little for a column without a width in pixels. */
const columnWidthMin = 130;

function minWidthOf<Row>(columns: readonly Column<Row>[]): number {
  return columns
    .map(({ width = '' }) => (width.endsWith('px') ? Number.parseFloat(width) : columnWidthMin))
    .reduce((sum, width) => sum + width, 0);
}

/** Whether the box is narrower than the table. */
function useIsNarrow(minWidth: number) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(box.current);
    setWidth(box.current.clientWidth);
    return () => observer.disconnect();
  }, []);
  return { box, isNarrow: width < minWidth };
}

function RowActions({ menu }: { readonly menu: RowMenu | undefined }) {
  if (menu === undefined || !menu.items.some(Boolean)) return null;
  return <Menu label={menu.label} button={<Ellipsis aria-hidden="true" />} items={menu.items} />;
}

function Header<Row extends object>(props: TableViewProps<Row>) {
  const { table, columns, sort, onSort, isSortPossible, isSorted, selection, details, rowMenu } = props;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selection && (
          <th scope="col" className={styles.check}>
            <SelectAll table={table} />
          </th>
        )}
        {details && (
          <th scope="col">
            <span className="visually-hidden">Details</span>
          </th>
        )}
        {columns.map((column) => (
          <th
            key={column.id}
            scope="col"
            className={column.isNumber ? styles.number : undefined}
            aria-sort={isSorted ? ariaSort(column, sort) : undefined}
          >
            {isSortPossible && isSortable(column) ? (
              <button type="button" className={styles.sort} onClick={() => onSort(nextSort(sort, column))}>
                {column.title}
                <SortIcon isDescending={sort?.id === column.id ? sort.isDescending : undefined} />
              </button>
            ) : (
              <span className={column.isTitleHidden ? 'visually-hidden' : undefined}>{column.title}</span>
            )}
          </th>
        ))}
        {rowMenu && (
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

function ariaSort<Row>({ id }: Column<Row>, sort: Sort | undefined): 'ascending' | 'descending' | undefined {
  if (sort?.id !== id) return undefined;
  return sort.isDescending ? 'descending' : 'ascending';
}

function SortIcon({ isDescending }: { readonly isDescending: boolean | undefined }) {
  if (isDescending === undefined) return <ArrowUpDown aria-hidden="true" className={styles.unsorted} />;
  return isDescending ? <ArrowDown aria-hidden="true" /> : <ArrowUp aria-hidden="true" />;
}

function SelectAll<Row extends object>({ table }: { readonly table: ReactTable<TableFeatures, Row> }) {
  const box = useRef<HTMLInputElement>(null);
  const isSome = table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected();
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = isSome;
  }, [isSome]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label="Select all"
      checked={table.getIsAllRowsSelected()}
      onChange={table.getToggleAllRowsSelectedHandler()}
    />
  );
}

/** Takes the place of rows that are not rendered. */
function Spacer({ height, columnCount }: { readonly height: number; readonly columnCount: number }) {
  if (height <= 0) return <Fragment />;
  return (
    <tbody aria-hidden="true" className={styles.spacer}>
      <tr>
        <td colSpan={columnCount} style={{ height }} />
      </tr>
    </tbody>
  );
}

/** The lines to render, and the space that the others take. All of them in a short list. */
function useVisibleLines(keys: readonly string[]) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const isVirtual = keys.length >= virtualFrom;
  const virtualizer = useWindowVirtualizer({
    count: isVirtual ? keys.length : 0,
    // The height of a row or, on a narrow screen, of a card, until it has been rendered once.
    estimateSize: () => (window.innerWidth < 720 ? 180 : 41),
    getItemKey: (index) => keys[index] ?? index,
    overscan: 12,
    scrollMargin: top,
  });
  const items = virtualizer.getVirtualItems();
  const before = isVirtual ? (items[0]?.start ?? top) - top : 0;
  // The toolbar above may wrap at any time.
  useLayoutEffect(() => {
    const position =
      (body.current?.closest('table')?.tBodies[0]?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(position - top) > 1) setTop(position);
  });
  return {
    body,
    before,
    after: isVirtual ? virtualizer.getTotalSize() - ((items.at(-1)?.end ?? top) - top) : 0,
    shown: isVirtual ? items.map(({ index }) => index) : [...keys.keys()],
    measure: isVirtual ? virtualizer.measureElement : undefined,
  };
}

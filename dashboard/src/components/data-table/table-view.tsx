import type { ReactTable, Row as TableRow } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { type CSSProperties, Fragment, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { classNames } from '../class-names.ts';
import { type Column, isSortable, nextSort, type Sort } from './column.ts';
import styles from './data-table.module.css';
import { type Line, type OnSelect, TableLine } from './table-line.tsx';
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

/** With fewer rows than this, all are rendered: the browser can then search and print them. */
const virtualFrom = 100;

/**
 * A real table, of which long lists render only the rows near the window. On narrow screens each
 * row becomes a card with the column titles beside its values.
 */
export function TableView<Row extends object>(props: TableViewProps<Row>) {
  const { label, table, columns, rowCount, isStale, selection, rowMenu, details } = props;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const { rows } = table.getSortedRowModel();
  // Scrolling renders this table again and again: thousands of rows must not be gone through each time.
  const lines = useMemo(() => rows.flatMap((row) => linesOf(row, open.has(row.id))), [rows, open]);
  const keys = useMemo(() => lines.map(({ row, isDetails }) => `${row.id}${isDetails}`), [lines]);
  const { body, before, after, shown, measure } = useVisibleLines(keys);
  const select = useRangeSelection(table);
  const toggle = useCallback(
    (id: string) =>
      setOpen((current) => {
        const next = new Set(current);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const columnCount = columns.length + [selection, details, rowMenu].filter(Boolean).length;
  const minWidth = minWidthOf(columns) + (columnCount - columns.length) * 44;
  const detailsCount = lines.length - rows.length;
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
            return (
              <TableLine
                key={keys[index]}
                line={line}
                index={index}
                columns={columns}
                columnCount={columnCount}
                selection={selection}
                details={details}
                rowMenu={rowMenu}
                isSelected={line.row.getIsSelected()}
                isOpen={open.has(line.row.id)}
                onSelect={select}
                onToggle={toggle}
                measure={measure}
              />
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

function linesOf<Row extends object>(
  row: TableRow<TableFeatures, Row>,
  isOpen: boolean,
): readonly Line<Row>[] {
  const line = { row, isDetails: false };
  return isOpen ? [line, { row, isDetails: true }] : [line];
}

/** Selects or deselects a row, and with Shift all rows between it and the one before. */
function useRangeSelection<Row extends object>(table: ReactTable<TableFeatures, Row>): OnSelect<Row> {
  const lastId = useRef<string>(undefined);
  return useCallback(
    (row, isSelected, isRange) => {
      const { rows } = table.getSortedRowModel();
      const end = rows.indexOf(row);
      const start = isRange ? rows.findIndex(({ id }) => id === lastId.current) : -1;
      const range = start === -1 ? [row] : rows.slice(Math.min(start, end), Math.max(start, end) + 1);
      lastId.current = row.id;
      table.setRowSelection((before) => {
        const next = { ...before };
        for (const { id } of range) {
          if (isSelected) next[id] = true;
          else delete next[id];
        }
        return next;
      });
    },
    [table],
  );
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
  // The toolbar above may wrap at any time. Reading the position while scrolling would cost a layout.
  useLayoutEffect(() => {
    if (virtualizer.isScrolling) return;
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

import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { type CSSProperties, Fragment, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { classNames } from '../class-names.ts';
import { type Column, isSortable, nextSort, type Sort } from './column.ts';
import styles from './data-table.module.css';
import { linesOf, type OpenParts } from './lines.ts';
import { type OnSelect, TableLine } from './table-line.tsx';
import type { DetailsOptions, GroupOptions, RowMenu, SelectionOptions } from './table-options.ts';
import { useColumnWidths } from './use-column-widths.ts';

interface TableViewProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
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
  /** The ids of rows, of which some may be filtered out. */
  readonly selected: ReadonlySet<string>;
  /** Stable between renders. */
  readonly onSelect: Select;
  readonly details: DetailsOptions<Row> | undefined;
  readonly groups: GroupOptions<Row> | undefined;
}

/** Selects or deselects rows by their ids. */
export type Select = (ids: readonly string[], isSelected: boolean) => void;

/** With fewer rows than this, all are rendered: the browser can then search and print them. */
const virtualFrom = 100;

function isVirtual(keys: readonly string[]): boolean {
  return keys.length >= virtualFrom;
}

/**
 * A real table, of which long lists render only the rows near the window. On narrow screens each
 * row becomes a card: its name, and below it the other values in lines of small text.
 */
export function TableView<Row>(props: TableViewProps<Row>) {
  const { label, rows, keyOf, columns, rowCount, isStale, selection, rowMenu, details, groups } = props;
  const [open, setOpen] = useState<OpenParts>(new Set());
  // Scrolling renders this table again and again: going through thousands of rows would be slow.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row's key does not change
  const items = useMemo(() => rows.map((row) => ({ id: keyOf(row), row })), [rows]);
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const lines = useMemo(() => linesOf(items, open, groups), [items, open, groups]);
  const keys = useMemo(() => lines.map(({ key }) => key), [lines]);
  const { body, before, after, shown, measure } = useVisibleLines(keys);
  const select = useRangeSelection(ids, props.onSelect);
  const toggle = useCallback(
    (part: string) =>
      setOpen((current) => {
        const next = new Set(current);
        if (!next.delete(part)) next.add(part);
        return next;
      }),
    [],
  );
  const controlCount = [selection, details, rowMenu].filter(Boolean).length;
  const columnCount = columns.length + controlCount;
  const { box, widths, total, isTooNarrow } = useColumnWidths({
    columns,
    controlCount,
    rows: isVirtual(keys) ? `${ids[0]} ${shown.length > 0}` : rows,
  });
  return (
    <div
      ref={box}
      className={isTooNarrow ? styles.isScrolling : undefined}
      style={{ '--table-min-width': `${total}px` } as CSSProperties}
    >
      <table
        className={classNames(styles.table, isStale && 'stale')}
        aria-label={label}
        aria-busy={isStale}
        // With the header. -1: more rows than are known.
        aria-rowcount={rowCount === undefined ? -1 : rowCount + lines.length - rows.length + 1}
      >
        <colgroup>
          {selection && <col className={styles.narrow} />}
          {details && <col className={styles.narrow} />}
          {columns.map(({ id }, index) => (
            <col key={id} style={{ width: widths?.[index] }} />
          ))}
          {rowMenu && <col className={styles.narrow} />}
        </colgroup>
        <Header {...props} ids={ids} />
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
                isSelected={line.kind === 'row' && props.selected.has(line.id)}
                open={open}
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

/** Selects or deselects a row, and with Shift all rows between it and the one before. */
function useRangeSelection(ids: readonly string[], select: Select): OnSelect {
  const last = useRef<string>(undefined);
  return useCallback(
    (id, isSelected, isRange) => {
      const end = ids.indexOf(id);
      const start = isRange && last.current !== undefined ? ids.indexOf(last.current) : -1;
      last.current = id;
      select(start === -1 ? [id] : ids.slice(Math.min(start, end), Math.max(start, end) + 1), isSelected);
    },
    [ids, select],
  );
}

function Header<Row>(props: TableViewProps<Row> & { readonly ids: readonly string[] }) {
  const { ids, columns, sort, onSort, isSortPossible, isSorted, selection, details, rowMenu } = props;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selection && (
          <th scope="col" className={styles.check}>
            <SelectAll ids={ids} selected={props.selected} onSelect={props.onSelect} />
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
            data-column
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
          <th scope="col" className={styles.menu}>
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

type SelectAllProps = Pick<TableViewProps<unknown>, 'selected' | 'onSelect'> & {
  readonly ids: readonly string[];
};

function SelectAll({ ids, selected, onSelect }: SelectAllProps) {
  const box = useRef<HTMLInputElement>(null);
  const isAll = ids.every((id) => selected.has(id));
  const isSome = !isAll && ids.some((id) => selected.has(id));
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = isSome;
  }, [isSome]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label="Select all"
      checked={isAll}
      onChange={({ target }) => onSelect(ids, target.checked)}
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
  const isLong = isVirtual(keys);
  const virtualizer = useWindowVirtualizer({
    count: isLong ? keys.length : 0,
    // The height of a row or, on a narrow screen, of a card, until it has been rendered once.
    estimateSize: () => (window.innerWidth < 720 ? 96 : 41),
    getItemKey: (index) => keys[index] ?? index,
    overscan: 12,
    scrollMargin: top,
  });
  const items = virtualizer.getVirtualItems();
  const before = isLong ? (items[0]?.start ?? top) - top : 0;
  // The toolbar above may wrap at any time. Reading the position on scrolling costs a layout.
  useLayoutEffect(() => {
    if (virtualizer.isScrolling) return;
    const position =
      (body.current?.closest('table')?.tBodies[0]?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(position - top) > 1) setTop(position);
  });
  return {
    body,
    before,
    after: isLong ? virtualizer.getTotalSize() - ((items.at(-1)?.end ?? top) - top) : 0,
    shown: isLong ? items.map(({ index }) => index) : [...keys.keys()],
    measure: isLong ? virtualizer.measureElement : undefined,
  };
}

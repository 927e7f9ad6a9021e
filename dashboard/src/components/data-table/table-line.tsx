import { ChevronDown, ChevronRight, Ellipsis } from 'lucide-react';
import { type MouseEvent, memo, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Menu } from '../menu.tsx';
import type { Column } from './column.ts';
import styles from './data-table.module.css';
import { type Line, type OpenParts, similarKey } from './lines.ts';
import type { DetailsOptions, RowMenu, SelectionOptions } from './table-options.ts';

export type OnSelect = (
  id: string,
  isSelected: boolean,
  /** Includes the rows between this one and the last one that was selected. */
  isRange: boolean,
) => void;

interface TableLineProps<Row> {
  readonly line: Line<Row>;
  readonly index: number;
  /** Those that are shown. */
  readonly columns: readonly Column<Row>[];
  /** With those for selection, details and menu. */
  readonly columnCount: number;
  readonly selection: SelectionOptions<Row> | undefined;
  readonly details: DetailsOptions<Row> | undefined;
  readonly rowMenu: ((row: Row) => RowMenu | undefined) | undefined;
  readonly isSelected: boolean;
  readonly open: OpenParts;
  readonly onSelect: OnSelect;
  readonly onToggle: (part: string) => void;
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
}

/** Memoized: while the user scrolls, only rows that come into view are rendered. */
export const TableLine = memo(LineView) as typeof LineView;

function LineView<Row>(props: TableLineProps<Row>) {
  const { line, index, columnCount, details, measure } = props;
  const position = { ref: measure, 'data-index': index, 'aria-rowindex': index + 2 };
  if (line.kind === 'row') return <RowLine {...props} line={line} position={position} />;
  return line.kind === 'heading' ? (
    <tr {...position} className={styles.group}>
      <th scope="colgroup" colSpan={columnCount}>
        {line.text}
      </th>
    </tr>
  ) : (
    <tr {...position} className={styles.details}>
      <td colSpan={columnCount}>{details?.render(line.row)}</td>
    </tr>
  );
}

interface RowLineProps<Row> extends TableLineProps<Row> {
  readonly line: Line<Row> & { readonly kind: 'row' };
  readonly position: object;
}

function RowLine<Row>(props: RowLineProps<Row>) {
  const { line, position, columns, selection, details, rowMenu, isSelected, open, onToggle } = props;
  const { id, row, similar } = line;
  const isOpen = open.has(id);
  return (
    <tr
      {...position}
      aria-selected={selection ? isSelected : undefined}
      className={classNames(isSelected && styles.isSelected)}
      onClick={openRow}
    >
      {selection && (
        <td className={styles.check}>
          <input
            type="checkbox"
            aria-label={`Select ${selection.nameOf(row)}`}
            checked={isSelected}
            onChange={({ target, nativeEvent }) =>
              props.onSelect(id, target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </td>
      )}
      {details && (
        <td className={styles.toggle}>
          <button
            type="button"
            data-row-link
            aria-label={`Details of ${details.nameOf(row)}`}
            aria-expanded={isOpen}
            onClick={() => onToggle(id)}
          >
            {isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
          </button>
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id}
          data-title={column.isTitleHidden || column.isFixed || column.isObvious ? undefined : column.title}
          className={classNames(column.isFixed && styles.heading, column.isNumber && styles.number)}
        >
          <Cell column={column} row={row}>
            {column.isFixed && similar > 0 && (
              <SimilarButton
                count={similar}
                isOpen={open.has(similarKey(id))}
                onToggle={() => onToggle(similarKey(id))}
              />
            )}
          </Cell>
        </td>
      ))}
      {rowMenu && (
        <td className={styles.menu}>
          <RowActions menu={rowMenu(row)} />
        </td>
      )}
    </tr>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  /** At its end. */
  readonly children: ReactNode;
}

function Cell<Row>({ column: { cell, wraps, aside }, row, children }: CellProps<Row>) {
  if (!wraps)
    return (
      <>
        {cell(row)}
        {children}
      </>
    );
  return (
    <div className={styles.wrappingCell}>
      <div className={styles.wrapping}>{cell(row)}</div>
      {aside?.(row)}
      {children}
    </div>
  );
}

interface SimilarButtonProps {
  readonly count: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function SimilarButton({ count, isOpen, onToggle }: SimilarButtonProps) {
  return (
    <button type="button" className={styles.similar} aria-expanded={isOpen} onClick={onToggle}>
      {count} more like this
      <ChevronDown aria-hidden="true" />
    </button>
  );
}

/**
 * A click anywhere in a row follows its link, or presses its button, that has `data-row-link`.
 * Other rows are not clickable.
 */
function openRow({
  target,
  currentTarget: row,
  ctrlKey,
  metaKey,
  shiftKey,
}: MouseEvent<HTMLTableRowElement>): void {
  // The menu of the row is a portal: its clicks arrive here, too.
  if (!(target instanceof Element) || !row.contains(target)) return;
  const isOther = target.closest('a, button, input, select, label') !== null;
  // Somebody has selected text in the row.
  if (isOther || getSelection()?.isCollapsed === false) return;
  const link = row.querySelector<HTMLElement>('[data-row-link]');
  // A dialog that it opens returns the focus to it.
  link?.focus({ preventScroll: true });
  link?.dispatchEvent(
    new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  );
}

function RowActions({ menu }: { readonly menu: RowMenu | undefined }) {
  if (menu === undefined || !menu.items.some(Boolean)) return null;
  return <Menu label={menu.label} button={<Ellipsis aria-hidden="true" />} items={menu.items} />;
}

/** A button around the name of a row, with the action of a click on it. */
export function RowButton({
  onClick,
  children,
}: {
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button type="button" data-row-link className={styles.rowButton} onClick={onClick}>
      {children}
    </button>
  );
}

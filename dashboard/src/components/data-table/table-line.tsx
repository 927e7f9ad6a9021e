import type { Row as TableRow } from '@tanstack/react-table';
import { ChevronDown, ChevronRight, Ellipsis } from 'lucide-react';
import { memo } from 'react';
import { classNames } from '../class-names.ts';
import { Menu } from '../menu.tsx';
import type { Column } from './column.ts';
import styles from './data-table.module.css';
import type { DetailsOptions, RowMenu, SelectionOptions, TableFeatures } from './table-options.ts';

/** A row, or the details of the row before it. */
export interface Line<Row extends object> {
  readonly row: TableRow<TableFeatures, Row>;
  readonly isDetails: boolean;
}

export type OnSelect<Row extends object> = (
  row: TableRow<TableFeatures, Row>,
  isSelected: boolean,
  /** Includes the rows between this one and the last one that was selected. */
  isRange: boolean,
) => void;

interface TableLineProps<Row extends object> {
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
  readonly isOpen: boolean;
  readonly onSelect: OnSelect<Row>;
  readonly onToggle: (id: string) => void;
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
}

/** Memoized: while the user scrolls, only rows that come into view are rendered. */
export const TableLine = memo(LineView) as typeof LineView;

function LineView<Row extends object>(props: TableLineProps<Row>) {
  const { line, index, columns, columnCount, selection, details, rowMenu, isSelected, measure } = props;
  const { row, isDetails } = line;
  if (isDetails)
    return (
      <tr ref={measure} data-index={index} aria-rowindex={index + 2} className={styles.details}>
        <td colSpan={columnCount}>{details?.render(row.original)}</td>
      </tr>
    );
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={selection ? isSelected : undefined}
      className={classNames(isSelected && styles.isSelected)}
    >
      {selection && (
        <td className={styles.check}>
          <input
            type="checkbox"
            aria-label={`Select ${selection.nameOf(row.original)}`}
            checked={isSelected}
            onChange={({ target, nativeEvent }) =>
              props.onSelect(row, target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </td>
      )}
      {details && (
        <td className={styles.toggle}>
          <button
            type="button"
            aria-label={`Details of ${details.nameOf(row.original)}`}
            aria-expanded={props.isOpen}
            onClick={() => props.onToggle(row.id)}
          >
            {props.isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
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
}

function RowActions({ menu }: { readonly menu: RowMenu | undefined }) {
  if (menu === undefined || !menu.items.some(Boolean)) return null;
  return <Menu label={menu.label} button={<Ellipsis aria-hidden="true" />} items={menu.items} />;
}

import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './table.module.css';

/** A column: its title and how to render a cell. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Right-aligned. */
  readonly isNumber?: boolean;
  /** For screen readers only, such as for a column of buttons. */
  readonly isTitleHidden?: boolean;
  /** Sets the column width in a table of single-line rows. */
  readonly className?: string | undefined;
}

interface TableProps<Row> {
  /** Accessible name. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** A stable React key for each row. */
  readonly keyOf: (row: Row) => string;
  /** Newer rows are loading; dims the current ones. */
  readonly isStale?: boolean;
  /** On wide screens, cuts long values with an ellipsis until their row has keyboard focus. */
  readonly hasSingleLineRows?: boolean;
}

/** On narrow screens each row becomes a card with the column titles beside its values. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, isStale = false, hasSingleLineRows = false } = props;
  return (
    <table
      className={classNames(styles.table, hasSingleLineRows && styles.singleLine, isStale && 'stale')}
      aria-label={label}
      aria-busy={isStale}
    >
      <thead>
        <tr>
          {columns.map(({ title, isNumber, isTitleHidden, className }) => (
            <th key={title} scope="col" className={classNames(isNumber && styles.number, className)}>
              <span className={isTitleHidden ? 'visually-hidden' : undefined}>{title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, cell, isNumber, isTitleHidden }) => (
              <td
                key={title}
                data-title={isTitleHidden ? undefined : title}
                className={isNumber ? styles.number : undefined}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

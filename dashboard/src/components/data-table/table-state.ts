import { useCallback, useState } from 'react';
import { useUrlParams } from '../use-url-params.ts';
import { type Column, formatSort, isSortable, parseSort, type Sort } from './column.ts';

/**
 * The order of a table, in the URL so that it can be shared. Two tables on one page need different
 * parameters.
 */
export function useSort<Row>(columns: readonly Column<Row>[], parameter = 'sort') {
  const { value, change } = useUrlParams();
  const sort = parseSort(value(parameter));
  const isKnown = columns.some((column) => column.id === sort?.id && isSortable(column));
  return {
    // Users edit URLs, and columns may be removed.
    sort: isKnown ? sort : undefined,
    setSort: (next: Sort | undefined) => change({ [parameter]: formatSort(next) }, { replace: true }),
  };
}

/** The columns that the user has shown or hidden, by id. */
type ColumnChoices = Readonly<Record<string, boolean>>;

/** The columns that the user shows, remembered for this table in this browser. */
export function useColumnChoices<Row>(tableId: string, columns: readonly Column<Row>[]) {
  const [choices, setChoices] = useState(() => readChoices(tableId));
  const store = (next: ColumnChoices) => {
    setChoices(next);
    storeChoices(tableId, next);
  };
  return {
    isShown: useCallback((column: Column<Row>) => isColumnShown(column, choices), [choices]),
    setShown: ({ id }: Column<Row>, isShown: boolean) => store({ ...choices, [id]: isShown }),
    /** Undefined if the user has changed nothing. */
    reset: columns.some(({ id }) => choices[id] !== undefined) ? () => store({}) : undefined,
  };
}

function isColumnShown<Row>(
  { id, isFixed, isHiddenByDefault }: Column<Row>,
  choices: ColumnChoices,
): boolean {
  return isFixed || (choices[id] ?? !isHiddenByDefault);
}

/** Nothing in it is worth an error: without storage, the columns are the default ones. */
function readChoices(tableId: string): ColumnChoices {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(`presetd.columns.${tableId}`) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter(([, isShown]) => typeof isShown === 'boolean'));
  } catch {
    return {};
  }
}

function storeChoices(tableId: string, choices: ColumnChoices): void {
  try {
    localStorage.setItem(`presetd.columns.${tableId}`, JSON.stringify(choices));
  } catch {
    // Kept until the page is closed.
  }
}

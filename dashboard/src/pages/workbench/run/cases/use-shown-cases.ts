import { useMemo, useRef, useState } from 'react';
import { formatNumber } from '../../../../components/text.ts';
import type { Column } from '../../../../features/runs/run-state.ts';
import type { AllCasesRun } from './all-cases-run.ts';
import type { CaseInputs } from './case-inputs.ts';
import { createSearch, namesWith, type ResultFilter, withRange } from './shown-cases.ts';

export type ShownCases = ReturnType<typeof useShownCases>;

const none: ReadonlySet<string> = new Set();

/**
 * The rows of the table: those that match the search and the filter, and which of them are
 * selected. A filter by result keeps the cases that it found when it was chosen, so that no row
 * disappears while a run fills the table.
 */
export function useShownCases(
  cases: readonly CaseInputs[],
  columns: readonly Column[],
  allCases: AllCasesRun,
) {
  const [q, setQ] = useState('');
  const [filter, setFilter] = useState<{ kind: ResultFilter; names?: ReadonlySet<string> | undefined }>({
    kind: 'all',
  });
  const [selected, setSelected] = useState(none);
  const lastChanged = useRef<string>(undefined);
  const search = useMemo(() => createSearch(cases), [cases]);
  const shown = useMemo(() => {
    const found = search(q);
    const { names } = filter;
    return names === undefined ? found : found.filter(({ name }) => names.has(name));
  }, [search, q, filter]);
  const selectedCases = useMemo(() => shown.filter(({ name }) => selected.has(name)), [shown, selected]);
  const { length: count } = selectedCases;

  return {
    ...{ shown, selected, q, setQ },
    filter: filter.kind,
    setFilter(kind: ResultFilter) {
      const { cells } = allCases.state.get();
      const ids = columns.map(({ id }) => id);
      setFilter({ kind, names: namesWith(kind, cases, ids, cells) });
    },
    /** A case that was just saved must not be hidden. */
    showAll() {
      setQ('');
      setFilter({ kind: 'all' });
    },
    /** The selected cases, or all that are shown. */
    chosen: count > 0 ? selectedCases : shown,
    runLabel:
      count > 0
        ? `Run ${formatNumber(count)} selected`
        : shown.length < cases.length
          ? `Run ${formatNumber(shown.length)} shown`
          : 'Run all cases',
    isAllSelected: count > 0 && count === shown.length,
    isSomeSelected: count > 0,
    select(to: string, isSelected: boolean, isRange: boolean) {
      const names = shown.map(({ name }) => name);
      const from = isRange ? lastChanged.current : undefined;
      lastChanged.current = to;
      setSelected((before) => withRange(before, names, { from, to, isSelected }));
    },
    selectAll: (isSelected: boolean) =>
      setSelected(isSelected ? new Set(shown.map(({ name }) => name)) : none),
  };
}

import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type ReactNode,
  useCallback,
  useDeferredValue,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { SearchField, SelectField } from '../../../../components/fields.tsx';
import { type Store, useStore } from '../../../../components/store.ts';
import type { Target } from '../use-targets.ts';
import styles from './all-cases.module.css';
import { type AllCasesState, cellKey } from './all-cases-run.ts';
import type { CaseInputs } from './case-inputs.ts';
import { CaseRow, rowHeight } from './case-row.tsx';
import { CaseTotals } from './case-totals.tsx';
import { resultFilters } from './shown-cases.ts';
import { useRowKeys } from './use-row-keys.ts';
import type { ShownCases } from './use-shown-cases.ts';

interface CaseTableProps {
  readonly rows: ShownCases;
  readonly targets: readonly Target[];
  readonly results: Store<AllCasesState>;
  /** The fields of a column, in its header. */
  readonly header: (target: Target, index: number) => ReactNode;
  readonly onOpen: (caseName: string) => void;
  /** A row before the cases. */
  readonly children: ReactNode;
}

/** A row per case and a column per target. Only the rows on screen are rendered. */
export function CaseTable({ rows, targets, results, header, onOpen, children }: CaseTableProps) {
  // In a state: the rows have to render again once it is there.
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const { shown } = rows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
    <section ref={setScroller} className={styles.scroller} tabIndex={0} aria-label="Results of all cases">
      <table
        className={styles.table}
        style={{ '--columns': targets.length } as CSSProperties}
        aria-label="All cases"
        aria-rowcount={shown.length + 2}
      >
        <colgroup>
          <col className={styles.nameColumn} />
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className={styles.name} aria-label="Case">
              <Filters rows={rows} />
            </th>
            {targets.map((target, index) => (
              <th key={target.column.id} scope="col" aria-label={target.name}>
                {header(target, index)}
              </th>
            ))}
          </tr>
        </thead>
        {children && (
          <tbody>
            <tr>
              <td colSpan={targets.length + 1} className={styles.newCase}>
                {children}
              </td>
            </tr>
          </tbody>
        )}
        <CaseRows {...{ rows, targets, results, scroller, onOpen }} />
        <Totals cases={shown} targets={targets} results={results} />
      </table>
    </section>
  );
}

/** Which cases are shown, above their names. */
function Filters({ rows }: { readonly rows: ShownCases }) {
  const box = useRef<HTMLInputElement>(null);
  const { isAllSelected, isSomeSelected } = rows;
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = isSomeSelected && !isAllSelected;
  }, [isAllSelected, isSomeSelected]);
  return (
    <div className={styles.filters}>
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all"
        checked={isAllSelected}
        onChange={({ target }) => rows.selectAll(target.checked)}
      />
      <SelectField
        label="Show"
        isLabelHidden
        value={rows.filter}
        options={resultFilters}
        onChange={rows.setFilter}
      />
      <SearchField
        label="Search cases"
        placeholder="Search cases"
        maxLength={200}
        q={rows.q}
        onSearch={rows.setQ}
      />
    </div>
  );
}

type CaseRowsProps = Pick<CaseTableProps, 'rows' | 'targets' | 'results' | 'onOpen'> & {
  readonly scroller: HTMLElement | null;
};

function CaseRows({ rows, targets, results, scroller, onOpen }: CaseRowsProps) {
  const { cells } = useStore(results, (state) => state);
  // Apart from what else the start of a run renders: every row gets another height.
  const hasResults = useDeferredValue(useHasResults(results));
  const { shown, selected } = rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function makes the virtualizer measure the rows again
  const getItemKey = useCallback((index: number) => shown[index]?.name ?? index, [shown, hasResults]);
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => heightOf(shown[index], hasResults),
    getItemKey,
    overscan: hasResults ? 6 : 1,
  });
  const items = virtualizer.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  const { body, current, onKeyDown, onFocus } = useRowKeys(shown.length, (index) =>
    virtualizer.scrollToIndex(index),
  );
  // One row is reached with Tab, the others from there.
  const indexes = items.map(({ index }) => index);
  const tabbable = indexes.includes(current) ? current : indexes[0];
  return (
    <tbody ref={body} onKeyDown={onKeyDown} onFocus={onFocus}>
      {above > 0 && <Spacer height={above} />}
      {shown.length === 0 && <NoMatch columnCount={targets.length + 1} isEmpty={rows.q === ''} />}
      {indexes.map((index) => {
        const one = shown[index];
        return (
          one && (
            <CaseRow
              key={one.name}
              index={index}
              shown={one}
              hasResults={hasResults}
              targets={targets}
              results={targets.map(({ column }) => cells.get(cellKey(one.name, column.id)))}
              isSelected={selected.has(one.name)}
              isTabbable={index === tabbable}
              onSelect={rows.select}
              onOpen={onOpen}
            />
          )
        );
      })}
      {below > 0 && <Spacer height={below} />}
    </tbody>
  );
}

function heightOf(one: CaseInputs | undefined, hasResults: boolean): number {
  return one === undefined ? 0 : rowHeight(one, hasResults);
}

function NoMatch({ columnCount, isEmpty }: { readonly columnCount: number; readonly isEmpty: boolean }) {
  return (
    <tr>
      <td colSpan={columnCount} className={styles.empty}>
        {isEmpty ? 'No cases with this result' : 'No matching cases'}
      </td>
    </tr>
  );
}

/** In place of rows that are not rendered. */
function Spacer({ height }: { readonly height: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can be focused
    <tr aria-hidden="true">
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

interface TotalsProps extends Pick<CaseTableProps, 'targets' | 'results'> {
  readonly cases: readonly CaseInputs[];
}

function Totals({ results, ...others }: TotalsProps) {
  const cells = useStore(results, (state) => state.cells);
  return <CaseTotals {...others} cells={cells} hasResults={useHasResults(results)} />;
}

/** Whether there are results, or a run is about to have some. */
function useHasResults(results: Store<AllCasesState>): boolean {
  return useStore(results, ({ cells, isRunning }) => isRunning || cells.size > 0);
}

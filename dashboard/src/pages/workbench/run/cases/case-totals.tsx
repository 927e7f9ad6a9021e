import { useMemo } from 'react';
import { formatCount, formatDollars } from '../../../../components/text.ts';
import {
  type Comparison,
  compareOnSame,
  describeComparison,
  type Summary,
  summarize,
} from '../compare-runs.ts';
import { DifferenceMark, formatDuration } from '../response-view.tsx';
import type { RunResult } from '../run-result.ts';
import type { Target } from '../use-targets.ts';
import styles from './all-cases.module.css';
import { cellKey } from './all-cases-run.ts';
import type { CaseInputs } from './case-inputs.ts';

interface CaseTotalsProps {
  readonly cases: readonly CaseInputs[];
  readonly targets: readonly Target[];
  readonly cells: ReadonlyMap<string, RunResult>;
  /** Whether there are results, or a run is about to have some. */
  readonly hasResults: boolean;
}

/**
 * The sums of each column, and how they differ from the first. Every line has its place from the
 * start of a run, so that the first result moves nothing.
 */
export function CaseTotals({ cases, targets, cells, hasResults }: CaseTotalsProps) {
  const ids = targets.map(({ column }) => column.id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids stand for the targets
  const totals = useMemo(() => totalsOf(cases, targets, cells), [cases, ids, cells]);
  return (
    <tfoot>
      <tr aria-rowindex={cases.length + 2}>
        <th scope="row" className={styles.name}>
          Total
        </th>
        {targets.map(({ column }, index) => (
          <td key={column.id}>
            {hasResults ? (
              <Total {...totals[index]} isCompared={targets.length > 1} />
            ) : (
              <span className="muted">No results</span>
            )}
          </td>
        ))}
      </tr>
    </tfoot>
  );
}

interface ColumnTotal {
  readonly summary: Summary;
  /** Undefined for the first column. */
  readonly comparison: Comparison | undefined;
}

function totalsOf(
  cases: readonly CaseInputs[],
  targets: readonly Target[],
  cells: CaseTotalsProps['cells'],
): readonly ColumnTotal[] {
  const columns = targets.map(({ column }) => cases.map(({ name }) => cells.get(cellKey(name, column.id))));
  const [base = []] = columns;
  return columns.map((results, index) => ({
    summary: summarize(results.filter((result) => result !== undefined)),
    comparison:
      index === 0
        ? undefined
        : compareOnSame(
            results.flatMap((other, row) => {
              const first = base[row];
              return first === undefined || other === undefined ? [] : [[first, other] as const];
            }),
          ),
  }));
}

function Total({ summary, comparison, isCompared }: Partial<ColumnTotal> & { readonly isCompared: boolean }) {
  const { count = 0, errors = 0, cost, medianMs } = summary ?? {};
  return (
    <ul className={styles.totals} data-compared={isCompared || undefined}>
      <li>
        {formatCount(count, 'result', 'results')}
        {errors > 0 && <span className={styles.failed}>, {formatCount(errors, 'error', 'errors')}</span>}
      </li>
      {medianMs !== undefined && (
        <li className={styles.figure}>
          <span>Median {formatDuration(medianMs)}</span>
          <DifferenceMark difference={comparison?.medianMs} />
        </li>
      )}
      {cost !== undefined && (
        <li className={styles.figure}>
          <span>{formatDollars(cost)}</span>
          <DifferenceMark difference={comparison?.cost} />
        </li>
      )}
      {comparison !== undefined && comparison.cases > 0 && (
        <li className="muted" title={describeComparison(comparison)}>
          {describeComparison(comparison)}
        </li>
      )}
    </ul>
  );
}

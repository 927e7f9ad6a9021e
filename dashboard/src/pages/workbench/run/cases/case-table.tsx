import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Badge } from '../../../../components/badge.tsx';
import { messageOf } from '../../../../components/notice.tsx';
import { formatCount, formatDollars } from '../../../../components/text.ts';
import { MarkedText } from '../../../../features/comparison/line-diff.tsx';
import { differenceFrom, markAgainst, type Summary, summarize } from '../compare-runs.ts';
import { DifferenceMark, formatDuration } from '../response-view.tsx';
import type { RunResult } from '../run-result.ts';
import { type Target, useIsStale } from '../use-targets.ts';
import styles from './all-cases.module.css';
import { cellKey } from './all-cases-run.ts';
import type { CaseInputs } from './case-inputs.ts';

interface CaseTableProps {
  readonly cases: readonly CaseInputs[];
  readonly targets: readonly Target[];
  readonly cells: ReadonlyMap<string, RunResult>;
  readonly isRunning: boolean;
  readonly onOpen: (caseName: string) => void;
}

/** The height of every row, which is fixed so that the browser lays out only visible ones. */
const rowHeight = 84;

/** A row per case and a column per target. Only the rows on screen are rendered. */
export function CaseTable({ cases, targets, cells, isRunning, onOpen }: CaseTableProps) {
  const scroller = useRef<HTMLElement>(null);
  // The fields of several columns may push it below the fold.
  useEffect(() => {
    if (isRunning) scroller.current?.scrollIntoView({ block: 'nearest' });
  }, [isRunning]);
  const virtualizer = useVirtualizer({
    count: cases.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
  });
  const rows = virtualizer.getVirtualItems();
  const above = rows[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (rows.at(-1)?.end ?? 0);
  const [first] = targets;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
    <section ref={scroller} className={styles.scroller} tabIndex={0} aria-label="Results of all cases">
      <table className={styles.table} aria-label="All cases" aria-rowcount={cases.length + 2}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className={styles.name}>
              Case
            </th>
            {targets.map(({ column, name }) => (
              <th key={column.id} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Spacer height={above} />}
          {rows.map(({ index }) => {
            const shown = cases[index];
            if (shown === undefined) return null;
            const cellOf = ({ column }: Target) => cells.get(cellKey(shown.name, column.id));
            const base = first && cellOf(first);
            return (
              <tr key={shown.name} aria-rowindex={index + 2} style={{ height: rowHeight }}>
                <th scope="row" className={styles.name} title={shown.name}>
                  <span>{shown.name}</span>
                </th>
                {targets.map((target) => (
                  <Cell
                    key={target.column.id}
                    shown={shown}
                    target={target}
                    cell={cellOf(target)}
                    base={target === first || base?.phase !== 'done' ? undefined : base}
                    onOpen={onOpen}
                  />
                ))}
              </tr>
            );
          })}
          {below > 0 && <Spacer height={below} />}
        </tbody>
        <Totals {...{ cases, targets, cells }} />
      </table>
    </section>
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

interface CellProps {
  readonly shown: CaseInputs;
  readonly target: Target;
  readonly cell: RunResult | undefined;
  /** The result of the first column. */
  readonly base: RunResult | undefined;
  readonly onOpen: (caseName: string) => void;
}

function Cell({ shown, target, cell, base, onOpen }: CellProps) {
  const isStale = useIsStale(cell?.inputs, target, shown.messages, shown.texts);
  if (cell === undefined) return <td className={styles.empty}>–</td>;
  return (
    <td>
      <button type="button" className={styles.cell} onClick={() => onOpen(shown.name)}>
        <span className={styles.preview}>
          <Preview cell={cell} base={base} />
        </span>
        <span className={styles.figures}>
          {isStale && <Badge tone="warning">Outdated</Badge>}
          {figuresOf(cell).join(' · ')}
        </span>
      </button>
    </td>
  );
}

/** More does not fit, and comparing it would take time. */
const previewCharacters = 240;

function Preview({ cell, base }: Pick<CellProps, 'cell' | 'base'> & { readonly cell: RunResult }) {
  const { phase, response, error } = cell;
  if (phase === 'failed')
    return <span className={styles.failed}>{messageOf(error ?? response.error ?? 'Failed')}</span>;
  if (phase === 'stopped') return <span className="muted">Stopped</span>;
  if (phase !== 'done' && response.text === '') return <span className="muted">Running…</span>;
  const [call] = response.toolCalls;
  const text = response.text.slice(0, previewCharacters);
  return (
    <>
      {call && (
        <code className={styles.call}>
          {call.name}({call.argumentText.slice(0, 80)})
        </code>
      )}
      {base === undefined || phase !== 'done' ? (
        text
      ) : (
        <MarkedText
          segments={markAgainst(base.response.text.slice(0, previewCharacters), text)}
          change="added"
        />
      )}
    </>
  );
}

/** Leaves out what the upstream did not report. */
function figuresOf({ phase, totalMs, response: { usage } }: RunResult): readonly string[] {
  if (phase !== 'done') return [];
  const { output: tokens, cost } = usage ?? {};
  return [
    ...(totalMs === undefined ? [] : [formatDuration(totalMs)]),
    ...(tokens === undefined ? [] : [formatCount(tokens, 'token', 'tokens')]),
    ...(cost === undefined ? [] : [formatDollars(cost)]),
  ];
}

function Totals({ cases, targets, cells }: Omit<CaseTableProps, 'isRunning' | 'onOpen'>) {
  const summaries = targets.map(({ column }) =>
    summarize(cases.flatMap(({ name }) => cells.get(cellKey(name, column.id)) ?? [])),
  );
  if (summaries.every(({ count }) => count === 0)) return null;
  const [base] = summaries;
  return (
    <tfoot>
      <tr aria-rowindex={cases.length + 2}>
        <th scope="row" className={styles.name}>
          Total
        </th>
        {summaries.map((summary, index) => (
          <td key={targets[index]?.column.id}>
            <Total summary={summary} base={index === 0 ? undefined : base} />
          </td>
        ))}
      </tr>
    </tfoot>
  );
}

interface TotalProps {
  readonly summary: Summary;
  /** Of the first column. */
  readonly base: Summary | undefined;
}

function Total({ summary: { count, errors, cost, medianMs }, base }: TotalProps) {
  return (
    <ul className={styles.totals}>
      <li>
        {formatCount(count, 'result', 'results')}
        {errors > 0 && <span className={styles.failed}>, {formatCount(errors, 'error', 'errors')}</span>}
      </li>
      {medianMs !== undefined && (
        <li>
          Median {formatDuration(medianMs)}
          <DifferenceMark difference={differenceFrom(base?.medianMs, medianMs, 'ms')} />
        </li>
      )}
      {cost !== undefined && (
        <li>
          {formatDollars(cost)}
          <DifferenceMark difference={differenceFrom(base?.cost, cost, 'dollars')} />
        </li>
      )}
    </ul>
  );
}

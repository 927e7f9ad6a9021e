import { type CSSProperties, memo, useMemo } from 'react';
import { Badge } from '../../../../components/badge.tsx';
import { classNames } from '../../../../components/class-names.ts';
import { messageOf } from '../../../../components/notice.tsx';
import { formatCount, formatDollars } from '../../../../components/text.ts';
import { MarkedText } from '../../../../features/comparison/line-diff.tsx';
import { markAgainst } from '../compare-runs.ts';
import { formatDuration } from '../response-view.tsx';
import type { RunResult } from '../run-result.ts';
import { type Target, useIsStale } from '../use-targets.ts';
import styles from './all-cases.module.css';
import type { CaseInputs } from './case-inputs.ts';
import { answerOf } from './shown-cases.ts';
import type { ShownCases } from './use-shown-cases.ts';

/**
 * The height of a row, which is fixed so that the browser lays out only visible ones. Rows leave
 * room for results from the start of a run, so that those move nothing.
 */
export function rowHeight({ note }: CaseInputs, hasResults: boolean): number {
  if (hasResults) return 92;
  return note === null ? 40 : 52;
}

interface CaseRowProps {
  /** Its position in the table. */
  readonly index: number;
  readonly shown: CaseInputs;
  /** Whether the table has any results, or is about to. */
  readonly hasResults: boolean;
  readonly targets: readonly Target[];
  /** One per target. */
  readonly results: readonly (RunResult | undefined)[];
  readonly isSelected: boolean;
  readonly isTabbable: boolean;
  readonly onSelect: ShownCases['select'];
  readonly onOpen: (caseName: string) => void;
}

/** A case and its results. Every row has the same controls, which the arrow keys move between. */
export function CaseRow(props: CaseRowProps) {
  const { index, shown, hasResults, targets, results, isSelected, isTabbable, onSelect, onOpen } = props;
  const { name, note } = shown;
  const height = rowHeight(shown, hasResults);
  const [first] = results;
  const base = first?.phase === 'done' ? first : undefined;
  const tabIndex = isTabbable ? 0 : -1;
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-row={index}
      className={classNames(isSelected && styles.isSelected)}
      data-empty={!hasResults || undefined}
      style={{ height, '--row-height': `${height}px` } as CSSProperties}
    >
      <th scope="row" className={styles.name} title={note === null ? name : `${name}\n${note}`}>
        <div className={styles.case}>
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            tabIndex={tabIndex}
            checked={isSelected}
            onChange={({ target, nativeEvent }) =>
              onSelect(name, target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
          <button type="button" tabIndex={tabIndex} onClick={() => onOpen(name)}>
            <span>{name}</span>
          </button>
          {note !== null && <p>{note}</p>}
        </div>
      </th>
      {targets.map((target, column) => (
        <Cell
          key={target.column.id}
          shown={shown}
          target={target}
          cell={results[column]}
          base={column === 0 ? undefined : base}
          tabIndex={tabIndex}
          onOpen={onOpen}
        />
      ))}
    </tr>
  );
}

interface CellProps {
  readonly shown: CaseInputs;
  readonly target: Target;
  readonly cell: RunResult | undefined;
  /** The response of the first column. */
  readonly base: RunResult | undefined;
  readonly tabIndex: number;
  readonly onOpen: (caseName: string) => void;
}

function Cell({ shown, target, cell, base, tabIndex, onOpen }: CellProps) {
  const isStale = useIsStale(cell?.inputs, target, shown.messages, shown.texts);
  const isDifferent = useMemo(
    () => cell?.phase === 'done' && base !== undefined && answerOf(cell) !== answerOf(base),
    [cell, base],
  );
  return (
    <td className={classNames(isDifferent && styles.different)}>
      <button type="button" className={styles.cell} tabIndex={tabIndex} onClick={() => onOpen(shown.name)}>
        {cell === undefined ? (
          <span className="muted">
            <span className="visually-hidden">No result</span>
            <span aria-hidden="true">–</span>
          </span>
        ) : (
          <Result cell={cell} base={base} isDifferent={isDifferent} isStale={isStale} />
        )}
      </button>
    </td>
  );
}

/** More does not fit, and comparing it would take time. */
const previewCharacters = 240;

interface ResultProps {
  readonly cell: RunResult;
  readonly base: RunResult | undefined;
  /** From the response of the first column. */
  readonly isDifferent: boolean;
  readonly isStale: boolean;
}

/** Memoized: during a run, few results change, and comparing the others again takes time. */
const Result = memo(function Result({ cell, base, isDifferent, isStale }: ResultProps) {
  return (
    <>
      <span className={styles.preview}>
        <Preview cell={cell} base={base} />
      </span>
      <span className={styles.foot}>
        {(isDifferent || isStale) && (
          <span className={styles.badges}>
            {isDifferent && <Badge tone="accent">Different</Badge>}
            {isStale && <Badge tone="warning">Outdated</Badge>}
          </span>
        )}
        <span className={styles.figures}>
          {figuresOf(cell).map((figure) => (
            <span key={figure} className={styles.part}>
              {figure}
            </span>
          ))}
        </span>
      </span>
    </>
  );
});

function Preview({ cell, base }: Pick<ResultProps, 'cell' | 'base'>) {
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

/** The most important first. Leaves out what the upstream did not report. */
function figuresOf({ phase, totalMs, response: { usage } }: RunResult): readonly string[] {
  if (phase !== 'done') return [];
  const { output: tokens, cost } = usage ?? {};
  return [
    ...(totalMs === undefined ? [] : [formatDuration(totalMs)]),
    ...(cost === undefined ? [] : [formatDollars(cost)]),
    ...(tokens === undefined ? [] : [formatCount(tokens, 'token', 'tokens')]),
  ];
}

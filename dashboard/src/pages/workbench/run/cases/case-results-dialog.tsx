import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../../components/button.tsx';
import { Expandable } from '../../../../components/code-block.tsx';
import { Dialog, DialogBody } from '../../../../components/dialog.tsx';
import { SelectField } from '../../../../components/fields.tsx';
import { type Store, useStore } from '../../../../components/store.ts';
import { LineDiff } from '../../../../features/comparison/line-diff.tsx';
import { attachmentsOf, textOf, toolCallsOf } from '../../../../features/runs/message.ts';
import styles from '../../workbench.module.css';
import { FiguresTable, ResponseView } from '../response-view.tsx';
import { hasEnded, hasResponse } from '../run.ts';
import { CallFailure } from '../run-failure.tsx';
import type { RunResult } from '../run-result.ts';
import { roleOf } from '../turns.tsx';
import type { Target } from '../use-targets.ts';
import table from './all-cases.module.css';
import { type AllCasesState, cellKey } from './all-cases-run.ts';
import type { CaseInputs } from './case-inputs.ts';

interface CaseResultsDialogProps {
  readonly shown: CaseInputs;
  readonly targets: readonly Target[];
  readonly results: Store<AllCasesState>;
  /** The cases beside it in the table. */
  readonly before: CaseInputs | undefined;
  readonly after: CaseInputs | undefined;
  readonly onMove: (to: CaseInputs) => void;
  readonly onClose: () => void;
  /** Loads the case into the conversation. */
  readonly onUse: () => void;
}

/** The whole results of one case, beside each other. */
export function CaseResultsDialog(props: CaseResultsDialogProps) {
  const { shown, targets, before, after, onMove, onClose, onUse } = props;
  const { cells } = useStore(props.results, (state) => state);
  useMoveKeys((isForward) => {
    const next = isForward ? after : before;
    if (next !== undefined) onMove(next);
  });
  const results = targets.flatMap((target) => {
    const cell = cells.get(cellKey(shown.name, target.column.id));
    return cell === undefined ? [] : [{ target, cell }];
  });
  const [first, ...others] = results;
  const baseline = first?.cell.phase === 'done' ? { name: first.target.name, run: first.cell } : undefined;
  return (
    <Dialog title={shown.name} onClose={onClose} isWide>
      <DialogBody
        footer={
          <>
            <span className={table.moves}>
              <Button onClick={() => before && onMove(before)} disabled={!before} title="Left arrow key">
                Previous
              </Button>
              <Button onClick={() => after && onMove(after)} disabled={!after} title="Right arrow key">
                Next
              </Button>
            </span>
            <Button onClick={onUse}>Open in conversation</Button>
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </>
        }
      >
        {shown.note !== null && <p className="note">{shown.note}</p>}
        <CaseInput shown={shown} />
        {results.length === 0 && <p className="muted">This case has not run yet.</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard */}
        <section className={styles.sideBySide} aria-label="Results" tabIndex={0}>
          <div className={styles.results}>
            {results.map(({ target, cell }) => (
              <section key={target.column.id} className={styles.column} aria-label={target.name}>
                <h3>{target.name}</h3>
                {cell.error !== undefined && <CallFailure run={cell} />}
                {hasResponse(cell) && (
                  <ResponseView
                    run={cell}
                    of={target.name}
                    isRunning={!hasEnded(cell)}
                    baseline={cell === first?.cell ? undefined : baseline}
                    hasFigures={false}
                  />
                )}
              </section>
            ))}
          </div>
        </section>
        <FiguresTable
          baseline={baseline?.run}
          runs={results
            .filter(({ cell }) => hasEnded(cell) && hasResponse(cell))
            .map(({ target, cell }) => ({ name: target.name, run: cell }))}
        />
        {baseline && others.length > 0 && <Differences base={baseline} others={others} />}
      </DialogBody>
    </Dialog>
  );
}

/** Arrow keys to the left and right, except where they move a cursor or scroll. */
function useMoveKeys(move: (isForward: boolean) => void): void {
  const latest = useRef(move);
  latest.current = move;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const { target } = event;
      if (target instanceof Element && target.closest('input, select, textarea, dialog [tabindex="0"]'))
        return;
      event.preventDefault();
      latest.current(event.key === 'ArrowRight');
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

/** The input of the case: its variables and its conversation. */
function CaseInput({ shown: { texts, messages } }: Pick<CaseResultsDialogProps, 'shown'>) {
  if (texts.size === 0 && messages.length === 0) return null;
  return (
    <div className={styles.caseInput}>
      <Expandable label="Input">
        <dl>
          {[...texts].map(([name, text]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
          {messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: turns have no other identity
            <div key={index}>
              <dt>{roleOf(message)}</dt>
              <dd>
                {[
                  textOf(message),
                  ...attachmentsOf(message),
                  ...toolCallsOf(message).map(({ name, argumentText }) => `${name}(${argumentText})`),
                ]
                  .filter((part) => part !== '')
                  .join('\n')}
              </dd>
            </div>
          ))}
        </dl>
      </Expandable>
    </div>
  );
}

interface DifferencesProps {
  readonly base: { readonly name: string; readonly run: RunResult };
  readonly others: readonly { readonly target: Target; readonly cell: RunResult }[];
}

/** The first response and another one, line by line. */
function Differences({ base, others }: DifferencesProps) {
  const [chosen, setChosen] = useState(String(others[0]?.target.column.id));
  const other = others.find(({ target }) => String(target.column.id) === chosen) ?? others[0];
  const [from, to] = [base.run.response.text, other?.cell.response.text];
  // Responses that only call tools have no text to compare.
  if (other === undefined || to === undefined || (from === '' && to === '')) return null;
  return (
    <div className="stack-2">
      {others.length > 1 ? (
        <SelectField<string>
          label={`Differences from ${base.name}`}
          value={String(other.target.column.id)}
          options={others.map(({ target }) => [String(target.column.id), target.name])}
          onChange={setChosen}
        />
      ) : (
        <h3>Differences</h3>
      )}
      {from === to ? (
        <p>Same text</p>
      ) : (
        <LineDiff
          label={`Differences between ${base.name} and ${other.target.name}`}
          from={from}
          to={to}
          titles={[base.name, other.target.name]}
        />
      )}
    </div>
  );
}

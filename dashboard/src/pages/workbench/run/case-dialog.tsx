import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Dialog, DialogBody } from '../../../components/dialog.tsx';
import { SelectField } from '../../../components/fields.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { LineDiff } from '../../preset/compare/line-diff.tsx';
import { ResponseView } from '../../preset/playground/response-view.tsx';
import styles from '../workbench.module.css';
import { type CellRun, cellKey } from './all-cases-run.ts';
import type { CaseInputs } from './case-inputs.ts';
import { textOf } from './conversation.ts';
import type { Target } from './use-targets.ts';

interface CaseDialogProps {
  readonly shown: CaseInputs;
  readonly targets: readonly Target[];
  readonly cells: ReadonlyMap<string, CellRun>;
  readonly onClose: () => void;
  /** Loads the case into the conversation. */
  readonly onUse: () => void;
}

/** The whole results of one case, beside each other. */
export function CaseDialog({ shown, targets, cells, onClose, onUse }: CaseDialogProps) {
  const last = shown.messages.at(-1);
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
            <Button onClick={onUse}>Open in conversation</Button>
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </>
        }
      >
        {last && <p className="muted">{textOf(last)}</p>}
        <div className={styles.results}>
          {results.map(({ target, cell }) => (
            <section key={target.column.id} className={styles.column} aria-label={target.name}>
              <h3>{target.name}</h3>
              {cell.error === undefined ? (
                <ResponseView
                  run={cell}
                  of={target.name}
                  isRunning={!['done', 'failed', 'stopped'].includes(cell.phase)}
                  baseline={cell === first?.cell ? undefined : baseline}
                />
              ) : (
                <ErrorNotice error={cell.error} title="The run failed" />
              )}
            </section>
          ))}
        </div>
        {baseline && others.length > 0 && <Differences base={baseline} others={others} />}
      </DialogBody>
    </Dialog>
  );
}

interface DifferencesProps {
  readonly base: { readonly name: string; readonly run: CellRun };
  readonly others: readonly { readonly target: Target; readonly cell: CellRun }[];
}

/** The first response and another one, line by line. */
function Differences({ base, others }: DifferencesProps) {
  const [chosen, setChosen] = useState(String(others[0]?.target.column.id));
  const other = others.find(({ target }) => String(target.column.id) === chosen) ?? others[0];
  if (other === undefined) return null;
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
      <LineDiff
        label={`Differences between ${base.name} and ${other.target.name}`}
        from={base.run.response.text}
        to={other.cell.response.text}
        titles={[base.name, other.target.name]}
      />
    </div>
  );
}

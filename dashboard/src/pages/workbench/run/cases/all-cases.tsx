import { useMemo, useState } from 'react';
import { useCases } from '../../../../api/cases.ts';
import { Button } from '../../../../components/button.tsx';
import { useCommands } from '../../../../components/commands.ts';
import { EmptyState } from '../../../../components/notice.tsx';
import { Pending } from '../../../../components/pending.tsx';
import { useStore } from '../../../../components/store.ts';
import { formatCount, formatNumber } from '../../../../components/text.ts';
import { useToast } from '../../../../components/toasts.tsx';
import { newInputs } from '../../../../features/runs/run-state.ts';
import workbench from '../../workbench.module.css';
import { useWorkbench } from '../../workbench.ts';
import { runCommand } from '../../workbench-commands.ts';
import { AddColumn } from '../add-column.tsx';
import { ColumnFields } from '../column-view.tsx';
import { type RunSession, useReplaceInputs } from '../run-session.ts';
import { type Target, useTargets } from '../use-targets.ts';
import { readVariables } from '../variable-values.ts';
import styles from './all-cases.module.css';
import { type AllCasesState, cellKey, type Job } from './all-cases-run.ts';
import { type CaseInputs, caseInputs } from './case-inputs.ts';
import { CaseResultsDialog } from './case-results-dialog.tsx';
import { CaseTable } from './case-table.tsx';

/** Every test case on every column, as a table. */
export function AllCases({ session }: { readonly session: RunSession }) {
  const { slug, snapshot } = useWorkbench();
  const query = useCases(slug, snapshot.etag);
  const { data: cases } = query;
  const inputs = useMemo(() => cases?.map(caseInputs), [cases]);
  if (inputs === undefined)
    return (
      <Pending query={query} title="Could not load the test cases" lines={6} label="Loading test cases" />
    );
  if (inputs.length === 0)
    return (
      <EmptyState title="No test cases yet">
        <p>
          Set up a conversation, and choose “Save as case…”. Then run all cases here on the draft, other
          versions and other models.
        </p>
      </EmptyState>
    );
  return <CaseRuns session={session} cases={inputs} />;
}

interface CaseRunsProps {
  readonly session: RunSession;
  readonly cases: readonly CaseInputs[];
}

function CaseRuns({ session, cases }: CaseRunsProps) {
  const { allCases, change } = session;
  const { draft } = useWorkbench();
  const columns = useStore(session.state, (state) => state.columns);
  const state = useStore(allCases.state, (all) => all);
  const { sources, targets, problem, callFor } = useTargets(columns);
  const showToast = useToast();
  const replaceInputs = useReplaceInputs(session);
  const [opened, setOpened] = useState<string>();
  const isReady = targets.every((target) => target.inputs !== undefined);

  /** All jobs of a run try the draft as it is when the run starts. */
  const jobsFor = (isWanted: (key: string) => boolean): readonly Job[] => {
    const content = draft.get();
    return cases.flatMap(({ name, messages, texts }) =>
      targets.flatMap((target) => {
        const key = cellKey(name, target.column.id);
        const prepare = () => {
          const [problem] = readVariables(target.variables, texts).problems;
          if (problem !== undefined) throw new Error(`Variable ${problem.join(': ')}`);
          const call = callFor(target, messages, texts, { content });
          if (call === undefined) throw new Error('The draft is not valid JSON.');
          return call;
        };
        return isWanted(key) ? [{ key, prepare }] : [];
      }),
    );
  };
  const run = (isWanted: (key: string) => boolean) => {
    if (problem !== undefined) showToast(problem);
    else void allCases.start(jobsFor(isWanted));
  };
  const shownCase = cases.find(({ name }) => name === opened);

  return (
    <div className={styles.panel}>
      <div className={workbench.results}>
        {targets.map((target, index) => (
          <section key={target.column.id} aria-label={target.name}>
            <ColumnFields
              target={target}
              sources={sources}
              onChange={(next) => change({ columns: columns.with(index, next) })}
              onRemove={columns.length === 1 ? undefined : () => session.removeColumn(target.column.id)}
            />
          </section>
        ))}
      </div>
      <Toolbar
        state={state}
        size={`${formatCount(cases.length, 'case', 'cases')} × ${formatCount(targets.length, 'column', 'columns')}`}
        unfinished={countUnfinished(state, cases, targets)}
        isReady={isReady}
        onRun={() => run(() => true)}
        onRetry={() => run((key) => state.cells.get(key)?.phase !== 'done')}
        onStop={allCases.stop}
      >
        <AddColumn columns={columns} sources={sources} onChange={(next) => change({ columns: next })} />
      </Toolbar>
      <CaseTable
        cases={cases}
        targets={targets}
        cells={state.cells}
        isRunning={state.isRunning}
        onOpen={setOpened}
      />
      {shownCase && (
        <CaseResultsDialog
          shown={shownCase}
          targets={targets}
          cells={state.cells}
          onClose={() => setOpened(undefined)}
          onUse={() => {
            const { name, messages, texts } = shownCase;
            replaceInputs(`Loaded the case ${name}`, newInputs({ caseName: name, messages, texts }));
            change({ view: 'one' });
          }}
        />
      )}
    </div>
  );
}

/** Cells that failed, were stopped or never started, once some have a result. */
function countUnfinished(
  { cells }: AllCasesState,
  cases: readonly CaseInputs[],
  targets: readonly Target[],
): number {
  const done = cases.flatMap(({ name }) =>
    targets.filter(({ column }) => cells.get(cellKey(name, column.id))?.phase === 'done'),
  ).length;
  return done === 0 ? 0 : cases.length * targets.length - done;
}

interface ToolbarProps {
  readonly state: AllCasesState;
  /** Such as "40 cases × 2 columns". */
  readonly size: string;
  readonly unfinished: number;
  readonly isReady: boolean;
  readonly onRun: () => void;
  readonly onRetry: () => void;
  readonly onStop: () => void;
  readonly children: React.ReactNode;
}

function Toolbar({ state, size, unfinished, isReady, onRun, onRetry, onStop, children }: ToolbarProps) {
  const { isRunning, ended, total } = state;
  useCommands([{ ...runCommand, isDisabled: !isRunning && !isReady, run: isRunning ? onStop : onRun }]);
  const failed = [...state.cells.values()].filter(({ phase }) => phase === 'failed').length;
  return (
    <div className={styles.toolbar}>
      <Button
        variant={isRunning ? 'plain' : 'primary'}
        disabled={!isRunning && !isReady}
        onClick={isRunning ? onStop : onRun}
      >
        {isRunning ? 'Stop' : 'Run all cases'}
      </Button>
      {!isRunning && unfinished > 0 && (
        <Button onClick={onRetry} disabled={!isReady}>
          Run {formatNumber(unfinished)} unfinished
        </Button>
      )}
      {children}
      {isRunning ? (
        <>
          <progress className={styles.progress} aria-label="Progress" max={total} value={ended} />
          <span className="note">
            {formatNumber(ended)} of {formatNumber(total)}
          </span>
        </>
      ) : (
        <span className="note">{size}</span>
      )}
      {/* Announced once at the end, not at every step. */}
      <span role="status" className="visually-hidden">
        {!isRunning && total > 0 && `${ended} of ${total} runs finished, ${failed} failed`}
      </span>
    </div>
  );
}

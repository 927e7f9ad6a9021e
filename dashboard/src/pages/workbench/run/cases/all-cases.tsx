import { useMemo, useState } from 'react';
import { useCases } from '../../../../api/cases.ts';
import { Button } from '../../../../components/button.tsx';
import { EmptyState } from '../../../../components/notice.tsx';
import { Pending } from '../../../../components/pending.tsx';
import { useStore } from '../../../../components/store.ts';
import { useToast } from '../../../../components/toasts.tsx';
import { newInputs } from '../../../../features/runs/run-state.ts';
import { costPerCall, useCallCosts } from '../../../../features/version-usage/call-costs.ts';
import { useWorkbench } from '../../workbench.ts';
import { AddColumn } from '../add-column.tsx';
import type { RunResult } from '../run-result.ts';
import { type RunSession, useReplaceInputs } from '../run-session.ts';
import { mergeVariables, useTargets } from '../use-targets.ts';
import { readVariables } from '../variable-values.ts';
import styles from './all-cases.module.css';
import { cellKey, type Job } from './all-cases-run.ts';
import { type CaseInputs, caseInputs } from './case-inputs.ts';
import { CaseResultsDialog } from './case-results-dialog.tsx';
import { CaseTable } from './case-table.tsx';
import { CaseToolbar } from './case-toolbar.tsx';
import { ColumnHeader } from './column-header.tsx';
import { NewCase } from './new-case.tsx';
import { estimateRun, unconfirmedCallsMax } from './run-estimate.ts';
import { RunQuestion } from './run-question.tsx';
import { useShownCases } from './use-shown-cases.ts';

/** Every test case on every column, as a table. */
export function AllCases({ session }: { readonly session: RunSession }) {
  const { slug, preset, canEdit } = useWorkbench();
  const query = useCases(slug, preset?.etag);
  const { data: cases } = query;
  const inputs = useMemo(() => cases?.map(caseInputs), [cases]);
  const [isAdding, setIsAdding] = useState(false);
  if (inputs === undefined)
    return (
      <Pending query={query} title="Could not load the test cases" lines={6} label="Loading test cases" />
    );
  if (inputs.length === 0 && !isAdding)
    return (
      <EmptyState title="No test cases yet">
        <p>Run the draft, other versions and other models on the same inputs, and compare the responses.</p>
        {canEdit && (
          <Button variant="primary" onClick={() => setIsAdding(true)}>
            New case
          </Button>
        )}
      </EmptyState>
    );
  return <CaseRuns session={session} cases={inputs} isAdding={isAdding} onAdding={setIsAdding} />;
}

interface CaseRunsProps {
  readonly session: RunSession;
  readonly cases: readonly CaseInputs[];
  /** Whether the form for a new case is open. */
  readonly isAdding: boolean;
  readonly onAdding: (isAdding: boolean) => void;
}

function CaseRuns({ session, cases, isAdding, onAdding }: CaseRunsProps) {
  const { allCases, change } = session;
  const { draft, canEdit, preset } = useWorkbench();
  const columns = useStore(session.state, (state) => state.columns);
  const { sources, targets, problemOf, callFor } = useTargets(columns);
  const costs = useCallCosts(preset?.preset);
  const rows = useShownCases(cases, columns, allCases);
  const showToast = useToast();
  const replaceInputs = useReplaceInputs(session);
  const [opened, setOpened] = useState<string>();
  const [asked, setAsked] = useState<readonly Job[]>();

  /** All jobs of a run try the draft as it is when the run starts. */
  const jobsFor = (isWanted: (cell: RunResult | undefined) => boolean): readonly Job[] => {
    const content = draft.get();
    const { cells } = allCases.state.get();
    return rows.chosen.flatMap(({ name, messages, texts }) =>
      targets.flatMap((target) => {
        const key = cellKey(name, target.column.id);
        const prepare = () => {
          const [problem] = readVariables(target.variables, texts).problems;
          if (problem !== undefined) throw new Error(`Variable ${problem.join(': ')}`);
          const call = callFor(target, messages, texts, { content });
          if (call === undefined) throw new Error('The draft is not valid JSON.');
          return call;
        };
        return isWanted(cells.get(key)) ? [{ key, prepare }] : [];
      }),
    );
  };
  const run = (isWanted: (cell: RunResult | undefined) => boolean) => {
    const cannotRun = problemOf(targets);
    if (cannotRun !== undefined) return showToast(cannotRun);
    const jobs = jobsFor(isWanted);
    if (jobs.length > unconfirmedCallsMax) setAsked(jobs);
    else void allCases.start(jobs);
  };
  const openedIndex = rows.shown.findIndex(({ name }) => name === opened);
  const openedCase = rows.shown[openedIndex];

  return (
    <div className={styles.panel}>
      <CaseToolbar
        allCases={allCases}
        cases={rows.chosen}
        columns={columns}
        runLabel={rows.runLabel}
        isReady={targets.every((target) => target.inputs !== undefined)}
        onRun={run}
      >
        {canEdit && <Button onClick={() => onAdding(true)}>New case</Button>}
        <AddColumn columns={columns} sources={sources} onChange={(next) => change({ columns: next })} />
      </CaseToolbar>
      <CaseTable
        rows={rows}
        targets={targets}
        results={allCases.state}
        header={(target, index) => (
          <ColumnHeader
            target={target}
            sources={sources}
            onChange={(next) => change({ columns: columns.with(index, next) })}
            onRemove={columns.length === 1 ? undefined : () => session.removeColumn(target.column.id)}
          />
        )}
        onOpen={setOpened}
      >
        {isAdding && (
          <NewCase
            names={cases.map(({ name }) => name)}
            variables={mergeVariables(targets)}
            onSaved={rows.showAll}
            onClose={() => onAdding(false)}
          />
        )}
      </CaseTable>
      {openedCase && (
        <CaseResultsDialog
          shown={openedCase}
          targets={targets}
          results={allCases.state}
          before={rows.shown[openedIndex - 1]}
          after={rows.shown[openedIndex + 1]}
          onMove={({ name }) => setOpened(name)}
          onClose={() => setOpened(undefined)}
          onUse={() => {
            const { name, messages, texts } = openedCase;
            replaceInputs(`Loaded the case ${name}`, newInputs({ caseName: name, messages, texts }));
            change({ view: 'one' });
          }}
        />
      )}
      {asked && (
        <RunQuestion
          keys={asked.map(({ key }) => key)}
          estimate={estimateRun(
            asked.map(({ key }) => key),
            columns,
            {
              costPerCall: ({ id, model }) => {
                const target = targets.find(({ column }) => column.id === id);
                return costPerCall(costs, target?.version, model || target?.model);
              },
              cells: allCases.state.get().cells,
              runs: session.runs.get(),
            },
          )}
          onRun={() => {
            setAsked(undefined);
            void allCases.start(asked);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}

import { Tabs } from '@base-ui/react/tabs';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../../../components/button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { useCommands } from '../../../components/commands.ts';
import { Notice } from '../../../components/notice.tsx';
import { useStore } from '../../../components/store.ts';
import { TabList } from '../../../components/tabs.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { type Message, userMessage } from '../../../features/runs/message.ts';
import { inputsOf, type RunView, resultKey } from '../../../features/runs/run-state.ts';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { runCommand } from '../workbench-commands.ts';
import { AddColumn } from './add-column.tsx';
import { AllCases } from './all-cases.tsx';
import { CaseBar } from './case-bar.tsx';
import { useColumnInUrl } from './column-in-url.ts';
import { ColumnView } from './column-view.tsx';
import { Composer } from './composer.tsx';
import { type FollowUp, followUp } from './conversation.ts';
import { PreviewDialog } from './preview-dialog.tsx';
import { RunClientProvider } from './run-client.tsx';
import { isRunning, type RunSession, useReplaceInputs, useRunSession } from './run-session.ts';
import { Turns } from './turns.tsx';
import { useFollowedResults } from './use-followed-results.ts';
import { mergeVariables, missingIn, useTargets } from './use-targets.ts';
import { readVariables, rejectedValues } from './variable-values.ts';
import { VariablesForm } from './variables-form.tsx';

/** A conversation with the draft or other versions, through the gateway, exactly as apps call it. */
export function RunPane() {
  const { snapshot } = useWorkbench();
  if (snapshot.preset.status !== 'active')
    return <Notice title="Only active presets can be called">Enable or restore the preset to run it.</Notice>;
  return (
    <RunClientProvider>
      <RunTabs />
    </RunClientProvider>
  );
}

/** One conversation, or all test cases at once, with the same columns. */
function RunTabs() {
  const session = useRunSession();
  const view = useStore(session.state, (state) => state.view ?? 'one');
  useColumnInUrl(session);
  return (
    <Tabs.Root
      value={view}
      onValueChange={(next: RunView) => session.change({ view: next })}
      className={styles.inner}
    >
      <TabList
        label="Run"
        tabs={[
          ['one', 'Conversation'],
          ['all', 'All cases'],
        ]}
      />
      <Tabs.Panel value="one" className={styles.conversation}>
        <Conversation session={session} />
      </Tabs.Panel>
      <Tabs.Panel value="all" className={styles.innerPanel}>
        <AllCases session={session} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

function Conversation({ session }: { readonly session: RunSession }) {
  const { change, start, stop } = session;
  const state = useStore(session.state, (all) => all);
  const { messages, composed, attachments, texts, columns, toolResults } = state;
  const runs = useStore(session.runs, (all) => all);
  const [showsProblems, setShowsProblems] = useState(false);
  const [showsMissing, setShowsMissing] = useState(false);
  const [previewed, setPreviewed] = useState<number>();
  const { sources, targets, problem, callFor } = useTargets(columns);
  const showToast = useToast();
  const replaceInputs = useReplaceInputs(session);

  const variables = mergeVariables(targets);
  // A text has to fit every column, whose versions may declare other types.
  const problems = new Map(targets.flatMap((target) => [...readVariables(target.variables, texts).problems]));
  const rejected = targets.flatMap((target) => {
    const run = runs.get(target.column.id);
    // What another version rejects says nothing about this one.
    if (run?.inputs.source !== target.column.source) return [];
    const { values } = readVariables(target.variables, texts);
    return [...rejectedValues(run.error, run.inputs.variables, values)];
  });
  const isReady = targets.every(({ inputs }) => inputs !== undefined);
  const isBusy = [...runs.values()].some(isRunning);
  const { scroller, results } = useFollowedResults(isBusy);

  const runAll = (conversation: readonly Message[]) => {
    for (const target of targets) {
      const call = callFor(target, conversation, texts);
      if (call !== undefined) void start(target.column.id, call);
    }
  };
  const isComposed = composed.trim() !== '' || attachments.length > 0;
  /** The conversation with what was typed. */
  const next: FollowUp = isComposed
    ? followUp(
        messages,
        targets.map(({ column }) => runs.get(column.id)),
        userMessage(composed, attachments),
      )
    : { messages };
  const isMessageMissing = next.messages.length === 0 && targets.some(({ needsMessage }) => needsMessage);
  /** The first variable, or the message, that was just marked as invalid. */
  function focusInvalid() {
    scroller.current?.parentElement?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }
  function checkVariables(): boolean {
    const isValid = problems.size === 0;
    flushSync(() => setShowsProblems(!isValid));
    if (!isValid) focusInvalid();
    return isValid;
  }
  /** Marks what is wrong and moves the focus there. Returns whether nothing is. */
  function checkInputs(needsMessage: boolean): boolean {
    flushSync(() => setShowsMissing(needsMessage && isMessageMissing));
    if (!checkVariables()) return false;
    if (needsMessage && isMessageMissing) focusInvalid();
    return !(needsMessage && isMessageMissing);
  }
  function preview(column: number | undefined) {
    if (checkInputs(false)) setPreviewed(column);
  }
  function submit() {
    if (isBusy) return stop();
    if (!isReady) return showToast('Cannot run yet: the draft is not valid, or a version is still loading');
    if (!checkInputs(true)) return;
    const cannotRun = problem ?? next.problem;
    if (cannotRun !== undefined) return showToast(cannotRun);
    change({ messages: next.messages, composed: '', attachments: [] });
    runAll(next.messages);
  }

  /** The answers to an edited question are not those to the old one. */
  function runFrom(index: number) {
    if (isBusy || !isReady || !checkInputs(false)) return;
    if (problem !== undefined) return showToast(problem);
    const kept = messages.slice(0, index + 1);
    replaceInputs(`Removed the turns after turn ${index + 1}`, {
      ...inputsOf(state),
      messages: kept,
      toolResults: undefined,
    });
    runAll(kept);
  }

  useCommands([
    { ...runCommand, isDisabled: !isBusy && !isReady, run: submit },
    {
      title: 'Preview request',
      group: 'Workbench',
      keywords: 'dry run effective upstream',
      run: () => preview(columns[0]?.id),
    },
  ]);

  const previewedTarget = targets.find(({ column }) => column.id === previewed);
  const [first] = targets;
  const firstRun = first && runs.get(first.column.id);
  const baseline = first && firstRun?.phase === 'done' ? { name: first.name, run: firstRun } : undefined;

  return (
    <>
      {/* Not a form: it contains some. */}
      <div ref={scroller} className={classNames('stack', styles.conversationTurns)}>
        <CaseBar
          session={session}
          declared={variables}
          checkVariables={checkVariables}
          conversation={next.messages}
        />
        {variables.length > 0 && (
          <VariablesForm
            variables={variables}
            texts={texts}
            onChange={(changed) => change({ texts: changed })}
            problems={new Map([...rejected, ...(showsProblems ? problems : [])])}
            noteOf={(name) => missingIn(targets, name)}
          />
        )}
        {messages.length > 0 && (
          <div className="stack-2">
            <div className={styles.header}>
              <h3>Conversation</h3>
              <Button
                isSmall
                onClick={() =>
                  replaceInputs('Cleared the conversation', {
                    ...inputsOf(state),
                    messages: [],
                    toolResults: undefined,
                  })
                }
              >
                Clear
              </Button>
            </div>
            <Turns session={session} onRunFrom={runFrom} />
          </div>
        )}
        <div ref={results} className={styles.results}>
          {targets.map((target, index) => (
            <ColumnView
              key={target.column.id}
              target={target}
              run={runs.get(target.column.id)}
              sources={sources}
              messages={messages}
              texts={texts}
              baseline={index === 0 ? undefined : baseline}
              onChange={(changed) => change({ columns: columns.with(index, changed) })}
              onRemove={columns.length === 1 ? undefined : () => session.removeColumn(target.column.id)}
              onPreview={() => preview(target.column.id)}
              typedOf={(call) => toolResults?.[resultKey(target.column.id, call)]}
              onType={(call, text) =>
                change({ toolResults: { ...toolResults, [resultKey(target.column.id, call)]: text } })
              }
              onContinue={(added, isRunNext) => {
                if (isRunNext && problem !== undefined) return showToast(problem);
                const conversation = [...messages, ...added];
                session.clear();
                change({ messages: conversation, toolResults: undefined });
                if (isRunNext) runAll(conversation);
              }}
            />
          ))}
        </div>
      </div>
      <div className={styles.footer}>
        <Composer
          text={composed}
          error={showsMissing && isMessageMissing ? 'Enter a message.' : undefined}
          onType={(text) => change({ composed: text })}
          attachments={attachments}
          onAttach={(changed) => change({ attachments: changed(session.state.get().attachments) })}
          onSubmit={submit}
          onError={showToast}
        >
          <Button
            onClick={submit}
            disabled={!isBusy && !isReady}
            variant={isBusy ? 'plain' : 'primary'}
            title="Ctrl+Enter, or ⌘+Enter"
          >
            {isBusy ? 'Stop' : columns.length > 1 ? 'Run all' : 'Run'}
          </Button>
          <AddColumn
            columns={columns}
            sources={sources}
            onChange={(changed) => change({ columns: changed })}
          />
        </Composer>
      </div>
      {previewedTarget && (
        <PreviewDialog
          name={previewedTarget.name}
          callIn={(format) => callFor(previewedTarget, next.messages, texts, { format })}
          onClose={() => setPreviewed(undefined)}
        />
      )}
    </>
  );
}

import { Tabs } from '@base-ui/react/tabs';
import { useState } from 'react';
import { canCallModels } from '../../../api/rights.ts';
import { useSession } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { useCommands } from '../../../components/commands.ts';
import { Notice } from '../../../components/notice.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { readVariables } from '../../preset/playground/variable-values.ts';
import { VariablesForm } from '../../preset/playground/variables-form.tsx';
import { useStore } from '../store.ts';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { runCommand } from '../workbench-commands.ts';
import { AddColumn } from './add-column.tsx';
import { AllCases } from './all-cases.tsx';
import { CaseBar } from './case-bar.tsx';
import { ColumnView } from './column-view.tsx';
import { Composer } from './composer.tsx';
import { type FollowUp, followUp, type Message, userMessage } from './conversation.ts';
import { isRunning, type RunSession, useReplaceInputs, useRunSession, useRunState } from './run-session.ts';
import { inputsOf, type RunView, resultKey } from './run-state.ts';
import { Turns } from './turns.tsx';
import { mergeVariables, missingIn, useTargets } from './use-targets.ts';

/** A conversation with the draft or other versions, through the gateway, exactly as apps call it. */
export function RunPane() {
  const { account } = useSession();
  const { snapshot } = useWorkbench();
  if (!canCallModels(account.credential))
    return (
      <Notice title="Management keys cannot call models">
        To run the draft, sign in with an account or with an API key of this workspace.
      </Notice>
    );
  if (snapshot.preset.status !== 'active')
    return <Notice title="Only active presets can be called">Enable or restore the preset to run it.</Notice>;
  return <RunTabs />;
}

/** One conversation, or all test cases at once, with the same columns. */
function RunTabs() {
  const session = useRunSession();
  const { view = 'one' } = useRunState(session);
  return (
    <Tabs.Root
      value={view}
      onValueChange={(next: RunView) => session.change({ view: next })}
      className={styles.inner}
    >
      <Tabs.List className={styles.tabList} aria-label="Run">
        <Tabs.Tab value="one" className={styles.tab}>
          Conversation
        </Tabs.Tab>
        <Tabs.Tab value="all" className={styles.tab}>
          All cases
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="one" className={styles.innerPanel}>
        <Conversation session={session} />
      </Tabs.Panel>
      <Tabs.Panel value="all" className={styles.innerPanel}>
        <AllCases session={session} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

const noProblems: ReadonlyMap<string, string> = new Map();

function Conversation({ session }: { readonly session: RunSession }) {
  const { change, start, stop } = session;
  const state = useStore(session.state, (all) => all);
  const { messages, composed, attachments, texts, columns, toolResults } = state;
  const runs = useStore(session.runs, (all) => all);
  const [showsProblems, setShowsProblems] = useState(false);
  const { sources, targets, callFor } = useTargets(columns);
  const showToast = useToast();
  const replaceInputs = useReplaceInputs(session);

  const variables = mergeVariables(targets);
  // A text has to fit every column, whose versions may declare other types.
  const problems = new Map(targets.flatMap((target) => [...readVariables(target.variables, texts).problems]));
  const isReady = targets.every(({ inputs }) => inputs !== undefined);
  const isBusy = [...runs.values()].some(isRunning);

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
  function checkVariables(): boolean {
    const isValid = problems.size === 0;
    setShowsProblems(!isValid);
    return isValid;
  }
  function submit() {
    if (isBusy) return stop();
    if (!checkVariables() || !isReady) return;
    if (next.problem !== undefined) return showToast(next.problem);
    change({ messages: next.messages, composed: '', attachments: [] });
    runAll(next.messages);
  }

  useCommands([{ ...runCommand, isDisabled: !isBusy && !isReady, run: submit }]);

  const [first] = targets;
  const firstRun = first && runs.get(first.column.id);
  const baseline = first && firstRun?.phase === 'done' ? { name: first.name, run: firstRun } : undefined;

  return (
    // Not a form: it contains some.
    <div className="stack">
      <CaseBar
        session={session}
        declared={variables}
        checkVariables={checkVariables}
        conversation={next.messages}
      />
      {variables.length > 0 && (
        <VariablesForm
          isDense
          variables={variables}
          texts={texts}
          onChange={(changed) => change({ texts: changed })}
          problems={showsProblems ? problems : noProblems}
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
          <Turns session={session} />
        </div>
      )}
      <div className={styles.results}>
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
            typedOf={(call) => toolResults?.[resultKey(target.column.id, call)]}
            onType={(call, text) =>
              change({ toolResults: { ...toolResults, [resultKey(target.column.id, call)]: text } })
            }
            onContinue={(added, isRunNext) => {
              const conversation = [...messages, ...added];
              session.clear();
              change({ messages: conversation, toolResults: undefined });
              if (isRunNext) runAll(conversation);
            }}
          />
        ))}
      </div>
      <div className={styles.footer}>
        <Composer
          text={composed}
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
          <AddColumn columns={columns} onChange={(changed) => change({ columns: changed })} />
        </Composer>
      </div>
    </div>
  );
}

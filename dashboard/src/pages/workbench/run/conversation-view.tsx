import { type CSSProperties, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { keysText, useCommands } from '../../../components/commands.ts';
import { useToast } from '../../../components/toasts.tsx';
import { resultKey } from '../../../features/runs/run-state.ts';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { useRunCommand } from '../workbench-commands.ts';
import { AddColumn } from './add-column.tsx';
import { CaseBar } from './cases/case-bar.tsx';
import { ColumnView } from './column-view.tsx';
import { Composer } from './composer.tsx';
import { PreviewDialog } from './preview-dialog.tsx';
import type { RunSession } from './run-session.ts';
import { Turns } from './turns.tsx';
import { useConversation } from './use-conversation.ts';
import { useFollowedResults } from './use-followed-results.ts';
import { mergeVariables, missingIn } from './use-targets.ts';
import { VariablesForm } from './variables-form.tsx';

/** A conversation: its inputs, its turns, and the responses of the columns to the last one. */
export function ConversationView({ session }: { readonly session: RunSession }) {
  const { change } = session;
  const { preset } = useWorkbench();
  const conversation = useConversation(session, () =>
    scroller.current?.parentElement?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
  );
  const { state, targets, sources, isBusy, isReady, next, submit } = conversation;
  const { messages, composed, attachments, texts, columns } = state;
  const { scroller, results } = useFollowedResults(isBusy);
  const showToast = useToast();
  const [previewed, setPreviewed] = useState<number>();
  const preview = (column: number | undefined) => conversation.canPreview(column) && setPreviewed(column);
  const previewedTarget = targets.find(({ column }) => column.id === previewed);
  const variables = mergeVariables(targets);

  useRunCommand({ isDisabled: !isBusy && !isReady, run: () => submit() });
  useCommands([
    {
      title: 'Preview request',
      group: 'Workbench',
      keywords: 'dry run effective upstream',
      run: () => preview(columns[0]?.id),
    },
  ]);

  return (
    <>
      {/* Not a form: it contains some. */}
      <div
        ref={scroller}
        className={classNames('stack', styles.conversationTurns)}
        style={{ '--columns': columns.length } as CSSProperties}
      >
        {/* A new preset has nowhere to keep cases yet. */}
        {preset !== undefined && (
          <CaseBar
            session={session}
            declared={variables}
            checkVariables={conversation.checkVariables}
            conversation={next.messages}
          />
        )}
        {variables.length > 0 && (
          <VariablesForm
            variables={variables}
            texts={texts}
            isExpanded={state.showsVariables === true}
            onExpand={(showsVariables) => change({ showsVariables })}
            onChange={(changed) => change({ texts: changed })}
            problems={conversation.variableProblems}
            noteOf={(name) => missingIn(targets, name)}
          />
        )}
        {messages.length > 0 && (
          <div className="stack-2">
            <div className={styles.header}>
              <h3>Conversation</h3>
              <Button isSmall onClick={conversation.clear}>
                Clear
              </Button>
            </div>
            <Turns session={session} onRunFrom={conversation.runFrom} />
          </div>
        )}
        <div ref={results} className={styles.results}>
          <Columns session={session} conversation={conversation} onPreview={preview} />
        </div>
      </div>
      <div className={styles.footer}>
        <Composer
          text={composed}
          error={conversation.messageProblem}
          onType={(text) => change({ composed: text })}
          attachments={attachments}
          onAttach={(changed) => change({ attachments: changed(session.state.get().attachments) })}
          onSubmit={() => submit()}
          onError={showToast}
        >
          <Button
            onClick={() => submit()}
            disabled={!isBusy && !isReady}
            variant={isBusy ? 'plain' : 'primary'}
            title={keysText('Mod+Enter')}
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
          callIn={(format) => conversation.callFor(previewedTarget, next.messages, texts, { format })}
          onClose={() => setPreviewed(undefined)}
        />
      )}
    </>
  );
}

interface ColumnsProps {
  readonly session: RunSession;
  readonly conversation: ReturnType<typeof useConversation>;
  readonly onPreview: (column: number) => void;
}

/** The responses side by side; all others are compared with the first one. */
function Columns({ session, conversation, onPreview }: ColumnsProps) {
  const { change } = session;
  const { state, runs, targets, sources, continueWith } = conversation;
  const { messages, texts, columns, toolResults } = state;
  const [first] = targets;
  const firstRun = first && runs.get(first.column.id);
  const baseline = first && firstRun?.phase === 'done' ? { name: first.name, run: firstRun } : undefined;
  return targets.map((target, index) => (
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
      onRun={() => conversation.submit(target.column.id)}
      onPreview={() => onPreview(target.column.id)}
      typedOf={(call) => toolResults?.[resultKey(target.column.id, call)]}
      onType={(call, text) =>
        change({ toolResults: { ...toolResults, [resultKey(target.column.id, call)]: text } })
      }
      onContinue={continueWith}
    />
  ));
}

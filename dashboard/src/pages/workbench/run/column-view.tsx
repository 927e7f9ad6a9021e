import { Ellipsis, Play, Square } from 'lucide-react';
import { Badge } from '../../../components/badge.tsx';
import { Button, IconButton } from '../../../components/button.tsx';
import { Menu } from '../../../components/menu.tsx';
import { type Message, type PendingCall, toolCallsOf } from '../../../features/runs/message.ts';
import type { Column, VariableTexts } from '../../../features/runs/run-state.ts';
import styles from '../workbench.module.css';
import { ColumnFields } from './column-fields.tsx';
import { isAnswerTo, messageOf } from './conversation.ts';
import { type Baseline, ResponseView } from './response-view.tsx';
import { hasResponse } from './run.ts';
import { RunFailure } from './run-failure.tsx';
import type { ColumnRun } from './run-result.ts';
import { isRunning } from './run-session.ts';
import { ToolResults } from './tool-results.tsx';
import { type Sources, type Target, useIsStale } from './use-targets.ts';

interface ColumnViewProps {
  readonly target: Target;
  readonly run: ColumnRun | undefined;
  readonly sources: Sources;
  readonly messages: readonly Message[];
  readonly texts: VariableTexts;
  /** The result of the first column; undefined for the first one itself. */
  readonly baseline: Baseline | undefined;
  readonly onChange: (column: Column) => void;
  /** Undefined for the only column. */
  readonly onRemove: (() => void) | undefined;
  /** Runs this column alone; stops it if it is running. */
  readonly onRun: () => void;
  /** Shows what presetd would send. */
  readonly onPreview: () => void;
  /** The typed result of a tool call. */
  readonly typedOf: (call: PendingCall) => string | undefined;
  readonly onType: (call: PendingCall, text: string) => void;
  /** Continues the conversation with the response of this column and these messages. */
  readonly onContinue: (added: readonly Message[], isRunNext: boolean) => void;
}

/** One column: what it tries, and what came back. */
export function ColumnView(props: ColumnViewProps) {
  const { target, run, sources, messages, texts, baseline, typedOf, onType } = props;
  const { onChange, onRemove, onRun, onPreview, onContinue } = props;
  const { name } = target;
  const isStale = useIsStale(run?.inputs, target, messages, texts);
  const running = isRunning(run);
  const isDone = run?.phase === 'done';
  const isAnswer = isAnswerTo(messages, run);
  const reply = run && messageOf(run.response, run.inputs.messages.length);
  const calls = toolCallsOf(reply);
  return (
    <section className={styles.column} aria-label={name}>
      <ColumnBar
        target={target}
        sources={sources}
        onChange={onChange}
        onRemove={onRemove}
        isRunning={running}
        onRun={onRun}
        onPreview={onPreview}
      />
      <div role="status" className={styles.outdated}>
        {isStale && !running && run !== undefined && hasResponse(run) && (
          <Badge tone="warning">Outdated</Badge>
        )}
      </div>
      {run?.error !== undefined && (
        <RunFailure run={run} variables={target.variables} onPreview={onPreview} />
      )}
      {run !== undefined && hasResponse(run) && (
        <ResponseView run={run} isRunning={running} of={onRemove && name} baseline={baseline} />
      )}
      {isDone && reply && calls.length > 0 && (
        <ToolResults
          calls={calls}
          messages={messages}
          typedOf={typedOf}
          onType={onType}
          isDisabled={!isAnswer}
          onAnswer={(results) => onContinue([reply, ...results], true)}
        />
      )}
      {isAnswer && reply && calls.length === 0 && onRemove && (
        <div>
          <Button isSmall onClick={() => onContinue([reply], false)}>
            Continue with this response
          </Button>
        </div>
      )}
    </section>
  );
}

type ColumnBarProps = Pick<
  ColumnViewProps,
  'target' | 'sources' | 'onChange' | 'onRemove' | 'onRun' | 'onPreview'
> & { readonly isRunning: boolean };

/** The version and model of a column, and its actions. */
function ColumnBar(props: ColumnBarProps) {
  const { target, sources, isRunning: running, onChange, onRemove, onRun, onPreview } = props;
  const { column, name } = target;
  return (
    <div className={styles.columnHeader} data-column={column.id}>
      <ColumnFields target={target} sources={sources} onChange={onChange} />
      <span className={styles.columnActions}>
        <IconButton
          icon={running ? Square : Play}
          title={running ? 'Stop' : 'Run'}
          of={name}
          onClick={onRun}
        />
        <Menu
          label={`Actions for ${name}`}
          button={<Ellipsis aria-hidden="true" />}
          items={[
            { text: 'Preview request…', onClick: onPreview },
            onRemove && { text: 'Remove column', onClick: onRemove },
          ]}
        />
      </span>
    </div>
  );
}

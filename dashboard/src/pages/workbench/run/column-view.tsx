import { X } from 'lucide-react';
import { ApiError } from '../../../api/api-error.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button, IconButton } from '../../../components/button.tsx';
import { SelectField } from '../../../components/fields.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { type Baseline, ResponseView } from '../../preset/playground/response-view.tsx';
import type { VariableTexts } from '../../preset/playground/variable-values.ts';
import { ModelField } from '../settings/model-field.tsx';
import styles from '../workbench.module.css';
import { useDraft } from '../workbench.ts';
import {
  type Column,
  isSameBesidesDraft,
  type Message,
  messageOf,
  type Source,
  toolCallsOf,
} from './conversation.ts';
import { type ColumnRun, isRunning } from './run-session.ts';
import { ToolResults } from './tool-results.tsx';
import type { Sources, Target } from './use-targets.ts';

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
  /** Continues the conversation with the response of this column and these messages. */
  readonly onContinue: (added: readonly Message[], isRunNext: boolean) => void;
}

/** One column: what it tries, and what came back. */
export function ColumnView(props: ColumnViewProps) {
  const { target, run, sources, messages, texts, baseline, onChange, onRemove, onContinue } = props;
  const { name } = target;
  const isStale = useIsStale(target, run, messages, texts);
  const running = isRunning(run);
  const isDone = run?.phase === 'done';
  const reply = run && messageOf(run.response, messages.length);
  const calls = toolCallsOf(reply);
  return (
    <section className={styles.column} aria-label={name}>
      <ColumnFields target={target} sources={sources} onChange={onChange} onRemove={onRemove} />
      <div role="status">
        {isStale && !running && run !== undefined && <Badge tone="warning">Outdated</Badge>}
      </div>
      {run?.error !== undefined && (
        <ErrorNotice error={run.error} title={run.error instanceof ApiError ? 'The run failed' : ''} />
      )}
      {run !== undefined && run.error === undefined && (
        <ResponseView run={run} isRunning={running} of={onRemove && name} baseline={baseline} />
      )}
      {isDone && reply && calls.length > 0 && !isStale && (
        <ToolResults
          calls={calls}
          messages={messages}
          onAnswer={(results) => onContinue([reply, ...results], true)}
        />
      )}
      {isDone && reply && calls.length === 0 && !isStale && onRemove && (
        <div>
          <Button isSmall onClick={() => onContinue([reply], false)}>
            Continue with this answer
          </Button>
        </div>
      )}
    </section>
  );
}

type ColumnFieldsProps = Pick<ColumnViewProps, 'target' | 'sources' | 'onChange' | 'onRemove'>;

/** Chooses what a column tries. */
export function ColumnFields({ target, sources, onChange, onRemove }: ColumnFieldsProps) {
  const { column, name } = target;
  return (
    <div className={styles.row}>
      <div className={styles.grow}>
        <SelectField<string>
          label="Version"
          value={String(column.source)}
          options={sources}
          onChange={(value) => onChange({ ...column, source: parseSource(value) })}
        />
      </div>
      <div className={styles.grow}>
        <ModelField
          label="Model"
          value={column.model}
          placeholder="Same as version"
          onChange={(model = '') => onChange({ ...column, model })}
        />
      </div>
      {onRemove && <IconButton icon={X} title="Remove column" of={name} onClick={onRemove} />}
    </div>
  );
}

/** Whether the column would send something else now. */
function useIsStale(
  { inputs }: Target,
  run: ColumnRun | undefined,
  messages: readonly Message[],
  texts: VariableTexts,
): boolean {
  const sent = run?.request.inputs;
  const isDraftChanged = useDraft(({ text }) => sent?.draft !== undefined && sent.draft !== text);
  if (sent === undefined) return false;
  const current = inputs?.(messages, texts);
  return isDraftChanged || current === undefined || !isSameBesidesDraft(sent, current);
}

function parseSource(value: string): Source {
  return value === 'draft' || value === 'live' ? value : Number(value);
}

import { X } from 'lucide-react';
import { ApiError } from '../../../api/api-error.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button, IconButton } from '../../../components/button.tsx';
import { SelectField } from '../../../components/fields.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { ResponseView } from '../../preset/playground/response-view.tsx';
import { ModelField } from '../settings/model-field.tsx';
import styles from '../workbench.module.css';
import { type Column, type Message, messageOf, type Source, toolCallsOf } from './conversation.ts';
import { ToolResults } from './tool-results.tsx';
import { type ColumnRun, isRunning } from './use-runs.ts';

interface ColumnViewProps {
  readonly column: Column;
  readonly run: ColumnRun | undefined;
  /** Whether the column would send something else now. */
  readonly isStale: boolean;
  readonly sources: readonly (readonly [string, string])[];
  readonly messages: readonly Message[];
  readonly onChange: (column: Column) => void;
  /** Undefined for the only column. */
  readonly onRemove: (() => void) | undefined;
  /** Continues the conversation with the response of this column and these messages. */
  readonly onContinue: (added: readonly Message[], isRunNext: boolean) => void;
}

/** One column: what it tries, and what came back. */
export function ColumnView(props: ColumnViewProps) {
  const { column, run, isStale, sources, messages, onChange, onRemove, onContinue } = props;
  const name = sources.find(([value]) => value === String(column.source))?.[1] ?? `Version ${column.source}`;
  const running = isRunning(run);
  const isDone = run?.phase === 'done';
  const reply = run && messageOf(run.response, messages.length);
  const calls = toolCallsOf(reply);
  return (
    <section
      className={styles.column}
      aria-label={column.model === '' ? name : `${name} with ${column.model}`}
    >
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
            isDisabled={false}
            value={column.model}
            placeholder="Same as version"
            onChange={(model = '') => onChange({ ...column, model })}
          />
        </div>
        {onRemove && <IconButton icon={X} title="Remove column" of={name} onClick={onRemove} />}
      </div>
      <div role="status">
        {isStale && !running && run !== undefined && <Badge tone="warning">Outdated</Badge>}
      </div>
      {run?.error !== undefined && (
        <ErrorNotice error={run.error} title={run.error instanceof ApiError ? 'The run failed' : ''} />
      )}
      {run !== undefined && run.error === undefined && <ResponseView run={run} isRunning={running} />}
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

function parseSource(value: string): Source {
  return value === 'draft' || value === 'live' ? value : Number(value);
}

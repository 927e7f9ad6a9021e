import { Columns2, Paperclip } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useVersion, useVersionCount, useVersions } from '../../../api/presets.ts';
import { canCallModels } from '../../../api/rights.ts';
import { useSession } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/fields.tsx';
import { Notice } from '../../../components/notice.tsx';
import { draftName } from '../../capture/drafts.ts';
import { listedMax } from '../../preset/compare/version-choice.ts';
import { type Variable, variablesOf } from '../../preset/describe-variable.ts';
import { readVariables } from '../../preset/playground/variable-values.ts';
import { VariablesForm } from '../../preset/playground/variables-form.tsx';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { CaseBar } from './case-bar.tsx';
import { ColumnView } from './column-view.tsx';
import {
  type Attachment,
  type Column,
  callOf,
  columnsMax,
  isComplete,
  type Message,
  messageOf,
  userMessage,
} from './conversation.ts';
import { type RunState, useRunState } from './run-state.ts';
import { Turns } from './turns.tsx';
import { type ColumnCall, isRunning, useRuns } from './use-runs.ts';

/** A conversation with the draft or other versions, through the gateway, exactly as apps call it. */
export function RunPane() {
  const session = useSession();
  const { slug, canEdit, snapshot, importCount } = useWorkbench();
  if (!canCallModels(session.account.credential))
    return (
      <Notice title="Management keys cannot call models">
        To run the draft, sign in with an account or with an API key of this workspace.
      </Notice>
    );
  if (snapshot.preset.status !== 'active')
    return <Notice title="Only active presets can be called">Enable or restore the preset to run it.</Notice>;
  return <Runner key={`${slug} ${importCount}`} name={draftName(session, slug)} canDraft={canEdit} />;
}

interface RunnerProps {
  readonly name: string;
  readonly canDraft: boolean;
}

function Runner({ name, canDraft }: RunnerProps) {
  const { api } = useSession();
  const [state, change] = useRunState(name, canDraft);
  const { messages, composed, texts, columns } = state;
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [showsProblems, setShowsProblems] = useState(false);
  const { runs, start, stop, clear } = useRuns();
  const { sources, targetOf } = useTargets(columns);

  const targets = columns.map((column) => targetOf(column));
  const variables = useMemo(() => mergeVariables(targets.map((target) => target.variables)), [targets]);
  // A text has to fit every column, whose versions may declare other types.
  const problems = new Map(targets.flatMap((target) => [...readVariables(target.variables, texts).problems]));
  const isReady = targets.every((target) => target.call !== undefined);
  const isBusy = [...runs.values()].some(isRunning);

  const callFor = (column: Column, conversation: readonly Message[]): ColumnCall | undefined => {
    const target = targetOf(column);
    if (target.call === undefined) return undefined;
    const values = readVariables(target.variables, texts).values;
    const call = target.call(conversation, target.variables.length === 0 ? undefined : values);
    return { ...call, signature: JSON.stringify([target.version, call.body]) };
  };
  const runAll = (conversation: readonly Message[]) => {
    for (const column of columns) {
      const call = callFor(column, conversation);
      if (call !== undefined) void start(api, column.id, call);
    }
  };
  /** The conversation with what was typed; the answer of a single column comes before it. */
  const nextConversation = (): readonly Message[] => {
    if (composed.trim() === '' && attachments.length === 0) return messages;
    const [only] = columns;
    const answer = columns.length === 1 && only ? runs.get(only.id) : undefined;
    const isAnswered =
      answer?.phase === 'done' &&
      isComplete(messages) &&
      answer.response.toolCalls.length === 0 &&
      only !== undefined &&
      callFor(only, messages)?.signature === answer.request.signature;
    return [
      ...messages,
      ...(isAnswered ? [messageOf(answer.response, messages.length)] : []),
      userMessage(composed, attachments),
    ];
  };
  function submit() {
    if (isBusy) return stop();
    const isValid = problems.size === 0;
    setShowsProblems(!isValid);
    if (!isValid || !isReady) return;
    const conversation = nextConversation();
    change({ messages: conversation, composed: '' });
    setAttachments([]);
    runAll(conversation);
  }

  return (
    // Not a form: it contains some.
    <div className="stack">
      <CaseBar
        state={state}
        change={change}
        variables={readVariables(variables, texts).values}
        conversation={nextConversation()}
        onLoad={() => clear()}
      />
      {variables.length > 0 && (
        <VariablesForm
          variables={variables}
          texts={texts}
          onChange={(next) => change({ texts: next })}
          problems={showsProblems ? problems : new Map()}
        />
      )}
      {messages.length > 0 && (
        <div className="stack-2">
          <div className={styles.header}>
            <h3>Conversation</h3>
            <Button
              isSmall
              onClick={() => {
                change({ messages: [] });
                clear();
              }}
            >
              Clear
            </Button>
          </div>
          <Turns messages={messages} onChange={(next) => change({ messages: next })} />
        </div>
      )}
      <Results
        {...{ state, runs, sources, callFor }}
        onChange={(next) => change({ columns: next })}
        onRemove={(id) => {
          clear(id);
          change({ columns: columns.filter((column) => column.id !== id) });
        }}
        onContinue={(added, isRunNext) => {
          const conversation = [...messages, ...added];
          change({ messages: conversation });
          clear();
          if (isRunNext) runAll(conversation);
        }}
      />
      <Composer
        text={composed}
        onType={(text) => change({ composed: text })}
        attachments={attachments}
        onAttach={setAttachments}
        onSubmit={submit}
      />
      <div className={styles.row}>
        <Button
          data-run
          onClick={submit}
          disabled={!isBusy && !isReady}
          variant={isBusy ? 'plain' : 'primary'}
        >
          {isBusy ? 'Stop' : columns.length > 1 ? 'Run all' : 'Run'}
        </Button>
        {columns.length < columnsMax && (
          <Button onClick={() => change({ columns: [...columns, nextColumn(columns)] })}>
            <Columns2 aria-hidden="true" />
            Compare
          </Button>
        )}
        <span className="note">
          <kbd>Ctrl</kbd> or <kbd>⌘</kbd> + <kbd>Enter</kbd> to run
        </span>
      </div>
    </div>
  );
}

/** A new column starts with the version that is compared most often. */
function nextColumn(columns: readonly Column[]): Column {
  // Never one of a column that was removed, whose run may still be on its way.
  const id = Math.max(Date.now(), ...columns.map((column) => column.id + 1));
  return { id, source: columns.some(({ source }) => source === 'live') ? 'draft' : 'live', model: '' };
}

interface ResultsProps {
  readonly state: RunState;
  readonly runs: ReturnType<typeof useRuns>['runs'];
  readonly sources: readonly (readonly [string, string])[];
  readonly callFor: (column: Column, conversation: readonly Message[]) => ColumnCall | undefined;
  readonly onChange: (columns: readonly Column[]) => void;
  readonly onRemove: (id: number) => void;
  readonly onContinue: (added: readonly Message[], isRunNext: boolean) => void;
}

function Results({ state, runs, sources, callFor, onChange, onRemove, onContinue }: ResultsProps) {
  const { columns, messages } = state;
  return (
    <div className={styles.results}>
      {columns.map((column, index) => {
        const run = runs.get(column.id);
        return (
          <ColumnView
            key={column.id}
            column={column}
            run={run}
            isStale={run !== undefined && callFor(column, messages)?.signature !== run.request.signature}
            sources={sources}
            messages={messages}
            onChange={(next) => onChange(columns.with(index, next))}
            onRemove={columns.length === 1 ? undefined : () => onRemove(column.id)}
            onContinue={onContinue}
          />
        );
      })}
    </div>
  );
}

interface Target {
  /** The number of a saved version; a result of another one is outdated. */
  readonly version: number | undefined;
  readonly variables: readonly Variable[];
  /** Undefined until the version is known, and while the draft is not a JSON object. */
  readonly call:
    | ((
        messages: readonly Message[],
        variables: Parameters<typeof callOf>[0]['variables'],
      ) => ReturnType<typeof callOf>)
    | undefined;
}

/** The versions that columns can try, and how to call each. */
function useTargets(columns: readonly Column[]) {
  const workbench = useWorkbench();
  const { slug, snapshot, text, body, dialect, canEdit } = workbench;
  const { workspaceId } = useSession();
  const live = snapshot.preset.designated_version.version;
  const { data: latest = live } = useVersionCount(slug, snapshot.etag);
  const { data: liveVersion } = useVersion(slug, live);
  const numbers = Array.from({ length: Math.min(latest, listedMax) }, (_, index) => latest - index);
  const sources = [
    ...(canEdit ? [['draft', 'Draft'] as const] : []),
    ['live', `Live · version ${live}`] as const,
    ...numbers.map((number) => [String(number), `Version ${number}`] as const),
  ];
  const versions = useVersions(
    slug,
    columns.flatMap(({ source }) => (typeof source === 'number' ? [source] : [])),
  );
  const targetOf = (column: Column): Target => {
    if (column.source === 'draft')
      return {
        version: undefined,
        variables: workbench.variables,
        call:
          body === undefined
            ? undefined
            : (messages, variables) =>
                callOf({ slug, column, draft: text, dialect, messages, variables, workspaceId }),
      };
    const version = column.source === 'live' ? liveVersion : versions.get(column.source);
    return {
      version: version?.version,
      variables: variablesOf(version?.presetd),
      call:
        version &&
        ((messages, variables) =>
          callOf({ slug, column, draft: '', dialect: version.dialect, messages, variables, workspaceId })),
    };
  };
  return { sources, targetOf };
}

/** Columns may show the same variables; each is asked for once. */
function mergeVariables(lists: readonly (readonly Variable[])[]): readonly Variable[] {
  return [...new Map(lists.flat().map((variable) => [variable.name, variable])).values()];
}

interface ComposerProps {
  readonly text: string;
  readonly onType: (text: string) => void;
  readonly attachments: readonly Attachment[];
  readonly onAttach: (attachments: readonly Attachment[]) => void;
  readonly onSubmit: () => void;
}

/** The next message, with images and files. */
function Composer({ text, onType, attachments, onAttach, onSubmit }: ComposerProps) {
  const input = useRef<HTMLInputElement>(null);
  const add = async (files: FileList | null) => {
    const read = [...(files ?? [])].map(readFile);
    onAttach([...attachments, ...(await Promise.all(read))]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSubmit();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles a key of the field inside
    <div className="stack-1" onKeyDown={onKeyDown}>
      <TextField label="Message" lines={3} value={text} onChange={onType} placeholder="User message" />
      <div className={styles.row}>
        <Button isSmall onClick={() => input.current?.click()}>
          <Paperclip aria-hidden="true" />
          Attach
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Images and files"
          onChange={(event) => {
            void add(event.target.files);
            event.target.value = '';
          }}
        />
        {attachments.map(({ name }, index) => (
          <Button
            // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
            key={index}
            isSmall
            variant="quiet"
            aria-label={`Remove ${name}`}
            onClick={() => onAttach(attachments.toSpliced(index, 1))}
          >
            {name} ×
          </Button>
        ))}
      </div>
    </div>
  );
}

function readFile(file: File): Promise<Attachment> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, url: String(reader.result) });
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
    reader.readAsDataURL(file);
  });
}

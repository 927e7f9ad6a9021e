import { Download, FileUp } from 'lucide-react';
import { type ChangeEvent, type DragEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { classNames } from '../../components/class-names.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { CheckboxField, TextField } from '../../components/fields.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { formatCount, formatNumber } from '../../components/text.ts';
import styles from './people.module.css';
import { listColumns, type PeopleFile, readPeopleFile } from './read-people-file.ts';
import { type ImportProgress, useImport } from './use-import.ts';

interface ChosenFile {
  readonly name: string;
  readonly content: PeopleFile;
}

/**
 * Imports members in three steps: choose a file, review it, follow the progress. Nothing is sent
 * before the user has seen what the file contains.
 */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<ChosenFile>();
  const [isUpdating, setIsUpdating] = useState(false);
  const { progress, start, resume, stop } = useImport();
  // Closing while it runs only stops it, so that the result can still be seen.
  const isRunning = progress?.state === 'running' || progress?.state === 'stopping';
  return (
    <Dialog title="Import members from CSV" onClose={isRunning ? stop : onClose}>
      {file === undefined ? (
        <ChooseStep onRead={(name, content) => setFile({ name, content })} onClose={onClose} />
      ) : progress === undefined ? (
        <PreviewStep
          name={file.name}
          file={file.content}
          isUpdating={isUpdating}
          onUpdating={setIsUpdating}
          onBack={() => setFile(undefined)}
          onStart={() => start(file.content, isUpdating)}
        />
      ) : (
        <ProgressStep
          progress={progress}
          totalCount={file.content.people.length}
          onStop={stop}
          onResume={() => resume(file.content, isUpdating)}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface ChooseStepProps {
  readonly onRead: (name: string, file: PeopleFile) => void;
  readonly onClose: () => void;
}

/**
 * Step 1: a file, dropped or chosen, or pasted text. Reading it may take seconds, but changes
 * nothing.
 */
function ChooseStep({ onRead, onClose }: ChooseStepProps) {
  const [pasted, setPasted] = useState('');
  const [isOver, setIsOver] = useState(false);
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<unknown>();
  const inputId = useId();

  async function read(file: Blob, name: string) {
    setIsReading(true);
    setError(undefined);
    try {
      onRead(name, await readPeopleFile(file, name));
    } catch (problem) {
      setError(problem);
    }
    setIsReading(false);
  }
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file) void read(file, file.name);
  };
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? [];
    // Reset the input, so that the same file can be chosen again after it was fixed.
    event.target.value = '';
    if (file) void read(file, file.name);
  };

  return (
    <DialogBody
      // The name begins the messages about it: "The text has no column email."
      onSubmit={() => void read(new Blob([pasted]), 'The text')}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={isReading} disabled={pasted.trim() === ''}>
            {isReading ? 'Reading…' : 'Continue'}
          </Button>
        </>
      }
    >
      <p className="muted">
        The first line names the columns: <code>email</code>, and optionally <code>first_name</code>,{' '}
        <code>last_name</code> and <code>role</code> (<code>org:admin</code> or <code>org:member</code>).
        Importing never removes anyone, and you can import the same file again.
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the file input inside does the same by keyboard */}
      <div
        className={classNames(styles.drop, isOver && styles.over)}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <FileUp aria-hidden="true" />
        <span>Drop a CSV file here, or</span>
        <input
          id={inputId}
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          className="visually-hidden"
          onChange={choose}
        />
        <label htmlFor={inputId} className={styles.choose}>
          Choose file
        </label>
      </div>
      <TextField
        label="Or paste CSV"
        value={pasted}
        onChange={setPasted}
        lines={5}
        isMono
        placeholder={'email,first_name,last_name,role\ngrace@example.com,Grace,Hopper,org:admin'}
      />
      {error !== undefined && <ErrorNotice error={error} />}
    </DialogBody>
  );
}

/** Also quoted by the summary, which says how to update members that differ. */
const updateLabel = 'Update existing members';

interface PreviewStepProps {
  readonly name: string;
  readonly file: PeopleFile;
  readonly isUpdating: boolean;
  readonly onUpdating: (isUpdating: boolean) => void;
  readonly onBack: () => void;
  readonly onStart: () => void;
}

/** Step 2: what would be imported, and which lines and columns would not. */
function PreviewStep({ name, file, isUpdating, onUpdating, onBack, onStart }: PreviewStepProps) {
  const { people, problems, rejectedLines, unknownColumns } = file;
  const summary = useRef<HTMLParagraphElement>(null);
  // The button of the previous step is gone; screen readers continue with the summary.
  useEffect(() => summary.current?.focus(), []);
  return (
    <DialogBody
      onSubmit={() => people.length > 0 && onStart()}
      footer={
        <>
          <Button onClick={onBack}>Choose another file</Button>
          <Button type="submit" variant="primary" disabled={people.length === 0}>
            {`Import ${formatCount(people.length, 'person', 'people')}`}
          </Button>
        </>
      }
    >
      <p ref={summary} tabIndex={-1}>
        <strong>{name}</strong>: {formatCount(people.length, 'person', 'people')} can be imported
        {problems.length > 0 && `, ${formatCount(rejectedLines, 'line', 'lines')} cannot`}.
      </p>
      {unknownColumns.length > 0 && (
        <Notice>Unknown columns are ignored: {listColumns(unknownColumns)}.</Notice>
      )}
      {problems.length > 0 && <LineList title="Skipped lines" lines={problems} />}
      <CheckboxField
        label={updateLabel}
        hint="Overwrites their names and roles with values from the file. Empty cells change nothing."
        isChecked={isUpdating}
        onChange={onUpdating}
      />
    </DialogBody>
  );
}

interface ProgressStepProps {
  readonly progress: ImportProgress;
  readonly totalCount: number;
  readonly onStop: () => void;
  readonly onResume: () => void;
  readonly onClose: () => void;
}

/** Step 3: progress, and afterwards what became of each line. */
function ProgressStep({ progress, totalCount, onStop, onResume, onClose }: ProgressStepProps) {
  const { state, sentCount, reportLines, tally, error } = progress;
  const isRunning = state === 'running' || state === 'stopping';
  const summary = tally.summarize(`check “${updateLabel}” to change them`);
  return (
    <DialogBody
      footer={
        <>
          {isRunning && (
            <Button onClick={onStop} disabled={state === 'stopping'}>
              Cancel
            </Button>
          )}
          {(state === 'stopped' || state === 'failed') && <Button onClick={onResume}>Resume</Button>}
          {!isRunning && (
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          )}
        </>
      }
    >
      <div>
        <progress className={styles.bar} max={totalCount} value={sentCount} aria-label="Import progress" />
        <div className={styles.counts}>
          <span>
            {formatNumber(sentCount)} of {formatCount(totalCount, 'person', 'people')}
          </span>
          {state === 'stopping' && <span className="muted">Stopping after this batch…</span>}
        </div>
      </div>
      {state === 'failed' && <ErrorNotice error={error} title="The import failed" />}
      {!isRunning && (
        <Notice kind={tally.isComplete && state === 'finished' ? 'info' : 'warning'} title={titles[state]}>
          {summary}
          {state !== 'finished' && ' Imported members are kept. You can resume, or import the file again.'}
        </Notice>
      )}
      {!isRunning && reportLines.length > 0 && <LineList title="Lines to check" lines={reportLines} />}
    </DialogBody>
  );
}

const titles = {
  running: '',
  stopping: '',
  stopped: 'Import stopped',
  failed: 'Import incomplete',
  finished: 'Import finished',
} as const;

/** More would bury the rest of the dialog; all lines can be copied or downloaded. */
const shownMax = 100;

/** Messages about lines of the file, with buttons to copy and download all of them. */
function LineList({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  const text = () => `${lines.join('\n')}\n`;
  const rest = lines.length - shownMax;
  return (
    <div className="stack">
      <div className={styles.tools}>
        <h3>{title}</h3>
        <CopyButton text={text()} what="all lines" />
        <Button isSmall onClick={() => saveAs('import-problems.txt', text())}>
          <Download aria-hidden="true" />
          Download
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <section className={styles.lines} aria-label={title} tabIndex={0}>
        <ul>
          {lines.slice(0, shownMax).map((line) => (
            <li key={line}>{line}</li>
          ))}
          {rest > 0 && <li className="muted">And {formatNumber(rest)} more.</li>}
        </ul>
      </section>
    </div>
  );
}

function saveAs(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers start reading the blob only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

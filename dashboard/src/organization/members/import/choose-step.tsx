import { FileUp } from 'lucide-react';
import { type ChangeEvent, type DragEvent, type FormEvent, useId, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import dialog from '../../../ui/dialog.module.css';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import styles from './import.module.css';
import { type PeopleFile, readPeopleFile } from './read-people-file.ts';

interface ChooseStepProps {
  readonly onRead: (name: string, file: PeopleFile) => void;
  readonly onClose: () => void;
}

/**
 * Step 1: a file, dropped or chosen, or pasted text. Reading it may take seconds, but changes
 * nothing.
 */
export function ChooseStep({ onRead, onClose }: ChooseStepProps) {
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The name begins the messages about it: "The text has no column email."
    void read(new Blob([pasted]), 'The text');
  };

  return (
    <form className={dialog.form} onSubmit={submit} noValidate>
      <div className={dialog.content}>
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
      </div>
      <footer className={dialog.footer}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isReading} disabled={pasted.trim() === ''}>
          {isReading ? 'Reading…' : 'Continue'}
        </Button>
      </footer>
    </form>
  );
}

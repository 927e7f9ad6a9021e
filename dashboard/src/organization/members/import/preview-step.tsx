import { type FormEvent, useEffect, useRef } from 'react';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { counted } from '../../../parts/counted.ts';
import dialog from '../../../parts/dialog.module.css';
import { Notice } from '../../../parts/notice.tsx';
import { listColumns } from './list-columns.ts';
import type { PeopleFile } from './read-people-file.ts';
import { ToldList } from './told-list.tsx';

interface PreviewStepProps {
  readonly name: string;
  readonly file: PeopleFile;
  readonly isUpdating: boolean;
  readonly onUpdating: (isUpdating: boolean) => void;
  readonly onBack: () => void;
  readonly onStart: () => void;
}

/** What would be sent, and what not. */
export function PreviewStep({ name, file, isUpdating, onUpdating, onBack, onStart }: PreviewStepProps) {
  const { people, problems, refusedLines, unknownColumns } = file;
  const summary = useRef<HTMLParagraphElement>(null);
  useEffect(() => summary.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (people.length > 0) onStart();
  };
  return (
    <form className={dialog.form} onSubmit={submit}>
      <div className={dialog.content}>
        <p ref={summary} tabIndex={-1}>
          <strong>{name}</strong>: {counted(people.length, 'person', 'people')} can be imported
          {problems.length > 0 && `, ${counted(refusedLines, 'line', 'lines')} cannot`}.
        </p>
        {unknownColumns.length > 0 && (
          <Notice>These columns are not known, and are left out: {listColumns(unknownColumns)}.</Notice>
        )}
        {problems.length > 0 && <ToldList title="Lines that are left out" lines={problems} />}
        <CheckField
          label="Update people who are members already"
          hint="Their names and role become what the file says; what it leaves empty stays. Without this they are left as they are."
          isChecked={isUpdating}
          onChange={onUpdating}
        />
      </div>
      <footer className={dialog.footer}>
        <Button onClick={onBack}>Choose another file</Button>
        <Button type="submit" variant="primary" disabled={people.length === 0}>
          {`Import ${counted(people.length, 'person', 'people')}`}
        </Button>
      </footer>
    </form>
  );
}

import { type FormEvent, useEffect, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CheckboxField } from '../../../ui/checkbox-field.tsx';
import dialog from '../../../ui/dialog.module.css';
import { formatCount } from '../../../ui/format-number.ts';
import { Notice } from '../../../ui/notice.tsx';
import { LineList } from './line-list.tsx';
import { listColumns } from './list-columns.ts';
import type { PeopleFile } from './read-people-file.ts';

/** Also quoted by the summary, which says how to update members that differ. */
export const updateLabel = 'Update existing members';

interface PreviewStepProps {
  readonly name: string;
  readonly file: PeopleFile;
  readonly isUpdating: boolean;
  readonly onUpdating: (isUpdating: boolean) => void;
  readonly onBack: () => void;
  readonly onStart: () => void;
}

/** Step 2: what would be imported, and which lines and columns would not. */
export function PreviewStep({ name, file, isUpdating, onUpdating, onBack, onStart }: PreviewStepProps) {
  const { people, problems, rejectedLines, unknownColumns } = file;
  const summary = useRef<HTMLParagraphElement>(null);
  // The button of the previous step is gone; screen readers continue with the summary.
  useEffect(() => summary.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (people.length > 0) onStart();
  };
  return (
    <form className={dialog.form} onSubmit={submit}>
      <div className={dialog.content}>
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
      </div>
      <footer className={dialog.footer}>
        <Button onClick={onBack}>Choose another file</Button>
        <Button type="submit" variant="primary" disabled={people.length === 0}>
          {`Import ${formatCount(people.length, 'person', 'people')}`}
        </Button>
      </footer>
    </form>
  );
}

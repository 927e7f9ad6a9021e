import { useState } from 'react';
import { ConfirmDialog, FormDialog } from '../../../../components/dialog.tsx';
import { TextField } from '../../../../components/fields.tsx';
import { noteLength } from '../../../../features/capture/save-options.ts';
import { nameOfCopy, nameProblem } from './case-inputs.ts';
import type { CaseChanges, OpenCaseDialog } from './use-case-changes.ts';

interface CaseChangeDialogProps {
  readonly dialog: OpenCaseDialog;
  readonly changes: CaseChanges;
  /** The names of all cases. */
  readonly names: readonly string[];
}

/** The dialog that is open. */
export function CaseChangeDialog({ dialog, changes, names }: CaseChangeDialogProps) {
  const { save, edit, duplicate, remove, open } = changes;
  const shared = { change: changes, onClose: () => open(undefined) };
  switch (dialog.kind) {
    case 'save':
      return (
        <NameDialog
          title="Save as case"
          submitLabel="Save case"
          hint="The variables and the conversation are saved with the preset, for everyone who can read it."
          taken={names}
          canReplace
          onSave={save}
          {...shared}
        />
      );
    case 'edit':
      return (
        <NameDialog
          title={`Edit ${dialog.seen.name}`}
          submitLabel="Save"
          start={dialog.seen.name}
          startNote={dialog.seen.note ?? ''}
          taken={names.filter((name) => name !== dialog.seen.name)}
          onSave={(name, note) => edit(dialog.seen, name, note)}
          {...shared}
        />
      );
    case 'duplicate':
      return (
        <NameDialog
          title={`Duplicate ${dialog.seen.name}`}
          submitLabel="Duplicate case"
          start={nameOfCopy(dialog.seen.name, names)}
          startNote={dialog.seen.note ?? ''}
          taken={names}
          onSave={(name, note) => duplicate(dialog.seen, name, note)}
          {...shared}
        />
      );
    case 'remove':
      return (
        <ConfirmDialog
          title={`Remove ${dialog.seen.name}?`}
          submitLabel="Remove case"
          onSubmit={() => remove(dialog.seen)}
          {...shared}
        >
          <p>This removes the case for everyone. Earlier states of it stay available through the API.</p>
        </ConfirmDialog>
      );
    case 'conflict':
      return (
        <ConfirmDialog
          title={dialog.message}
          submitLabel="Replace case"
          onSubmit={() => save(dialog.name, dialog.note, true)}
          {...shared}
          // The title says it.
          change={{ ...changes, error: null }}
        >
          <p>
            Your inputs replace those of the case, which stay in the history of the preset. To keep both,
            cancel and choose “Save as case…” with another name.
          </p>
        </ConfirmDialog>
      );
  }
}

interface NameDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly hint?: string;
  /** The name to begin with. */
  readonly start?: string;
  readonly startNote?: string;
  readonly taken: readonly string[];
  readonly change: { readonly isPending: boolean; readonly error: unknown };
  /** Whether saving under a name that is taken replaces that case; otherwise it is an error. */
  readonly canReplace?: boolean;
  readonly onSave: (name: string, note: string | null) => void;
  readonly onClose: () => void;
}

function NameDialog(props: NameDialogProps) {
  const { title, submitLabel, hint, start = '', startNote = '' } = props;
  const { taken, change, canReplace, onSave, onClose } = props;
  const [name, setName] = useState(start);
  const [note, setNote] = useState(startNote);
  const { hint: noteHint = 'What a good response has to do, for example.', error: noteError } =
    noteLength(note);
  const trimmed = name.trim();
  const isTaken = taken.includes(trimmed);
  const problem = trimmed === '' ? undefined : nameProblem(trimmed, isTaken && !canReplace);
  return (
    <FormDialog
      title={title}
      submitLabel={isTaken ? 'Replace case' : submitLabel}
      change={change}
      canSubmit={trimmed !== '' && problem === undefined && noteError === undefined}
      onSubmit={() => onSave(trimmed, note.trim() === '' ? null : note.trim())}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={problem}
        hint={isTaken ? 'Replaces the existing case.' : hint}
        placeholder="Angry customer"
        focusOnMount
      />
      <TextField label="Note" lines={2} value={note} onChange={setNote} hint={noteHint} error={noteError} />
    </FormDialog>
  );
}

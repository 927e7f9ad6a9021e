import { useState } from 'react';
import { nameProblem } from '../../../src/core/name.ts';
import { ApiError } from '../api/api-error.ts';
import type { PresetSnapshot } from '../api/presets.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/text-field.tsx';
import { changedTexts } from './changed-texts.ts';
import { edit } from './preset-action.ts';
import { useDialogAction } from './use-dialog-action.tsx';

interface EditDialogProps {
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

/**
 * Edits name and description. After a conflict it keeps what the user typed and takes the rest from
 * the latest state.
 */
export function EditDialog({ snapshot, onClose }: EditDialogProps) {
  const [base, setBase] = useState(snapshot);
  // Undefined until the user types, so that untouched fields follow `base`.
  const [name = base.preset.name, setName] = useState<string>();
  const [description = base.preset.description ?? '', setDescription] = useState<string>();
  const { run, isBusy, error, conflict } = useDialogAction(onClose, setBase);
  const { changed, before } = changedTexts(base.preset, { name, description });
  const nameError = nameErrorOf(name);
  if (conflict) return conflict;

  // The server's issues are JSON Pointers into the request, which has the fields of this form.
  const issues = error instanceof ApiError ? error.issues : [];
  const issueOf = (path: string) => issues.find((issue) => issue.path === path)?.message;
  return (
    <FormDialog
      title="Edit preset"
      submitLabel="Save"
      canSubmit={nameError === undefined && Object.keys(changed).length > 0}
      onSubmit={() => run(edit(changed, before), base)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={nameError ?? issueOf('/name')}
        hint="Up to 200 characters."
        focusOnMount
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        error={issueOf('/description')}
        hint="Optional, up to 2,000 characters."
        lines={5}
      />
    </FormDialog>
  );
}

/** Checks what the server would reject anyway, but while the user types. */
function nameErrorOf(name: string): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) return `The name ${problem}.`;
  return [...name].length > 200 ? 'The name must have at most 200 characters.' : undefined;
}

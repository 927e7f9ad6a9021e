import { useState } from 'react';
import { nameProblem } from '../../../src/core/preset-name.ts';
import { ApiError } from '../api/api-error.ts';
import type { SeenPreset } from '../api/presets.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/text-field.tsx';
import { changedTexts } from './changed-texts.ts';
import { edit } from './preset-action.ts';
import { useDialogAction } from './use-dialog-action.tsx';

interface EditDialogProps {
  readonly seen: SeenPreset;
  readonly onClose: () => void;
}

/** Name and description. After a conflict one goes on with what one has typed, over what it has become. */
export function EditDialog({ seen, onClose }: EditDialogProps) {
  const [base, setBase] = useState(seen);
  // Only what was typed: the rest follows the preset.
  const [name = base.preset.name, setName] = useState<string>();
  const [description = base.preset.description ?? '', setDescription] = useState<string>();
  const { run, isBusy, error, conflict } = useDialogAction(onClose, setBase);
  const { changed, before } = changedTexts(base.preset, { name, description });
  const nameError = nameErrorOf(name);
  if (conflict) return conflict;

  const issues = error instanceof ApiError ? error.issues : [];
  const issueOf = (path: string) => issues.find((issue) => issue.path === path)?.message;
  return (
    <FormDialog
      title="Edit the preset"
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
        hint="1 to 200 characters in one line."
        isFirst
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        error={issueOf('/description')}
        hint="Up to 2,000 characters, or none."
        lines={5}
      />
    </FormDialog>
  );
}

function nameErrorOf(name: string): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) return `The name ${problem}.`;
  return [...name].length > 200 ? 'The name must have at most 200 characters.' : undefined;
}

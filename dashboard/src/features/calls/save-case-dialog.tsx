import { useState } from 'react';
import type { PresetCase } from '../../../../src/api/cases.ts';
import { caseNameProblem } from '../../../../src/core/presets/case-name.ts';
import { useChangeCase } from '../../api/cases.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { useToast } from '../../components/toasts.tsx';
import { noteLength } from '../capture/save-options.ts';

interface SaveCaseDialogProps {
  readonly slug: string;
  readonly content: Pick<PresetCase, 'variables'> & { readonly messages: readonly object[] };
  readonly onClose: () => void;
}

/** Saves what a call asked as a test case of its preset. */
export function SaveCaseDialog({ slug, content, onClose }: SaveCaseDialogProps) {
  const [name, setName] = useState('');
  const [note, setNote] = useState('');
  const saving = useChangeCase(slug);
  const showToast = useToast();
  const trimmed = name.trim();
  const rule = trimmed === '' ? undefined : caseNameProblem(trimmed);
  const { hint, error: noteError } = noteLength(note);
  const save = () =>
    saving.mutate(
      {
        name: trimmed,
        content: {
          variables: content.variables,
          messages: content.messages as PresetCase['messages'],
          note: note.trim() || null,
        },
        seen: undefined,
      },
      {
        onSuccess: () => {
          showToast(`Saved the case ${trimmed} of ${slug}`);
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={`Save as test case of ${slug}`}
      submitLabel="Save case"
      change={saving}
      canSubmit={trimmed !== '' && rule === undefined && noteError === undefined}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onChange={(value) => {
          setName(value);
          saving.reset();
        }}
        error={rule === undefined ? undefined : `The name ${rule}.`}
        hint="The variables and the conversation are saved with the preset, for everyone who can read it. They stay when the content log is deleted."
        placeholder="Angry customer"
        focusOnMount
      />
      <TextField label="Note" lines={2} value={note} onChange={setNote} hint={hint} error={noteError} />
    </FormDialog>
  );
}

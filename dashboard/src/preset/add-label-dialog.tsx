import { useState } from 'react';
import { isLabel, isReservedLabel, labelRule } from '../../../src/core/presets/label.ts';
import { type PresetSnapshot, useLabels } from '../api/presets.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/text-field.tsx';
import { moveLabel } from './preset-action.ts';
import { useDialogAction } from './use-dialog-action.tsx';

interface AddLabelDialogProps {
  /** The version to put the label on. */
  readonly version: number;
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

/** Adds a label to a version, or moves it there if another version has it. */
export function AddLabelDialog({ version, snapshot, onClose }: AddLabelDialogProps) {
  const { data: labels } = useLabels(snapshot.preset.slug, snapshot.etag);
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  const [label, setLabel] = useState('');
  if (conflict) return conflict;

  // The version that has the label now; undefined if it is new.
  const from = labels?.data.find((existing) => existing.label === label)?.version;
  const problem = label === '' ? undefined : problemWith(label, from, version);
  return (
    <FormDialog
      title={`Add label to version ${version}`}
      submitLabel={from === undefined ? 'Add label' : 'Move label here'}
      canSubmit={label !== '' && problem === undefined}
      onSubmit={() => run(moveLabel(label, from, version), snapshot)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <TextField
        label="Label"
        value={label}
        onChange={setLabel}
        error={problem}
        hint={
          from === undefined
            ? 'For example staging. Calls can use it in place of a version number.'
            : `Moves from version ${from} to version ${version}.`
        }
        autoComplete="off"
        isMono
        focusOnMount
      />
    </FormDialog>
  );
}

/** What is wrong with the label, as a sentence; undefined if it can be set. */
function problemWith(label: string, from: number | undefined, version: number): string | undefined {
  if (!isLabel(label)) return `The label ${labelRule}.`;
  if (isReservedLabel(label))
    return `“${label}” always means the ${label === 'latest' ? 'latest' : 'live'} version. Choose another label.`;
  return from === version ? `Version ${version} already has this label.` : undefined;
}

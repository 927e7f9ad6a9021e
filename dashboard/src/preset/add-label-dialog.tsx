import { useState } from 'react';
import { isLabel, isReservedLabel, labelRule } from '../../../src/core/label.ts';
import { type SeenPreset, useLabels } from '../api/presets.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/text-field.tsx';
import { moveLabel } from './preset-action.ts';
import { useDialogAction } from './use-dialog-action.tsx';

interface AddLabelDialogProps {
  readonly version: number;
  readonly seen: SeenPreset;
  readonly onClose: () => void;
}

export function AddLabelDialog({ version, seen, onClose }: AddLabelDialogProps) {
  const { data: labels } = useLabels(seen.preset.slug, seen.etag);
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  const [label, setLabel] = useState('');
  if (conflict) return conflict;

  const from = labels?.data.find((existing) => existing.label === label)?.version;
  const problem = label === '' ? undefined : problemWith(label, from, version);
  return (
    <FormDialog
      title={`Add a label to version ${version}`}
      submitLabel={from === undefined ? 'Add label' : 'Move label here'}
      canSubmit={label !== '' && problem === undefined}
      onSubmit={() => run(moveLabel(label, from, version), seen)}
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
            ? 'Such as staging: 1 to 63 of a-z 0-9 -, beginning with a letter. Calls can name it instead of a number.'
            : `${label} is on version ${from}, and moves here.`
        }
        autoComplete="off"
        isMono
        isFirst
      />
    </FormDialog>
  );
}

function problemWith(label: string, from: number | undefined, version: number): string | undefined {
  if (!isLabel(label)) return `A label ${labelRule}.`;
  if (isReservedLabel(label))
    return `${label} always means the ${label === 'latest' ? 'newest' : 'live'} version. Choose another.`;
  return from === version ? `Version ${version} has this label already.` : undefined;
}

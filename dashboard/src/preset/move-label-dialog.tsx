import { useState } from 'react';
import { type SeenPreset, useVersionCount } from '../api/presets.ts';
import { Button } from '../parts/button.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/text-field.tsx';
import styles from './move-label-dialog.module.css';
import { moveLabel, removeLabel } from './preset-action.ts';
import { useDialogAction } from './use-dialog-action.tsx';

interface MoveLabelDialogProps {
  readonly label: string;
  /** Where it is. */
  readonly version: number;
  readonly seen: SeenPreset;
  readonly onClose: () => void;
}

export function MoveLabelDialog({ label, version, seen, onClose }: MoveLabelDialogProps) {
  const { data: count } = useVersionCount(seen.preset.slug, seen.etag);
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  const [text, setText] = useState('');
  if (conflict) return conflict;

  const target = /^[1-9]\d{0,9}$/.test(text.trim()) ? Number(text) : undefined;
  const problem = text.trim() === '' ? undefined : problemWith(target, version, count);
  return (
    <FormDialog
      title={`Label ${label}`}
      submitLabel="Move"
      canSubmit={target !== undefined && problem === undefined}
      onSubmit={() => target !== undefined && run(moveLabel(label, version, target), seen)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <p>
        It is on version {version}. Calls that name <span className="mono">{label}</span> use the version that
        it is on.
      </p>
      <TextField
        label="Move to version"
        value={text}
        onChange={setText}
        type="number"
        error={problem}
        hint={count === undefined ? undefined : hintOf(count, seen.preset.designated_version.version)}
        isFirst
      />
      <div className={styles.remove}>
        <Button
          isSmall
          variant="danger"
          isBusy={isBusy}
          onClick={() => run(removeLabel(label, version), seen)}
        >
          Remove the label
        </Button>
      </div>
    </FormDialog>
  );
}

function problemWith(target: number | undefined, version: number, count = Number.POSITIVE_INFINITY) {
  if (target === undefined) return 'A version is a whole number from 1.';
  if (target > count) return count === 1 ? 'There is only version 1.' : `There are versions 1 to ${count}.`;
  return target === version ? `It is on version ${version} already.` : undefined;
}

function hintOf(count: number, live: number): string {
  return count === 1 ? 'There is only version 1.' : `1 to ${count}. Version ${live} is live.`;
}

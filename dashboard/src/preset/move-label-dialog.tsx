import { useState } from 'react';
import { type PresetSnapshot, useVersionCount } from '../api/presets.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/text-field.tsx';
import styles from './move-label-dialog.module.css';
import { moveLabel, removeLabel } from './preset-action.ts';
import { useDialogAction } from './use-dialog-action.tsx';

interface MoveLabelDialogProps {
  readonly label: string;
  /** The version that has the label now. */
  readonly version: number;
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

export function MoveLabelDialog({ label, version, snapshot, onClose }: MoveLabelDialogProps) {
  const { data: count } = useVersionCount(snapshot.preset.slug, snapshot.etag);
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
      onSubmit={() => target !== undefined && run(moveLabel(label, version, target), snapshot)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <p>
        Currently on version {version}. Calls that use <span className="mono">{label}</span> get the version
        it is on.
      </p>
      <TextField
        label="Move to version"
        value={text}
        onChange={setText}
        type="number"
        error={problem}
        hint={count === undefined ? undefined : hintOf(count, snapshot.preset.designated_version.version)}
        focusOnMount
      />
      <div className={styles.remove}>
        <Button
          isSmall
          variant="danger"
          isBusy={isBusy}
          onClick={() => run(removeLabel(label, version), snapshot)}
        >
          Remove label
        </Button>
      </div>
    </FormDialog>
  );
}

/** What is wrong with the target version; undefined if the label can move there. */
function problemWith(target: number | undefined, version: number, count = Number.POSITIVE_INFINITY) {
  if (target === undefined) return 'Enter a version number.';
  if (target > count) return count === 1 ? 'There is only version 1.' : `Enter a version from 1 to ${count}.`;
  return target === version ? `The label is already on version ${version}.` : undefined;
}

function hintOf(count: number, live: number): string {
  return count === 1 ? 'There is only version 1.' : `1 to ${count}. Version ${live} is live.`;
}

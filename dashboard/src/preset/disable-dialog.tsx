import type { SeenPreset } from '../api/presets.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { disable } from './preset-action.ts';
import { useDialogAction } from './use-dialog-action.tsx';

interface DisableDialogProps {
  readonly seen: SeenPreset;
  readonly onClose: () => void;
}

export function DisableDialog({ seen, onClose }: DisableDialogProps) {
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  if (conflict) return conflict;
  return (
    <FormDialog
      title="Disable the preset"
      submitLabel="Disable"
      submitVariant="danger"
      onSubmit={() => run(disable, seen)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <p>
        Calls to <strong>{seen.preset.name}</strong> are refused until it is enabled again. It can still be
        read and changed.
      </p>
    </FormDialog>
  );
}

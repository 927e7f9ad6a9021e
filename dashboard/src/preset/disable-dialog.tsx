import type { PresetSnapshot } from '../api/presets.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { disable } from './preset-action.ts';
import { useDialogAction } from './use-dialog-action.tsx';

interface DisableDialogProps {
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

export function DisableDialog({ snapshot, onClose }: DisableDialogProps) {
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  if (conflict) return conflict;
  return (
    <FormDialog
      title="Disable preset"
      submitLabel="Disable"
      submitVariant="danger"
      onSubmit={() => run(disable, snapshot)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <p>
        Calls to <strong>{snapshot.preset.name}</strong> fail until you enable it again. You can still view
        and edit it.
      </p>
    </FormDialog>
  );
}

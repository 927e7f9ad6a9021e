import type { PresetSnapshot } from '../api/presets.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { archive } from './preset-action.ts';
import { useDialogAction } from './use-dialog-action.tsx';

interface ArchiveDialogProps {
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

export function ArchiveDialog({ snapshot, onClose }: ArchiveDialogProps) {
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  if (conflict) return conflict;
  return (
    <FormDialog
      title="Archive preset"
      submitLabel="Archive"
      submitVariant="danger"
      onSubmit={() => run(archive, snapshot)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <p>
        <strong>{snapshot.preset.name}</strong> disappears from the list, and calls to it fail. Its slug and
        history are kept, and you can restore it.
      </p>
    </FormDialog>
  );
}

import type { SeenPreset } from '../api/presets.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { archive } from './preset-action.ts';
import { useDialogAction } from './use-dialog-action.tsx';

interface ArchiveDialogProps {
  readonly seen: SeenPreset;
  readonly onClose: () => void;
}

export function ArchiveDialog({ seen, onClose }: ArchiveDialogProps) {
  const { run, isBusy, error, conflict } = useDialogAction(onClose);
  if (conflict) return conflict;
  return (
    <FormDialog
      title="Archive the preset"
      submitLabel="Archive"
      submitVariant="danger"
      onSubmit={() => run(archive, seen)}
      onClose={onClose}
      isBusy={isBusy}
      error={error}
    >
      <p>
        <strong>{seen.preset.name}</strong> leaves the list, and calls to it are refused. Its slug and its
        history are kept, and it can be restored.
      </p>
    </FormDialog>
  );
}

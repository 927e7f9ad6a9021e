import { type SeenPreset, usePreset } from '../api/presets.ts';
import { FormDialog } from '../parts/dialog.tsx';

interface ConflictDialogProps {
  readonly slug: string;
  /** The state that was seen. */
  readonly before: SeenPreset;
  readonly onClose: () => void;
  /** Do it again against the state that is shown now. */
  readonly onRetry: (now: SeenPreset) => void;
  readonly closeLabel?: string;
}

/** Somebody else changed the preset since it was read. */
export function ConflictDialog({
  slug,
  before,
  onClose,
  onRetry,
  closeLabel = 'Cancel',
}: ConflictDialogProps) {
  const { data, error } = usePreset(slug);
  const isNew = data !== undefined && data.etag !== before.etag;
  return (
    <FormDialog
      title="This preset was changed meanwhile"
      onClose={onClose}
      onSubmit={() => data && onRetry(data)}
      submitLabel="Do it anyway"
      canSubmit={isNew}
      error={error}
      cancelLabel={closeLabel}
    >
      <p>
        You read it with version {before.preset.designated_version.version} live
        {isNew && `; now it is version ${data.preset.designated_version.version}`}.
      </p>
    </FormDialog>
  );
}

import { Plus } from 'lucide-react';
import { Button, ButtonLink } from '../ui/button.tsx';
import { enable } from './preset-action.ts';
import { usePresetActions } from './preset-actions-context.tsx';
import { newVersionPath } from './preset-links.ts';

/**
 * Buttons for a preset that the key may change. A disabled preset must be enabled before it can be
 * archived: the API requires it.
 */
export function HeaderActions() {
  const { slug, snapshot, shownVersion, openDialog, perform, isBusy } = usePresetActions();
  const isDisabled = snapshot.preset.status === 'disabled';
  return (
    <>
      <Button onClick={() => openDialog({ kind: 'edit' })}>Edit…</Button>
      {isDisabled ? (
        <Button onClick={() => perform(enable)} isBusy={isBusy}>
          Enable
        </Button>
      ) : (
        <Button onClick={() => openDialog({ kind: 'disable' })}>Disable…</Button>
      )}
      <Button
        disabled={isDisabled}
        title={isDisabled ? 'Enable the preset before archiving it' : undefined}
        onClick={() => openDialog({ kind: 'archive' })}
      >
        Archive…
      </Button>
      <ButtonLink href={newVersionPath(slug, shownVersion)} variant="primary">
        <Plus aria-hidden="true" />
        New version
      </ButtonLink>
    </>
  );
}

import { Plus } from 'lucide-react';
import { Button, ButtonLink } from '../parts/button.tsx';
import { enable } from './preset-action.ts';
import { usePresetActions } from './preset-actions.tsx';
import { newVersionPath } from './version-address.ts';

/** For a preset that can be changed. */
export function HeaderActions() {
  const { slug, seen, shownVersion, ask, act, isBusy } = usePresetActions();
  const isDisabled = seen.preset.status === 'disabled';
  return (
    <>
      <Button onClick={() => ask({ kind: 'edit' })}>Edit…</Button>
      {isDisabled ? (
        <Button onClick={() => act(enable)} isBusy={isBusy}>
          Enable
        </Button>
      ) : (
        <Button onClick={() => ask({ kind: 'disable' })}>Disable…</Button>
      )}
      <Button
        disabled={isDisabled}
        title={isDisabled ? 'Enable it before archiving it.' : undefined}
        onClick={() => ask({ kind: 'archive' })}
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

import { useState } from 'react';
import type { Key, KeyWithSecret } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { useSession } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SelectField } from '../../ui/select-field.tsx';

interface RotateKeyDialogProps {
  readonly apiKey: Key;
  readonly onRotated: (rotated: KeyWithSecret) => void;
  readonly onClose: () => void;
}

/** Grace periods in seconds. */
const gracePeriods = [
  ['0', 'Immediately'],
  ['3600', 'In 1 hour'],
  ['86400', 'In 1 day'],
  ['604800', 'In 7 days'],
  ['2592000', 'In 30 days'],
] as const;

/** Replaces the secret of a key, with a grace period for the old one. */
export function RotateKeyDialog({ apiKey, onRotated, onClose }: RotateKeyDialogProps) {
  const { key: current, replaceSecret } = useSession();
  const [grace, setGrace] = useState<(typeof gracePeriods)[number][0]>('3600');
  // `hash` identifies a key in the API and does not change with its secret.
  const isCurrent = apiKey.hash === current.hash;
  const rotating = useOrganizationChange<KeyWithSecret>((rotated) => {
    // Switch first: with the old secret, this tab could be signed out before the new one is shown.
    if (isCurrent) replaceSecret(rotated.key);
    onRotated(rotated);
  });
  return (
    <FormDialog
      title={`Rotate ${apiKey.name}`}
      submitLabel="Rotate key"
      onSubmit={() =>
        rotating.mutate({
          method: 'POST',
          path: pathOf('keys', apiKey.hash, 'rotate'),
          body: { grace_period_seconds: Number(grace) },
        })
      }
      onClose={onClose}
      isBusy={rotating.isPending}
      error={rotating.error}
    >
      <p>
        Rotating gives the key a new secret. The old secret keeps working for a while, so that you can update
        your apps.
      </p>
      <SelectField
        label="Old secret expires"
        value={grace}
        options={gracePeriods}
        onChange={setGrace}
        hint={
          grace === '0'
            ? 'Choose this if the secret leaked. Apps that use it stop working now.'
            : 'Until then, both secrets work.'
        }
      />
      {isCurrent && (
        <Notice kind="warning" title="You are signed in with this key">
          This tab switches to the new secret. Other tabs must sign in again once the old one expires.
        </Notice>
      )}
    </FormDialog>
  );
}

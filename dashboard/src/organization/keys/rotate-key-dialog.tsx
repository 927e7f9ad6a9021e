import { useState } from 'react';
import type { Key, KeyWithSecret } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { useSession } from '../../session/session.tsx';

interface RotateKeyDialogProps {
  readonly apiKey: Key;
  readonly onRotated: (rotated: KeyWithSecret) => void;
  readonly onClose: () => void;
}

const graces = [
  ['0', 'At once'],
  ['3600', 'After 1 hour'],
  ['86400', 'After 1 day'],
  ['604800', 'After 7 days'],
  ['2592000', 'After 30 days'],
] as const;

export function RotateKeyDialog({ apiKey, onRotated, onClose }: RotateKeyDialogProps) {
  const { key: current, replaceSecret } = useSession();
  const [grace, setGrace] = useState<(typeof graces)[number][0]>('3600');
  const isCurrent = apiKey.hash === current.hash;
  const rotating = useOrganizationChange<KeyWithSecret>((rotated) => {
    // With the older secret, this tab would be refused before the new one could be read.
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
        The key gets a new secret and stays the same key otherwise. The older secret works on for a while, so
        that the new one can be put where it is used.
      </p>
      <SelectField
        label="The older secret stops"
        value={grace}
        options={graces}
        onChange={setGrace}
        hint={
          grace === '0'
            ? 'Right for a secret that leaked. Whatever uses it is refused from now on.'
            : 'Until then, whoever has the older secret can do all that the key can.'
        }
      />
      {isCurrent && (
        <Notice kind="warning" title="You are signed in with this key">
          This tab goes on with the new secret. Other tabs have to sign in again once the older one has
          stopped.
        </Notice>
      )}
    </FormDialog>
  );
}

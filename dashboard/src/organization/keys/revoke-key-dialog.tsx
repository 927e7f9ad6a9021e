import type { Key } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { useSession } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toasts.tsx';
import { useEnableKey } from './use-enable-key.ts';

interface RevokeKeyDialogProps {
  readonly apiKey: Key;
  readonly action: 'disable' | 'delete';
  readonly onClose: () => void;
}

/** Confirms disabling or deleting a key. Revoking the signed-in key ends the session. */
export function RevokeKeyDialog({ apiKey, action, onClose }: RevokeKeyDialogProps) {
  const { key: current, signOut } = useSession();
  const showToast = useToast();
  const enable = useEnableKey();
  const isCurrent = apiKey.hash === current.hash;
  const isDeleting = action === 'delete';
  const revoking = useOrganizationChange(() => {
    // The next request would return 401 anyway; signing out avoids the error message.
    if (isCurrent) return signOut();
    if (isDeleting) showToast(`Deleted ${apiKey.name}`);
    else showToast(`Disabled ${apiKey.name}`, () => enable(apiKey));
    onClose();
  });
  const path = pathOf('keys', apiKey.hash);
  return (
    <FormDialog
      title={`${isDeleting ? 'Delete' : 'Disable'} ${apiKey.name}`}
      submitLabel={isDeleting ? 'Delete key' : 'Disable key'}
      submitVariant="danger"
      onSubmit={() =>
        revoking.mutate(
          isDeleting ? { method: 'DELETE', path } : { method: 'PATCH', path, body: { disabled: true } },
        )
      }
      onClose={onClose}
      isBusy={revoking.isPending}
      error={revoking.error}
    >
      <p>
        Apps that use <span className="mono">{apiKey.label}</span> stop working immediately.{' '}
        {isDeleting
          ? 'A deleted key cannot be restored. To stop it temporarily, disable it instead.'
          : 'You can enable it again.'}
      </p>
      {isCurrent && (
        <Notice kind="warning" title="You are signed in with this key">
          Your session ends.{!isDeleting && ' You need another management key to enable it again.'}
        </Notice>
      )}
    </FormDialog>
  );
}

import type { Key } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { useSession } from '../../session/session.tsx';
import { useEnableKey } from './use-enable-key.ts';

interface StopKeyDialogProps {
  readonly apiKey: Key;
  readonly action: 'disable' | 'delete';
  readonly onClose: () => void;
}

/** Whatever uses the key stops working, so it is asked first. */
export function StopKeyDialog({ apiKey, action, onClose }: StopKeyDialogProps) {
  const { key: current, signOut } = useSession();
  const tell = useToast();
  const enable = useEnableKey();
  const isCurrent = apiKey.hash === current.hash;
  const isDeleting = action === 'delete';
  const stopping = useOrganizationChange(() => {
    if (isCurrent) return signOut();
    if (isDeleting) tell(`Deleted ${apiKey.name}.`);
    else tell(`Disabled ${apiKey.name}.`, () => enable(apiKey));
    onClose();
  });
  const path = pathOf('keys', apiKey.hash);
  return (
    <FormDialog
      title={`${isDeleting ? 'Delete' : 'Disable'} ${apiKey.name}`}
      submitLabel={isDeleting ? 'Delete key' : 'Disable key'}
      submitVariant="danger"
      onSubmit={() =>
        stopping.mutate(
          isDeleting ? { method: 'DELETE', path } : { method: 'PATCH', path, body: { disabled: true } },
        )
      }
      onClose={onClose}
      isBusy={stopping.isPending}
      error={stopping.error}
    >
      <p>
        Whatever uses <span className="mono">{apiKey.label}</span> is refused from now on.{' '}
        {isDeleting
          ? 'A deleted key cannot be brought back. To stop it for a while, disable it instead.'
          : 'It can be enabled again.'}
      </p>
      {isCurrent && (
        <Notice kind="warning" title="You are signed in with this key">
          This session ends with it.{!isDeleting && ' Another management key is needed to enable it again.'}
        </Notice>
      )}
    </FormDialog>
  );
}

import type { Member } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { useSession } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toasts.tsx';
import styles from '../organization.module.css';
import { useAccess } from '../use-access.ts';

interface RemoveMemberDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/**
 * Confirms removing a member and lists the consequences. Users who remove themselves are signed
 * out.
 */
export function RemoveMemberDialog({ member, onClose }: RemoveMemberDialogProps) {
  const { signOut } = useSession();
  const { isMe } = useAccess();
  const showToast = useToast();
  const removing = useOrganizationChange(() => {
    showToast(`Removed ${member.email}`);
    // Removing a member disables their keys, including the one of this session.
    if (isMe(member.id)) signOut();
    else onClose();
  });
  return (
    <FormDialog
      title={`Remove ${member.email}`}
      submitLabel="Remove member"
      submitVariant="danger"
      onSubmit={() =>
        removing.mutate({ method: 'DELETE', path: pathOf('organization', 'members', member.id) })
      }
      onClose={onClose}
      isBusy={removing.isPending}
      error={removing.error}
    >
      <div className={styles.text}>
        <ul>
          <li>All their keys are disabled immediately. Apps that use them stop working.</li>
          <li>They are removed from all workspaces.</li>
          <li>Their presets stay, and so do keys they created for others.</li>
        </ul>
        <p>
          You can add them again as the same person. Their workspaces are not restored, and their keys stay
          disabled until someone enables them.
        </p>
      </div>
      {isMe(member.id) && (
        <Notice kind="warning" title="This is you">
          This also disables the key you are signed in with, so your session ends.
        </Notice>
      )}
    </FormDialog>
  );
}

import type { Member } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { useSession } from '../../session/session.tsx';
import styles from '../organization.module.css';
import { useAccess } from '../use-access.ts';

interface RemoveMemberDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

export function RemoveMemberDialog({ member, onClose }: RemoveMemberDialogProps) {
  const { signOut } = useSession();
  const { isMe } = useAccess();
  const tell = useToast();
  const removing = useOrganizationChange(() => {
    tell(`Removed ${member.email}.`);
    // With their keys, the one of this session stops.
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
          <li>All their keys are disabled at once. Programs that use one stop working.</li>
          <li>They leave all their workspaces.</li>
          <li>Their presets stay, and so do keys that they made for others.</li>
        </ul>
        <p>
          They can be added again as the same person; their workspaces do not come back by that, and their
          keys stay disabled until somebody enables them.
        </p>
      </div>
      {isMe(member.id) && (
        <Notice kind="warning" title="This is you">
          The key that you are signed in with is disabled as well, so this session ends.
        </Notice>
      )}
    </FormDialog>
  );
}

import type { Workspace, WorkspaceMember } from '../../../../src/api/workspaces.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { messageOf } from '../../ui/error-notice.tsx';
import { useToast } from '../../ui/toasts.tsx';

interface RemoveWorkspaceMemberDialogProps {
  readonly workspace: Workspace;
  readonly member: WorkspaceMember;
  readonly onClose: () => void;
}

/** Confirms removing a member from a workspace; a toast offers undo. */
export function RemoveWorkspaceMemberDialog(props: RemoveWorkspaceMemberDialogProps) {
  const { workspace, member, onClose } = props;
  const showToast = useToast();
  const body = { user_ids: [member.user_id] };
  const path = (change: 'add' | 'remove') => pathOf('workspaces', workspace.id, 'members', change);
  const adding = useOrganizationChange();
  // Callbacks passed to `mutate` are dropped once the dialog is unmounted, so use the promise.
  const undo = () =>
    void adding.mutateAsync({ method: 'POST', path: path('add'), body }).then(
      () => showToast(`Added ${member.email} back to ${workspace.name}`),
      (error) => showToast(`Could not add ${member.email} back: ${messageOf(error)}`),
    );
  const removing = useOrganizationChange(() => {
    showToast(`Removed ${member.email} from ${workspace.name}`, undo);
    onClose();
  });
  return (
    <FormDialog
      title={`Remove ${member.email}`}
      submitLabel="Remove from workspace"
      submitVariant="danger"
      onSubmit={() => removing.mutate({ method: 'POST', path: path('remove'), body })}
      onClose={onClose}
      isBusy={removing.isPending}
      error={removing.error}
    >
      <p>
        They can no longer change presets in <strong>{workspace.name}</strong>, unless they are an admin. They
        stay in the organization. If they have active keys in this workspace, disable or delete those first.
      </p>
    </FormDialog>
  );
}

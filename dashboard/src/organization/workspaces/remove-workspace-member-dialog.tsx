import type { Workspace, WorkspaceMember } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { messageOf } from '../../parts/error-notice.tsx';
import { useToast } from '../../parts/toasts.tsx';

interface RemoveWorkspaceMemberDialogProps {
  readonly workspace: Workspace;
  readonly member: WorkspaceMember;
  readonly onClose: () => void;
}

export function RemoveWorkspaceMemberDialog(props: RemoveWorkspaceMemberDialogProps) {
  const { workspace, member, onClose } = props;
  const tell = useToast();
  const body = { user_ids: [member.user_id] };
  const path = (change: 'add' | 'remove') => pathOf('workspaces', workspace.id, 'members', change);
  const adding = useOrganizationChange();
  // By the promise: what is handed to mutate is not called any more once the dialog is gone.
  const putBack = () =>
    void adding.mutateAsync({ method: 'POST', path: path('add'), body }).then(
      () => tell(`Put ${member.email} back into ${workspace.name}.`),
      (error) => tell(`${member.email} was not put back: ${messageOf(error)}`),
    );
  const removing = useOrganizationChange(() => {
    tell(`Removed ${member.email} from ${workspace.name}.`, putBack);
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
        They can no longer change the presets of <strong>{workspace.name}</strong>, unless they are an
        org:admin. They stay in the organization. As long as they have an active key in this workspace, the
        server refuses it.
      </p>
    </FormDialog>
  );
}

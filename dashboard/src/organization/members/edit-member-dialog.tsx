import { useState } from 'react';
import type { One } from '../../../../src/client/answers.ts';
import type { Member } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toasts.tsx';
import { changedValues } from '../changed-values.ts';
import { useAccess } from '../use-access.ts';
import { type MemberDetails, MemberFields } from './member-fields.tsx';

interface EditMemberDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Changes name and role of a member. Warns users who are about to demote themselves. */
export function EditMemberDialog({ member, onClose }: EditMemberDialogProps) {
  const [details, setDetails] = useState<MemberDetails>(() => detailsOf(member));
  const { isMe } = useAccess();
  const showToast = useToast();
  const changing = useOrganizationChange<One<Member>>(({ data }) => {
    showToast(`Updated ${data.email}`);
    onClose();
  });
  const changes = changedValues(detailsOf(member), details);
  const losesOwnRights = isMe(member.id) && changes?.role === 'org:member';
  return (
    <FormDialog
      title={`Edit ${member.email}`}
      submitLabel="Save"
      onSubmit={() => {
        if (changes === undefined) return onClose();
        changing.mutate({
          method: 'PATCH',
          path: pathOf('organization', 'members', member.id),
          body: changes,
        });
      }}
      onClose={onClose}
      isBusy={changing.isPending}
      error={changing.error}
    >
      <MemberFields details={details} onChange={setDetails} focusOnMount />
      {losesOwnRights && (
        <Notice kind="warning" title="This is you">
          You lose permission to manage the organization immediately. Only another admin can give it back.
        </Notice>
      )}
    </FormDialog>
  );
}

/** An unknown role is shown as member, which grants least. */
function detailsOf({ first_name, last_name, role }: Member): MemberDetails {
  return { first_name, last_name, role: role === 'org:admin' ? 'org:admin' : 'org:member' };
}

import { useState } from 'react';
import type { One } from '../../../../src/client/answers.ts';
import type { Member } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { changedValues } from '../changed-values.ts';
import { useAccess } from '../use-access.ts';
import { type MemberDetails, MemberFields } from './member-fields.tsx';

interface EditMemberDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

export function EditMemberDialog({ member, onClose }: EditMemberDialogProps) {
  const [details, setDetails] = useState<MemberDetails>(() => detailsOf(member));
  const { isMe } = useAccess();
  const tell = useToast();
  const changing = useOrganizationChange<One<Member>>(({ data }) => {
    tell(`Changed ${data.email}.`);
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
      <MemberFields details={details} onChange={setDetails} isFirst />
      {losesOwnRights && (
        <Notice kind="warning" title="This is you">
          With this you give up changing the organization, in this tab at once. Only another org:admin can
          give it back.
        </Notice>
      )}
    </FormDialog>
  );
}

function detailsOf({ first_name, last_name, role }: Member): MemberDetails {
  return { first_name, last_name, role: role === 'org:admin' ? 'org:admin' : 'org:member' };
}

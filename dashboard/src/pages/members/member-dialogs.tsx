import { useState } from 'react';
import type { Member } from '../../../../src/api/members.ts';
import { isEmail, type Role } from '../../../../src/core/organization/organization.ts';
import { changedValues, roleName, useOrganizationChange } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx';
import { RadioField, TextField } from '../../components/fields.tsx';
import { Notice } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAccess } from '../organization/access.tsx';
import styles from '../organization/organization.module.css';

export function AddMemberDialog({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<string>();
  const [details, setDetails] = useState<MemberDetails>({
    first_name: '',
    last_name: '',
    role: 'org:member',
  });
  const showToast = useToast();
  const change = useOrganizationChange<'POST /organization/members'>(({ data }) => {
    showToast(`Added ${data.email} as ${roleName(data.role)}`);
    onClose();
  });
  const submit = () => {
    const address = email.trim();
    if (!isEmail(address)) return setProblem('Enter an email address, such as grace@example.com.');
    const body = { email: address, ...details };
    change.mutate((api) => api.call('POST /organization/members', { body }));
  };
  return (
    <FormDialog
      title="Add member"
      submitLabel="Add member"
      onSubmit={submit}
      onClose={onClose}
      change={change}
    >
      <TextField
        label="Email"
        type="email"
        value={email}
        onChange={(value) => {
          setEmail(value);
          setProblem(undefined);
        }}
        error={problem}
        maxLength={254}
        autoComplete="off"
        focusOnMount
      />
      <MemberFields details={details} onChange={setDetails} />
    </FormDialog>
  );
}

interface MemberDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Changes name and role of a member. Warns users who are about to demote themselves. */
export function EditMemberDialog({ member, onClose }: MemberDialogProps) {
  const [details, setDetails] = useState<MemberDetails>(() => detailsOf(member));
  const { isMe } = useAccess();
  const showToast = useToast();
  const change = useOrganizationChange<'PATCH /organization/members/:id'>(({ data }) => {
    showToast(`Updated ${data.email}`);
    onClose();
  });
  const body = changedValues(detailsOf(member), details);
  const submit = () => {
    if (body === undefined) return onClose();
    const input = { params: { id: member.id }, body };
    change.mutate((api) => api.call('PATCH /organization/members/:id', input));
  };
  return (
    <FormDialog
      title={`Edit ${member.email}`}
      submitLabel="Save"
      onSubmit={submit}
      onClose={onClose}
      change={change}
    >
      <MemberFields details={details} onChange={setDetails} focusOnMount />
      {isMe(member.id) && body?.role === 'org:member' && (
        <Notice kind="warning" title="This is you">
          You lose permission to manage the organization immediately. Only another admin can give it back.
        </Notice>
      )}
    </FormDialog>
  );
}

interface MemberDetails {
  readonly first_name: string;
  readonly last_name: string;
  readonly role: Role;
}

/** An unknown role is shown as member, which grants least. */
function detailsOf({ first_name, last_name, role }: Member): MemberDetails {
  return { first_name, last_name, role: role === 'org:admin' ? 'org:admin' : 'org:member' };
}

interface MemberFieldsProps {
  readonly details: MemberDetails;
  readonly onChange: (details: MemberDetails) => void;
  /** Whether these are the first fields of the dialog. */
  readonly focusOnMount?: boolean;
}

/** The fields of a member that can be changed. */
function MemberFields({ details, onChange, focusOnMount = false }: MemberFieldsProps) {
  return (
    <>
      <div className={styles.pair}>
        <TextField
          label="First name"
          value={details.first_name}
          onChange={(first_name) => onChange({ ...details, first_name })}
          maxLength={200}
          focusOnMount={focusOnMount}
        />
        <TextField
          label="Last name"
          value={details.last_name}
          onChange={(last_name) => onChange({ ...details, last_name })}
          maxLength={200}
        />
      </div>
      <RadioField
        label="Role"
        value={details.role}
        onChange={(role) => onChange({ ...details, role })}
        choices={roleChoices}
      />
    </>
  );
}

const roleChoices = [
  {
    value: 'org:member',
    label: 'Member',
    hint: 'Views the organization, manages their own keys, and changes presets in the default workspace and the workspaces they belong to.',
  },
  {
    value: 'org:admin',
    label: 'Admin',
    hint: 'Manages all members, workspaces, keys and presets.',
  },
] as const;

/** Lists the consequences. Users who remove themselves are signed out. */
export function RemoveMemberDialog({ member, onClose }: MemberDialogProps) {
  const { signOut } = useSession();
  const { isMe } = useAccess();
  const showToast = useToast();
  const change = useOrganizationChange(() => {
    showToast(`Removed ${member.email}`);
    // Removing a member disables their keys, including the one of this session.
    if (isMe(member.id)) signOut();
    else onClose();
  });
  return (
    <ConfirmDialog
      title={`Remove ${member.email}`}
      submitLabel="Remove member"
      onSubmit={() =>
        change.mutate((api) => api.call('DELETE /organization/members/:id', { params: { id: member.id } }))
      }
      onClose={onClose}
      change={change}
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
    </ConfirmDialog>
  );
}

import { useState } from 'react';
import type { Person } from '../../../../src/api/people.ts';
import { isEmail, type Role } from '../../../../src/core/organization/organization.ts';
import { isStatus, issueOf } from '../../api/api-error.ts';
import { useOrganizationChange } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { OnceDialog } from '../../components/once-dialog.tsx';
import { Time } from '../../components/time.tsx';
import styles from '../../features/organization/organization.module.css';
import { RoleField } from './role-field.tsx';
import { changedRoles, type WorkspaceRoles, WorkspaceRolesField } from './workspace-roles-field.tsx';

/** A link that signs a person in once. */
export interface SignInLink {
  readonly email: string;
  readonly url: string;
  readonly expires_at: string;
}

interface InviteDialogProps {
  readonly onInvited: (link: SignInLink) => void;
  readonly onClose: () => void;
}

/** Adds a person with their roles. No mail is sent: the admin passes the link on. */
export function InviteDialog({ onInvited, onClose }: InviteDialogProps) {
  const { account } = useSession();
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<string>();
  const [role, setRole] = useState<Role>('org:member');
  const [roles, setRoles] = useState<WorkspaceRoles>(() => startRoles(account.workspaces));
  const change = useOrganizationChange<'POST /organization/invitations'>(({ data, url, expires_at }) =>
    onInvited({ email: data.email, url, expires_at }),
  );
  // The person is a member already, or deactivated.
  const refused = isStatus(change.error, 409)
    ? change.error.message
    : issueOf(change.error, '/email', 'The address');
  const submit = () => {
    const address = email.trim();
    if (!isEmail(address)) return setProblem('Enter an email address, such as grace@example.com.');
    const workspaces = changedRoles({}, roles).added;
    // An admin has every workspace.
    const body = { email: address, role, ...(role === 'org:member' && { workspaces: [...workspaces] }) };
    change.mutate((api) => api.call('POST /organization/invitations', { body }));
  };
  return (
    <FormDialog
      title="Invite a person"
      submitLabel="Create invitation"
      onSubmit={submit}
      onClose={onClose}
      change={{ isPending: change.isPending, error: refused === undefined ? change.error : null }}
    >
      <TextField
        label="Email"
        type="email"
        value={email}
        onChange={(value) => {
          setEmail(value);
          setProblem(undefined);
          change.reset();
        }}
        error={problem ?? refused}
        maxLength={254}
        autoComplete="off"
        focusOnMount
      />
      <RoleField role={role} onChange={setRole} />
      {role === 'org:member' && <WorkspaceRolesField roles={roles} onChange={setRoles} />}
    </FormDialog>
  );
}

/** Everyone belongs to the default workspace. */
function startRoles(
  workspaces: readonly { readonly id: string; readonly is_default: boolean }[],
): WorkspaceRoles {
  return Object.fromEntries(workspaces.flatMap(({ id, is_default }) => (is_default ? [[id, 'viewer']] : [])));
}

interface NewLinkDialogProps {
  readonly person: Person;
  readonly onCreated: (link: SignInLink) => void;
  readonly onClose: () => void;
}

/** For somebody who has lost their password or invitation. */
export function NewLinkDialog({ person: { id, email, status }, onCreated, onClose }: NewLinkDialogProps) {
  const isInvited = status === 'invited';
  const change = useOrganizationChange<'POST /organization/people/:id/sign-in-link'>(({ data }) =>
    onCreated({ email, ...data }),
  );
  const inviting = useOrganizationChange<'POST /organization/invitations'>(({ url, expires_at }) =>
    onCreated({ email, url, expires_at }),
  );
  const submit = () =>
    isInvited
      ? inviting.mutate((api) => api.call('POST /organization/invitations', { body: { email } }))
      : change.mutate((api) => api.call('POST /organization/people/:id/sign-in-link', { params: { id } }));
  return (
    <FormDialog
      title={`Sign-in link for ${email}`}
      submitLabel="Create link"
      onSubmit={submit}
      onClose={onClose}
      change={isInvited ? inviting : change}
    >
      <p>
        The link signs them in once, within {isInvited ? 'seven days' : '15 minutes'}, and lets them choose a
        password. Links that you created for them before stop working.
      </p>
    </FormDialog>
  );
}

interface LinkDialogProps {
  readonly link: SignInLink;
  readonly onClose: () => void;
}

export function LinkDialog({ link: { email, url, expires_at }, onClose }: LinkDialogProps) {
  return (
    <OnceDialog
      title={`Link for ${email}`}
      what="link"
      text={url}
      ifLost="If you lose it, create another."
      onClose={onClose}
    >
      <div className={styles.text}>
        <p>
          Send this link to <strong>{email}</strong>. It works once and expires <Time at={expires_at} />.
        </p>
        <p className="muted">Anyone who opens it is signed in as them. Send it only to them.</p>
      </div>
    </OnceDialog>
  );
}

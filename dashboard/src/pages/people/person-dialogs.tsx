import { type ReactNode, useState } from 'react';
import type { Person } from '../../../../src/api/people.ts';
import { isEmail, type Role } from '../../../../src/core/organization/organization.ts';
import type { Api } from '../../api/api.ts';
import { isStatus } from '../../api/api-error.ts';
import { changedValues } from '../../api/changed-values.ts';
import { useOrganizationChange, usePersonSessions } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, Dialog, DialogBody, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAccess } from '../../features/organization/access.tsx';
import styles from '../../features/organization/organization.module.css';
import { SessionTable } from '../../features/organization/session-table.tsx';
import { RoleField } from './role-field.tsx';
import { changedRoles, type WorkspaceRoles, WorkspaceRolesField } from './workspace-roles-field.tsx';

interface PersonDialogProps {
  readonly person: Person;
  readonly onClose: () => void;
}

/** Changes name, address and roles of a person. Warns users who are about to demote themselves. */
export function EditPersonDialog({ person, onClose }: PersonDialogProps) {
  const [details, setDetails] = useState<PersonDetails>(() => detailsOf(person));
  const [problem, setProblem] = useState<string>();
  const before = rolesOf(person);
  const [roles, setRoles] = useState(before);
  const { isMe } = useAccess();
  const showToast = useToast();
  const change = useOrganizationChange<'GET /organization/people/:id'>(({ data }) => {
    showToast(`Updated ${data.email}`);
    onClose();
  });
  const body = changedValues(detailsOf(person), details);
  // With a new role, the conflict may be that this is the last admin.
  const taken =
    isStatus(change.error, 409) && body?.email !== undefined && body.role === undefined
      ? change.error.message
      : undefined;
  const hasRoles = details.role === 'org:member';
  const submit = () => {
    if (body?.email !== undefined && !isEmail(body.email))
      return setProblem('Enter an email address, such as grace@example.com.');
    change.mutate(async (api) => {
      // The role in the organization first: an admin cannot have another role in a workspace.
      const params = { id: person.id };
      if (body !== undefined) await api.call('PATCH /organization/members/:id', { params, body });
      if (hasRoles) await changeRoles(api, person.id, before, roles);
      return api.call('GET /organization/people/:id', { params });
    });
  };
  return (
    <FormDialog
      title={`Edit ${person.email}`}
      submitLabel="Save"
      onSubmit={submit}
      onClose={onClose}
      change={{ isPending: change.isPending, error: taken === undefined ? change.error : null }}
    >
      <div className={styles.pair}>
        <TextField
          label="First name"
          value={details.first_name}
          onChange={(first_name) => setDetails({ ...details, first_name })}
          maxLength={200}
          focusOnMount
        />
        <TextField
          label="Last name"
          value={details.last_name}
          onChange={(last_name) => setDetails({ ...details, last_name })}
          maxLength={200}
        />
      </div>
      <TextField
        label="Email"
        type="email"
        value={details.email}
        onChange={(email) => {
          setDetails({ ...details, email: email.trim() });
          setProblem(undefined);
          change.reset();
        }}
        error={problem ?? taken}
        hint={
          person.is_provisioned
            ? 'The identity provider manages this account: a new address stays until the provider sends another one.'
            : undefined
        }
        maxLength={254}
        autoComplete="off"
      />
      {body?.email !== undefined && (
        <Notice title="Another address">
          Sign-in links sent to {person.email} stop working. If somebody else may have used the account,
          remove the member and invite the right address.
        </Notice>
      )}
      <RoleField role={details.role} onChange={(role) => setDetails({ ...details, role })} />
      {hasRoles && <WorkspaceRolesField roles={roles} onChange={setRoles} />}
      {isMe(person.id) && body?.role === 'org:member' && (
        <Notice kind="warning" title="This is you">
          You lose permission to manage the organization immediately. Only another admin can give it back.
        </Notice>
      )}
    </FormDialog>
  );
}

interface PersonDetails {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: Role;
}

function detailsOf({ email, first_name, last_name, role }: Person): PersonDetails {
  return { email, first_name, last_name, role };
}

function rolesOf({ workspaces }: Person): WorkspaceRoles {
  return Object.fromEntries(workspaces.map(({ id, role }) => [id, role]));
}

/** One request per workspace. If one fails, the list shows how far it got. */
async function changeRoles(
  api: Api,
  userId: string,
  before: WorkspaceRoles,
  after: WorkspaceRoles,
): Promise<void> {
  const { added, changed, removed } = changedRoles(before, after);
  for (const { id, role } of added)
    await api.call('POST /workspaces/:id/members/add', {
      params: { id },
      body: { user_ids: [userId], role },
    });
  for (const { id, role } of changed)
    await api.call('PATCH /workspaces/:id/members/:user_id', {
      params: { id, user_id: userId },
      body: { role },
    });
  for (const id of removed)
    await api.call('POST /workspaces/:id/members/remove', { params: { id }, body: { user_ids: [userId] } });
}

/** Where a person is signed in. */
export function SessionsDialog({ person: { id, email }, onClose }: PersonDialogProps) {
  const { account } = useSession();
  const query = usePersonSessions(id);
  const showToast = useToast();
  const ending = useOrganizationChange();
  const endAll = () =>
    ending.mutate((api) => api.call('DELETE /organization/people/:id/sessions', { params: { id } }), {
      onSuccess: () => {
        showToast(`Ended all sessions of ${email}`);
        onClose();
      },
    });
  return (
    <Dialog title={`Sessions of ${email}`} onClose={onClose} isWide>
      <DialogBody
        footer={
          <>
            {/* Ending one's own is on the account page, which also signs out this tab. */}
            {id !== account.id && query.data?.data.length !== 0 && (
              <Button variant="danger" isBusy={ending.isPending} onClick={endAll}>
                End all sessions
              </Button>
            )}
            <Button onClick={onClose}>Done</Button>
          </>
        }
      >
        {ending.error && <ErrorNotice error={ending.error} />}
        <SessionTable
          query={query}
          isEnding={ending.isPending}
          onEnd={({ id: session_id, label }) =>
            ending.mutate(
              (api) =>
                api.call('DELETE /organization/people/:id/sessions/:session_id', {
                  params: { id, session_id },
                }),
              { onSuccess: () => showToast(`Ended ${label}`) },
            )
          }
        />
      </DialogBody>
    </Dialog>
  );
}

interface ConfirmPersonDialogProps extends PersonDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly send: (api: Api) => ReturnType<Api['call']>;
  /** Confirms the change in a toast. */
  readonly message: string;
  /** Shown to users who are about to change their own account, which signs them out. */
  readonly warning: string;
  readonly children: ReactNode;
}

/** Confirms a change after which somebody cannot sign in. */
function ConfirmPersonDialog(props: ConfirmPersonDialogProps) {
  const { person, send, message, warning, children, ...dialog } = props;
  const { signOut } = useSession();
  const isMe = useAccess().isMe(person.id);
  const showToast = useToast();
  const change = useOrganizationChange(() => {
    if (isMe) return void signOut({ isEnded: true });
    showToast(message);
    dialog.onClose();
  });
  return (
    <ConfirmDialog {...dialog} onSubmit={() => change.mutate(send)} change={change}>
      <div className={styles.text}>{children}</div>
      {isMe && (
        <Notice kind="warning" title="This is you">
          {warning}
        </Notice>
      )}
    </ConfirmDialog>
  );
}

export function DeactivateDialog({ person, onClose }: PersonDialogProps) {
  const { id, email } = person;
  return (
    <ConfirmPersonDialog
      person={person}
      title={`Deactivate ${email}`}
      submitLabel="Deactivate"
      send={(api) => api.call('POST /organization/people/:id/deactivate', { params: { id } })}
      message={`Deactivated ${email}`}
      warning="Your session ends, and another admin has to reactivate you."
      onClose={onClose}
    >
      <p>Within a second, on every server:</p>
      <ul>
        <li>Their sessions end, and they cannot sign in.</li>
        <li>Their keys and the apps that use them stop working.</li>
      </ul>
      <p>Their roles, keys and presets stay. You can reactivate them at any time.</p>
    </ConfirmPersonDialog>
  );
}

export function ReactivateDialog({ person: { id, email }, onClose }: PersonDialogProps) {
  const showToast = useToast();
  const change = useOrganizationChange(() => {
    showToast(`Reactivated ${email}`);
    onClose();
  });
  return (
    <FormDialog
      title={`Reactivate ${email}`}
      submitLabel="Reactivate"
      onSubmit={() =>
        change.mutate((api) => api.call('POST /organization/people/:id/reactivate', { params: { id } }))
      }
      onClose={onClose}
      change={change}
    >
      <p>They can sign in again with the roles that they had. Their keys work again, unless disabled.</p>
    </FormDialog>
  );
}

export function RemovePersonDialog({ person, onClose }: PersonDialogProps) {
  const { id, email } = person;
  return (
    <ConfirmPersonDialog
      person={person}
      title={`Remove ${email}`}
      submitLabel="Remove person"
      send={(api) => api.call('DELETE /organization/members/:id', { params: { id } })}
      message={`Removed ${email}`}
      warning="Your session ends."
      onClose={onClose}
    >
      <ul>
        <li>Their sessions end, and all their keys are disabled. Apps that use them stop working.</li>
        <li>They are removed from all workspaces.</li>
        <li>Their unsaved drafts are deleted.</li>
        <li>Their presets stay, and so do keys they created for others.</li>
      </ul>
      <p>
        You can invite them again as the same person. Their workspaces are not restored, and their keys stay
        disabled until someone enables them. To stop their access for a while, deactivate them instead.
      </p>
    </ConfirmPersonDialog>
  );
}

import { ArrowLeft, UserMinus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { Workspace, WorkspaceMember } from '../../../../src/api/workspaces.ts';
import { isEmail } from '../../../../src/core/organization/organization.ts';
import type { WorkspaceRole } from '../../../../src/core/organization/workspace-role.ts';
import { isStatus } from '../../api/api-error.ts';
import {
  findMember,
  useOrganizationChange,
  useWorkspace,
  useWorkspaceMembers,
} from '../../api/organization.ts';
import { mayIn } from '../../api/rights.ts';
import { useSession } from '../../api/session.ts';
import { workspacePath } from '../../components/addresses.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, ButtonLink, IconButton } from '../../components/button.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice, messageOf } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { capitalize } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { MemberField } from '../members/member-field.tsx';
import styles from '../organization/organization.module.css';
import { RemoveWorkspaceMemberDialog } from './workspace-dialogs.tsx';
import { roleOptions } from './workspace-roles.ts';

/**
 * The members of a workspace and their roles, which its admins can change. Everyone belongs to the
 * default workspace, so nobody can be added there or removed.
 */
export function WorkspaceMembersPage({ idOrSlug }: { readonly idOrSlug: string }) {
  const { data: workspace, error, refetch } = useWorkspace(idOrSlug);
  const { account } = useSession();
  const [removed, setRemoved] = useState<WorkspaceMember>();
  const access = account.workspaces.find(({ id }) => id === workspace?.id);
  const canChange = access !== undefined && mayIn(account, access, 'administer');
  const canAdd = canChange && workspace?.is_default === false;
  return (
    <Page
      title={workspace === undefined ? 'Workspace' : `Members of ${workspace.name}`}
      aside={workspace?.is_default && <Badge tone="accent">Default</Badge>}
      lead={leadOf(workspace, canChange)}
      actions={
        <>
          <ButtonLink href="/organization/workspaces">
            <ArrowLeft aria-hidden="true" />
            All workspaces
          </ButtonLink>
          {access && <ButtonLink href={workspacePath(access.slug)}>Show presets</ButtonLink>}
        </>
      }
    >
      <Panel isFlush>
        {isStatus(error, 404) ? (
          <EmptyState title="Workspace not found">{error.message}</EmptyState>
        ) : error ? (
          <div className={styles.inset}>
            <ErrorNotice error={error} retry={() => void refetch()} />
          </div>
        ) : workspace === undefined ? (
          <Loading label="Loading workspace" />
        ) : (
          <>
            {workspace.is_default && (
              <p className={`${styles.inset} muted`}>
                Everyone in the organization belongs to the default workspace, so you cannot add or remove
                members here.
              </p>
            )}
            {canAdd && <AddWorkspaceMember workspace={workspace} />}
            <WorkspaceMemberList
              workspace={workspace}
              canChange={canChange}
              {...(canAdd && { onRemove: setRemoved })}
            />
          </>
        )}
      </Panel>
      {removed && workspace && (
        <RemoveWorkspaceMemberDialog
          workspace={workspace}
          member={removed}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Page>
  );
}

/** Explains why there are no buttons, if there are none. */
function leadOf(workspace: Workspace | undefined, canChange: boolean): string | undefined {
  if (workspace === undefined) return undefined;
  return canChange
    ? (workspace.description ?? undefined)
    : 'Only admins of the workspace can make changes here.';
}

/** Adds a member by email address. The API takes user IDs, so the address is looked up first. */
function AddWorkspaceMember({ workspace }: { readonly workspace: Workspace }) {
  const { api } = useSession();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<WorkspaceRole>('editor');
  const [problem, setProblem] = useState<string>();
  const [isAdding, setIsAdding] = useState(false);
  const showToast = useToast();
  const adding = useOrganizationChange<'POST /workspaces/:id/members/add'>(({ added_count }) => {
    const person = email.trim();
    showToast(added_count > 0 ? `Added ${person} as ${role}` : `${person} is already a member`);
    setEmail('');
  });

  async function add(event: FormEvent) {
    event.preventDefault();
    const address = email.trim();
    if (!isEmail(address)) return setProblem('Choose a member from the list or enter a full email address.');
    setIsAdding(true);
    try {
      const { id } = await findMember(api, address);
      const input = { params: { id: workspace.id }, body: { user_ids: [id], role } };
      await adding.mutateAsync(() => api.call('POST /workspaces/:id/members/add', input));
    } catch (error) {
      setProblem(messageOf(error));
    }
    setIsAdding(false);
  }

  return (
    <form className={styles.filters} onSubmit={(event) => void add(event)} noValidate>
      <div className={styles.grow}>
        <MemberField
          label="Add organization member"
          placeholder="Search by name or email"
          value={email}
          onChange={(value) => {
            setEmail(value);
            setProblem(undefined);
          }}
          error={problem}
        />
      </div>
      <SelectField label="Role" value={role} options={roleOptions} onChange={setRole} />
      <Button type="submit" isBusy={isAdding}>
        Add
      </Button>
    </form>
  );
}

const limit = 50;

interface WorkspaceMemberListProps {
  readonly workspace: Workspace;
  readonly canChange: boolean;
  /** Absent if nobody can be removed here. */
  readonly onRemove?: (member: WorkspaceMember) => void;
}

function WorkspaceMemberList({ workspace, canChange, onRemove }: WorkspaceMemberListProps) {
  const { offset } = useUrlParams();
  const query = useWorkspaceMembers(workspace.id, { offset, limit });
  const columns: readonly Column<WorkspaceMember>[] = [
    { title: 'Email', cell: ({ email }) => email },
    {
      title: 'Role',
      cell: (member) =>
        canChange && member.role !== 'admin' ? (
          <RoleSelect workspace={workspace} member={member} />
        ) : (
          <WorkspaceRoleBadge member={member} />
        ),
    },
    { title: 'Added', cell: ({ created_at }) => <Time at={created_at} /> },
    ...(onRemove ? [removeColumn(onRemove)] : []),
  ];
  return (
    <PagedList query={query} limit={limit} one="member" empty={<EmptyState title="No members" />}>
      {(members, isStale) => (
        <Table
          label={`Members of ${workspace.name}`}
          columns={columns}
          rows={members}
          keyOf={({ user_id }) => user_id}
          isStale={isStale}
        />
      )}
    </PagedList>
  );
}

function WorkspaceRoleBadge({ member: { role, workspace_role } }: { readonly member: WorkspaceMember }) {
  return (
    <span>
      <Badge tone={workspace_role === 'admin' ? 'accent' : 'neutral'}>{capitalize(workspace_role)}</Badge>
      {role === 'admin' && <span className="note"> as admin of the organization</span>}
    </span>
  );
}

interface RoleSelectProps {
  readonly workspace: Workspace;
  readonly member: WorkspaceMember;
}

/** Changes the role right away; a toast offers to undo it. */
function RoleSelect({ workspace, member: { user_id, email, workspace_role } }: RoleSelectProps) {
  const showToast = useToast();
  const { mutateAsync, isPending } = useOrganizationChange();
  const setRole = (role: WorkspaceRole) =>
    mutateAsync((api) =>
      api.call('PATCH /workspaces/:id/members/:user_id', {
        params: { id: workspace.id, user_id },
        body: { role },
      }),
    );
  const fail = (error: unknown) => showToast(`Could not change the role of ${email}: ${messageOf(error)}`);
  const change = (role: WorkspaceRole) =>
    setRole(role).then(
      () =>
        showToast(
          `${email} is now ${role}`,
          () =>
            void setRole(workspace_role).then(() => showToast(`${email} is ${workspace_role} again`), fail),
        ),
      fail,
    );
  return (
    <div className={styles.inlineSelect}>
      <SelectField
        label={`Role of ${email}`}
        isLabelHidden
        value={workspace_role}
        options={roleOptions}
        isDisabled={isPending}
        onChange={(role) => void change(role)}
      />
    </div>
  );
}

function removeColumn(onRemove: (member: WorkspaceMember) => void): Column<WorkspaceMember> {
  return {
    title: 'Actions',
    isTitleHidden: true,
    cell: (member) => (
      <span className={styles.actions}>
        <IconButton icon={UserMinus} title="Remove" of={member.email} onClick={() => onRemove(member)} />
      </span>
    ),
  };
}

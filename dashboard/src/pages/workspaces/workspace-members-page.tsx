import { ArrowLeft } from 'lucide-react';
import { type FormEvent, useMemo, useState } from 'react';
import type { Workspace, WorkspaceMember } from '../../../../src/api/workspaces.ts';
import type { WorkspaceRole } from '../../../../src/core/organization/workspace-role.ts';
import { isStatus } from '../../api/api-error.ts';
import {
  type Directory,
  useDirectory,
  useOrganizationChange,
  useWorkspace,
  useWorkspaceMemberRows,
} from '../../api/organization.ts';
import { mayIn, maySeeMembers } from '../../api/rights.ts';
import { useSession } from '../../api/session.ts';
import { workspacePath } from '../../components/addresses.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import type { Column, Facet } from '../../components/data-table/column.ts';
import { DataTable } from '../../components/data-table/data-table.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice, messageOf } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { capitalize } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { useToast } from '../../components/toasts.tsx';
import styles from '../../features/organization/organization.module.css';
import { PersonLabel } from '../../features/organization/person-label.tsx';
import { personText } from '../../features/organization/person-name.tsx';
import { PersonPicker, type PickedPerson } from '../../features/organization/person-picker.tsx';
import { roleOptions } from '../../features/organization/workspace-roles.ts';
import { RemoveWorkspaceMemberDialog } from './workspace-dialogs.tsx';

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
      guide="organization"
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
        ) : !maySeeMembers(account, workspace.id) ? (
          <EmptyState title="You are not a member">Only members of the workspace see this list.</EmptyState>
        ) : (
          <>
            {workspace.is_default && (
              <p className={`${styles.inset} muted`}>
                Everyone in the organization belongs to the default workspace, so you cannot add or remove
                members here.
              </p>
            )}
            {canAdd && <AddWorkspaceMember workspace={workspace} />}
            <WorkspaceMemberTable
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

/** Adds somebody of the organization. */
function AddWorkspaceMember({ workspace }: { readonly workspace: Workspace }) {
  const [person, setPerson] = useState<PickedPerson>();
  const [role, setRole] = useState<WorkspaceRole>('editor');
  const [problem, setProblem] = useState<string>();
  const showToast = useToast();
  const adding = useOrganizationChange<'POST /workspaces/:id/members/add'>(({ added_count }) => {
    showToast(added_count > 0 ? `Added ${person?.email} as ${role}` : `${person?.email} is already a member`);
    setPerson(undefined);
  });

  function add(event: FormEvent) {
    event.preventDefault();
    if (person === undefined) return setProblem('Choose a person from the list.');
    const input = { params: { id: workspace.id }, body: { user_ids: [person.id], role } };
    adding.mutate((api) => api.call('POST /workspaces/:id/members/add', input), {
      onError: (error) => setProblem(messageOf(error)),
    });
  }

  return (
    <form className={styles.filters} onSubmit={add} noValidate>
      <div className={styles.grow}>
        <PersonPicker
          label="Add a person"
          placeholder="Search by name or email"
          value={person}
          onChange={(next) => {
            setPerson(next);
            setProblem(undefined);
          }}
          error={problem}
        />
      </div>
      <SelectField label="Role" value={role} options={roleOptions} onChange={setRole} />
      <Button type="submit" isBusy={adding.isPending}>
        Add
      </Button>
    </form>
  );
}

interface WorkspaceMemberTableProps {
  readonly workspace: Workspace;
  readonly canChange: boolean;
  /** Absent if nobody can be removed here. */
  readonly onRemove?: (member: WorkspaceMember) => void;
}

function WorkspaceMemberTable({ workspace, canChange, onRemove }: WorkspaceMemberTableProps) {
  const { directory } = useDirectory();
  const columns = useMemo(
    () => columnsOf(workspace, canChange, directory),
    [workspace, canChange, directory],
  );
  return (
    <DataTable
      id="workspace-members"
      label={`Members of ${workspace.name}`}
      noun={['member', 'members']}
      columns={columns}
      source={useWorkspaceMemberRows(workspace.id)}
      keyOf={({ user_id }) => user_id}
      search={{ label: 'Search members', placeholder: 'Search by name, email or role', maxLength: 254 }}
      facets={facets}
      {...(onRemove && {
        rowMenu: (member: WorkspaceMember) => ({
          label: `Actions for ${member.email}`,
          items: [{ text: 'Remove from workspace…', isDangerous: true, onClick: () => onRemove(member) }],
        }),
      })}
    />
  );
}

const facets: readonly Facet<WorkspaceMember>[] = [
  {
    id: 'role',
    label: 'Role',
    options: [['', 'All roles'], ...roleOptions],
    matches: ({ workspace_role }, value) => workspace_role === value,
  },
];

function columnsOf(
  workspace: Workspace,
  canChange: boolean,
  directory: Directory,
): readonly Column<WorkspaceMember>[] {
  return [
    {
      id: 'email',
      title: 'Name',
      isFixed: true,
      value: ({ email }) => personText(directory, email),
      exportValue: ({ email }) => email,
      cell: ({ email }) => (
        <PersonLabel person={{ email, first_name: '', last_name: '', ...directory.get(email) }} />
      ),
    },
    {
      id: 'role',
      title: 'Role',
      isObvious: true,
      isFit: true,
      value: ({ workspace_role }) => workspace_role,
      cell: (member) =>
        canChange && member.role !== 'admin' ? (
          <RoleSelect workspace={workspace} member={member} />
        ) : (
          <WorkspaceRoleBadge member={member} />
        ),
    },
    {
      id: 'added',
      title: 'Added',
      isFit: true,
      isDescendingFirst: true,
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ];
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

import { ArrowLeft, UserMinus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import type { Workspace, WorkspaceMember } from '../../../../src/api/workspaces.ts';
import { isEmail } from '../../../../src/core/organization/organization.ts';
import { isStatus } from '../../api/api-error.ts';
import {
  findMember,
  useOrganizationChange,
  useWorkspace,
  useWorkspaceMembers,
} from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, ButtonLink, IconButton } from '../../components/button.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice, messageOf } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { MemberField } from '../members/member-field.tsx';
import { AccessNotice, RoleBadge, useAccess } from '../organization/access.tsx';
import styles from '../organization/organization.module.css';
import { RemoveWorkspaceMemberDialog } from './workspace-dialogs.tsx';

/**
 * The members of a workspace. Everyone belongs to the default one, so its list cannot be edited.
 */
export function WorkspaceMembersPage({ idOrSlug }: { readonly idOrSlug: string }) {
  const { data: workspace, error, refetch } = useWorkspace(idOrSlug);
  const { isAdmin, restriction } = useAccess();
  const openWorkspace = useOpenWorkspace();
  const [removed, setRemoved] = useState<WorkspaceMember>();
  const canChange = isAdmin && workspace?.is_default === false;
  return (
    <Page
      title={workspace === undefined ? 'Workspace' : `Members of ${workspace.name}`}
      aside={workspace?.is_default && <Badge tone="accent">Default</Badge>}
      lead={restriction ?? workspace?.description ?? undefined}
      actions={
        <>
          <ButtonLink href="/organization/workspaces">
            <ArrowLeft aria-hidden="true" />
            All workspaces
          </ButtonLink>
          {workspace && <Button onClick={() => openWorkspace(workspace)}>Show presets</Button>}
        </>
      }
    >
      <AccessNotice />
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
            {canChange && <AddWorkspaceMember workspace={workspace} />}
            <WorkspaceMemberList workspace={workspace} {...(canChange && { onRemove: setRemoved })} />
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

/** Returns a function that selects a workspace and opens its presets. */
export function useOpenWorkspace() {
  const { chooseWorkspace } = useSession();
  const [, navigate] = useLocation();
  return ({ id, is_default }: Pick<Workspace, 'id' | 'is_default'>) => {
    chooseWorkspace(is_default ? undefined : id);
    navigate('/');
  };
}

/** Adds a member by email address. The API takes user IDs, so the address is looked up first. */
function AddWorkspaceMember({ workspace }: { readonly workspace: Workspace }) {
  const { api } = useSession();
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isAdding, setIsAdding] = useState(false);
  const showToast = useToast();
  const adding = useOrganizationChange<'POST /workspaces/:id/members/add'>(({ added_count }) => {
    const person = email.trim();
    showToast(added_count > 0 ? `Added ${person} to ${workspace.name}` : `${person} is already a member`);
    setEmail('');
  });

  async function add(event: FormEvent) {
    event.preventDefault();
    const address = email.trim();
    if (!isEmail(address)) return setProblem('Choose a member from the list or enter a full email address.');
    setIsAdding(true);
    try {
      const { id } = await findMember(api, address);
      const input = { params: { id: workspace.id }, body: { user_ids: [id] } };
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
      <Button type="submit" isBusy={isAdding}>
        Add
      </Button>
    </form>
  );
}

const limit = 50;

interface WorkspaceMemberListProps {
  readonly workspace: Workspace;
  /** Absent if nobody can be removed here. */
  readonly onRemove?: (member: WorkspaceMember) => void;
}

function WorkspaceMemberList({ workspace, onRemove }: WorkspaceMemberListProps) {
  const { offset } = useUrlParams();
  const query = useWorkspaceMembers(workspace.id, { offset, limit });
  return (
    <PagedList query={query} limit={limit} one="member" empty={<EmptyState title="No members" />}>
      {(members, isStale) => (
        <Table
          label={`Members of ${workspace.name}`}
          columns={onRemove ? [...columns, removeColumn(onRemove)] : columns}
          rows={members}
          keyOf={({ user_id }) => user_id}
          isStale={isStale}
        />
      )}
    </PagedList>
  );
}

const columns: readonly Column<WorkspaceMember>[] = [
  { title: 'Email', cell: ({ email }) => email },
  { title: 'Role', cell: ({ role }) => <RoleBadge role={role} /> },
  { title: 'Added', cell: ({ created_at }) => <Time at={created_at} /> },
];

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

import { UserMinus } from 'lucide-react';
import type { Workspace, WorkspaceMember } from '../../../../src/api/workspaces.ts';
import { useWorkspaceMembers } from '../../api/organization.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Pager } from '../../ui/pager.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useUrlParams } from '../../ui/use-url-params.ts';
import styles from '../organization.module.css';
import { RoleBadge } from '../role-badge.tsx';

const limit = 50;

interface WorkspaceMemberListProps {
  readonly workspace: Workspace;
  /** Absent if nobody can be removed here. */
  readonly onRemove?: (member: WorkspaceMember) => void;
}

export function WorkspaceMemberList({ workspace, onRemove }: WorkspaceMemberListProps) {
  const { offset, change } = useUrlParams();
  const { data, error, isPlaceholderData, refetch } = useWorkspaceMembers(workspace.id, { offset, limit });
  if (error)
    return (
      <div className={styles.inset}>
        <ErrorNotice error={error} title="Could not load the members" retry={() => void refetch()} />
      </div>
    );
  if (data === undefined) return <Loading label="Loading members" />;
  if (data.total_count === 0) return <EmptyState title="No members" />;
  if (data.data.length === 0)
    return (
      <EmptyState title="This page no longer exists">
        <Button onClick={() => change({ offset: '' })}>Go to first page</Button>
      </EmptyState>
    );
  return (
    <>
      <Table
        label={`Members of ${workspace.name}`}
        columns={onRemove ? [...columns, removeColumn(onRemove)] : columns}
        rows={data.data}
        keyOf={({ user_id }) => user_id}
        isStale={isPlaceholderData}
      />
      <Pager
        offset={offset}
        limit={limit}
        totalCount={data.total_count}
        one="member"
        onChange={(next) => change({ offset: next === 0 ? '' : String(next) })}
      />
    </>
  );
}

const columns: readonly Column<WorkspaceMember>[] = [
  { title: 'Email', cell: ({ email }) => email },
  {
    title: 'Role',
    cell: ({ role }) => <RoleBadge role={role} />,
  },
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

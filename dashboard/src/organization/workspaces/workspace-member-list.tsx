import { UserMinus } from 'lucide-react';
import type { Workspace, WorkspaceMember } from '../../../../src/client/organization-answers.ts';
import { useWorkspaceMembers } from '../../api/organization.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { IconButton } from '../../parts/icon-button.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Pager } from '../../parts/pager.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useSearchValues } from '../../parts/use-search-values.ts';
import styles from '../organization.module.css';

const limit = 50;

interface WorkspaceMemberListProps {
  readonly workspace: Workspace;
  /** Absent where nobody can be removed. */
  readonly onRemove?: (member: WorkspaceMember) => void;
}

export function WorkspaceMemberList({ workspace, onRemove }: WorkspaceMemberListProps) {
  const { offset, change } = useSearchValues();
  const { data, error, isPlaceholderData, refetch } = useWorkspaceMembers(workspace.id, { offset, limit });
  if (error)
    return (
      <div className={styles.inset}>
        <ErrorNotice error={error} title="The members could not be read." retry={() => void refetch()} />
      </div>
    );
  if (data === undefined) return <Loading label="Loading members" />;
  if (data.total_count === 0) return <Empty title="Nobody belongs to this workspace" />;
  if (data.data.length === 0)
    return (
      <Empty title="Nobody on this page">
        <Button onClick={() => change({ offset: '' })}>To the first page</Button>
      </Empty>
    );
  return (
    <>
      <Table
        label={`Members of ${workspace.name}`}
        columns={onRemove ? [...facts, removeColumn(onRemove)] : facts}
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

const facts: readonly Column<WorkspaceMember>[] = [
  { title: 'E-mail', cell: ({ email }) => email },
  {
    title: 'Role',
    cell: ({ role }) => <Badge tone={role === 'admin' ? 'accent' : 'neutral'}>{`org:${role}`}</Badge>,
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

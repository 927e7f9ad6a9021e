import { Pencil, UserMinus } from 'lucide-react';
import type { Member } from '../../../../src/client/organization-answers.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from '../organization.module.css';
import { RoleBadge } from '../role-badge.tsx';
import { useAccess } from '../use-access.ts';
import { memberName } from './member-name.ts';

export interface MemberActions {
  readonly onEdit: (member: Member) => void;
  readonly onRemove: (member: Member) => void;
}

interface MemberTableProps {
  readonly members: readonly Member[];
  readonly isStale: boolean;
  /** Absent if the user may not change members. */
  readonly actions?: MemberActions;
}

/** Marks the signed-in user, who must not be removed by accident. */
export function MemberTable({ members, isStale, actions }: MemberTableProps) {
  const { isMe } = useAccess();
  const columns: readonly Column<Member>[] = [
    {
      title: 'Name',
      cell: (member) => (
        <span>
          {memberName(member) === '' ? (
            <span className="muted">No name</span>
          ) : (
            <span className={styles.strong}>{memberName(member)}</span>
          )}
          {isMe(member.id) && <span className="muted"> (you)</span>}
        </span>
      ),
    },
    { title: 'Email', cell: ({ email }) => email },
    {
      title: 'Role',
      cell: ({ role }) => <RoleBadge role={role} />,
    },
    ...(actions ? [actionsColumn(actions)] : []),
  ];
  return <Table label="Members" columns={columns} rows={members} keyOf={({ id }) => id} isStale={isStale} />;
}

function actionsColumn({ onEdit, onRemove }: MemberActions): Column<Member> {
  return {
    title: 'Actions',
    isTitleHidden: true,
    cell: (member) => (
      <span className={styles.actions}>
        <IconButton icon={Pencil} title="Edit" of={member.email} onClick={() => onEdit(member)} />
        <IconButton icon={UserMinus} title="Remove" of={member.email} onClick={() => onRemove(member)} />
      </span>
    ),
  };
}

import { Pencil, Upload, UserMinus, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { isMemberCountExact } from '../../../../src/client/member-count.ts';
import type { Member } from '../../../../src/client/organization-answers.ts';
import { memberName, useMembers } from '../../api/organization.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SearchField } from '../../components/fields.tsx';
import { Loading, lazyComponent } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { AccessNotice, RoleBadge, useAccess } from '../organization/access.tsx';
import styles from '../organization/organization.module.css';
import { AddMemberDialog, EditMemberDialog, RemoveMemberDialog } from './member-dialogs.tsx';

// The CSV reader is loaded only by those who import.
const ImportDialog = lazyComponent(async () => (await import('./import-dialog.tsx')).ImportDialog);

type Open =
  | { readonly kind: 'add' | 'import' }
  | { readonly kind: 'edit' | 'remove'; readonly member: Member };

/** Members of the organization. Only admins can add, import, edit and remove them. */
export function MembersPage() {
  const { isAdmin, restriction } = useAccess();
  const { value, change } = useUrlParams();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const actions = {
    onEdit: (member: Member) => setOpen({ kind: 'edit', member }),
    onRemove: (member: Member) => setOpen({ kind: 'remove', member }),
  };
  return (
    <Page
      title="Members"
      lead={restriction ?? 'Everyone in the organization.'}
      actions={
        isAdmin && (
          <>
            <Button onClick={() => setOpen({ kind: 'import' })}>
              <Upload aria-hidden="true" />
              Import from CSV
            </Button>
            <Button variant="primary" onClick={() => setOpen({ kind: 'add' })}>
              <UserPlus aria-hidden="true" />
              Add member
            </Button>
          </>
        )
      }
    >
      <AccessNotice />
      <Panel isFlush>
        <search className={styles.filters}>
          <div className={styles.grow}>
            <SearchField
              label="Search members"
              placeholder="Search by name or email"
              maxLength={254}
              q={value('q')}
              onSearch={(q) => change({ q, offset: '' }, { replace: true })}
            />
          </div>
        </search>
        <MemberList {...(isAdmin && { actions })} />
      </Panel>
      {open?.kind === 'add' && <AddMemberDialog onClose={close} />}
      {open?.kind === 'edit' && <EditMemberDialog member={open.member} onClose={close} />}
      {open?.kind === 'remove' && <RemoveMemberDialog member={open.member} onClose={close} />}
      {open?.kind === 'import' && <ImportDialog onClose={close} />}
    </Page>
  );
}

const limit = 50;

/** One page of members, filtered by the search in the URL. */
export function MemberList({ actions }: { readonly actions?: MemberActions }) {
  const { value, offset, change } = useUrlParams();
  const q = value('q');
  const { data, error, isPlaceholderData, refetch } = useMembers({ q, offset, limit });
  const goTo = (next: number) => change({ offset: next === 0 ? '' : String(next) });
  if (error)
    return (
      <div className={styles.inset}>
        <ErrorNotice error={error} title="Could not load the members" retry={() => void refetch()} />
      </div>
    );
  if (data === undefined) return <Loading lines={8} label="Loading members" />;
  // Nothing matches the search. Without a search there is always at least the user.
  if (data.total_count === 0)
    return (
      <EmptyState title="No matching members">
        <Button onClick={() => change({ q: '', offset: '' })}>Show all members</Button>
      </EmptyState>
    );
  if (data.data.length === 0)
    return (
      <EmptyState title="This page no longer exists">
        <Button onClick={() => goTo(0)}>Go to first page</Button>
      </EmptyState>
    );
  return (
    <>
      <MemberTable members={data.data} isStale={isPlaceholderData} {...(actions && { actions })} />
      <Pager
        offset={offset}
        limit={limit}
        totalCount={data.total_count}
        isTotalExact={isMemberCountExact(data, offset, q)}
        one="member"
        onChange={goTo}
      />
    </>
  );
}

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

import { Pencil, Upload, UserMinus, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { isMemberCountExact } from '../../../../src/api/member-count.ts';
import type { Member } from '../../../../src/api/members.ts';
import { memberName, useMembers } from '../../api/organization.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SearchField } from '../../components/fields.tsx';
import { lazyComponent } from '../../components/loading.tsx';
import { EmptyState } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
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

interface MemberActions {
  readonly onEdit: (member: Member) => void;
  readonly onRemove: (member: Member) => void;
}

/** The members that match the search in the URL. Marks the signed-in user. */
function MemberList({ actions }: { readonly actions?: MemberActions }) {
  const { isMe } = useAccess();
  const { value, offset, change } = useUrlParams();
  const q = value('q');
  const query = useMembers({ q, offset, limit });
  const columns: readonly Column<Member>[] = [
    {
      title: 'Name',
      cell: (member) => (
        <span>
          {memberName(member) === '' ? (
            <span className="muted">No name</span>
          ) : (
            <span className="strong">{memberName(member)}</span>
          )}
          {isMe(member.id) && <span className="muted"> (you)</span>}
        </span>
      ),
    },
    { title: 'Email', cell: ({ email }) => email },
    { title: 'Role', cell: ({ role }) => <RoleBadge role={role} /> },
    ...(actions ? [actionsColumn(actions)] : []),
  ];
  return (
    <PagedList
      query={query}
      limit={limit}
      isTotalExact={query.data && isMemberCountExact(query.data, offset, q)}
      one="member"
      lines={8}
      // Without a search there is always at least the user.
      empty={
        <EmptyState title="No matching members">
          <Button onClick={() => change({ q: '', offset: '' })}>Show all members</Button>
        </EmptyState>
      }
    >
      {(members, isStale) => (
        <Table label="Members" columns={columns} rows={members} keyOf={({ id }) => id} isStale={isStale} />
      )}
    </PagedList>
  );
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

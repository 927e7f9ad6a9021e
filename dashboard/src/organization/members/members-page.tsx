import { Upload, UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { Member } from '../../../../src/client/organization-answers.ts';
import { Button } from '../../ui/button.tsx';
import { lazyComponent } from '../../ui/lazy-component.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useUrlParams } from '../../ui/use-url-params.ts';
import { AccessNotice } from '../access-notice.tsx';
import styles from '../organization.module.css';
import { useAccess } from '../use-access.ts';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { EditMemberDialog } from './edit-member-dialog.tsx';
import { MemberList } from './member-list.tsx';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';

// The CSV reader is loaded only by those who import.
const ImportDialog = lazyComponent(async () => (await import('./import/import-dialog.tsx')).ImportDialog);

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

import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Account } from '../../../../src/api/account.ts';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import { useWorkspaces } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { workspacePath } from '../../components/addresses.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, ButtonLink, IconButton } from '../../components/button.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatCount, formatNumber } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { useAccess } from '../organization/access.tsx';
import styles from '../organization/organization.module.css';
import { DeleteWorkspaceDialog, WorkspaceDialog } from './workspace-dialogs.tsx';
import { WorkspaceMembersPage } from './workspace-members-page.tsx';

/** All workspaces, or with `?members=` the members of one. */
export function WorkspacesPage() {
  const { value } = useUrlParams();
  const workspace = value('members');
  return workspace === '' ? <WorkspaceList /> : <WorkspaceMembersPage key={workspace} idOrSlug={workspace} />;
}

const limit = 50;

type Open = { readonly kind: 'create' } | { readonly kind: 'edit' | 'delete'; readonly workspace: Workspace };

/** All workspaces. Only admins can create, edit and delete them. */
function WorkspaceList() {
  const { isAdmin, restriction } = useAccess();
  const { account } = useSession();
  const { offset } = useUrlParams();
  const query = useWorkspaces({ offset, limit });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <Page
      title="Workspaces"
      lead={
        restriction ??
        'Each workspace has its own presets, labels and API keys. Everyone belongs to the default one.'
      }
      actions={
        isAdmin && (
          <Button variant="primary" onClick={() => setOpen({ kind: 'create' })}>
            <Plus aria-hidden="true" />
            New workspace
          </Button>
        )
      }
    >
      <Panel isFlush>
        <PagedList query={query} limit={limit} one="workspace" lines={4}>
          {(workspaces, isStale) => (
            <Table
              label="Workspaces"
              columns={[...columns, actionsColumn(account, isAdmin ? setOpen : undefined)]}
              rows={workspaces}
              keyOf={({ id }) => id}
              isStale={isStale}
            />
          )}
        </PagedList>
      </Panel>
      {open?.kind === 'create' && <WorkspaceDialog onClose={close} />}
      {open?.kind === 'edit' && <WorkspaceDialog workspace={open.workspace} onClose={close} />}
      {open?.kind === 'delete' && <DeleteWorkspaceDialog workspace={open.workspace} onClose={close} />}
    </Page>
  );
}

const columns: readonly Column<Workspace>[] = [
  {
    title: 'Name',
    cell: ({ name, is_default }) => (
      <span>
        <span className="strong">{name}</span> {is_default && <Badge tone="accent">Default</Badge>}
      </span>
    ),
  },
  { title: 'Slug', cell: ({ slug }) => <span className="mono">{slug}</span> },
  { title: 'Description', cell: ({ description }) => description },
  {
    title: 'Members',
    isNumber: true,
    cell: ({ slug, name, member_count }) => (
      <Link
        href={`/organization/workspaces?members=${encodeURIComponent(slug)}`}
        aria-label={`${formatCount(member_count, 'member', 'members')} of ${name}`}
      >
        {formatNumber(member_count)}
      </Link>
    ),
  },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** `open` is absent if the user may not change workspaces. */
function actionsColumn(account: Account, open: ((dialog: Open) => void) | undefined): Column<Workspace> {
  return {
    title: 'Actions',
    isTitleHidden: true,
    cell: (workspace) => {
      const { name, is_default } = workspace;
      return (
        <span className={styles.actions}>
          {account.workspaces.some(({ id }) => id === workspace.id) && (
            <ButtonLink isSmall variant="quiet" href={workspacePath(workspace.slug)}>
              Presets<span className="visually-hidden"> of {name}</span>
            </ButtonLink>
          )}
          {open && (
            <IconButton
              icon={Pencil}
              title="Edit"
              of={name}
              onClick={() => open({ kind: 'edit', workspace })}
            />
          )}
          {open && !is_default && (
            <IconButton
              icon={Trash2}
              title="Delete"
              of={name}
              onClick={() => open({ kind: 'delete', workspace })}
            />
          )}
        </span>
      );
    },
  };
}

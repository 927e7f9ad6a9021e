import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import { useWorkspaces } from '../../api/organization.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatCount, formatNumber } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { AccessNotice, useAccess } from '../organization/access.tsx';
import styles from '../organization/organization.module.css';
import { DeleteWorkspaceDialog, WorkspaceDialog } from './workspace-dialogs.tsx';
import { useOpenWorkspace, WorkspaceMembersPage } from './workspace-members-page.tsx';

/** All workspaces, or with `?members=` the members of one. */
export function WorkspacesPage() {
  const { value } = useUrlParams();
  const workspace = value('members');
  return workspace === '' ? <WorkspaceList /> : <WorkspaceMembersPage key={workspace} idOrSlug={workspace} />;
}

const limit = 50;

type Open = { readonly kind: 'create' } | { readonly kind: 'edit' | 'delete'; readonly workspace: Workspace };

/** All workspaces. Only admins can create, edit and delete them. */
export function WorkspaceList() {
  const { isAdmin, restriction } = useAccess();
  const { offset, change } = useUrlParams();
  const { data, error, isPlaceholderData, refetch } = useWorkspaces({ offset, limit });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const goTo = (next: number) => change({ offset: next === 0 ? '' : String(next) });
  const actions = {
    onEdit: (workspace: Workspace) => setOpen({ kind: 'edit', workspace }),
    onDelete: (workspace: Workspace) => setOpen({ kind: 'delete', workspace }),
  };
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
      <AccessNotice />
      <Panel isFlush>
        {error ? (
          <div className={styles.inset}>
            <ErrorNotice error={error} title="Could not load the workspaces" retry={() => void refetch()} />
          </div>
        ) : data === undefined ? (
          <Loading lines={4} label="Loading workspaces" />
        ) : data.data.length === 0 ? (
          <EmptyState title="This page no longer exists">
            <Button onClick={() => goTo(0)}>Go to first page</Button>
          </EmptyState>
        ) : (
          <>
            <WorkspaceTable
              workspaces={data.data}
              isStale={isPlaceholderData}
              {...(isAdmin && { actions })}
            />
            <Pager
              offset={offset}
              limit={limit}
              totalCount={data.total_count}
              one="workspace"
              onChange={goTo}
            />
          </>
        )}
      </Panel>
      {open?.kind === 'create' && <WorkspaceDialog onClose={close} />}
      {open?.kind === 'edit' && <WorkspaceDialog workspace={open.workspace} onClose={close} />}
      {open?.kind === 'delete' && <DeleteWorkspaceDialog workspace={open.workspace} onClose={close} />}
    </Page>
  );
}

interface WorkspaceActions {
  readonly onEdit: (workspace: Workspace) => void;
  readonly onDelete: (workspace: Workspace) => void;
}

interface WorkspaceTableProps {
  readonly workspaces: readonly Workspace[];
  readonly isStale: boolean;
  /** Absent if the user may not change workspaces. */
  readonly actions?: WorkspaceActions;
}

export function WorkspaceTable({ workspaces, isStale, actions }: WorkspaceTableProps) {
  const openWorkspace = useOpenWorkspace();
  const columns: readonly Column<Workspace>[] = [
    ...dataColumns,
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (workspace) => (
        <span className={styles.actions}>
          <Button
            isSmall
            variant="quiet"
            aria-label={`Presets of ${workspace.name}`}
            onClick={() => openWorkspace(workspace)}
          >
            Presets
          </Button>
          {actions && (
            <IconButton
              icon={Pencil}
              title="Edit"
              of={workspace.name}
              onClick={() => actions.onEdit(workspace)}
            />
          )}
          {actions && !workspace.is_default && (
            <IconButton
              icon={Trash2}
              title="Delete"
              of={workspace.name}
              onClick={() => actions.onDelete(workspace)}
            />
          )}
        </span>
      ),
    },
  ];
  return (
    <Table label="Workspaces" columns={columns} rows={workspaces} keyOf={({ id }) => id} isStale={isStale} />
  );
}

const dataColumns: readonly Column<Workspace>[] = [
  {
    title: 'Name',
    cell: ({ name, is_default }) => (
      <span>
        <span className={styles.strong}>{name}</span> {is_default && <Badge tone="accent">Default</Badge>}
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

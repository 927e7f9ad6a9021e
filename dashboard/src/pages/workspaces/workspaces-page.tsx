import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Account } from '../../../../src/api/account.ts';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import { useWorkspaceRows } from '../../api/organization.ts';
import { maySeeMembers } from '../../api/rights.ts';
import { useSession } from '../../api/session.ts';
import { workspacePath } from '../../components/addresses.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/data-table/column.ts';
import { DataTable } from '../../components/data-table/data-table.tsx';
import type { RowMenu } from '../../components/data-table/table-options.ts';
import { Page, Panel } from '../../components/page.tsx';
import { formatCount, formatNumber } from '../../components/text.ts';
import { Time } from '../../components/time.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { useAccess } from '../../features/organization/access.tsx';
import { ContentLogBadge } from '../../features/organization/content-log-badge.tsx';
import { ContentLogDialog } from './content-log-dialog.tsx';
import { DeleteWorkspaceDialog, WorkspaceDialog } from './workspace-dialogs.tsx';
import { WorkspaceMembersPage } from './workspace-members-page.tsx';

/** All workspaces, or with `?members=` the members of one. */
export function WorkspacesPage() {
  const { value } = useUrlParams();
  const workspace = value('members');
  return workspace === '' ? <WorkspaceList /> : <WorkspaceMembersPage key={workspace} idOrSlug={workspace} />;
}

type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'content-log' | 'delete'; readonly workspace: Workspace };

/** All workspaces. Only admins can create, edit and delete them. */
function WorkspaceList() {
  const { isAdmin, restriction } = useAccess();
  const { account } = useSession();
  const source = useWorkspaceRows();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <Page
      guide="organization"
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
        <DataTable
          id="workspaces"
          label="Workspaces"
          noun={['workspace', 'workspaces']}
          columns={columns}
          source={source}
          keyOf={({ id }) => id}
          search={{ label: 'Search workspaces', placeholder: 'Search workspaces', maxLength: 200 }}
          rowMenu={(workspace) => menuOf(account, workspace, isAdmin ? setOpen : undefined)}
        />
      </Panel>
      {open?.kind === 'create' && <WorkspaceDialog onClose={close} />}
      {open?.kind === 'edit' && <WorkspaceDialog workspace={open.workspace} onClose={close} />}
      {open?.kind === 'content-log' && <ContentLogDialog workspace={open.workspace} onClose={close} />}
      {open?.kind === 'delete' && <DeleteWorkspaceDialog workspace={open.workspace} onClose={close} />}
    </Page>
  );
}

const columns: readonly Column<Workspace>[] = [
  {
    id: 'name',
    title: 'Name',
    isFixed: true,
    value: ({ name }) => name,
    cell: (workspace) => (
      <>
        <MembersLink workspace={workspace} className="strong" isRowLink>
          {workspace.name}
        </MembersLink>{' '}
        {workspace.is_default && <Badge tone="accent">Default</Badge>}{' '}
        {workspace.is_observability_io_logging_enabled && <ContentLogBadge />}
      </>
    ),
  },
  {
    id: 'slug',
    title: 'Slug',
    isObvious: true,
    value: ({ slug }) => slug,
    cell: ({ slug }) => <span className="mono">{slug}</span>,
  },
  {
    id: 'description',
    title: 'Description',
    isObvious: true,
    value: ({ description }) => description,
    cell: ({ description }) => description && <span title={description}>{description}</span>,
  },
  {
    id: 'members',
    title: 'Members',
    isNumber: true,
    isDescendingFirst: true,
    value: ({ member_count }) => member_count,
    cell: (workspace) => (
      <MembersLink
        workspace={workspace}
        label={`${formatCount(workspace.member_count, 'member', 'members')} of ${workspace.name}`}
      >
        {formatNumber(workspace.member_count)}
      </MembersLink>
    ),
  },
  {
    id: 'created',
    title: 'Created',
    isFit: true,
    isDescendingFirst: true,
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
];

interface MembersLinkProps {
  readonly workspace: Workspace;
  readonly label?: string;
  readonly className?: string;
  /** A click on the row follows it. */
  readonly isRowLink?: boolean;
  readonly children: ReactNode;
}

/** Only text if the user may not see the members. */
function MembersLink({ workspace: { id, slug }, label, className, isRowLink, children }: MembersLinkProps) {
  const { account } = useSession();
  if (!maySeeMembers(account, id)) return <span className={className}>{children}</span>;
  return (
    <Link href={membersHref(slug)} className={className} aria-label={label} data-row-link={isRowLink}>
      {children}
    </Link>
  );
}

function membersHref(slug: string): string {
  return `/organization/workspaces?members=${encodeURIComponent(slug)}`;
}

/** `open` is absent if the user may not change workspaces. */
function menuOf(account: Account, workspace: Workspace, open: ((dialog: Open) => void) | undefined): RowMenu {
  const { id, slug, name, is_default } = workspace;
  return {
    label: `Actions for ${name}`,
    items: [
      account.workspaces.some((each) => each.id === id) && {
        text: 'Show presets',
        href: workspacePath(slug),
      },
      maySeeMembers(account, id) && { text: 'Show members', href: membersHref(slug) },
      open && { text: 'Edit…', onClick: () => open({ kind: 'edit', workspace }) },
      open && { text: 'Content log…', onClick: () => open({ kind: 'content-log', workspace }) },
      open &&
        !is_default && {
          text: 'Delete…',
          isDangerous: true,
          onClick: () => open({ kind: 'delete', workspace }),
        },
    ],
  };
}

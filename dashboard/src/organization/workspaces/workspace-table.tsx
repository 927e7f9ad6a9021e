import { Pencil, Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { formatCount, formatNumber } from '../../ui/format-number.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from '../organization.module.css';
import { useOpenWorkspace } from './use-open-workspace.ts';

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

import { Pencil, Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import type { Workspace } from '../../../../src/client/organization-answers.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { counted, grouped } from '../../parts/counted.ts';
import { IconButton } from '../../parts/icon-button.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import styles from '../organization.module.css';
import { useGoToWorkspace } from './use-go-to-workspace.ts';

interface WorkspaceActions {
  readonly onEdit: (workspace: Workspace) => void;
  readonly onDelete: (workspace: Workspace) => void;
}

interface WorkspaceTableProps {
  readonly workspaces: readonly Workspace[];
  readonly isStale: boolean;
  /** Absent where nothing may be changed. */
  readonly actions?: WorkspaceActions;
}

export function WorkspaceTable({ workspaces, isStale, actions }: WorkspaceTableProps) {
  const goToWorkspace = useGoToWorkspace();
  const columns: readonly Column<Workspace>[] = [
    ...facts,
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (workspace) => (
        <span className={styles.actions}>
          <Button
            isSmall
            variant="quiet"
            aria-label={`Look at the presets of ${workspace.name}`}
            onClick={() => goToWorkspace(workspace)}
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

const facts: readonly Column<Workspace>[] = [
  {
    title: 'Name',
    cell: ({ name, is_default }) => (
      <span>
        <span className={styles.strong}>{name}</span> {is_default && <Badge tone="accent">default</Badge>}
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
        aria-label={`${counted(member_count, 'member', 'members')} of ${name}`}
      >
        {grouped(member_count)}
      </Link>
    ),
  },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

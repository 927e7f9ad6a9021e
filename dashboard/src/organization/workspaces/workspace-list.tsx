import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import { useWorkspaces } from '../../api/organization.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useUrlParams } from '../../ui/use-url-params.ts';
import { AccessNotice } from '../access-notice.tsx';
import styles from '../organization.module.css';
import { useAccess } from '../use-access.ts';
import { DeleteWorkspaceDialog } from './delete-workspace-dialog.tsx';
import { WorkspaceDialog } from './workspace-dialog.tsx';
import { WorkspaceTable } from './workspace-table.tsx';

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

import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Workspace } from '../../../../src/client/organization-answers.ts';
import { useWorkspaces } from '../../api/organization.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useSearchValues } from '../../parts/use-search-values.ts';
import { AccessNotice } from '../access-notice.tsx';
import styles from '../organization.module.css';
import { useAccess } from '../use-access.ts';
import { DeleteWorkspaceDialog } from './delete-workspace-dialog.tsx';
import { WorkspaceDialog } from './workspace-dialog.tsx';
import { WorkspaceTable } from './workspace-table.tsx';

const limit = 50;

type Open = { readonly kind: 'create' } | { readonly kind: 'edit' | 'delete'; readonly workspace: Workspace };

export function WorkspaceList() {
  const { isAdmin, limit: accessLimit } = useAccess();
  const { offset, change } = useSearchValues();
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
        accessLimit ??
        'Each has presets, labels and API keys of its own. Everybody belongs to the default one.'
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
            <ErrorNotice
              error={error}
              title="The workspaces could not be read."
              retry={() => void refetch()}
            />
          </div>
        ) : data === undefined ? (
          <Loading lines={4} label="Loading workspaces" />
        ) : data.data.length === 0 ? (
          <Empty title="No workspace on this page">
            <Button onClick={() => goTo(0)}>To the first page</Button>
          </Empty>
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

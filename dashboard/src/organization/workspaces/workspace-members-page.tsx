import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import type { WorkspaceMember } from '../../../../src/api/workspaces.ts';
import { isStatus } from '../../api/api-error.ts';
import { useWorkspace } from '../../api/organization.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { AccessNotice } from '../access-notice.tsx';
import styles from '../organization.module.css';
import { useAccess } from '../use-access.ts';
import { AddWorkspaceMember } from './add-workspace-member.tsx';
import { RemoveWorkspaceMemberDialog } from './remove-workspace-member-dialog.tsx';
import { useOpenWorkspace } from './use-open-workspace.ts';
import { WorkspaceMemberList } from './workspace-member-list.tsx';

/**
 * The members of a workspace. Everyone belongs to the default one, so its list cannot be edited.
 */
export function WorkspaceMembersPage({ idOrSlug }: { readonly idOrSlug: string }) {
  const { data: workspace, error, refetch } = useWorkspace(idOrSlug);
  const { isAdmin, restriction } = useAccess();
  const openWorkspace = useOpenWorkspace();
  const [removed, setRemoved] = useState<WorkspaceMember>();
  const canChange = isAdmin && workspace?.is_default === false;
  return (
    <Page
      title={workspace === undefined ? 'Workspace' : `Members of ${workspace.name}`}
      aside={workspace?.is_default && <Badge tone="accent">Default</Badge>}
      lead={restriction ?? workspace?.description ?? undefined}
      actions={
        <>
          <ButtonLink href="/organization/workspaces">
            <ArrowLeft aria-hidden="true" />
            All workspaces
          </ButtonLink>
          {workspace && <Button onClick={() => openWorkspace(workspace)}>Show presets</Button>}
        </>
      }
    >
      <AccessNotice />
      <Panel isFlush>
        {isStatus(error, 404) ? (
          <EmptyState title="Workspace not found">{error.message}</EmptyState>
        ) : error ? (
          <div className={styles.inset}>
            <ErrorNotice error={error} retry={() => void refetch()} />
          </div>
        ) : workspace === undefined ? (
          <Loading label="Loading workspace" />
        ) : (
          <>
            {workspace.is_default && (
              <p className={`${styles.inset} muted`}>
                Everyone in the organization belongs to the default workspace, so you cannot add or remove
                members here.
              </p>
            )}
            {canChange && <AddWorkspaceMember workspace={workspace} />}
            <WorkspaceMemberList workspace={workspace} {...(canChange && { onRemove: setRemoved })} />
          </>
        )}
      </Panel>
      {removed && workspace && (
        <RemoveWorkspaceMemberDialog
          workspace={workspace}
          member={removed}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Page>
  );
}

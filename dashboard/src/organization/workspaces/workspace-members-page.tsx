import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import type { WorkspaceMember } from '../../../../src/client/organization-answers.ts';
import { isStatus } from '../../api/api-error.ts';
import { useWorkspace } from '../../api/organization.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { AccessNotice } from '../access-notice.tsx';
import styles from '../organization.module.css';
import { useAccess } from '../use-access.ts';
import { AddWorkspaceMember } from './add-workspace-member.tsx';
import { RemoveWorkspaceMemberDialog } from './remove-workspace-member-dialog.tsx';
import { useGoToWorkspace } from './use-go-to-workspace.ts';
import { WorkspaceMemberList } from './workspace-member-list.tsx';

/** Who belongs to a workspace. */
export function WorkspaceMembersPage({ idOrSlug }: { readonly idOrSlug: string }) {
  const { data: workspace, error, refetch } = useWorkspace(idOrSlug);
  const { isAdmin, limit } = useAccess();
  const goToWorkspace = useGoToWorkspace();
  const [removed, setRemoved] = useState<WorkspaceMember>();
  const mayChange = isAdmin && workspace?.is_default === false;
  return (
    <Page
      title={workspace === undefined ? 'Workspace' : `Members of ${workspace.name}`}
      aside={workspace?.is_default && <Badge tone="accent">default</Badge>}
      lead={limit ?? workspace?.description ?? undefined}
      actions={
        <>
          <ButtonLink href="/organization/workspaces">
            <ArrowLeft aria-hidden="true" />
            All workspaces
          </ButtonLink>
          {workspace && <Button onClick={() => goToWorkspace(workspace)}>Look at its presets</Button>}
        </>
      }
    >
      <AccessNotice />
      <Panel isFlush>
        {isStatus(error, 404) ? (
          <Empty title="There is no such workspace">{error.message}</Empty>
        ) : error ? (
          <div className={styles.inset}>
            <ErrorNotice error={error} retry={() => void refetch()} />
          </div>
        ) : workspace === undefined ? (
          <Loading label="Loading the workspace" />
        ) : (
          <>
            {workspace.is_default && (
              <p className={`${styles.inset} muted`}>
                Every member of the organization belongs to the default workspace, so nobody is added to it or
                removed from it here.
              </p>
            )}
            {mayChange && <AddWorkspaceMember workspace={workspace} />}
            <WorkspaceMemberList workspace={workspace} {...(mayChange && { onRemove: setRemoved })} />
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

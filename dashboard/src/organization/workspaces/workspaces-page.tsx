import { useUrlParams } from '../../ui/use-url-params.ts';
import { WorkspaceList } from './workspace-list.tsx';
import { WorkspaceMembersPage } from './workspace-members-page.tsx';

/** All workspaces, or with `?members=` the members of one. */
export function WorkspacesPage() {
  const { value } = useUrlParams();
  const workspace = value('members');
  return workspace === '' ? <WorkspaceList /> : <WorkspaceMembersPage key={workspace} idOrSlug={workspace} />;
}

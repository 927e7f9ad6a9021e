import { useSearchValues } from '../../parts/use-search-values.ts';
import { WorkspaceList } from './workspace-list.tsx';
import { WorkspaceMembersPage } from './workspace-members-page.tsx';

/** All of them, or who belongs to one. */
export function WorkspacesPage() {
  const { value } = useSearchValues();
  const workspace = value('members');
  return workspace === '' ? <WorkspaceList /> : <WorkspaceMembersPage key={workspace} idOrSlug={workspace} />;
}

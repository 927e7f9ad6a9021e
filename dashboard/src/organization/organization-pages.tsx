import { NotFoundPage } from '../layout/not-found-page.tsx';
import { useSession } from '../session/session.tsx';
import { AuditPage } from './audit/audit-page.tsx';
import { KeysPage } from './keys/keys-page.tsx';
import { MembersPage } from './members/members-page.tsx';
import { NeedsManagementKey } from './needs-management-key.tsx';
import { WorkspacesPage } from './workspaces/workspaces-page.tsx';

/** By the last segment of the URL. */
const pages = {
  members: { title: 'Members', Part: MembersPage },
  workspaces: { title: 'Workspaces', Part: WorkspacesPage },
  keys: { title: 'Keys', Part: KeysPage },
  audit: { title: 'Audit log', Part: AuditPage },
} as const;

/** The pages below /organization, which share a bundle. The key remounts the page on navigation. */
export function OrganizationPages({ part }: { readonly part: string }) {
  const { isManagement } = useSession();
  if (!isPart(part)) return <NotFoundPage />;
  const { title, Part } = pages[part];
  return isManagement ? <Part key={part} /> : <NeedsManagementKey title={title} />;
}

function isPart(part: string): part is keyof typeof pages {
  return Object.hasOwn(pages, part);
}

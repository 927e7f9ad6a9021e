import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { NotFoundPage, Page, Panel } from '../../components/page.tsx';
import { AuditPage } from '../audit/audit-page.tsx';
import { KeysPage } from '../keys/keys-page.tsx';
import { MembersPage } from '../members/members-page.tsx';
import { WorkspacesPage } from '../workspaces/workspaces-page.tsx';
import styles from './organization.module.css';

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

/**
 * Shown instead of an organization page to users with an API key. It sends no request, since the
 * server would reject all of them.
 */
function NeedsManagementKey({ title }: { readonly title: string }) {
  const { key, signOut } = useSession();
  return (
    <Page title={title}>
      <Panel title="This page needs a management key">
        <div className={styles.text}>
          <p>
            You are signed in with the API key <strong>{key.name}</strong>, which gives access to the presets
            of its workspace only.
          </p>
          <ul>
            <li>The server printed a management key on its first start.</li>
            <li>Anyone who has one can create another for you on the Keys page.</li>
            <li>
              If all of them are lost, run <code>presetd recover</code> on the machine with the database.
            </li>
          </ul>
          <div>
            <Button onClick={signOut}>Sign in with another key</Button>
          </div>
        </div>
      </Panel>
    </Page>
  );
}

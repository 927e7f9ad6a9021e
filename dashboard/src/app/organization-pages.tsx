import type { ComponentType } from 'react';
import { useSession } from '../api/session.ts';
import { Button } from '../components/button.tsx';
import { NotFoundPage, Page, Panel } from '../components/page.tsx';
import styles from '../features/organization/organization.module.css';
import { AuditPage } from '../pages/audit/audit-page.tsx';
import { KeysPage } from '../pages/keys/keys-page.tsx';
import { PeoplePage } from '../pages/people/people-page.tsx';
import { WorkspacesPage } from '../pages/workspaces/workspaces-page.tsx';
import { organizationTitles } from './pages.tsx';

/** The pages by the last segment of their URL. */
const pages: Readonly<Record<keyof typeof organizationTitles, ComponentType>> = {
  members: PeoplePage,
  workspaces: WorkspacesPage,
  keys: KeysPage,
  audit: AuditPage,
};

/** The pages below /organization, which share a bundle. The key remounts the page on navigation. */
export function OrganizationPages({ part }: { readonly part: string }) {
  const { hasOrganization } = useSession();
  if (!isPart(part)) return <NotFoundPage />;
  const Part = pages[part];
  return hasOrganization ? <Part key={part} /> : <NeedsManagementKey title={organizationTitles[part]} />;
}

function isPart(part: string): part is keyof typeof pages {
  return Object.hasOwn(pages, part);
}

/**
 * Shown instead of an organization page to users with an API key. It sends no request, since the
 * server would reject all of them.
 */
function NeedsManagementKey({ title }: { readonly title: string }) {
  const { account, signOut } = useSession();
  return (
    <Page title={title}>
      <Panel title="This page needs your account">
        <div className={styles.text}>
          <p>
            You are signed in with the API key <strong>{account.credential.label}</strong>, which gives access
            to its workspace only.
          </p>
          <ul>
            <li>Sign in with your account, or with a management key.</li>
            <li>An admin can create a sign-in link for you on the People page.</li>
            <li>
              If nobody can sign in, run <code>presetd sign-in-link</code> on the machine with the database.
            </li>
          </ul>
          <div>
            <Button onClick={() => void signOut()}>Sign in another way</Button>
          </div>
        </div>
      </Panel>
    </Page>
  );
}

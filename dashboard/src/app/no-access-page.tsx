import { useEffect, useState } from 'react';
import { useRoute } from 'wouter';
import { useSession } from '../api/session.ts';
import { workspacePath } from '../components/addresses.ts';
import { ButtonLink } from '../components/button.tsx';
import { Loading } from '../components/loading.tsx';
import { Page, Panel } from '../components/page.tsx';

/** Shown for an address in a workspace that the user cannot access, or that does not exist. */
export function NoAccessPage() {
  const { account, refresh } = useSession();
  const [, params] = useRoute('~/w/:workspace/*?');
  const [isFresh, setIsFresh] = useState(false);
  // Somebody may have given access a moment ago.
  useEffect(() => {
    void refresh().then(() => setIsFresh(true));
  }, [refresh]);
  if (!isFresh) return <Loading lines={4} label="Loading workspace" />;
  const name = params?.workspace;
  return (
    <Page title="No access to this workspace">
      <Panel>
        <div className="stack">
          <p>
            You are signed in as <strong>{account.email}</strong> and have no role in the workspace
            {name !== undefined && (
              <>
                {' '}
                <code>{name}</code>
              </>
            )}
            , or it does not exist. An admin of the workspace can add you.
          </p>
          {account.workspaces.length > 0 && (
            <nav aria-label="Your workspaces" className="stack-2">
              <p className="strong">Your workspaces</p>
              <ul className="stack-2">
                {account.workspaces.map(({ id, slug, name: text }) => (
                  <li key={id}>
                    <ButtonLink href={`~${workspacePath(slug)}`}>{text}</ButtonLink>
                  </li>
                ))}
              </ul>
            </nav>
          )}
        </div>
      </Panel>
    </Page>
  );
}

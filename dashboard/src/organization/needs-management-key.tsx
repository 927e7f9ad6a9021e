import { useSession } from '../session/session.tsx';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Panel } from '../ui/panel.tsx';
import styles from './organization.module.css';

/**
 * Shown instead of an organization page to users with an API key. It sends no request, since the
 * server would reject all of them.
 */
export function NeedsManagementKey({ title }: { readonly title: string }) {
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

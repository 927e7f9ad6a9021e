import { Button } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSession } from '../session/session.tsx';
import styles from './organization.module.css';

/** An API key is refused by everything about the organization, so nothing is asked for. */
export function NeedsManagementKey({ title }: { readonly title: string }) {
  const { key, signOut } = useSession();
  return (
    <Page title={title}>
      <Panel title="This page needs a management key">
        <div className={styles.text}>
          <p>
            You are signed in with the API key <strong>{key.name}</strong>, which opens the presets of its
            workspace and nothing of the organization.
          </p>
          <ul>
            <li>The first start of the server printed a management key.</li>
            <li>Whoever has one can make another for you, on the page Keys.</li>
            <li>
              Are all of them lost? <code>presetd recover</code>, on the machine with the database, makes one.
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

import { Link } from 'wouter';
import { useSession } from '../api/session.ts';
import { Logo } from '../components/card-page.tsx';
import { lazyComponent } from '../components/loading.tsx';
import styles from './shell.module.css';

const ApiReferencePage = lazyComponent(
  async () => (await import('../pages/api-reference/api-reference-page.tsx')).ApiReferencePage,
);

/** For signed-in people, whose requests it sends. */
export function ApiReference() {
  const { account, secret, workspaceId } = useSession();
  return <ApiReferencePage account={account} secret={secret} workspaceId={workspaceId} />;
}

/** The one page that people can read without signing in. */
export function PublicApiReference() {
  return (
    <div className={styles.shell}>
      <header className={styles.bar}>
        <Link href="/" className={styles.brand}>
          <Logo />
          presetd
        </Link>
      </header>
      <main className={styles.content}>
        <ApiReferencePage />
      </main>
    </div>
  );
}

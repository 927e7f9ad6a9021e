import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useSession } from '../api/session.ts';
import { Logo } from '../components/card-page.tsx';
import { lazyComponent } from '../components/loading.tsx';
import styles from './shell.module.css';

const ApiReferencePage = lazyComponent(
  async () => (await import('../pages/api-reference/api-reference-page.tsx')).ApiReferencePage,
);

export function PublicApiReference() {
  return (
    <PublicFrame>
      <ApiReferencePage />
    </PublicFrame>
  );
}

/** For signed-in people, whose requests it sends. */
export function ApiReference() {
  const { account, secret, workspaceId } = useSession();
  return <ApiReferencePage account={account} secret={secret} workspaceId={workspaceId} />;
}

/** For the pages that people can read without signing in. */
export function PublicFrame({ children }: { readonly children: ReactNode }) {
  return (
    <div className={styles.shell}>
      <header className={styles.bar}>
        <Link href="/" className={styles.brand}>
          <Logo />
          presetd
        </Link>
      </header>
      <main className={styles.content}>{children}</main>
    </div>
  );
}

import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Logo } from '../ui/logo.tsx';
import styles from './sign-in-page.module.css';

interface SigningInPageProps {
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onSignOut: () => void;
}

/** Shown while the server confirms the key. It stays only if the server cannot be reached. */
export function SigningInPage({ error, onRetry, onSignOut }: SigningInPageProps) {
  if (!error)
    return (
      <main className={styles.page}>
        <div className={styles.card}>
          <h1 className={styles.title}>
            <Logo /> presetd
          </h1>
          <Loading lines={3} label="Signing in" />
        </div>
      </main>
    );
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>presetd</h1>
        <ErrorNotice error={error} retry={onRetry} />
        <Button variant="quiet" onClick={onSignOut}>
          Sign out
        </Button>
      </div>
    </main>
  );
}

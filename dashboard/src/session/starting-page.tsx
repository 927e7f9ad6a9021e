import { Button } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Logo } from '../parts/logo.tsx';
import styles from './sign-in-page.module.css';

interface StartingPageProps {
  readonly error: unknown;
  readonly retry: () => void;
  readonly leave: () => void;
}

/** Between the key and the first page; it stays only where the server does not answer. */
export function StartingPage({ error, retry, leave }: StartingPageProps) {
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
        <ErrorNotice error={error} retry={retry} />
        <Button variant="quiet" onClick={leave}>
          Sign out
        </Button>
      </div>
    </main>
  );
}

import { Link } from 'wouter';
import { Logo } from '../components/card-page.tsx';
import { lazyComponent } from '../components/loading.tsx';
import { ToastProvider } from '../components/toasts.tsx';
import { useAuthentication } from './authentication.tsx';
import { SessionGate } from './session-gate.tsx';
import styles from './shell.module.css';
import { Shell } from './shell.tsx';

const ApiReferencePage = lazyComponent(
  async () => (await import('../pages/api-reference/api-reference-page.tsx')).ApiReferencePage,
);

/** The one page that people can read without signing in. */
export function ApiReference() {
  const { state } = useAuthentication();
  if (state.kind !== 'in')
    return (
      <div className={styles.shell}>
        <header className={styles.bar}>
          <Link href="/" className={styles.brand}>
            <Logo />
            presetd
          </Link>
        </header>
        <main className={styles.content}>
          {/* Not before it is known who is signed in: the page would load twice. */}
          {(state.kind === 'out' || state.error !== null) && <ApiReferencePage />}
        </main>
      </div>
    );
  return (
    <SessionGate>
      <ToastProvider>
        <Shell>
          <ApiReferencePage account={state.account} secret={state.secret} />
        </Shell>
      </ToastProvider>
    </SessionGate>
  );
}

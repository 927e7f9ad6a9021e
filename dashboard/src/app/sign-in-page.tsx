import { type FormEvent, useId, useState } from 'react';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/fields.tsx';
import { Loading } from '../components/loading.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import styles from './sign-in-page.module.css';

interface SignInPageProps {
  /** The server's message about the last key; undefined before the first attempt. */
  readonly rejection: string | undefined;
  /** The rejected key, put back into the field for correction. */
  readonly rejectedKey: string;
  readonly onSignIn: (key: string) => void;
}

/**
 * Asks for a key. It checks only what would make the request impossible; the server decides the
 * rest.
 */
export function SignInPage({ rejection, rejectedKey, onSignIn }: SignInPageProps) {
  const [key, setKey] = useState(rejectedKey);
  const [problem, setProblem] = useState<string>();
  const titleId = useId();

  function submit(event: FormEvent) {
    event.preventDefault();
    const typed = key.trim();
    if (typed === '') return setProblem('Enter a key.');
    // Anything else cannot be sent in a header.
    if (!/^[\x21-\x7e]+$/.test(typed)) return setProblem('Keys contain only ASCII characters and no spaces.');
    onSignIn(typed);
  }

  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={submit} aria-labelledby={titleId}>
        <h1 id={titleId} className={styles.title}>
          <Logo /> Sign in to presetd
        </h1>
        {rejection !== undefined && <Notice kind="danger">{rejection}</Notice>}
        <TextField
          label="Key"
          type="password"
          value={key}
          onChange={(value) => {
            setKey(value);
            setProblem(undefined);
          }}
          error={problem}
          // A key is not a password that the browser should offer to store.
          autoComplete="off"
          isMono
          focusOnMount
          placeholder="sk-pst-v1-…"
        />
        <Button type="submit" variant="primary">
          Sign in
        </Button>
        <div className={styles.hints}>
          <p>
            The server printed two keys on its first start. The <strong>API key</strong> opens the presets of
            one workspace. The <strong>management key</strong> also opens members, keys and the audit log.
          </p>
          <p>The key stays in this tab until you sign out or close it.</p>
        </div>
      </form>
      <p className={styles.foot}>
        <a href="/docs">API reference</a>
      </p>
    </main>
  );
}

interface SigningInPageProps {
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onSignOut: () => void;
}

/** Shown while the server confirms the key. It stays only if the server cannot be reached. */
export function SigningInPage({ error, onRetry, onSignOut }: SigningInPageProps) {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1 className={styles.title}>{!error && <Logo />} presetd</h1>
        {error ? (
          <>
            <ErrorNotice error={error} retry={onRetry} />
            <Button variant="quiet" onClick={onSignOut}>
              Sign out
            </Button>
          </>
        ) : (
          <Loading lines={3} label="Signing in" />
        )}
      </div>
    </main>
  );
}

/** Decorative: the product name always follows it. */
export function Logo() {
  return <img src="/favicon.svg" alt="" width="22" height="22" />;
}

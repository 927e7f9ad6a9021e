import { type FormEvent, useId, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Logo } from '../parts/logo.tsx';
import { Notice } from '../parts/notice.tsx';
import { TextField } from '../parts/text-field.tsx';
import styles from './sign-in-page.module.css';

interface SignInPageProps {
  /** Why the last key was not taken. */
  readonly refusal: string | undefined;
  /** The key that was refused, to be looked at and mended. */
  readonly tried: string;
  readonly onSignIn: (key: string) => void;
}

export function SignInPage({ refusal, tried, onSignIn }: SignInPageProps) {
  const [key, setKey] = useState(tried);
  const [problem, setProblem] = useState<string>();
  const titleId = useId();

  function submit(event: FormEvent) {
    event.preventDefault();
    const given = key.trim();
    if (given === '') return setProblem('Paste a key.');
    if (!/^[\x21-\x7e]+$/.test(given)) return setProblem('A key has no spaces and only plain characters.');
    onSignIn(given);
  }

  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={submit} aria-labelledby={titleId}>
        <h1 id={titleId} className={styles.title}>
          <Logo /> Sign in to presetd
        </h1>
        {refusal !== undefined && <Notice kind="danger">{refusal}</Notice>}
        <TextField
          label="Key"
          type="password"
          value={key}
          onChange={(value) => {
            setKey(value);
            setProblem(undefined);
          }}
          error={problem}
          autoComplete="off"
          isMono
          isFirst
          placeholder="sk-pst-v1-…"
        />
        <Button type="submit" variant="primary">
          Sign in
        </Button>
        <div className={styles.hints}>
          <p>
            The first start of the server printed two: the <strong>API key</strong> opens the presets of its
            workspace, the <strong>management key</strong> the organization as well.
          </p>
          <p>The key stays in this tab, and is forgotten when you sign out or close it.</p>
        </div>
      </form>
      <p className={styles.foot}>
        <a href="/docs">API pages</a>
      </p>
    </main>
  );
}

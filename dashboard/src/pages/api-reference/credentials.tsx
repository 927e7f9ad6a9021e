import { KeyRound, UserRound } from 'lucide-react';
import { useState } from 'react';
import type { Account } from '../../../../src/api/account.ts';
import { personName } from '../../api/organization.ts';
import { signInPath } from '../../components/addresses.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { KeyForm, type UsedKey } from '../../components/key-form.tsx';
import styles from './api-reference.module.css';

interface CredentialsProps {
  /** Who is signed in; undefined if nobody is. */
  readonly account: Account | undefined;
  /** The key that takes the place of the session. */
  readonly usedKey: UsedKey | undefined;
  readonly onChange: (key: UsedKey | undefined) => void;
}

/** Shows which account sends the requests, and accepts another key, held in memory only. */
export function Credentials({ account, usedKey, onChange }: CredentialsProps) {
  const [isAsking, setAsking] = useState(false);
  const caller = usedKey?.account ?? account;
  const use = (key: UsedKey | undefined) => {
    setAsking(false);
    onChange(key);
  };
  const Icon = caller?.credential.kind === 'session' ? UserRound : KeyRound;
  return (
    <section className={styles.panel} aria-label="Credentials">
      <div className={styles.row}>
        <Icon className={styles.icon} aria-hidden="true" />
        <p className={styles.text}>
          {caller === undefined ? (
            'Sign in to try requests on this page, or use a key.'
          ) : (
            <CallerText account={caller} />
          )}
        </p>
        {caller === undefined && (
          <ButtonLink variant="primary" isSmall href={signInPath(`/docs${location.hash}`)}>
            Sign in
          </ButtonLink>
        )}
        {usedKey !== undefined ? (
          <Button isSmall onClick={() => use(undefined)}>
            Stop using this key
          </Button>
        ) : (
          !isAsking && (
            <Button isSmall onClick={() => setAsking(true)}>
              {caller === undefined ? 'Use a key…' : 'Use another key…'}
            </Button>
          )
        )}
      </div>
      {isAsking && (
        <KeyForm
          label="API key or management key"
          hint="Forgotten when you leave the page."
          onUse={use}
          onCancel={() => setAsking(false)}
        />
      )}
    </section>
  );
}

function CallerText({ account }: { readonly account: Account }) {
  const { credential, email, workspaces } = account;
  const name = personName(account) || email;
  if (credential.kind === 'session')
    return (
      <>
        Requests run as <strong>{name}</strong>, with your session. Those about presets go to the workspace
        that <code>workspace_id</code> names, or to the default one.
      </>
    );
  const place = credential.kind === 'api' ? workspaces[0] : undefined;
  return (
    <>
      Requests use the {credential.kind === 'api' ? 'API key' : 'management key'}{' '}
      <code>{credential.label}</code> of <strong>{name}</strong>
      {place !== undefined && ` in the workspace ${place.name}`}.
    </>
  );
}

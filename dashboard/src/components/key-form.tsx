import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account } from '../../../src/api/account.ts';
import { createApi } from '../api/api.ts';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { TextField } from './fields.tsx';
import { messageOf } from './notice.tsx';

/** A key, and whose it is. */
export interface UsedKey {
  readonly secret: string;
  readonly account: Account;
}

interface KeyFormProps {
  readonly label: string;
  readonly hint: string;
  readonly onUse: (key: UsedKey) => void;
  /** Says why a key cannot be used here; undefined if it can. */
  readonly problemWith?: (account: Account) => string | undefined;
  readonly onCancel?: (() => void) | undefined;
}

/**
 * Accepts a key to use on the page. Asks the server whose it is, so that a mistyped one is noticed
 * here.
 */
export function KeyForm({ label, hint, onUse, problemWith, onCancel }: KeyFormProps) {
  const [secret, setSecret] = useState('');
  const check = useMutation({
    mutationFn: async (key: string): Promise<UsedKey> => {
      // Anything else cannot be sent in a header.
      if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('Keys contain only ASCII characters and no spaces.');
      const { content } = await createApi(key).call('GET /account', {});
      const problem = problemWith?.(content.data);
      if (problem !== undefined) throw new Error(problem);
      return { secret: key, account: content.data };
    },
    onSuccess: onUse,
  });
  const key = secret.trim();
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (key !== '' && !check.isPending) check.mutate(key);
      }}
    >
      <TextField
        label={label}
        type="password"
        autoComplete="off"
        isMono
        focusOnMount={onCancel !== undefined}
        value={secret}
        onChange={setSecret}
        error={check.error === null ? undefined : messageOf(check.error)}
        hint={hint}
      />
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" isBusy={check.isPending}>
          Use key
        </Button>
        {onCancel && (
          <Button variant="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}

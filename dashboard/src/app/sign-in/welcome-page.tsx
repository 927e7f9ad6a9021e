import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import type { Account } from '../../../../src/api/account.ts';
import type { Api } from '../../api/api.ts';
import { issueOf } from '../../api/api-error.ts';
import { changedValues } from '../../api/changed-values.ts';
import { Button } from '../../components/button.tsx';
import { CardPage } from '../../components/card-page.tsx';
import { TextField } from '../../components/fields.tsx';
import { NewPasswordField, newPasswordProblem } from '../../components/new-password-field.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { useAuthentication } from '../authentication.tsx';
import styles from './sign-in.module.css';

interface WelcomePageProps {
  readonly api: Api;
  readonly account: Account;
}

/**
 * After signing in with a link: completes a new account, or sets a new password. The person is
 * signed in already, so they can also do this later.
 */
export function WelcomePage({ api, account }: WelcomePageProps) {
  const { refresh } = useAuthentication();
  const [, navigate] = useLocation();
  const before = profileOf(account);
  const [profile, setProfile] = useState(before);
  const [password, setPassword] = useState('');
  const [hasTried, setHasTried] = useState(false);
  const problem = account.can_set_password ? newPasswordProblem(password, profile.email) : undefined;
  const isNew = !account.has_password;
  const isAdmin = account.organization?.role === 'org:admin';
  const saving = useMutation({
    mutationFn: async () => {
      const body = changedValues(before, profile);
      if (body !== undefined) await api.call('PATCH /account', { body });
      if (password !== '') await api.call('PUT /account/password', { body: { password } });
      await refresh();
    },
    onSuccess: () => navigate('/', { replace: true }),
  });
  const rejected = issueOf(saving.error, '/password', 'The password');
  const rejectedEmail = issueOf(saving.error, '/email', 'The address');
  function submit(event: FormEvent) {
    event.preventDefault();
    setHasTried(true);
    if (problem === undefined) saving.mutate();
  }
  const change = (changed: Partial<typeof before>) => {
    setProfile({ ...profile, ...changed });
    saving.reset();
  };
  return (
    <CardPage
      title={isNew ? 'Welcome to presetd' : 'Choose a new password'}
      lead={
        isNew
          ? `You are signed in${account.organization ? ` to ${account.organization.name}` : ''}.`
          : undefined
      }
    >
      <form className="stack-3" onSubmit={submit} noValidate>
        <div className={styles.pair}>
          <TextField
            label="First name"
            value={profile.first_name}
            onChange={(first_name) => change({ first_name })}
            autoComplete="given-name"
            maxLength={200}
            focusOnMount
          />
          <TextField
            label="Last name"
            value={profile.last_name}
            onChange={(last_name) => change({ last_name })}
            autoComplete="family-name"
            maxLength={200}
          />
        </div>
        <TextField
          label="Email"
          name="email"
          type="email"
          value={profile.email}
          onChange={(email) => change({ email: email.trim() })}
          autoComplete="username"
          maxLength={254}
          isReadOnly={!isAdmin}
          error={rejectedEmail}
          hint={isAdmin ? 'You sign in with it.' : 'You sign in with it. Only an admin can change it.'}
        />
        {account.can_set_password && (
          <NewPasswordField
            value={password}
            onChange={(typed) => {
              setPassword(typed);
              saving.reset();
            }}
            error={(hasTried ? problem : undefined) ?? rejected}
          />
        )}
        {saving.error && (rejected ?? rejectedEmail) === undefined && <ErrorNotice error={saving.error} />}
        <Button type="submit" variant="primary" isBusy={saving.isPending}>
          Continue
        </Button>
        <Button variant="quiet" onClick={() => navigate('/', { replace: true })}>
          Skip for now
        </Button>
      </form>
    </CardPage>
  );
}

function profileOf({ first_name, last_name, email }: Account) {
  return { first_name, last_name, email };
}

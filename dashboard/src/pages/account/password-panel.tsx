import { type FormEvent, useState } from 'react';
import { issueOf } from '../../api/api-error.ts';
import { useOrganizationChange } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/fields.tsx';
import { NewPasswordField, newPasswordProblem } from '../../components/new-password-field.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';

/** Sets or changes the password. Soon after a sign-in with a link, the old one is not needed. */
export function PasswordPanel() {
  const { account } = useSession();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [hasTried, setHasTried] = useState(false);
  const showToast = useToast();
  const change = useOrganizationChange(() => {
    showToast('Password changed. Your other sessions have ended');
    setCurrent('');
    setPassword('');
    setHasTried(false);
  });
  const needsCurrent = account.needs_current_password;
  const problem = newPasswordProblem(password, account.email);
  const rejected = issueOf(change.error, '/password', 'The password');
  const rejectedCurrent = issueOf(change.error, '/current_password', 'This');
  const isCurrentMissing = needsCurrent && current === '';
  function submit(event: FormEvent) {
    event.preventDefault();
    setHasTried(true);
    if (problem !== undefined || isCurrentMissing) return;
    const body = { password, ...(needsCurrent && { current_password: current }) };
    change.mutate((api) => api.call('PUT /account/password', { body }));
  }
  return (
    <Panel title="Password">
      <form className="stack-3" onSubmit={submit} noValidate>
        {/* Password managers store the new password for this account. */}
        <input type="email" name="email" autoComplete="username" value={account.email} readOnly hidden />
        {needsCurrent && (
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={(typed) => {
              setCurrent(typed);
              change.reset();
            }}
            error={hasTried && isCurrentMissing ? 'Enter your current password.' : rejectedCurrent}
          />
        )}
        <NewPasswordField
          value={password}
          onChange={(typed) => {
            setPassword(typed);
            change.reset();
          }}
          error={(hasTried ? problem : undefined) ?? rejected}
        />
        {change.error && (rejected ?? rejectedCurrent) === undefined && <ErrorNotice error={change.error} />}
        <div>
          <Button type="submit" isBusy={change.isPending}>
            {account.has_password ? 'Change password' : 'Set password'}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

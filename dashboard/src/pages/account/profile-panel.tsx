import { type FormEvent, useState } from 'react';
import { isEmail } from '../../../../src/core/organization/organization.ts';
import { changedValues } from '../../api/changed-values.ts';
import { useOrganizationChange } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/fields.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';
import styles from './account.module.css';

/** The user's name and address. The address identifies them, so only admins can change theirs. */
export function ProfilePanel({ canChange }: { readonly canChange: boolean }) {
  const { account } = useSession();
  const { first_name, last_name, email } = account;
  const before = { first_name, last_name, email };
  const [edited, setEdited] = useState<Partial<typeof before>>({});
  const [problem, setProblem] = useState<string>();
  const showToast = useToast();
  const change = useOrganizationChange(() => {
    showToast('Account updated');
    setEdited({});
  });
  const shown = { ...before, ...edited };
  const body = changedValues(before, shown);
  const isAdmin = account.organization?.role === 'org:admin';
  function submit(event: FormEvent) {
    event.preventDefault();
    const isInvalid = body?.email !== undefined && !isEmail(body.email);
    setProblem(isInvalid ? 'Enter an email address, such as grace@example.com.' : undefined);
    if (body !== undefined && !isInvalid) change.mutate((api) => api.call('PATCH /account', { body }));
  }
  return (
    <Panel title="Profile">
      <form className="stack-3" onSubmit={submit} noValidate>
        <div className={styles.pair}>
          <TextField
            label="First name"
            value={shown.first_name}
            onChange={(value) => setEdited({ ...edited, first_name: value })}
            autoComplete="given-name"
            maxLength={200}
            isReadOnly={!canChange}
          />
          <TextField
            label="Last name"
            value={shown.last_name}
            onChange={(value) => setEdited({ ...edited, last_name: value })}
            autoComplete="family-name"
            maxLength={200}
            isReadOnly={!canChange}
          />
        </div>
        <TextField
          label="Email"
          type="email"
          value={shown.email}
          onChange={(value) => setEdited({ ...edited, email: value.trim() })}
          error={problem}
          hint={isAdmin ? undefined : 'Only an admin can change it.'}
          autoComplete="email"
          maxLength={254}
          isReadOnly={!canChange || !isAdmin}
        />
        {change.error && <ErrorNotice error={change.error} />}
        {canChange && (
          <div>
            <Button type="submit" isBusy={change.isPending} disabled={body === undefined}>
              Save
            </Button>
          </div>
        )}
      </form>
    </Panel>
  );
}

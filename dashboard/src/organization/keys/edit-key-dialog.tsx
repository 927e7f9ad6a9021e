import { useState } from 'react';
import type { Key } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useToast } from '../../ui/toasts.tsx';
import { type Expiry, readExpiry } from './expiry.ts';
import { ExpiryField } from './expiry-field.tsx';

interface EditKeyDialogProps {
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/** Changes the name or expiry of a key. Sends only what changed. */
export function EditKeyDialog({ apiKey, onClose }: EditKeyDialogProps) {
  const [name, setName] = useState(apiKey.name);
  const [expiry, setExpiry] = useState<Expiry>({ choice: 'keep', date: '' });
  const [problem, setProblem] = useState<{ readonly name?: string; readonly expiry?: string }>({});
  const showToast = useToast();
  const changing = useOrganizationChange(() => {
    showToast(`Updated ${name.trim()}`);
    onClose();
  });
  const submit = () => {
    const newName = name.trim();
    const { at, problem: expiryProblem } = { at: undefined, ...readExpiry(expiry, Date.now()) };
    if (newName === '') return setProblem({ name: 'Enter a name.' });
    if (expiryProblem !== undefined) return setProblem({ expiry: expiryProblem });
    if (newName === apiKey.name && at === undefined) return onClose();
    const body = { ...(newName !== apiKey.name && { name: newName }), expires_at: at };
    changing.mutate({ method: 'PATCH', path: pathOf('keys', apiKey.hash), body });
  };
  return (
    <FormDialog
      title={`Edit ${apiKey.name}`}
      submitLabel="Save"
      onSubmit={submit}
      onClose={onClose}
      isBusy={changing.isPending}
      error={changing.error}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={problem.name}
        maxLength={200}
        focusOnMount
      />
      <ExpiryField
        expiry={expiry}
        onChange={setExpiry}
        problem={problem.expiry}
        current={
          apiKey.expires_at === null ? 'No change (never)' : `No change (${dateOf(apiKey.expires_at)})`
        }
      />
    </FormDialog>
  );
}

function dateOf(time: string): string {
  return new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
}

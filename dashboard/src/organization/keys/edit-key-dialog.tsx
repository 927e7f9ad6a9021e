import { useState } from 'react';
import type { Key } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { type Expiry, readExpiry } from './expiry.ts';
import { ExpiryField } from './expiry-field.tsx';

interface EditKeyDialogProps {
  readonly apiKey: Key;
  readonly onClose: () => void;
}

export function EditKeyDialog({ apiKey, onClose }: EditKeyDialogProps) {
  const [name, setName] = useState(apiKey.name);
  const [expiry, setExpiry] = useState<Expiry>({ choice: 'keep', date: '' });
  const [problem, setProblem] = useState<{ readonly name?: string; readonly expiry?: string }>({});
  const tell = useToast();
  const changing = useOrganizationChange(() => {
    tell(`Changed ${name.trim()}.`);
    onClose();
  });
  const submit = () => {
    const given = name.trim();
    const { at, problem: expiryProblem } = { at: undefined, ...readExpiry(expiry, Date.now()) };
    if (given === '') return setProblem({ name: 'Give the key a name that says what it is for.' });
    if (expiryProblem !== undefined) return setProblem({ expiry: expiryProblem });
    if (given === apiKey.name && at === undefined) return onClose();
    const body = { ...(given !== apiKey.name && { name: given }), expires_at: at };
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
      <TextField label="Name" value={name} onChange={setName} error={problem.name} maxLength={200} isFirst />
      <ExpiryField
        expiry={expiry}
        onChange={setExpiry}
        problem={problem.expiry}
        current={apiKey.expires_at === null ? 'Never, as now' : `As now: ${dateOf(apiKey.expires_at)}`}
      />
    </FormDialog>
  );
}

function dateOf(time: string): string {
  return new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
}

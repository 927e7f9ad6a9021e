import { useState } from 'react';
import type { One } from '../../../../src/client/answers.ts';
import type { Member } from '../../../../src/client/organization-answers.ts';
import { isEmail } from '../../../../src/core/organization/organization.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useToast } from '../../ui/toasts.tsx';
import { roleName } from '../role-name.ts';
import { type MemberDetails, MemberFields } from './member-fields.tsx';

export function AddMemberDialog({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<string>();
  const [details, setDetails] = useState<MemberDetails>({
    first_name: '',
    last_name: '',
    role: 'org:member',
  });
  const showToast = useToast();
  const adding = useOrganizationChange<One<Member>>(({ data }) => {
    showToast(`Added ${data.email} as ${roleName(data.role)}`);
    onClose();
  });
  const submit = () => {
    const address = email.trim();
    if (!isEmail(address)) return setProblem('Enter an email address, such as grace@example.com.');
    adding.mutate({ method: 'POST', path: '/organization/members', body: { email: address, ...details } });
  };
  return (
    <FormDialog
      title="Add member"
      submitLabel="Add member"
      onSubmit={submit}
      onClose={onClose}
      isBusy={adding.isPending}
      error={adding.error}
    >
      <TextField
        label="Email"
        type="email"
        value={email}
        onChange={(value) => {
          setEmail(value);
          setProblem(undefined);
        }}
        error={problem}
        maxLength={254}
        autoComplete="off"
        focusOnMount
      />
      <MemberFields details={details} onChange={setDetails} />
    </FormDialog>
  );
}

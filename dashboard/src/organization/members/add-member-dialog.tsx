import { useState } from 'react';
import type { One } from '../../../../src/client/answers.ts';
import type { Member } from '../../../../src/client/organization-answers.ts';
import { isEmail } from '../../../../src/core/organization.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { type MemberDetails, MemberFields } from './member-fields.tsx';

export function AddMemberDialog({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<string>();
  const [details, setDetails] = useState<MemberDetails>({
    first_name: '',
    last_name: '',
    role: 'org:member',
  });
  const tell = useToast();
  const adding = useOrganizationChange<One<Member>>(({ data }) => {
    tell(`Added ${data.email} as ${data.role}.`);
    onClose();
  });
  const submit = () => {
    const given = email.trim();
    if (!isEmail(given)) return setProblem('Give an e-mail address, such as grace@example.com.');
    adding.mutate({ method: 'POST', path: '/organization/members', body: { email: given, ...details } });
  };
  return (
    <FormDialog
      title="Add a member"
      submitLabel="Add member"
      onSubmit={submit}
      onClose={onClose}
      isBusy={adding.isPending}
      error={adding.error}
    >
      <TextField
        label="E-mail"
        type="email"
        value={email}
        onChange={(value) => {
          setEmail(value);
          setProblem(undefined);
        }}
        error={problem}
        maxLength={254}
        autoComplete="off"
        isFirst
      />
      <MemberFields details={details} onChange={setDetails} />
    </FormDialog>
  );
}

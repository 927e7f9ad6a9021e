import { type FormEvent, useState } from 'react';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import { isEmail } from '../../../../src/core/organization/organization.ts';
import { pathOf } from '../../api/api.ts';
import { findMember } from '../../api/organization.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { useSession } from '../../session/session.tsx';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/error-notice.tsx';
import { useToast } from '../../ui/toasts.tsx';
import { MemberField } from '../members/member-field.tsx';
import styles from '../organization.module.css';

/** Adds a member by email address. The API takes user IDs, so the address is looked up first. */
export function AddWorkspaceMember({ workspace }: { readonly workspace: Workspace }) {
  const { api } = useSession();
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isAdding, setIsAdding] = useState(false);
  const showToast = useToast();
  const adding = useOrganizationChange<{ readonly added_count: number }>(({ added_count }) => {
    const person = email.trim();
    showToast(added_count > 0 ? `Added ${person} to ${workspace.name}` : `${person} is already a member`);
    setEmail('');
  });

  async function add(event: FormEvent) {
    event.preventDefault();
    const address = email.trim();
    if (!isEmail(address)) return setProblem('Choose a member from the list or enter a full email address.');
    setIsAdding(true);
    try {
      const { id } = await findMember(api, address);
      const path = pathOf('workspaces', workspace.id, 'members', 'add');
      await adding.mutateAsync({ method: 'POST', path, body: { user_ids: [id] } });
    } catch (error) {
      setProblem(messageOf(error));
    }
    setIsAdding(false);
  }

  return (
    <form className={styles.filters} onSubmit={(event) => void add(event)} noValidate>
      <div className={styles.grow}>
        <MemberField
          label="Add organization member"
          placeholder="Search by name or email"
          value={email}
          onChange={(value) => {
            setEmail(value);
            setProblem(undefined);
          }}
          error={problem}
        />
      </div>
      <Button type="submit" isBusy={isAdding}>
        Add
      </Button>
    </form>
  );
}

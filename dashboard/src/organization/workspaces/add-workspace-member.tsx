import { type FormEvent, useState } from 'react';
import type { Workspace } from '../../../../src/client/organization-answers.ts';
import { isEmail } from '../../../../src/core/organization.ts';
import { pathOf } from '../../api/api.ts';
import { findMember } from '../../api/organization.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { Button } from '../../parts/button.tsx';
import { messageOf } from '../../parts/error-notice.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { useSession } from '../../session/session.tsx';
import { MemberField } from '../members/member-field.tsx';
import styles from '../organization.module.css';

/** The server adds people by their ids; here they are known by their addresses. */
export function AddWorkspaceMember({ workspace }: { readonly workspace: Workspace }) {
  const { api } = useSession();
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isLooking, setIsLooking] = useState(false);
  const tell = useToast();
  const adding = useOrganizationChange<{ readonly added_count: number }>(({ added_count }) => {
    const person = email.trim();
    tell(added_count > 0 ? `Added ${person} to ${workspace.name}.` : `${person} belongs to it already.`);
    setEmail('');
  });

  async function add(event: FormEvent) {
    event.preventDefault();
    const wanted = email.trim();
    if (!isEmail(wanted))
      return setProblem('Choose a member from the list, or enter a whole e-mail address.');
    setIsLooking(true);
    try {
      const { id } = await findMember(api, wanted);
      const path = pathOf('workspaces', workspace.id, 'members', 'add');
      await adding.mutateAsync({ method: 'POST', path, body: { user_ids: [id] } });
    } catch (error) {
      setProblem(messageOf(error));
    }
    setIsLooking(false);
  }

  return (
    <form className={styles.filters} onSubmit={(event) => void add(event)} noValidate>
      <div className={styles.grow}>
        <MemberField
          label="Add a member of the organization"
          placeholder="Search name or e-mail address"
          value={email}
          onChange={(value) => {
            setEmail(value);
            setProblem(undefined);
          }}
          error={problem}
        />
      </div>
      <Button type="submit" isBusy={isLooking}>
        Add
      </Button>
    </form>
  );
}

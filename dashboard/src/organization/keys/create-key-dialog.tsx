import { useState } from 'react';
import type { KeyWithSecret } from '../../../../src/client/organization-answers.ts';
import { isStatus } from '../../api/api-error.ts';
import { findMember, useWorkspaceChoice } from '../../api/organization.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { messageOf } from '../../parts/error-notice.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useSession } from '../../session/session.tsx';
import { MemberField } from '../members/member-field.tsx';
import { useAccess } from '../use-access.ts';
import { type Expiry, readExpiry } from './expiry.ts';
import { ExpiryField } from './expiry-field.tsx';

interface CreateKeyDialogProps {
  readonly onMade: (made: KeyWithSecret) => void;
  readonly onClose: () => void;
}

type Kind = 'api' | 'management' | 'read_only';

type Problems = Partial<Readonly<Record<'name' | 'owner' | 'expiry', string>>>;

export function CreateKeyDialog({ onMade, onClose }: CreateKeyDialogProps) {
  const { api, workspaceId: lookedAt } = useSession();
  const { isAdmin, me } = useAccess();
  const { data: workspaces = [] } = useWorkspaceChoice();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('api');
  const [chosenWorkspace, setChosenWorkspace] = useState<string>();
  const [typedOwner, setTypedOwner] = useState<string>();
  const [expiry, setExpiry] = useState<Expiry>({ choice: 'never', date: '' });
  const [problems, setProblems] = useState<Problems>({});
  const [isLooking, setIsLooking] = useState(false);
  const making = useOrganizationChange<KeyWithSecret>(onMade);
  const workspace = chosenWorkspace ?? lookedAt ?? workspaces.find(({ is_default }) => is_default)?.id ?? '';
  const owner = typedOwner ?? me?.email ?? '';

  /** The id of whoever is to own it; undefined for the owner of this session's key. */
  async function ownerId(): Promise<string | undefined> {
    const email = owner.trim();
    return email === '' || email === me?.email ? undefined : (await findMember(api, email)).id;
  }

  async function submit() {
    const { at, problem } = { at: undefined, ...readExpiry(expiry, Date.now()) };
    if (name.trim() === '') return setProblems({ name: 'Give the key a name that says what it is for.' });
    if (problem !== undefined) return setProblems({ expiry: problem });
    setProblems({});
    setIsLooking(true);
    try {
      const creator = await ownerId();
      making.mutate({
        method: 'POST',
        path: '/keys',
        body: {
          name: name.trim(),
          kind,
          expires_at: at,
          ...(kind === 'api' && workspace !== '' && { workspace_id: workspace }),
          ...(creator !== undefined && { creator_user_id: creator }),
        },
      });
    } catch (error) {
      setProblems({ owner: isStatus(error, 404) ? `There is no member ${owner.trim()}.` : messageOf(error) });
    }
    setIsLooking(false);
  }

  return (
    <FormDialog
      title="New key"
      submitLabel="Create key"
      onSubmit={() => void submit()}
      onClose={onClose}
      isBusy={isLooking || making.isPending}
      error={making.error}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={problems.name}
        hint="What it is for, such as: CI of the shop"
        maxLength={200}
        autoComplete="off"
        isFirst
      />
      <ChoiceField label="Kind" value={kind} onChange={setKind} choices={kinds} />
      {kind === 'api' && workspaces.length > 1 && (
        <SelectField
          label="Workspace"
          value={workspace}
          options={workspaces.map(({ id, name: text }) => [id, text] as const)}
          onChange={setChosenWorkspace}
        />
      )}
      {isAdmin && (
        <MemberField
          label="Owner"
          value={owner}
          onChange={setTypedOwner}
          error={problems.owner}
          hint="The e-mail address of a member. What the key may do follows from their role and workspaces."
        />
      )}
      <ExpiryField expiry={expiry} onChange={setExpiry} problem={problems.expiry} />
    </FormDialog>
  );
}

const kinds = [
  { value: 'api', label: 'API key', hint: 'For programs: calls, and the presets of one workspace.' },
  {
    value: 'management',
    label: 'Management key',
    hint: 'For people: presets of every workspace and the organization, as far as its owner may.',
  },
  {
    value: 'read_only',
    label: 'Management key, read-only',
    hint: 'Sees all of that, and changes nothing.',
  },
] as const;

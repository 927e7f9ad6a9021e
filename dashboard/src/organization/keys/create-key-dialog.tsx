import { useState } from 'react';
import type { KeyWithSecret } from '../../../../src/client/organization-answers.ts';
import { isStatus } from '../../api/api-error.ts';
import { findMember, useWorkspaceOptions } from '../../api/organization.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { useSession } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { messageOf } from '../../ui/error-notice.tsx';
import { RadioField } from '../../ui/radio-field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { MemberField } from '../members/member-field.tsx';
import { useAccess } from '../use-access.ts';
import { type Expiry, readExpiry } from './expiry.ts';
import { ExpiryField } from './expiry-field.tsx';

interface CreateKeyDialogProps {
  readonly onCreated: (created: KeyWithSecret) => void;
  readonly onClose: () => void;
}

/** The API treats a read-only management key as a kind of its own when it is created. */
type Kind = 'api' | 'management' | 'read_only';

type Problems = Partial<Readonly<Record<'name' | 'owner' | 'expiry', string>>>;

/** Creates an API or management key. Only admins may choose another owner. */
export function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
  const { api, workspaceId: currentWorkspaceId } = useSession();
  const { isAdmin, me } = useAccess();
  const { data: workspaces = [] } = useWorkspaceOptions();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('api');
  const [selectedWorkspace, setSelectedWorkspace] = useState<string>();
  const [typedOwner, setTypedOwner] = useState<string>();
  const [expiry, setExpiry] = useState<Expiry>({ choice: 'never', date: '' });
  const [problems, setProblems] = useState<Problems>({});
  const [isFindingOwner, setIsFindingOwner] = useState(false);
  const creating = useOrganizationChange<KeyWithSecret>(onCreated);
  const workspace =
    selectedWorkspace ?? currentWorkspaceId ?? workspaces.find(({ is_default }) => is_default)?.id ?? '';
  const owner = typedOwner ?? me?.email ?? '';

  /** The owner's ID; undefined for the signed-in user, who is the default. */
  async function ownerId(): Promise<string | undefined> {
    const email = owner.trim();
    return email === '' || email === me?.email ? undefined : (await findMember(api, email)).id;
  }

  async function submit() {
    // Checked when the user submits, so that "in 30 days" counts from then.
    const { at, problem } = { at: undefined, ...readExpiry(expiry, Date.now()) };
    if (name.trim() === '') return setProblems({ name: 'Enter a name.' });
    if (problem !== undefined) return setProblems({ expiry: problem });
    setProblems({});
    setIsFindingOwner(true);
    try {
      const creator = await ownerId();
      creating.mutate({
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
    setIsFindingOwner(false);
  }

  return (
    <FormDialog
      title="New key"
      submitLabel="Create key"
      onSubmit={() => void submit()}
      onClose={onClose}
      isBusy={isFindingOwner || creating.isPending}
      error={creating.error}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={problems.name}
        hint="What the key is for, such as “Shop CI”."
        maxLength={200}
        autoComplete="off"
        focusOnMount
      />
      <RadioField label="Type" value={kind} onChange={setKind} choices={kinds} />
      {kind === 'api' && workspaces.length > 1 && (
        <SelectField
          label="Workspace"
          value={workspace}
          options={workspaces.map(({ id, name: text }) => [id, text] as const)}
          onChange={setSelectedWorkspace}
        />
      )}
      {isAdmin && (
        <MemberField
          label="Owner"
          value={owner}
          onChange={setTypedOwner}
          error={problems.owner}
          hint="Email address of a member. The key gets the permissions of its owner."
        />
      )}
      <ExpiryField expiry={expiry} onChange={setExpiry} problem={problems.expiry} />
    </FormDialog>
  );
}

const kinds = [
  { value: 'api', label: 'API key', hint: 'For apps. Calls models and manages presets in one workspace.' },
  {
    value: 'management',
    label: 'Management key',
    hint: 'For people and scripts. Manages the organization and the presets of every workspace, within its owner’s permissions.',
  },
  {
    value: 'read_only',
    label: 'Management key (read-only)',
    hint: 'Views everything that a management key can, but changes nothing.',
  },
] as const;

import { useState } from 'react';
import type { Workspace, WorkspaceMember } from '../../../../src/api/workspaces.ts';
import { issueOf } from '../../api/api-error.ts';
import { changedValues } from '../../api/changed-values.ts';
import { useOrganizationChange } from '../../api/organization.ts';
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { messageOf } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import styles from '../../features/organization/organization.module.css';

interface WorkspaceDialogProps {
  /** The workspace to edit; absent to create one. */
  readonly workspace?: Workspace;
  readonly onClose: () => void;
}

/** Creates or edits a workspace. The slug follows the name until the user edits it. */
export function WorkspaceDialog({ workspace, onClose }: WorkspaceDialogProps) {
  const [name, setName] = useState(workspace?.name ?? '');
  const [typedSlug, setTypedSlug] = useState(workspace?.slug);
  const [description, setDescription] = useState(workspace?.description ?? '');
  const [problem, setProblem] = useState<{ readonly name?: string; readonly slug?: string }>({});
  const showToast = useToast();
  const change = useOrganizationChange<'POST /workspaces' | 'PATCH /workspaces/:id'>(({ data }) => {
    showToast(workspace === undefined ? `Created workspace ${data.name}` : `Updated workspace ${data.name}`);
    onClose();
  });
  const errors = {
    name: problem.name ?? issueOf(change.error, '/name', 'The name'),
    slug: problem.slug ?? issueOf(change.error, '/slug', 'The slug'),
    description: issueOf(change.error, '/description', 'The description'),
  };
  const isAtField = Object.values(errors).some((error) => error !== undefined);
  const forget = () => {
    setProblem({});
    change.reset();
  };
  // An existing workspace keeps its slug unless the user edits it: it is used in URLs.
  const slug = typedSlug ?? slugify(name);
  const submit = () => {
    const fields = { name: name.trim(), slug: slug.trim(), description: description.trim() || null };
    if (fields.name === '') return setProblem({ name: 'Enter a name.' });
    if (fields.slug === '') return setProblem({ slug: 'Enter a slug.' });
    if (workspace === undefined)
      return change.mutate((api) => api.call('POST /workspaces', { body: fields }));
    const body = changedValues(workspace, fields);
    if (body === undefined) return onClose();
    change.mutate((api) => api.call('PATCH /workspaces/:id', { params: { id: workspace.id }, body }));
  };
  return (
    <FormDialog
      title={workspace === undefined ? 'New workspace' : `Edit ${workspace.name}`}
      submitLabel={workspace === undefined ? 'Create workspace' : 'Save'}
      onSubmit={submit}
      onClose={onClose}
      change={{ isPending: change.isPending, error: isAtField ? null : change.error }}
    >
      <TextField
        label="Name"
        value={name}
        onChange={(value) => {
          setName(value);
          forget();
        }}
        error={errors.name}
        maxLength={100}
        focusOnMount
      />
      <TextField
        label="Slug"
        value={slug}
        onChange={(value) => {
          setTypedSlug(value);
          forget();
        }}
        error={errors.slug}
        isMono
        maxLength={50}
        hint={
          workspace !== undefined && slug !== workspace.slug
            ? 'URLs and commands with the old slug stop working. The ID stays the same.'
            : 'Used in URLs and commands: a-z, 0-9 and single hyphens in between.'
        }
      />
      <TextField
        label="Description (optional)"
        value={description}
        onChange={(value) => {
          setDescription(value);
          forget();
        }}
        error={errors.description}
        lines={2}
        maxLength={500}
      />
    </FormDialog>
  );
}

/** The API's limit for workspace slugs. */
const charactersMax = 50;

/**
 * Suggests a slug for a name: "search-ads" for "Search & Ads". Empty if no letter or digit is left.
 */
export function slugify(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-/, '').slice(0, charactersMax).replace(/-$/, '');
}

/** Deleting cannot be undone, so the user must type the slug. */
export function DeleteWorkspaceDialog({ workspace, onClose }: Required<WorkspaceDialogProps>) {
  const { id, name, slug } = workspace;
  const [typed, setTyped] = useState('');
  const showToast = useToast();
  const change = useOrganizationChange(() => {
    showToast(`Deleted workspace ${name}`);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Delete workspace ${name}`}
      submitLabel="Delete workspace"
      canSubmit={typed.trim() === slug}
      onSubmit={() => change.mutate((api) => api.call('DELETE /workspaces/:id', { params: { id } }))}
      onClose={onClose}
      change={change}
    >
      <div className={styles.text}>
        <ul>
          <li>Its presets become inaccessible to every key. This cannot be undone.</li>
          <li>Its keys are deleted too. Disable or delete active keys first.</li>
          <li>Its members stay in the organization.</li>
        </ul>
      </div>
      <TextField
        label={`Type “${slug}” to confirm`}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        isMono
        focusOnMount
      />
    </ConfirmDialog>
  );
}

interface RemoveWorkspaceMemberDialogProps extends Required<WorkspaceDialogProps> {
  readonly member: WorkspaceMember;
}

/** Confirms removing a member from a workspace; a toast offers undo. */
export function RemoveWorkspaceMemberDialog(props: RemoveWorkspaceMemberDialogProps) {
  const { workspace, member, onClose } = props;
  const showToast = useToast();
  const input = { params: { id: workspace.id }, body: { user_ids: [member.user_id] } };
  const adding = useOrganizationChange();
  // Callbacks passed to `mutate` are dropped once the dialog is unmounted, so use the promise.
  const undo = () =>
    void adding
      .mutateAsync((api) => api.call('POST /workspaces/:id/members/add', input))
      .then(
        () => showToast(`Added ${member.email} back to ${workspace.name}`),
        (error) => showToast(`Could not add ${member.email} back: ${messageOf(error)}`),
      );
  const change = useOrganizationChange(() => {
    showToast(`Removed ${member.email} from ${workspace.name}`, undo);
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Remove ${member.email}`}
      submitLabel="Remove from workspace"
      onSubmit={() => change.mutate((api) => api.call('POST /workspaces/:id/members/remove', input))}
      onClose={onClose}
      change={change}
    >
      <p>
        They can no longer change presets in <strong>{workspace.name}</strong>, unless they are an admin. They
        stay in the organization. If they have active keys in this workspace, disable or delete those first.
      </p>
    </ConfirmDialog>
  );
}

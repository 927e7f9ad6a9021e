import { useState } from 'react';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import type { One } from '../../../../src/client/answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useToast } from '../../ui/toasts.tsx';
import { changedValues } from '../changed-values.ts';
import { slugify } from './slugify.ts';

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
  const [problem, setProblem] = useState<string>();
  const showToast = useToast();
  const changing = useOrganizationChange<One<Workspace>>(({ data }) => {
    showToast(workspace === undefined ? `Created workspace ${data.name}` : `Updated workspace ${data.name}`);
    onClose();
  });
  // An existing workspace keeps its slug unless the user edits it: it is used in URLs.
  const slug = typedSlug ?? slugify(name);
  const submit = () => {
    const fields = { name: name.trim(), slug: slug.trim(), description: description.trim() || null };
    if (fields.name === '') return setProblem('Enter a name.');
    if (workspace === undefined)
      return changing.mutate({ method: 'POST', path: '/workspaces', body: fields });
    const { name: oldName, slug: oldSlug, description: oldDescription } = workspace;
    const changes = changedValues({ name: oldName, slug: oldSlug, description: oldDescription }, fields);
    if (changes === undefined) return onClose();
    changing.mutate({ method: 'PATCH', path: pathOf('workspaces', workspace.id), body: changes });
  };
  return (
    <FormDialog
      title={workspace === undefined ? 'New workspace' : `Edit ${workspace.name}`}
      submitLabel={workspace === undefined ? 'Create workspace' : 'Save'}
      onSubmit={submit}
      onClose={onClose}
      isBusy={changing.isPending}
      error={changing.error}
    >
      <TextField
        label="Name"
        value={name}
        onChange={(value) => {
          setName(value);
          setProblem(undefined);
        }}
        error={problem}
        maxLength={100}
        focusOnMount
      />
      <TextField
        label="Slug"
        value={slug}
        onChange={setTypedSlug}
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
        onChange={setDescription}
        lines={2}
        maxLength={500}
      />
    </FormDialog>
  );
}

import { useState } from 'react';
import type { One } from '../../../../src/client/answers.ts';
import type { Workspace } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { changedValues } from '../changed-values.ts';
import { slugOf } from './slug-of.ts';

interface WorkspaceDialogProps {
  /** The one to change; without it, a new one is made. */
  readonly workspace?: Workspace;
  readonly onClose: () => void;
}

export function WorkspaceDialog({ workspace, onClose }: WorkspaceDialogProps) {
  const [name, setName] = useState(workspace?.name ?? '');
  const [typedSlug, setTypedSlug] = useState(workspace?.slug);
  const [description, setDescription] = useState(workspace?.description ?? '');
  const [problem, setProblem] = useState<string>();
  const tell = useToast();
  const changing = useOrganizationChange<One<Workspace>>(({ data }) => {
    tell(
      workspace === undefined ? `Made the workspace ${data.name}.` : `Changed the workspace ${data.name}.`,
    );
    onClose();
  });
  const slug = typedSlug ?? slugOf(name);
  const submit = () => {
    const wanted = { name: name.trim(), slug: slug.trim(), description: description.trim() || null };
    if (wanted.name === '') return setProblem('Give the workspace a name.');
    if (workspace === undefined)
      return changing.mutate({ method: 'POST', path: '/workspaces', body: wanted });
    const { name: oldName, slug: oldSlug, description: oldDescription } = workspace;
    const changes = changedValues({ name: oldName, slug: oldSlug, description: oldDescription }, wanted);
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
        isFirst
      />
      <TextField
        label="Slug"
        value={slug}
        onChange={setTypedSlug}
        isMono
        maxLength={50}
        hint={
          workspace !== undefined && slug !== workspace.slug
            ? 'Paths and commands that name the workspace by its old slug stop working; its id stays.'
            : 'Names the workspace in paths and commands: a-z and 0-9, with single hyphens between them.'
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

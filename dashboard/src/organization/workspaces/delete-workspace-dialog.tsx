import { useState } from 'react';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { useSession } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useToast } from '../../ui/toasts.tsx';
import styles from '../organization.module.css';

interface DeleteWorkspaceDialogProps {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

/** Deleting cannot be undone, so the user must type the slug. */
export function DeleteWorkspaceDialog({ workspace, onClose }: DeleteWorkspaceDialogProps) {
  const { id, name, slug } = workspace;
  const [typed, setTyped] = useState('');
  const { workspaceId, chooseWorkspace } = useSession();
  const showToast = useToast();
  const deleting = useOrganizationChange(() => {
    // Otherwise the preset list would show a workspace that no longer exists.
    if (workspaceId === id) chooseWorkspace(undefined);
    showToast(`Deleted workspace ${name}`);
    onClose();
  });
  return (
    <FormDialog
      title={`Delete workspace ${name}`}
      submitLabel="Delete workspace"
      submitVariant="danger"
      canSubmit={typed.trim() === slug}
      onSubmit={() => deleting.mutate({ method: 'DELETE', path: pathOf('workspaces', id) })}
      onClose={onClose}
      isBusy={deleting.isPending}
      error={deleting.error}
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
    </FormDialog>
  );
}

import { useState } from 'react';
import type { Workspace } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { useSession } from '../../session/session.tsx';
import styles from '../organization.module.css';

interface DeleteWorkspaceDialogProps {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

/** There is no way back, so the slug has to be typed. */
export function DeleteWorkspaceDialog({ workspace, onClose }: DeleteWorkspaceDialogProps) {
  const { id, name, slug } = workspace;
  const [typed, setTyped] = useState('');
  const { workspaceId, chooseWorkspace } = useSession();
  const tell = useToast();
  const deleting = useOrganizationChange(() => {
    if (workspaceId === id) chooseWorkspace(undefined);
    tell(`Deleted the workspace ${name}.`);
    onClose();
  });
  return (
    <FormDialog
      title={`Delete ${name}`}
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
          <li>Its presets cannot be reached any more, by any key. This cannot be undone.</li>
          <li>Its keys go with it. As long as one of them is active, the server refuses to delete it.</li>
          <li>Its members stay in the organization.</li>
        </ul>
      </div>
      <TextField
        label={`Type ${slug} to confirm`}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        isMono
        isFirst
      />
    </FormDialog>
  );
}

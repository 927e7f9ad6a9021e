import { useLocation } from 'wouter';
import { useWorkspaceOptions } from '../api/organization.ts';
import { useSession } from '../session/session.tsx';
import { SelectField } from '../ui/select-field.tsx';

/** Selects the workspace that a management key shows. Renders nothing if there is only one. */
export function WorkspaceSwitcher() {
  const { workspaceId, chooseWorkspace } = useSession();
  const [path, navigate] = useLocation();
  const { data } = useWorkspaceOptions();
  if (data === undefined) return null;
  const selected = data.find(({ id, is_default }) =>
    workspaceId === undefined ? is_default : id === workspaceId,
  );
  if (selected !== undefined && data.length < 2) return null;
  // The default workspace is stored as undefined, since it is the API's default, too.
  const options = data.map(({ id, name }) => [id, name] as const);
  return (
    <SelectField
      label="Workspace"
      isLabelHidden
      value={selected?.id ?? ''}
      // The selected workspace may have been deleted, or not be among the first hundred.
      options={selected === undefined ? [['', 'Another workspace'], ...options] : options}
      onChange={(id) => {
        chooseWorkspace(
          data.find((workspace) => workspace.id === id)?.is_default ? undefined : id || workspaceId,
        );
        // The preset on screen does not exist in the other workspace.
        if (path.startsWith('/presets/')) navigate('/');
      }}
    />
  );
}

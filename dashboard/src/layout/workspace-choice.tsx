import { useLocation } from 'wouter';
import { useWorkspaceChoice } from '../api/organization.ts';
import { SelectField } from '../parts/select-field.tsx';
import { useSession } from '../session/session.tsx';

/** A management key sees one workspace at a time. Without a second one there is nothing to choose. */
export function WorkspaceChoice() {
  const { workspaceId, chooseWorkspace } = useSession();
  const [path, navigate] = useLocation();
  const { data } = useWorkspaceChoice();
  if (data === undefined) return null;
  const chosen = data.find(({ id, is_default }) =>
    workspaceId === undefined ? is_default : id === workspaceId,
  );
  if (chosen !== undefined && data.length < 2) return null;
  const options = data.map(({ id, name }) => [id, name] as const);
  return (
    <SelectField
      label="Workspace"
      isLabelHidden
      value={chosen?.id ?? ''}
      // One that was deleted meanwhile, or that stands further down than the list goes.
      options={chosen === undefined ? [['', 'Another workspace'], ...options] : options}
      onChange={(id) => {
        chooseWorkspace(
          data.find((workspace) => workspace.id === id)?.is_default ? undefined : id || workspaceId,
        );
        // A preset of the former is not there in this one.
        if (path.startsWith('/presets/')) navigate('/');
      }}
    />
  );
}

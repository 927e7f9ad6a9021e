import type { WorkspaceRole } from '../../../../src/core/organization/workspace-role.ts';
import { useSession } from '../../api/session.ts';
import { SelectField } from '../../components/fields.tsx';
import { roleHint, roleOptions } from '../../features/organization/workspace-roles.ts';
import styles from './people.module.css';

/** By the id of the workspace. */
export type WorkspaceRoles = Readonly<Record<string, WorkspaceRole | undefined>>;

interface WorkspaceRolesFieldProps {
  readonly roles: WorkspaceRoles;
  readonly onChange: (roles: WorkspaceRoles) => void;
}

/** A role for each workspace of the organization. Everyone has one in the default workspace. */
export function WorkspaceRolesField({ roles, onChange }: WorkspaceRolesFieldProps) {
  const { workspaces } = useSession().account;
  return (
    <fieldset className={styles.roles}>
      <legend>Workspace roles</legend>
      <p className="note">{roleHint}</p>
      {workspaces.map(({ id, name, is_default }) => (
        <div key={id} className={styles.workspace}>
          <span aria-hidden="true">{name}</span>
          <SelectField<WorkspaceRole | ''>
            label={`Role in ${name}`}
            isLabelHidden
            value={roles[id] ?? (is_default ? 'viewer' : '')}
            options={is_default ? roleOptions : [['', 'No access'], ...roleOptions]}
            onChange={(role) => onChange({ ...roles, [id]: role === '' ? undefined : role })}
          />
        </div>
      ))}
    </fieldset>
  );
}

interface RoleChanges {
  readonly added: readonly { readonly id: string; readonly role: WorkspaceRole }[];
  readonly changed: readonly { readonly id: string; readonly role: WorkspaceRole }[];
  readonly removed: readonly string[];
}

/** How to get from some roles to others. */
export function changedRoles(before: WorkspaceRoles, after: WorkspaceRoles): RoleChanges {
  const given = Object.entries(after).flatMap(([id, role]) => (role === undefined ? [] : [{ id, role }]));
  return {
    added: given.filter(({ id }) => before[id] === undefined),
    changed: given.filter(({ id, role }) => before[id] !== undefined && before[id] !== role),
    removed: Object.keys(before).filter((id) => before[id] !== undefined && after[id] === undefined),
  };
}

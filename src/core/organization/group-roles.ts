import type { Role } from './organization.ts';
import { type WorkspaceRole, workspaceRoles } from './workspace-role.ts';

/** The roles that come with a group of a provider or of SCIM, as the operator configured them. */
export interface GroupMapping {
  readonly name: string;
  /** Undefined if the group says nothing about the role in the organization. */
  readonly role: Role | undefined;
  /** Roles by the slug of the workspace. */
  readonly workspaces: Readonly<Record<string, WorkspaceRole>>;
}

/** The roles of a person as their groups decide them. All else stays as it is. */
export interface GroupRoles {
  /** Undefined if no group of the settings has a role in the organization. */
  readonly role: Role | undefined;
  /**
   * Every workspace that a group of the settings names, by slug. Undefined is for a person without
   * a role in it: they leave the workspace, or become a viewer of the default workspace.
   */
  readonly workspaces: ReadonlyMap<string, WorkspaceRole | undefined>;
}

/**
 * Combines the groups of a person into roles: the highest that any of them has. Names of groups are
 * compared exactly.
 */
export function rolesOfGroups(mappings: readonly GroupMapping[], groups: readonly string[]): GroupRoles {
  const own = mappings.filter(({ name }) => groups.includes(name));
  const slugs = new Set(mappings.flatMap(({ workspaces }) => Object.keys(workspaces)));
  const highest = (slug: string) => {
    const roles = own.map(({ workspaces }) =>
      Object.hasOwn(workspaces, slug) ? workspaces[slug] : undefined,
    );
    return workspaceRoles.findLast((role) => roles.includes(role));
  };
  return {
    role: mappings.some(({ role }) => role !== undefined)
      ? own.some(({ role }) => role === 'org:admin')
        ? 'org:admin'
        : 'org:member'
      : undefined,
    workspaces: new Map(Array.from(slugs, (slug) => [slug, highest(slug)])),
  };
}

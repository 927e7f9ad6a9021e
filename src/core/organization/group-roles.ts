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

/** The roles that the groups of a person give them. All other roles stay. */
export interface GroupRoles {
  /** Undefined if no group of the settings has a role in the organization. */
  readonly role: GroupRole<Role> | undefined;
  /**
   * Every workspace that a group of the settings names, by slug. A person without a role in it
   * leaves the workspace, or becomes a viewer of the default workspace.
   */
  readonly workspaces: ReadonlyMap<string, GroupRole<WorkspaceRole | undefined>>;
}

interface GroupRole<R> {
  readonly role: R;
  /** The names of the person's groups that give them the role; empty if none does. */
  readonly groups: readonly string[];
}

/**
 * Combines the groups of a person into roles: the highest that any of them has. Names of groups are
 * compared exactly.
 */
export function rolesOfGroups(mappings: readonly GroupMapping[], groups: readonly string[]): GroupRoles {
  const own = mappings.filter(({ name }) => groups.includes(name));
  const highest = <R>(ranks: readonly R[], roleOf: (mapping: GroupMapping) => R | undefined) => {
    const role = ranks.findLast((rank) => own.some((mapping) => roleOf(mapping) === rank));
    const giving = role === undefined ? [] : own.filter((mapping) => roleOf(mapping) === role);
    return { role, groups: [...new Set(giving.map(({ name }) => name))] };
  };
  const inOrganization = highest<Role>(['org:member', 'org:admin'], ({ role }) => role);
  const slugs = new Set(mappings.flatMap(({ workspaces }) => Object.keys(workspaces)));
  const inWorkspace = (slug: string) =>
    highest(workspaceRoles, ({ workspaces }) =>
      Object.hasOwn(workspaces, slug) ? workspaces[slug] : undefined,
    );
  return {
    role: mappings.some(({ role }) => role !== undefined)
      ? { ...inOrganization, role: inOrganization.role ?? 'org:member' }
      : undefined,
    workspaces: new Map(Array.from(slugs, (slug) => [slug, inWorkspace(slug)])),
  };
}

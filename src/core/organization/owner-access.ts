import type { Role } from './organization.ts';
import type { WorkspaceRole } from './workspace-role.ts';

/** The person behind a credential, as authorization needs them. */
export interface OwnerAccess {
  readonly ownerId: string;
  readonly organizationId: string | null;
  readonly defaultWorkspaceId: string | null;
  /** Null for a personal key, and when the owner has left the organization. */
  readonly ownerRole: Role | null;
  /** A deactivated person cannot use their sessions and keys until they are reactivated. */
  readonly isOwnerDeactivated: boolean;
  /**
   * The owner's roles, by workspace id. For an API key, only the role in its workspace. Empty for an
   * org:admin, who is an admin of every workspace.
   */
  readonly workspaceRoles: Readonly<Record<string, WorkspaceRole>>;
}

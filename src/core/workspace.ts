import { hash } from 'node:crypto';
import type { Role } from './organization.ts';

export interface Workspace {
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  /** Null for the default workspace, which is created with the organization. */
  readonly createdBy: string | null;
  readonly createdAt: string;
  readonly updatedAt: string | null;
  /** Every member of the organization belongs to the default workspace. */
  readonly isDefault: boolean;
  readonly memberCount: number;
}

export interface WorkspaceMember {
  readonly workspaceId: string;
  readonly userId: string;
  readonly email: string;
  /** The role in the organization; workspaces have no roles of their own. */
  readonly role: Role;
  readonly createdAt: string;
}

export const workspaceSlugPattern = '^[a-z0-9]+(?:-[a-z0-9]+)*$';

/** For the OpenAPI document: also excludes slugs that look like a workspace id. */
export const documentedSlugPattern =
  '^(?![0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)[a-z0-9]+(?:-[a-z0-9]+)*$';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Requests name a workspace by id or slug, so no slug may look like an id. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/**
 * Derives the id that the API reports for a membership. The database stores none, so the id is a
 * hash of workspace and user, as a UUIDv8 (RFC 9562). It must stay the same in every release.
 */
export function workspaceMembershipId({ workspaceId, userId }: WorkspaceMember): string {
  const digits = hash('sha256', `${workspaceId} ${userId}`, 'hex');
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `${variant}${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}

import { hash } from 'node:crypto';
import type { Role } from './organization.ts';

export interface Workspace {
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  /** Null for the one that came with the organization. */
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
  /** That of the organization. */
  readonly role: Role;
  readonly createdAt: string;
}

export const workspaceSlugPattern = '^[a-z0-9]+(?:-[a-z0-9]+)*$';

/** For the API document: a slug that looks like the id of a workspace is refused, too. */
export const documentedSlugPattern =
  '^(?![0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)[a-z0-9]+(?:-[a-z0-9]+)*$';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A workspace is named by its id or its slug, so that no slug may look like an id. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** A membership has an id on the wire and none in the database: it follows from whose it is. UUIDv8 (RFC 9562). */
export function workspaceMembershipId({ workspaceId, userId }: WorkspaceMember): string {
  const digits = hash('sha256', `${workspaceId} ${userId}`, 'hex');
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `${variant}${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}

import type { ContentLogSettings } from '../content-log/content-log-settings.ts';
import type { PresetdError } from '../errors.ts';
import { invalidField } from '../request-issues.ts';
import type { Role } from './organization.ts';
import type { WorkspaceRole } from './workspace-role.ts';

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
  readonly contentLog: ContentLogSettings;
}

export interface WorkspaceAddress {
  readonly organizationId: string;
  readonly workspaceId: string;
}

export interface WorkspaceMember {
  readonly workspaceId: string;
  readonly userId: string;
  readonly email: string;
  /** The role in the organization. */
  readonly role: Role;
  readonly workspaceRole: WorkspaceRole;
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

/** For stores, which learn from a unique index that the slug is in use. */
export function slugTaken(slug: string): PresetdError {
  return invalidField('/slug', `is ${slug}, which another workspace already uses`);
}

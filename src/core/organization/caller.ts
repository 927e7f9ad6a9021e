import type { ContentLogSettings } from '../content-log/content-log-settings.ts';
import type { ApiKey } from './api-key.ts';
import type { KeyScope } from './key-scope.ts';
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
   * The owner's roles, by workspace id. For an API key, only the role in its workspace. Empty for
   * an org:admin, who is an admin of every workspace.
   */
  readonly workspaceRoles: Readonly<Record<string, WorkspaceRole>>;
}

/** A key with everything that authorization needs, from a single lookup. */
export interface ResolvedKey extends ApiKey, OwnerAccess {
  /**
   * The end of the grace period, if the lookup used a secret that has been rotated out; otherwise
   * null.
   */
  readonly secretExpiresAt: string | null;
  /** Of the workspace of an API key, if it logs the content of calls. */
  readonly contentLog: ContentLogSettings | null;
  /** Whether the owner has never signed in to the organization or used a key of it. */
  readonly isOwnerNew: boolean;
}

/** A signed-in person in one browser, from a single lookup. */
export interface ResolvedSession extends OwnerAccess {
  readonly kind: 'session';
  readonly id: string;
  readonly secretHash: string;
  readonly label: string;
  readonly organizationId: string;
  /** The workspace of a model call; null for every other request, which names its own. */
  readonly workspaceId: string | null;
  readonly readOnly: false;
  readonly scope: KeyScope;
  readonly presets: null;
  /** Of the workspace of a model call; null for every other request. */
  readonly contentLog: ContentLogSettings | null;
  /** `password`, `link` or the id of a provider. */
  readonly method: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
}

/**
 * An authenticated caller: a key or session that may be used now, of a person who is an active
 * member of the organization.
 */
export type Caller = ResolvedKey | ResolvedSession;

/** Names a session in events and messages, where a key has its label. */
export function sessionLabel(id: string): string {
  return `session ${id.slice(-8)}`;
}

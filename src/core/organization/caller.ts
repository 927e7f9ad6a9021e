import type { ResolvedKey } from './api-key.ts';
import type { KeyScope } from './key-scope.ts';
import type { OwnerAccess } from './owner-access.ts';

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

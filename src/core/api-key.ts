import { hash, randomBytes } from 'node:crypto';
import type { Role } from './organization.ts';

const secretPrefix = 'sk-pst-v1-';

/** An `api` key belongs to a workspace; a `management` key to an organization, or to no one but its owner. */
export type KeyKind = 'api' | 'management';

export interface ApiKey {
  readonly id: string;
  readonly secretHash: string;
  /** Enough of the secret to tell keys apart, never enough to use one. */
  readonly label: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly readOnly: boolean;
  readonly ownerId: string;
  readonly organizationId: string | null;
  readonly workspaceId: string | null;
  readonly disabled: boolean;
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

/** A key with what its bearer may reach, as one lookup finds it. */
export interface ResolvedKey extends ApiKey {
  readonly defaultWorkspaceId: string | null;
  /** Null for a key of nobody but its owner, and where the owner no longer belongs to the organization. */
  readonly ownerRole: Role | null;
  /** For a management key of an `org:member`: the workspaces they were added to. The default one is everybody's. */
  readonly ownerWorkspaceIds: readonly string[];
  /** For a secret that was replaced: until when it is good all the same. */
  readonly secretExpiresAt: string | null;
}

/** A key as an administrator sees it. */
export interface KeyRecord extends ApiKey {
  readonly updatedAt: string | null;
  readonly lastUsedAt: string | null;
  /** While a secret that was replaced is still good: until when. */
  readonly retiredSecretExpiresAt: string | null;
  readonly ownerEmail: string;
  /** False when the owner left the organization, or the workspace of the key. */
  readonly ownerHasAccess: boolean;
}

export function newSecret(): string {
  return secretPrefix + randomBytes(32).toString('hex');
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

export function labelOf(secret: string): string {
  if (secret.startsWith(secretPrefix) && secret.length >= 40) {
    return `${secret.slice(0, secretPrefix.length + 3)}…${secret.slice(-3)}`;
  }
  // Chosen by an operator, perhaps short: show less of it.
  return `${secret.slice(0, 2)}…${secret.slice(-2)}`;
}

import { hash, randomBytes } from 'node:crypto';

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
  /** True for a key of an organization that its owner no longer belongs to. */
  readonly ownerHasLeft: boolean;
}

/** A key as an administrator sees it. */
export interface ListedKey extends ApiKey {
  readonly ownerEmail: string;
  readonly ownerHasLeft: boolean;
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

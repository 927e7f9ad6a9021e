import { hash, randomBytes } from 'node:crypto';
import { PresetdError } from '../errors.ts';
import { newId } from '../identifiers.ts';
import type { KeyScope } from './key-scope.ts';
import type { LimitReset } from './limit-reset.ts';

/** Lets secret scanners and people recognize a presetd key. */
const secretPrefix = 'sk-pst-v1-';

/**
 * An `api` key belongs to a workspace. A `management` key belongs to an organization, or only to
 * its owner if it is personal.
 */
type KeyKind = 'api' | 'management';

/** A key of either kind as it is stored. The secret itself is never stored. */
export interface ApiKey {
  readonly id: string;
  readonly secretHash: string;
  /** A few characters of the secret: enough to tell keys apart, never enough to use one. */
  readonly label: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly readOnly: boolean;
  readonly scope: KeyScope;
  /** The names of presets that the key is limited to; null for all of its workspace. */
  readonly presets: readonly string[] | null;
  /** The spending limit in billionths of a US dollar; null for none. */
  readonly limitNanos: number | null;
  /** How often the limit resets; null for one that holds for the life of the key. */
  readonly limitReset: LimitReset | null;
  readonly ownerId: string;
  readonly organizationId: string | null;
  readonly workspaceId: string | null;
  readonly disabled: boolean;
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

/** A key as management endpoints show it. */
export interface KeyRecord extends ApiKey {
  readonly updatedAt: string | null;
  readonly lastUsedAt: string | null;
  /** The end of the grace period of a rotated secret; null if there is none. */
  readonly retiredSecretExpiresAt: string | null;
  readonly ownerEmail: string;
  /** False if the owner has left the organization or the key's workspace. */
  readonly ownerHasAccess: boolean;
}

type KeyDetails = Pick<ApiKey, 'name' | 'kind' | 'ownerId' | 'organizationId' | 'createdAt'> &
  Partial<ApiKey>;

/** A key with this secret. By default it never expires and has all rights of its owner. */
export function keyWithSecret(secret: string, details: KeyDetails): ApiKey {
  return {
    id: newId(),
    secretHash: hashSecret(secret),
    label: labelOf(secret),
    readOnly: false,
    scope: 'write',
    presets: null,
    limitNanos: null,
    limitReset: null,
    workspaceId: null,
    disabled: false,
    expiresAt: null,
    ...details,
  };
}

export function newSecret(): string {
  return secretPrefix + randomBytes(32).toString('hex');
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Shows three characters on each side of a generated secret. */
export function labelOf(secret: string): string {
  if (secret.startsWith(secretPrefix) && secret.length >= 40) {
    return `${secret.slice(0, secretPrefix.length + 3)}…${secret.slice(-3)}`;
  }
  // A secret chosen by an operator can be short, so show less of it.
  return `${secret.slice(0, 2)}…${secret.slice(-2)}`;
}

export function duplicateSecret(): PresetdError {
  return new PresetdError('conflict', 'A key with this secret already exists.');
}

export function ambiguousLabel(label: string): PresetdError {
  return new PresetdError(
    'conflict',
    `More than one key has the label ${label}. Use the id of the key instead.`,
  );
}

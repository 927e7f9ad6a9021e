import type { Facts } from './answers.ts';

/**
 * Response shapes of the organization API, limited to the fields that the command line and the
 * dashboard show.
 */

export interface Key {
  /** The ID of the key, which logs and the audit log use. */
  readonly hash: string;
  readonly label: string;
  readonly name: string;
  readonly kind: 'api' | 'management';
  readonly read_only: boolean;
  readonly disabled: boolean;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  /** Until then, the secret from before the last rotation also works. Null if there is none. */
  readonly previous_secret_expires_at: string | null;
  readonly creator_user_id: string;
  readonly creator_email: string | null;
  readonly workspace_id: string | null;
}

/** The response to creating or rotating a key: the only time that the secret is readable. */
export interface KeyWithSecret {
  readonly data: Key;
  readonly key: string;
}

/** What a key can read about itself, at `GET /key`. */
export interface CurrentKey
  extends Pick<Key, 'hash' | 'label' | 'name' | 'kind' | 'read_only' | 'expires_at' | 'creator_user_id'> {
  readonly workspace_id: string | null;
  readonly organization_id: string | null;
  readonly rate_limit: { readonly requests: number; readonly interval: string };
}

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: string;
}

export interface AuditEvent {
  readonly id: string;
  readonly kind: string;
  readonly created_at: string;
  readonly actor_id: string;
  readonly actor_email: string | null;
  readonly key_label: string | null;
  /** Null for events that do not belong to a workspace. */
  readonly workspace_id: string | null;
  /** Also null once the workspace is deleted. */
  readonly workspace_slug: string | null;
  /** For a deleted workspace, its last name. */
  readonly workspace_name: string | null;
  /** The ID of the preset, key, workspace or member. */
  readonly subject_id: string;
  readonly subject: string;
  readonly before: Facts | null;
  readonly after: Facts | null;
}

import type { WorkspaceRole } from './workspace-role.ts';

export type Role = 'org:admin' | 'org:member';

export const roles: readonly Role[] = ['org:admin', 'org:member'];

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly defaultWorkspaceId: string;
}

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: Role;
  /** The role in the default workspace, to which every member belongs. */
  readonly workspaceRole: WorkspaceRole;
  /** A deactivated member cannot sign in, and their keys do not work. Null for an active one. */
  readonly deactivatedAt: string | null;
}

/** `totalCount` is only a minimum for a search with common words. */
export interface MemberPage {
  readonly members: readonly Member[];
  readonly totalCount: number;
}

/**
 * A permissive check that rejects invisible characters, which could make two addresses look alike.
 */
export function isEmail(text: string): boolean {
  return /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u.test(text) && text.length <= 254 && text.isWellFormed();
}

const invisible =
  '\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f' +
  '\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb';

/**
 * `isEmail` for the OpenAPI document, without characters that many regular expression engines do
 * not support.
 */
export const emailPattern = `^[^@${invisible}]+@[^@${invisible}]+$`;

export const emailRule = 'must be an email address of at most 254 characters';

export const nameRule = 'must have at most 200 characters and no line breaks or other control characters';

/**
 * Whether the text can be the name of a person or a key. A line break would corrupt lists and logs.
 */
export function isName(text: string): boolean {
  return text.length <= 200 && !/\p{Cc}/u.test(text);
}

/** `isName` for the OpenAPI document. */
export const personNamePattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/** Addresses that differ only in case or surrounding whitespace belong to the same user. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

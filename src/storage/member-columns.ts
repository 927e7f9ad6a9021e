import type { Member } from '../core/organization/organization.ts';
import { type Columns, columnsOf, fields } from './select.ts';
import { typed } from './write-rows.ts';

/** Columns of members, which several stores select. */

/** Columns of users and memberships that can change, with their types. */
export const nameTypes = typed('text', 'firstName', 'lastName');
export const membershipTypes = {
  ...typed('text', 'role', 'workspaceRole'),
  deactivatedAt: 'timestamptz',
} as const;

export type Name = Pick<Member, keyof typeof nameTypes>;
export type Membership = Pick<Member, keyof typeof membershipTypes>;

/** Expects the user as `u` and the membership as `m`. */
export const memberColumns: Columns<Member> = {
  ...fields('u', 'id', 'email'),
  ...columnsOf<Name>('u', nameTypes),
  ...columnsOf<Membership>('m', membershipTypes),
};

/** The ports for SCIM. `core/storage.ts` says what holds for every method. */

import type { Actor } from '../organization/actor.ts';
import type { GroupMapping } from '../organization/group-roles.ts';
import type { ExistingUser } from '../organization/member-change.ts';
import type { Page } from '../page.ts';
import type { GroupInput, ProvisionedGroup } from './provisioned-group.ts';
import type { ProvisionedUser, ProvisionedUserChange } from './provisioned-user.ts';

/** Users and groups that an identity provider manages through SCIM. */
export interface ProvisioningStore {
  /** Lists users by creation time, then id; empty past the end. */
  listUsers(
    organizationId: string,
    page: Page,
  ): Promise<{ readonly users: readonly ProvisionedUser[]; readonly totalCount: number }>;
  /** Names and addresses are found in any case and normal form. Empty if there are none. */
  findUsers(organizationId: string, lookup: UserLookup): Promise<readonly ProvisionedUser[]>;
  /**
   * Passes the user who has this address to `decide`, and whether they are provisioned, then stores
   * the member and the user. Throws `conflict` if another user has the name or the external id.
   */
  createUser(
    organizationId: string,
    email: string,
    actor: Actor,
    decide: (
      existing: ExistingUser | undefined,
      isProvisioned: boolean,
      isLastAdmin: boolean,
    ) => ProvisionedUserChange,
  ): Promise<ProvisionedUser>;
  /**
   * Passes the user to `decide` and stores the returned change; removing them also removes the
   * member. Returns the user as they are afterwards, or as they last were; `undefined` if there is
   * no such user. Throws `conflict` if another user has the name, the external id or the address.
   */
  changeUser(
    organizationId: string,
    id: string,
    actor: Actor,
    decide: (current: ProvisionedUser, isLastAdmin: boolean) => ProvisionedUserChange | undefined,
  ): Promise<ProvisionedUser | undefined>;
  /** Lists groups by creation time, then id; empty past the end. */
  listGroups(
    organizationId: string,
    page: Page,
    withMembers: boolean,
  ): Promise<{ readonly groups: readonly ProvisionedGroup[]; readonly totalCount: number }>;
  /** Names are found in any case and normal form. Empty if there are none. */
  findGroups(
    organizationId: string,
    lookup: GroupLookup,
    withMembers: boolean,
  ): Promise<readonly ProvisionedGroup[]>;
  /**
   * Passes the group to `describe` (`undefined` if it does not exist) and stores it as described;
   * null deletes it, and undefined changes nothing. If the group is one of `mappings`, gives
   * everyone who joins or leaves it the roles of their groups. Throws `conflict` if another group
   * has the name or the external id. With `among`, the group is passed and returned with those of
   * its members only, and the others stay; it must keep its name.
   */
  changeGroup(
    organizationId: string,
    id: string,
    actor: Actor,
    at: string,
    describe: (current: ProvisionedGroup | undefined) => GroupInput | null | undefined,
    mappings: readonly GroupMapping[],
    among?: readonly string[],
  ): Promise<GroupResult | undefined>;
}

/** A value of an indexed attribute of users. */
export interface UserLookup {
  readonly by: 'id' | 'userName' | 'externalId' | 'email';
  readonly value: string;
}

export interface GroupLookup {
  readonly by: 'id' | 'displayName' | 'externalId';
  readonly value: string;
}

export interface GroupResult {
  /** As it is afterwards, or as it last was if it was deleted. */
  readonly group: ProvisionedGroup;
  /** The users whose roles may have changed. */
  readonly affectedIds: readonly string[];
}

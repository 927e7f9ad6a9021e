import type { Clock } from '../clock.ts';
import { PresetdError, raise } from '../errors.ts';
import type { Author } from '../event.ts';
import { newId } from '../identifiers.ts';
import type { Authenticator } from '../organization/authenticate.ts';
import type { GroupMapping } from '../organization/group-roles.ts';
import { EmailConflictError } from '../organization/member-change.ts';
import type { OrganizationStore } from '../organization/organization-storage.ts';
import type { Page } from '../page.ts';
import { isStorableText } from '../request-issues.ts';
import type { GroupInput, ProvisionedGroup } from './provisioned-group.ts';
import {
  changeUser,
  deactivateUser,
  type ProvisionedUser,
  type ProvisionedUserChange,
  provisionUser,
  removeUser,
  type UserInput,
} from './provisioned-user.ts';
import type { GroupLookup, GroupResult, ProvisioningStore, UserLookup } from './provisioning-storage.ts';

export type Provisioning = ReturnType<typeof createProvisioning>;

/** Events name SCIM instead of a person. */
const actor: Author = { userId: 'scim', keyLabel: 'SCIM' };

/**
 * Users and groups of the first organization, as an identity provider manages them through SCIM.
 * The caller has been authenticated by the SCIM token. Every change invalidates the cached keys and
 * sessions of the people it affects.
 */
export function createProvisioning(
  store: ProvisioningStore,
  organizations: OrganizationStore,
  clock: Clock,
  authenticator: Authenticator,
  mappings: () => readonly GroupMapping[],
) {
  let knownId: string | undefined;
  const organizationId = async () => {
    knownId ??= (await organizations.first())?.organization.id;
    if (knownId === undefined) throw new PresetdError('unavailable', 'There is no organization yet.');
    return knownId;
  };
  const change = async (
    id: string,
    decide: (current: ProvisionedUser, isLastAdmin: boolean) => ProvisionedUserChange | undefined,
  ) => {
    if (!isStorableText(id)) throw unknown('User', id);
    const write = store.changeUser(await organizationId(), id, actor, decide);
    const changed = await authenticator.invalidateAfter(write, ({ ownerId }) => ownerId === id);
    return changed ?? raise(unknown('User', id));
  };

  const writeGroup = async (
    id: string,
    describe: (current: ProvisionedGroup | undefined) => GroupInput | null | undefined,
    among?: readonly string[],
  ) => {
    const write = store.changeGroup(await organizationId(), id, actor, clock(), describe, mappings(), among);
    return authenticator.invalidateAfter(
      write,
      ({ ownerId }, changed) => changed?.affectedIds.includes(ownerId) ?? false,
    );
  };
  const writeExistingGroup = async (
    id: string,
    describe: (current: ProvisionedGroup) => GroupInput | null,
    among?: readonly string[],
  ): Promise<GroupResult> =>
    (isStorableText(id)
      ? await writeGroup(id, (current) => (current === undefined ? undefined : describe(current)), among)
      : undefined) ?? raise(unknown('Group', id));

  return {
    async listUsers(page: Page) {
      return store.listUsers(await organizationId(), page);
    },
    async findUsers(lookup: UserLookup) {
      return isStorableText(lookup.value) ? store.findUsers(await organizationId(), lookup) : [];
    },
    async getUser(id: string): Promise<ProvisionedUser> {
      const [user] = await this.findUsers({ by: 'id', value: id });
      return user ?? raise(unknown('User', id));
    },
    /** Throws `conflict` if the user exists already. */
    async createUser(input: UserInput): Promise<ProvisionedUser> {
      const at = clock();
      const write = store.createUser(await organizationId(), input.email, actor, (...context) =>
        provisionUser(input, ...context, at),
      );
      // An adopted member can have keys, and the user may not be active.
      return authenticator.invalidateAfter(write, ({ ownerId }, user) => ownerId === user?.member.id);
    },
    /**
     * `describe` gets the user as they are, inside the transaction. If another user has the
     * address, a user who is to be deactivated is, and nothing else changes: they must lose access.
     */
    async changeUser(
      id: string,
      describe: (current: ProvisionedUser) => UserInput,
    ): Promise<ProvisionedUser> {
      try {
        return await change(id, (current, isLastAdmin) =>
          changeUser(describe(current), current, isLastAdmin, clock()),
        );
      } catch (error) {
        if (!(error instanceof EmailConflictError)) throw error;
        return change(id, (current, isLastAdmin) => {
          const isActive = current.member.deactivatedAt === null;
          if (!isActive || describe(current).isActive !== false) throw error;
          return deactivateUser(current, isLastAdmin, clock());
        });
      }
    },
    async removeUser(id: string): Promise<void> {
      await change(id, (current, isLastAdmin) => removeUser(current, isLastAdmin, clock()));
    },
    async listGroups(page: Page, withMembers: boolean) {
      return store.listGroups(await organizationId(), page, withMembers);
    },
    async findGroups(lookup: GroupLookup, withMembers: boolean) {
      return isStorableText(lookup.value)
        ? store.findGroups(await organizationId(), lookup, withMembers)
        : [];
    },
    async getGroup(id: string, withMembers: boolean): Promise<ProvisionedGroup> {
      const [group] = await this.findGroups({ by: 'id', value: id }, withMembers);
      return group ?? raise(unknown('Group', id));
    },
    async createGroup(input: GroupInput): Promise<ProvisionedGroup> {
      const created = await writeGroup(newId(), () => input);
      if (created === undefined) throw new Error('the group that was just created is missing');
      return created.group;
    },
    async changeGroup(
      id: string,
      describe: (current: ProvisionedGroup) => GroupInput,
    ): Promise<ProvisionedGroup> {
      return (await writeExistingGroup(id, describe)).group;
    },
    /** Adds (true) and removes (false) members by id. Costs the same for a group of any size. */
    async changeGroupMembers(id: string, changes: ReadonlyMap<string, boolean>): Promise<void> {
      const memberIds = [...changes.keys()].filter((userId) => changes.get(userId));
      await writeExistingGroup(id, (current) => ({ ...current, memberIds }), [...changes.keys()]);
    },
    async removeGroup(id: string): Promise<void> {
      await writeExistingGroup(id, () => null);
    },
  };
}

function unknown(resource: string, id: string): PresetdError {
  return new PresetdError('not_found', `There is no ${resource} with the id ${id}.`);
}

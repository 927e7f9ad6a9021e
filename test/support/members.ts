import type { Author } from '../../src/core/event.ts';
import { newUserId } from '../../src/core/identifiers.ts';
import {
  type ApiKey,
  type KeyRecord,
  keyWithSecret,
  newSecret,
} from '../../src/core/organization/api-key.ts';
import { editKey } from '../../src/core/organization/key-change.ts';
import { addMember as addMemberRule, removeMember } from '../../src/core/organization/member-change.ts';
import type { Member } from '../../src/core/organization/organization.ts';
import type { Storage } from '../../src/core/storage.ts';

/** The author of changes that a test makes to an organization. */
export const testAuthor: Author = { userId: 'user_test', keyLabel: null };

/** A new member; details that are not given are generated. */
export function newMember(details: Partial<Member> = {}): Member {
  const id = newUserId();
  return {
    id,
    email: `${id}@example.com`,
    firstName: '',
    lastName: '',
    role: 'org:member',
    workspaceRole: 'admin',
    deactivatedAt: null,
    ...details,
  };
}

/** Adds members with the given ids, which presetd would generate otherwise. */
export function addMembers(
  { members }: Storage,
  organizationId: string,
  people: readonly Member[],
  at = new Date().toISOString(),
): Promise<readonly (Member | undefined)[]> {
  const byEmail = new Map(people.map((member) => [member.email, member]));
  return members.upsert(organizationId, testAuthor, people, (person, known, isLastAdmin) => {
    const change = addMemberRule(at)(person, known, isLastAdmin);
    const given = byEmail.get(person.email);
    if (known !== undefined || given === undefined || change === undefined) return change;
    return { ...change, next: given };
  });
}

export async function addMember(
  storage: Storage,
  organizationId: string,
  member: Member,
  at?: string,
): Promise<Member> {
  const [added] = await addMembers(storage, organizationId, [member], at);
  if (added === undefined) throw new Error('the member who was just added is missing');
  return added;
}

/** Removes a member by presetd's rule, which rejects removal of the last admin. */
export function removeMemberFrom(
  { members }: Storage,
  organizationId: string,
  idOrEmail: string,
): Promise<Member | undefined> {
  return members.change(organizationId, idOrEmail, testAuthor, (current, isLastAdmin) =>
    removeMember(current, isLastAdmin, new Date().toISOString()),
  );
}

/** A new management key; details that are not given are generated. */
export function newKey(
  details: Pick<ApiKey, 'ownerId' | 'organizationId'> & Partial<ApiKey>,
  secret = newSecret(),
): ApiKey {
  const createdAt = new Date().toISOString();
  return keyWithSecret(secret, { name: 'Made by a test', kind: 'management', createdAt, ...details });
}

/** Inserts a key without checking any rule. */
export function insertKey({ keys }: Storage, key: ApiKey): Promise<KeyRecord> {
  return keys.create(key, testAuthor, () => ({ addsOwnerToWorkspace: false, events: [] }));
}

/** Disables a key by presetd's rule. */
export function disableKeyIn(
  { keys }: Storage,
  organizationId: string,
  reference: string,
): Promise<KeyRecord | undefined> {
  return keys.change(organizationId, reference, testAuthor, (current) =>
    editKey({ disabled: true })(current, new Date().toISOString()),
  );
}

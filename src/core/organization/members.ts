import type { Clock } from '../clock.ts';
import { type Issue, PresetdError, raise } from '../errors.ts';
import type { Page } from '../page.ts';
import { assertNoIssues, isStorableText } from '../request-issues.ts';
import { nameProblem } from '../text/name.ts';
import { parseSearchWords } from '../text/words.ts';
import { actorFrom } from './actor.ts';
import type { Authenticator } from './authenticate.ts';
import type { Caller } from './caller.ts';
import {
  addMember,
  changeMember,
  importMembers,
  type MemberEdit,
  type MemberImportResult,
  type MemberInput,
  type MemberRule,
  removeMember,
} from './member-change.ts';
import { emailRule, isEmail, type Member, type MemberPage, normalizeEmail } from './organization.ts';
import { requireAdmin, requireManagement } from './organization-access.ts';
import type { MemberStore } from './organization-storage.ts';

export type Members = ReturnType<typeof createMembers>;

/**
 * Reads and changes the members of an organization. Reading needs a management key or a session,
 * changing one of an org:admin. Every change invalidates the cached keys and sessions of the
 * members it affects, because what these may do depends on their owner.
 */
export function createMembers(members: MemberStore, clock: Clock, authenticator: Authenticator) {
  const adminActor = (caller: Caller, action: string) =>
    actorFrom(caller, clock, (current) => requireAdmin(current, action));

  /** Throws `not_found` if there is no such member. */
  async function change(
    caller: Caller,
    idOrEmail: string,
    action: string,
    rule: MemberRule,
  ): Promise<Member> {
    const { organizationId } = requireAdmin(caller, action);
    if (!isStorableText(idOrEmail)) throw unknownMember(idOrEmail);
    let id: string | undefined;
    const write = members.change(
      organizationId,
      idOrEmail,
      adminActor(caller, action),
      (current, isLastAdmin) => {
        id = current.id;
        return rule(current, isLastAdmin, clock());
      },
    );
    const changed = await authenticator.invalidateAfter(write, ({ ownerId }) => ownerId === id);
    return changed ?? raise(unknownMember(idOrEmail));
  }

  /**
   * Finds a member by their whole address. The word index does not help: an address can share all
   * its words with many others, and can have more words than a search allows.
   */
  async function findByEmail(organizationId: string, query = ''): Promise<Member | undefined> {
    const email = query.trim();
    return isEmail(email) ? members.find(organizationId, email) : undefined;
  }

  return {
    change,
    /**
     * Lists all members, or those that match the query: by a whole address, or by word prefixes.
     */
    async list(caller: Caller, query: string | undefined, page: Page): Promise<MemberPage> {
      const { organizationId } = requireManagement(caller, 'Listing members');
      const exact = await findByEmail(organizationId, query);
      if (exact !== undefined) return { members: page.offset === 0 ? [exact] : [], totalCount: 1 };
      const words = parseSearchWords(query);
      const found =
        words === undefined
          ? await members.list(organizationId, page)
          : await members.search(organizationId, words, page);
      if (found === undefined) throw new PresetdError('not_found', 'Your organization no longer exists.');
      return found;
    },
    async get(caller: Caller, idOrEmail: string): Promise<Member> {
      const { organizationId } = requireManagement(caller, 'Reading a member');
      const found = isStorableText(idOrEmail) ? await members.find(organizationId, idOrEmail) : undefined;
      return found ?? raise(unknownMember(idOrEmail));
    },
    async add(caller: Caller, person: MemberInput): Promise<Member> {
      const action = 'Adding a member';
      const { organizationId } = requireAdmin(caller, action);
      assertPeople([person], () => '');
      const actor = adminActor(caller, action);
      const write = members.upsert(organizationId, actor, [person], addMember(clock()));
      // A returning member can have keys from before.
      const [member] = await authenticator.invalidateAfter(
        write,
        ({ ownerId }, added) => ownerId === added?.[0]?.id,
      );
      if (member === undefined) throw new Error('the member who was just added is missing');
      return member;
    },
    async edit(caller: Caller, idOrEmail: string, changes: MemberEdit): Promise<Member> {
      assertPeople([changes], () => '');
      return change(caller, idOrEmail, 'Changing a member', changeMember(changes));
    },
    async remove(caller: Caller, idOrEmail: string): Promise<void> {
      await change(caller, idOrEmail, 'Removing a member', removeMember);
    },
    /** Adds or updates many members in one transaction. Returns one result per person, in order. */
    async import(
      caller: Caller,
      people: readonly MemberInput[],
      updateExisting: boolean,
    ): Promise<readonly MemberImportResult[]> {
      const action = 'Importing members';
      const { organizationId } = requireAdmin(caller, action);
      assertPeople(people, (index) => `/members/${index}`);
      const unique = uniqueByEmail(people);
      const results = new Map<string, MemberImportResult>();
      let ids = new Set<string>();
      // A map, because the rule runs again when the transaction is retried.
      const decide = importMembers(updateExisting, clock(), (result) =>
        results.set(normalizeEmail(result.email), result),
      );
      const upsert = members.upsert(
        organizationId,
        adminActor(caller, action),
        [...unique.values()],
        (...context) => {
          const change = decide(...context);
          if (change?.next) ids = ids.add(change.next.id);
          return change;
        },
      );
      await authenticator.invalidateAfter(upsert, ({ ownerId }) => ids.has(ownerId));
      return people.map((person) => {
        const key = normalizeEmail(person.email);
        const result = results.get(key);
        if (unique.get(key) === person && result !== undefined) return result;
        const message = 'This address appears earlier in the request.';
        return { email: person.email, outcome: 'refused', message };
      });
    },
  };
}

/** The first person with each address, in order. */
function uniqueByEmail(people: readonly MemberInput[]): ReadonlyMap<string, MemberInput> {
  const unique = new Map<string, MemberInput>();
  for (const person of people) {
    const key = normalizeEmail(person.email);
    if (!unique.has(key)) unique.set(key, person);
  }
  return unique;
}

/** Reports the invalid fields of all people at once. */
export function assertPeople(people: readonly MemberEdit[], pathOf: (index: number) => string): void {
  assertNoIssues(people.flatMap((person, index) => personIssues(pathOf(index), person)));
}

function personIssues(path: string, { email, firstName = '', lastName = '' }: MemberEdit): readonly Issue[] {
  return [
    { path: `${path}/email`, message: email === undefined || isEmail(email) ? undefined : emailRule },
    { path: `${path}/first_name`, message: firstName === '' ? undefined : nameProblem(firstName) },
    { path: `${path}/last_name`, message: lastName === '' ? undefined : nameProblem(lastName) },
  ].flatMap(({ path, message }) => (message === undefined ? [] : [{ path, message }]));
}

export function unknownMember(idOrEmail: string): PresetdError {
  return new PresetdError('not_found', `There is no member ${idOrEmail} in this organization.`);
}

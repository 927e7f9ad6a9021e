import { actorFrom } from './actor.ts';
import type { Authenticator, Caller } from './authenticate.ts';
import type { Clock } from './clock.ts';
import { type Issue, PresetdError } from './errors.ts';
import {
  addMember,
  editMember,
  importMembers,
  type MemberDetails,
  type MemberImportResult,
  type MemberInput,
  type MemberRule,
  removeMember,
} from './member-change.ts';
import {
  emailRule,
  isEmail,
  type Member,
  type MemberPage,
  normalizeEmail,
  type Page,
} from './organization.ts';
import { requireAdmin, requireManagementKey } from './organization-access.ts';
import { nameProblem } from './preset-name.ts';
import { assertNoIssues, isStorableText } from './request-issues.ts';
import type { MemberStore } from './storage.ts';
import { parseSearchWords } from './words.ts';

export type Members = ReturnType<typeof createMembers>;

/** Who belongs to an organization. */
export function createMembers(members: MemberStore, clock: Clock, authenticator: Authenticator) {
  const adminChanger = (caller: Caller, doing: string) =>
    actorFrom(caller, clock, (present) => requireAdmin(present, doing));

  async function change(caller: Caller, idOrEmail: string, doing: string, rule: MemberRule): Promise<Member> {
    const { organizationId } = requireAdmin(caller, doing);
    if (!isStorableText(idOrEmail)) return unknownMember(idOrEmail);
    let id: string | undefined;
    const work = members.change(
      organizationId,
      idOrEmail,
      adminChanger(caller, doing),
      (current, isLastAdmin) => {
        id = current.id;
        return rule(current, isLastAdmin, clock());
      },
    );
    // What a key may do depends on its owner.
    const changed = await authenticator.invalidateAfter(work, (key) => key.ownerId === id);
    return changed ?? unknownMember(idOrEmail);
  }

  /** An address may share all of its words with many others, and may have more words than a search. */
  async function findByAddress(organizationId: string, query = ''): Promise<Member | undefined> {
    const address = query.trim();
    return isEmail(address) ? members.find(organizationId, address) : undefined;
  }

  return {
    /** All members, or those whom a query finds by the beginnings of words or by the whole address. */
    async list(caller: Caller, query: string | undefined, page: Page): Promise<MemberPage> {
      const { organizationId } = requireManagementKey(caller, 'Listing members');
      const exact = await findByAddress(organizationId, query);
      if (exact !== undefined) return { members: page.offset === 0 ? [exact] : [], totalCount: 1 };
      const words = parseSearchWords(query);
      const found =
        words === undefined
          ? await members.list(organizationId, page)
          : await members.search(organizationId, words, page);
      if (found === undefined)
        throw new PresetdError('not_found', 'The organization of this key no longer exists.');
      return found;
    },
    async get(caller: Caller, idOrEmail: string): Promise<Member> {
      const { organizationId } = requireManagementKey(caller, 'Reading a member');
      const found = isStorableText(idOrEmail) ? await members.find(organizationId, idOrEmail) : undefined;
      return found ?? unknownMember(idOrEmail);
    },
    async add(caller: Caller, person: MemberInput): Promise<Member> {
      const doing = 'Adding a member';
      const { organizationId } = requireAdmin(caller, doing);
      assertPeople([person], () => '');
      const actor = adminChanger(caller, doing);
      const joining = members.upsert(organizationId, actor, [person], addMember(clock()));
      let id: string | undefined;
      const work = joining.then(([joined]) => {
        id = joined?.id;
        return joined;
      });
      // Somebody who comes back has keys already.
      const member = await authenticator.invalidateAfter(work, (key) => key.ownerId === id);
      if (member === undefined) throw new Error('a member who was added is not there');
      return member;
    },
    async edit(caller: Caller, idOrEmail: string, wanted: MemberDetails): Promise<Member> {
      assertNoIssues(nameIssues('', wanted));
      return change(caller, idOrEmail, 'Changing a member', editMember(wanted));
    },
    async remove(caller: Caller, idOrEmail: string): Promise<void> {
      await change(caller, idOrEmail, 'Removing a member', removeMember);
    },
    /** Tells what became of each, in order. */
    async import(
      caller: Caller,
      people: readonly MemberInput[],
      updateExisting: boolean,
    ): Promise<readonly MemberImportResult[]> {
      const doing = 'Importing members';
      const { organizationId } = requireAdmin(caller, doing);
      assertPeople(people, (index) => `/members/${index}`);
      const firsts = firstOfEach(people);
      const results = new Map<string, MemberImportResult>();
      let ids = new Set<string>();
      const decideOne = importMembers(updateExisting, clock(), (result) =>
        results.set(normalizeEmail(result.email), result),
      );
      const work = members.upsert(
        organizationId,
        adminChanger(caller, doing),
        [...firsts.values()],
        (...facts) => {
          const change = decideOne(...facts);
          if (change?.next) ids = ids.add(change.next.id);
          return change;
        },
      );
      await authenticator.invalidateAfter(work, (key) => ids.has(key.ownerId));
      return people.map((person) => {
        const key = normalizeEmail(person.email);
        const result = results.get(key);
        if (firsts.get(key) === person && result !== undefined) return result;
        const message = 'This address stands further up in the request already.';
        return { email: person.email, outcome: 'refused', message };
      });
    },
  };
}

/** By their addresses, in order. */
function firstOfEach(people: readonly MemberInput[]): ReadonlyMap<string, MemberInput> {
  const firsts = new Map<string, MemberInput>();
  for (const person of people) {
    const key = normalizeEmail(person.email);
    if (!firsts.has(key)) firsts.set(key, person);
  }
  return firsts;
}

/** Tells of all that is wrong with any of them. */
function assertPeople(people: readonly MemberInput[], pathOf: (index: number) => string): void {
  assertNoIssues(
    people.flatMap((person, index) => [
      ...(isEmail(person.email) ? [] : [{ path: `${pathOf(index)}/email`, message: emailRule }]),
      ...nameIssues(pathOf(index), person),
    ]),
  );
}

function nameIssues(path: string, { firstName = '', lastName = '' }: MemberDetails): readonly Issue[] {
  return [
    { path: `${path}/first_name`, message: firstName === '' ? undefined : nameProblem(firstName) },
    { path: `${path}/last_name`, message: lastName === '' ? undefined : nameProblem(lastName) },
  ].flatMap(({ path, message }) => (message === undefined ? [] : [{ path, message }]));
}

function unknownMember(idOrEmail: string): never {
  throw new PresetdError('not_found', `There is no member ${idOrEmail} in this organization.`);
}

import type { Clock } from '../clock.ts';
import { raise } from '../errors.ts';
import { actorFrom } from '../organization/actor.ts';
import { roleIn } from '../organization/assert-may.ts';
import type { Authenticator } from '../organization/authenticate.ts';
import type { Caller } from '../organization/caller.ts';
import {
  deactivateMember,
  type MemberInput,
  type MemberRule,
  reactivateMember,
} from '../organization/member-change.ts';
import { assertPeople, type Members, unknownMember } from '../organization/members.ts';
import type { Member } from '../organization/organization.ts';
import { isAdmin, requireAdmin } from '../organization/organization-access.ts';
import { isUuid } from '../organization/workspace.ts';
import type { Page } from '../page.ts';
import type { Storage } from '../storage.ts';
import {
  type MemberAccount,
  type PersonStatus,
  type Session,
  type SessionSelection,
  statusOf,
} from './account.ts';
import { sessionsEnded } from './account-event.ts';
import { invalidateEndedSessions, listSessions, unknownSession } from './accounts.ts';
import { type InvitedWorkspace, invite } from './invitation.ts';
import { createSignInLink, invitationMs, type NewLink } from './sign-in-link.ts';
import { newToken } from './token.ts';

interface PeopleOptions {
  readonly storage: Pick<Storage, 'accounts' | 'sessions'>;
  readonly members: Pick<Members, 'list' | 'get' | 'change'>;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly sessionIdleMs: number;
}

/** The part of a person that the caller may see. */
export interface VisiblePerson extends Omit<MemberAccount, 'hasPassword' | 'providers'> {
  readonly status: PersonStatus;
  /** Null, like the providers and the last activity, if the caller may not see it. */
  readonly hasPassword: boolean | null;
  readonly providers: readonly string[] | null;
}

export type People = ReturnType<typeof createPeople>;

/**
 * Members as accounts. Reading needs a management key or a session, everything else one of an
 * org:admin. A person is found by id or email address; methods throw `not_found` if there is none.
 */
export function createPeople({ storage, members, authenticator, clock, sessionIdleMs }: PeopleOptions) {
  const { accounts, sessions } = storage;
  const adminActor = (caller: Caller, action: string) =>
    actorFrom(caller, clock, (current) => void requireAdmin(current, action));

  /** Finds the person, for an org:admin only. */
  async function find(caller: Caller, idOrEmail: string, action: string) {
    const { organizationId } = requireAdmin(caller, action);
    const { id: userId } = await members.get(caller, idOrEmail);
    return { organizationId, userId };
  }

  async function personOf(
    caller: Caller,
    organizationId: string,
    { id, email }: Member,
  ): Promise<VisiblePerson> {
    const [person] = await accounts.people(organizationId, [id]);
    return asSeenBy(caller, person ?? raise(unknownMember(email)));
  }

  async function change(
    caller: Caller,
    idOrEmail: string,
    action: string,
    rule: MemberRule,
  ): Promise<VisiblePerson> {
    const { organizationId } = requireAdmin(caller, action);
    return personOf(caller, organizationId, await members.change(caller, idOrEmail, action, rule));
  }

  async function end(
    caller: Caller,
    idOrEmail: string,
    action: string,
    selection: SessionSelection,
  ): Promise<readonly Session[]> {
    const person = await find(caller, idOrEmail, action);
    const write = sessions.end(person, adminActor(caller, action), clock(), selection, sessionsEnded);
    return invalidateEndedSessions(authenticator, write);
  }

  return {
    async list(
      caller: Caller,
      query: string | undefined,
      page: Page,
    ): Promise<{ readonly people: readonly VisiblePerson[]; readonly totalCount: number }> {
      const found = await members.list(caller, query, page);
      const ids = found.members.map(({ id }) => id);
      const people = caller.organizationId === null ? [] : await accounts.people(caller.organizationId, ids);
      return { people: people.map((person) => asSeenBy(caller, person)), totalCount: found.totalCount };
    },
    async get(caller: Caller, idOrEmail: string): Promise<VisiblePerson> {
      const member = await members.get(caller, idOrEmail);
      return caller.organizationId === null
        ? raise(unknownMember(idOrEmail))
        : personOf(caller, caller.organizationId, member);
    },
    /** Adds a person, or replaces the link of one who has not signed in yet. */
    async invite(
      caller: Caller,
      person: MemberInput,
      workspaces: readonly InvitedWorkspace[],
    ): Promise<NewLink & { readonly person: VisiblePerson }> {
      const action = 'Inviting a person';
      const { organizationId } = requireAdmin(caller, action);
      assertPeople([person], () => '');
      const { token, tokenHash } = newToken('link');
      const createdAt = clock();
      const expiresAt = new Date(Date.parse(createdAt) + invitationMs).toISOString();
      const invitation = { person, workspaces, link: { tokenHash, createdAt, expiresAt } };
      let id: string | undefined;
      const write = accounts.invite(organizationId, adminActor(caller, action), invitation, (invitee) => {
        const change = invite(invitation, invitee);
        id = change.member.id;
        return change;
      });
      // A returning member can have keys from before.
      const member = await authenticator.invalidateAfter(write, ({ ownerId }) => ownerId === id);
      return { token, expiresAt, person: await personOf(caller, organizationId, member) };
    },
    async createLink(caller: Caller, idOrEmail: string): Promise<NewLink> {
      const action = 'Creating a sign-in link';
      const person = await find(caller, idOrEmail, action);
      const link = await createSignInLink(accounts, clock, person, adminActor(caller, action));
      return link ?? raise(unknownMember(idOrEmail));
    },
    deactivate: (caller: Caller, idOrEmail: string) =>
      change(caller, idOrEmail, 'Deactivating a person', deactivateMember),
    reactivate: (caller: Caller, idOrEmail: string) =>
      change(caller, idOrEmail, 'Reactivating a person', reactivateMember),
    async sessions(caller: Caller, idOrEmail: string): Promise<readonly Session[]> {
      const person = await find(caller, idOrEmail, 'Listing the sessions of a person');
      return listSessions(sessions, person, clock, sessionIdleMs);
    },
    async endSessions(caller: Caller, idOrEmail: string): Promise<void> {
      await end(caller, idOrEmail, 'Ending the sessions of a person', {});
    },
    async endSession(caller: Caller, idOrEmail: string, id: string): Promise<void> {
      const ended = isUuid(id) ? await end(caller, idOrEmail, 'Ending a session of a person', { id }) : [];
      if (ended.length === 0) throw unknownSession(id);
    },
  };
}

/**
 * How and when people sign in helps an attacker to choose one, so only an org:admin and the person
 * see it. Others see the roles in the workspaces they have access to.
 */
function asSeenBy(caller: Caller, person: MemberAccount): VisiblePerson {
  const status = statusOf(person);
  if (isAdmin(caller) || caller.ownerId === person.id) return { ...person, status };
  const workspaces = person.workspaces.filter(({ id }) => roleIn(caller, id) !== undefined);
  return { ...person, status, lastActiveAt: null, hasPassword: null, providers: null, workspaces };
}

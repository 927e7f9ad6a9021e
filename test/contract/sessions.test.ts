import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountEvent, sessionsEnded } from '../../src/core/accounts/account-event.ts';
import { newId } from '../../src/core/identifiers.ts';
import { deactivateMember } from '../../src/core/organization/member-change.ts';
import type { Member } from '../../src/core/organization/organization.ts';
import { type AccountStorage, createAccountStorage, randomHash } from '../support/account-storage.ts';
import { engines } from '../support/engines.ts';
import { time } from '../support/preset-storage.ts';

describe.each(engines)('sessions on %s', (engine) => {
  let acme: AccountStorage;
  beforeAll(async () => {
    acme = await createAccountStorage(engine);
  });
  afterAll(() => acme.close());

  const personOf = ({ id }: Member) => ({ organizationId: acme.organizationId, userId: id });
  const list = (member: Member, at = time(100)) => acme.storage.sessions.list(personOf(member), at);
  const end = (member: Member, selection: { readonly id?: string }, at = time(50)) =>
    acme.storage.sessions.end(personOf(member), acme.author, at, selection, sessionsEnded);

  describe('start', () => {
    it('stores a session that is found by the hash of its token', async () => {
      const member = await acme.addMember();
      const { tokenHash, idToken, ...session } = await acme.signIn(member, 10, { idToken: 'id-token' });
      expect(await list(member)).toEqual([session]);
      expect(await acme.storage.sessions.find(tokenHash)).toMatchObject({
        id: session.id,
        ownerId: member.id,
        method: 'link',
        expiresAt: session.expiresAt,
      });
      expect(await acme.storage.sessions.idToken(session.id)).toBe(idToken);
      expect(await acme.storage.sessions.idToken(newId())).toBeNull();
    });

    it('writes the events of the rule, and notes that the person was active', async () => {
      const member = await acme.addMember();
      const tokenHash = await acme.createLink(member, 200);
      const session = acme.newSession(member, 201);
      await acme.storage.sessions.start(
        {
          session,
          author: { userId: member.id, keyLabel: 'session 12345678' },
          proof: { kind: 'link', tokenHash },
          replacedTokenHash: undefined,
        },
        ({ member: found }) => [accountEvent('account.signed_in', found, { method: 'link' })],
      );
      expect(await acme.eventsAt(time(201))).toMatchObject([
        {
          kind: 'account.signed_in',
          subject: { id: member.id, name: member.email },
          actorId: member.id,
          keyLabel: 'session 12345678',
          after: { method: 'link' },
        },
      ]);
      const [person] = await acme.storage.accounts.people(acme.organizationId, [member.id]);
      expect(person?.lastActiveAt).toBe(time(201));
    });

    it('uses a link only once, no matter how many try at the same time', async () => {
      const member = await acme.addMember();
      const tokenHash = await acme.createLink(member);
      const other = await acme.open();
      const attempts = Array.from({ length: 10 }, (_, index) =>
        acme.start(
          acme.newSession(member),
          { kind: 'link', tokenHash },
          index % 2 === 0 ? acme.storage : other,
        ),
      );
      const started = (await Promise.all(attempts)).filter((account) => account !== undefined);
      expect(started).toHaveLength(1);
      expect(await list(member)).toHaveLength(1);
    });

    it('refuses a link of somebody else, an expired link and an unknown one', async () => {
      const [member, other] = [await acme.addMember(), await acme.addMember()];
      const tokenHash = await acme.createLink(member, 5, 900);
      const refused = [
        [other, { kind: 'link', tokenHash }, 10],
        [member, { kind: 'link', tokenHash }, 905],
        [member, { kind: 'link', tokenHash: randomHash() }, 10],
      ] as const;
      for (const [person, proof, seconds] of refused)
        expect(await acme.start(acme.newSession(person, seconds), proof)).toBeUndefined();
      expect(await acme.start(acme.newSession(member, 904), { kind: 'link', tokenHash })).toBeDefined();
    });

    it('keeps the link if the rule rejects the session', async () => {
      const member = await acme.addMember();
      const tokenHash = await acme.createLink(member);
      const proof = { kind: 'link', tokenHash } as const;
      const session = acme.newSession(member);
      const rejected = acme.storage.sessions.start(
        { session, author: acme.author, proof, replacedTokenHash: undefined },
        () => {
          throw new Error('rejected');
        },
      );
      await expect(rejected).rejects.toThrow('rejected');
      expect(await list(member)).toEqual([]);
      expect(await acme.start(session, proof)).toBeDefined();
    });

    it('refuses a password that was changed since it was checked', async () => {
      const member = await acme.addMember();
      const proof = { kind: 'password', passwordHash: 'old' } as const;
      expect(await acme.start(acme.newSession(member), proof)).toBeUndefined();
      await acme.setPassword(member, 'old');
      expect(await acme.start(acme.newSession(member), proof)).toBeDefined();
      await acme.setPassword(member, 'new');
      expect(await acme.start(acme.newSession(member), proof)).toBeUndefined();
    });

    it('deletes the other links of the person, such as an invitation', async () => {
      const [member, other] = [await acme.addMember(), await acme.addMember()];
      await acme.setPassword(member, 'hash');
      const [tokenHash, kept] = [await acme.createLink(member), await acme.createLink(other)];
      await acme.start(acme.newSession(member), { kind: 'password', passwordHash: 'hash' });
      expect(await acme.storage.accounts.findByLink(tokenHash, time(11))).toBeUndefined();
      expect(await acme.storage.accounts.findByLink(kept, time(11))).toBeDefined();
    });

    it('refuses someone who is not a member of the organization', async () => {
      const member = await acme.addMember();
      const tokenHash = await acme.createLink(member);
      await acme.removeMember(member.id);
      expect(await acme.start(acme.newSession(member), { kind: 'link', tokenHash })).toBeUndefined();
    });

    it('ends the session that the browser had before', async () => {
      const member = await acme.addMember();
      const before = await acme.signIn(member);
      const kept = await acme.signIn(member, 11);
      const tokenHash = await acme.createLink(member);
      const session = acme.newSession(member, 12);
      await acme.start(session, { kind: 'link', tokenHash }, acme.storage, before.tokenHash);
      expect((await list(member)).map(({ id }) => id)).toEqual([session.id, kept.id]);
      expect(await acme.storage.sessions.find(before.tokenHash)).toBeUndefined();
    });

    it('keeps the hundred sessions of a person that were used last', async () => {
      const member = await acme.addMember();
      await acme.setPassword(member, 'hash');
      const proof = { kind: 'password', passwordHash: 'hash' } as const;
      const sessions = Array.from({ length: 102 }, (_, index) => acme.newSession(member, 10 + index));
      for (const session of sessions) await acme.start(session, proof);
      const ids = sessions.map(({ id }) => id).toReversed();
      expect((await list(member)).map(({ id }) => id)).toEqual(ids.slice(0, 100));
      const [ended, kept] = sessions.slice(1);
      expect(await acme.storage.sessions.find(ended?.tokenHash ?? '')).toBeUndefined();
      expect(await acme.storage.sessions.find(kept?.tokenHash ?? '')).toBeDefined();
    });
  });

  describe('list', () => {
    it('lists the most recently used first, without those that have expired', async () => {
      const member = await acme.addMember();
      const [first, second] = [await acme.signIn(member, 10), await acme.signIn(member, 20)];
      await acme.signIn(member, 15, { expiresAt: time(100) });
      await acme.signIn(await acme.addMember());
      expect((await list(member)).map(({ id }) => id)).toEqual([second.id, first.id]);
      await acme.storage.sessions.recordLastUses(new Map([[first.id, time(90)]]), 60_000);
      expect((await list(member)).map(({ id }) => id)).toEqual([first.id, second.id]);
    });
  });

  describe('end', () => {
    it('ends one session or all of a person', async () => {
      const member = await acme.addMember();
      const other = await acme.addMember();
      const foreign = await acme.signIn(other);
      const [one, two, three] = [
        await acme.signIn(member, 10),
        await acme.signIn(member, 11),
        await acme.signIn(member, 12),
      ];
      const left = async () => (await list(member)).map(({ id }) => id);
      expect((await end(member, { id: two.id })).map(({ id }) => id)).toEqual([two.id]);
      expect(await left()).toEqual([three.id, one.id]);
      expect(await end(member, { id: two.id })).toEqual([]);
      expect(await end(member, { id: foreign.id })).toEqual([]);
      expect(await end(member, {})).toHaveLength(2);
      expect(await left()).toEqual([]);
      expect(await list(other)).toHaveLength(1);
    });

    it('writes an event if a session ended', async () => {
      const member = await acme.addMember();
      await acme.signIn(member);
      await acme.signIn(member, 11);
      await end(member, {}, time(301));
      await end(member, {}, time(301));
      expect(await acme.eventsAt(time(301))).toMatchObject([
        { kind: 'account.sessions_ended', subject: { id: member.id }, after: { sessions: 2 } },
      ]);
    });

    it.each([
      ['removed', ({ id }: Member) => acme.removeMember(id)],
      [
        'deactivated',
        ({ id }: Member) =>
          acme.storage.members.change(acme.organizationId, id, acme.author, (current, isLastAdmin) =>
            deactivateMember(current, isLastAdmin, time(20)),
          ),
      ],
    ])('someone who is %s loses all sessions and links', async (_, leave) => {
      const [member, other] = [await acme.addMember(), await acme.addMember()];
      const sessions = [await acme.signIn(member), await acme.signIn(member)];
      const kept = await acme.signIn(other);
      const tokenHash = await acme.createLink(member);
      await leave(member);
      for (const session of sessions)
        expect(await acme.storage.sessions.find(session.tokenHash)).toBeUndefined();
      expect(await acme.storage.sessions.find(kept.tokenHash)).toBeDefined();
      const rows = await acme.database.sql(
        `SELECT token_hash FROM sign_in_links WHERE token_hash = '${tokenHash}'`,
      );
      expect(rows).toEqual([]);
    });

    it('ends nothing of someone who is not a member', async () => {
      const member = await acme.addMember();
      await acme.removeMember(member.id);
      expect(await end(member, {})).toEqual([]);
    });
  });

  it('records the last uses of sessions and of their people once per interval', async () => {
    const member = await acme.addMember();
    const session = await acme.signIn(member, 10);
    const used = async (seconds: number) => {
      await acme.storage.sessions.recordLastUses(
        new Map([
          [session.id, time(seconds)],
          [newId(), time(seconds)],
        ]),
        60_000,
      );
      const [listed] = await list(member, time(0));
      const [person] = await acme.storage.accounts.people(acme.organizationId, [member.id]);
      return [listed?.lastUsedAt, person?.lastActiveAt];
    };
    expect(await used(69)).toEqual([time(10), time(10)]);
    expect(await used(70)).toEqual([time(70), time(70)]);
    expect(await used(20)).toEqual([time(70), time(70)]);
  });

  it('deletes expired sessions in batches', async () => {
    const member = await acme.addMember();
    const ends = [21, 22, 23, 900_000];
    for (const seconds of ends) await acme.signIn(member, 10, { expiresAt: time(seconds) });
    expect(await acme.storage.sessions.deleteExpired(time(23), 2)).toBe(2);
    expect(await acme.storage.sessions.deleteExpired(time(23), 2)).toBe(1);
    expect(await acme.storage.sessions.deleteExpired(time(23), 2)).toBe(0);
    expect((await list(member, time(0))).map(({ expiresAt }) => expiresAt)).toEqual([time(900_000)]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptLimits } from '../../src/core/accounts/account.ts';
import { accountEvent } from '../../src/core/accounts/account-event.ts';
import { type InvitedWorkspace, invite } from '../../src/core/accounts/invitation.ts';
import { defaultContentLog } from '../../src/core/content-log/content-log-settings.ts';
import { newId } from '../../src/core/identifiers.ts';
import { hashSecret, newSecret } from '../../src/core/organization/api-key.ts';
import {
  changeEmail,
  deactivateMember,
  type MemberInput,
  removeMember,
} from '../../src/core/organization/member-change.ts';
import { type Member, normalizeEmail } from '../../src/core/organization/organization.ts';
import { type AccountStorage, createAccountStorage, randomHash } from '../support/account-storage.ts';
import { engines } from '../support/engines.ts';
import { owner, time } from '../support/preset-storage.ts';

const uniqueEmail = (name: string) => `${name}-${newId()}@Example.com`;

describe.each(engines)('accounts on %s', (engine) => {
  let acme: AccountStorage;
  beforeAll(async () => {
    acme = await createAccountStorage(engine);
  });
  afterAll(() => acme.close());

  const personOf = async ({ id }: Member) =>
    (await acme.storage.accounts.people(acme.organizationId, [id]))[0] ?? expect.fail('no such person');
  const deactivate = (member: Member, organizationId = acme.organizationId) =>
    acme.storage.members.change(organizationId, member.id, acme.author, (current, isLastAdmin) =>
      deactivateMember(current, isLastAdmin, time(2)),
    );
  const join = (organizationId: string, member: Member) =>
    acme.storage.members.upsert(organizationId, acme.author, [member], () => ({
      at: time(10),
      next: member,
      events: [],
    }));
  const link = ({ id }: Member, provider = 'okta') =>
    acme.database.sql(
      `INSERT INTO identities (issuer, subject, user_id, provider, created_at)
       VALUES ('https://${provider}.example.com', '${newId()}', '${id}', '${provider}', '${time(5)}')`,
    );

  describe('finding accounts', () => {
    it('finds an account by its address in any case, with the hash of its password', async () => {
      const member = await acme.addMember({ email: uniqueEmail('Grace') });
      const { organizationId } = acme;
      const account = { organizationId, member, passwordHash: null, isShared: false };
      expect(await acme.storage.accounts.findByEmail(` ${member.email.toUpperCase()}`)).toEqual(account);
      await acme.setPassword(member, 'hash');
      expect(await acme.storage.accounts.findByEmail(member.email)).toEqual({
        ...account,
        passwordHash: 'hash',
      });
      expect(await acme.storage.accounts.find({ organizationId, userId: member.id })).toEqual({
        ...account,
        passwordHash: 'hash',
      });
      expect(await acme.storage.accounts.find({ organizationId, userId: 'nobody' })).toBeUndefined();
      expect(await acme.storage.accounts.findByEmail('nobody@example.com')).toBeUndefined();
    });

    it('finds no account of someone who has left', async () => {
      const member = await acme.addMember();
      await acme.setPassword(member, 'hash');
      await acme.removeMember(member.id);
      expect(await acme.storage.accounts.findByEmail(member.email)).toBeUndefined();
      expect(await acme.storage.accounts.findUser(member.id)).toMatchObject({ hasPassword: false });
    });

    it('prefers the active membership that was joined first', async () => {
      const another = await acme.addOrganization();
      const email = uniqueEmail('two');
      const member = await acme.addMember({ email }, time(20));
      await join(another.organizationId, member);
      const found = async () => (await acme.storage.accounts.findByEmail(email))?.organizationId;
      expect(await acme.storage.accounts.findByEmail(email)).toMatchObject({
        organizationId: another.organizationId,
        isShared: true,
      });
      await deactivate(member, another.organizationId);
      expect(await found()).toBe(acme.organizationId);
      await deactivate(member);
      expect(await found()).toBe(another.organizationId);
    });

    it('finds the person of a link until it expires or is replaced', async () => {
      const member = await acme.addMember();
      const tokenHash = await acme.createLink(member, 5, 900);
      const find = async (hash: string, seconds: number) =>
        (await acme.storage.accounts.findByLink(hash, time(seconds)))?.member;
      expect(await find(tokenHash, 904)).toEqual(member);
      expect(await find(tokenHash, 905)).toBeUndefined();
      expect(await find(randomHash(), 10)).toBeUndefined();
      const newer = await acme.createLink(member, 6, 900);
      expect(await find(tokenHash, 10)).toBeUndefined();
      expect(await find(newer, 10)).toEqual(member);
    });

    it('finds no account by a link of someone who was removed or deactivated', async () => {
      for (const leave of [deactivate, ({ id }: Member) => acme.removeMember(id)]) {
        const member = await acme.addMember();
        const tokenHash = await acme.createLink(member);
        await leave(member);
        expect(await acme.storage.accounts.findByLink(tokenHash, time(10))).toBeUndefined();
      }
    });

    it('finds no account by a link that was sent to another address', async () => {
      const member = await acme.addMember();
      const tokenHash = await acme.createLink(member);
      const findAfter = async (email: string) => {
        await acme.storage.members.change(acme.organizationId, member.id, acme.author, (current) =>
          changeEmail(email)(current, false, time(3)),
        );
        return (await acme.storage.accounts.findByLink(tokenHash, time(10)))?.member;
      };
      const email = member.email.toUpperCase();
      expect(await findAfter(email)).toEqual({ ...member, email });
      expect(await findAfter(uniqueEmail('corrected'))).toBeUndefined();
    });
  });

  describe('passwords', () => {
    it('setting a password ends all sessions but one and deletes the links of the person', async () => {
      const member = await acme.addMember();
      const sessions = [await acme.signIn(member, 10), await acme.signIn(member, 11)];
      const tokenHash = await acme.createLink(member, 12);
      const kept = sessions[0]?.id ?? '';
      const person = { organizationId: acme.organizationId, userId: member.id };
      await acme.storage.accounts.setPassword(
        person,
        acme.author,
        { hash: 'hash', at: time(401), keptSessionId: kept },
        (account, ended) => {
          expect(account).toMatchObject({ member, passwordHash: null });
          return [accountEvent('account.password_set', account.member, { ended: ended.length })];
        },
      );
      expect((await acme.storage.sessions.list(person, time(12))).map(({ id }) => id)).toEqual([kept]);
      expect(await acme.storage.accounts.findByLink(tokenHash, time(13))).toBeUndefined();
      expect(await acme.eventsAt(time(401))).toMatchObject([
        { kind: 'account.password_set', subject: { id: member.id }, after: { ended: 1 } },
      ]);
    });

    it('a password does not change if the rule rejects it', async () => {
      const member = await acme.addMember();
      const session = await acme.signIn(member);
      const person = { organizationId: acme.organizationId, userId: member.id };
      const change = { hash: 'hash', at: time(5), keptSessionId: newId() };
      const rejected = acme.storage.accounts.setPassword(person, acme.author, change, () => {
        throw new Error('rejected');
      });
      await expect(rejected).rejects.toThrow('rejected');
      expect((await acme.storage.accounts.findByEmail(member.email))?.passwordHash).toBeNull();
      expect(await acme.storage.sessions.find(session.tokenHash)).toBeDefined();
    });

    it('a removed person loses their password, and an invitation does not restore it', async () => {
      const member = await acme.addMember();
      await acme.setPassword(member, 'hash');
      await acme.removeMember(member.id);
      const again = await acme.addMember({ email: member.email });
      expect(again.id).toBe(member.id);
      expect((await acme.storage.accounts.findByEmail(member.email))?.passwordHash).toBeNull();
    });

    it('someone who leaves one of two organizations keeps their password', async () => {
      const another = await acme.addOrganization();
      const member = await acme.addMember();
      await join(another.organizationId, member);
      await acme.setPassword(member, 'hash');
      await acme.removeMember(member.id);
      expect((await acme.storage.accounts.findByEmail(member.email))?.passwordHash).toBe('hash');
    });

    it('someone who leaves one of two organizations keeps links and sessions of the other', async () => {
      const another = await acme.addOrganization();
      const member = await acme.addMember();
      await join(another.organizationId, member);
      const { tokenHash } = await acme.signIn(member);
      const linkHash = await acme.createLink(member);
      await acme.storage.members.change(another.organizationId, member.id, acme.author, (current) =>
        removeMember(current, false, time(20)),
      );
      expect(await acme.storage.sessions.find(tokenHash)).toMatchObject({ ownerId: member.id });
      expect(await acme.storage.accounts.findByLink(linkHash, time(21))).toMatchObject({ member });
    });

    it('a password is not set for someone who has left', async () => {
      const member = await acme.addMember();
      await acme.removeMember(member.id);
      expect(await acme.setPassword(member, 'hash')).toBe(false);
    });
  });

  describe('invitations', () => {
    const inviteAt = (
      seconds: number,
      person: MemberInput,
      workspaces: readonly InvitedWorkspace[] = [],
      tokenHash = randomHash(),
    ) => {
      const invitation = {
        person,
        workspaces,
        link: { tokenHash, createdAt: time(seconds), expiresAt: time(seconds + 900) },
      };
      return acme.storage.accounts.invite(acme.organizationId, acme.author, invitation, (invitee) =>
        invite(invitation, invitee),
      );
    };

    it('adds a person with roles and a link, in one transaction', async () => {
      const marketing = await acme.createWorkspace(`marketing-${newId()}`);
      const email = uniqueEmail('invited');
      const tokenHash = randomHash();
      const roles = [
        { idOrSlug: marketing.slug, role: 'admin' },
        { idOrSlug: acme.workspace.workspaceId, role: 'editor' },
      ] as const;
      const member = await inviteAt(501, { email, firstName: 'Ida' }, roles, tokenHash);
      expect(member).toMatchObject({ email, firstName: 'Ida', role: 'org:member', workspaceRole: 'editor' });
      expect(await personOf(member)).toEqual({
        ...member,
        lastActiveAt: null,
        hasPassword: false,
        providers: [],
        isProvisioned: false,
        workspaces: [
          {
            id: acme.workspace.workspaceId,
            slug: 'default',
            name: 'Default',
            isDefault: true,
            contentLog: defaultContentLog,
            role: 'editor',
          },
          {
            id: marketing.id,
            slug: marketing.slug,
            name: marketing.name,
            isDefault: false,
            contentLog: defaultContentLog,
            role: 'admin',
          },
        ],
      });
      expect((await acme.storage.accounts.findByLink(tokenHash, time(502)))?.member).toEqual(member);
      expect((await acme.eventsAt(time(501))).map(({ kind }) => kind)).toEqual([
        'member.added',
        'workspace.member_added',
        'account.link_created',
      ]);
    });

    it('a person is a viewer of the default workspace unless it is listed', async () => {
      const member = await inviteAt(510, { email: uniqueEmail('viewer') });
      expect((await personOf(member)).workspaces).toMatchObject([{ isDefault: true, role: 'viewer' }]);
    });

    it('inviting again replaces the link and keeps the roles', async () => {
      const email = uniqueEmail('again');
      const [first, second] = [randomHash(), randomHash()];
      const member = await inviteAt(520, { email }, [], first);
      const again = await inviteAt(521, { email: email.toUpperCase(), role: 'org:admin' }, [], second);
      expect(again).toEqual(member);
      expect(await acme.storage.accounts.findByLink(first, time(522))).toBeUndefined();
      expect(await acme.storage.accounts.findByLink(second, time(522))).toBeDefined();
    });

    it('rejects an unknown workspace, and adds nobody', async () => {
      const email = uniqueEmail('nowhere');
      const roles = [{ idOrSlug: 'nowhere', role: 'viewer' }] as const;
      await expect(inviteAt(530, { email }, roles)).rejects.toMatchObject({
        kind: 'invalid_request',
        issues: [{ path: '/workspaces/0/id' }],
      });
      expect(await acme.storage.members.find(acme.organizationId, email)).toBeUndefined();
    });

    it.each([
      ['a password', (member: Member) => acme.setPassword(member, 'hash')],
      ['a session', (member: Member) => acme.signIn(member)],
      ['an identity', (member: Member) => link(member)],
      [
        'a key that was used',
        async (member: Member) => {
          const { id } = await acme.createKey(acme.newKey({ ownerId: member.id, scope: 'call' }));
          await acme.storage.keys.recordLastUses(new Map([[id, time(60)]]), 60_000);
        },
      ],
    ])('rejects a person who has %s', async (_, prepare) => {
      const email = uniqueEmail('active');
      const member = await inviteAt(540, { email });
      await prepare(member);
      await expect(inviteAt(541, { email })).rejects.toMatchObject({ kind: 'conflict' });
    });
  });

  describe('people', () => {
    it('lists people in the given order, without those who are not members', async () => {
      const another = await acme.addOrganization();
      const [one, two] = [await acme.addMember(), await acme.addMember()];
      await link(one, 'okta');
      await link(one, 'google');
      await acme.setPassword(two, 'hash');
      const ids = [two.id, another.admin.id, one.id, 'nobody', owner.id];
      const people = await acme.storage.accounts.people(acme.organizationId, ids);
      expect(people.map(({ id, hasPassword, providers }) => [id, hasPassword, providers])).toEqual([
        [two.id, true, []],
        [one.id, false, ['google', 'okta']],
        [owner.id, false, []],
      ]);
      expect(await acme.storage.accounts.people(newId(), ids)).toEqual([]);
      expect(await acme.storage.accounts.people(acme.organizationId, [])).toEqual([]);
    });

    it('an org:admin is an admin of every workspace of theirs', async () => {
      const member = await acme.addMember({ role: 'org:admin', workspaceRole: 'viewer' });
      expect((await personOf(member)).workspaces).toMatchObject([{ isDefault: true, role: 'admin' }]);
    });

    it('does not list workspaces that were deleted or belong to another organization', async () => {
      const member = await acme.addMember();
      const workspace = await acme.createWorkspace(`gone-${newId()}`);
      await acme.changeMembers('add', workspace.id, [member.id]);
      expect((await personOf(member)).workspaces).toHaveLength(2);
      await acme.changeWorkspace(workspace.id, (_current, _activeKeys, at) => ({
        at,
        next: null,
        events: [],
      }));
      expect((await personOf(member)).workspaces).toHaveLength(1);
    });

    it('notes the first use of a key at once, for its organization only', async () => {
      const another = await acme.addOrganization();
      const member = await acme.addMember();
      const secret = newSecret();
      await acme.createKey(acme.newKey({ ownerId: member.id }, secret));
      const find = async () => {
        const key = await acme.storage.keys.find(hashSecret(secret));
        if (key === undefined) throw new Error('the key is missing');
        return key;
      };
      const key = await find();
      expect(key.isOwnerNew).toBe(true);
      await acme.storage.keys.recordFirstUse({ ...key, organizationId: another.organizationId }, time(50));
      expect((await find()).isOwnerNew).toBe(true);
      await acme.storage.keys.recordFirstUse(key, time(60));
      expect((await find()).isOwnerNew).toBe(false);
      expect((await personOf(member)).lastActiveAt).toBe(time(60));
      // Another process was slower.
      await acme.storage.keys.recordFirstUse(key, time(30));
      expect((await personOf(member)).lastActiveAt).toBe(time(60));
    });

    it('notes that someone was active when a key of theirs was used', async () => {
      const member = await acme.addMember();
      const { id } = await acme.createKey(acme.newKey({ ownerId: member.id }));
      await acme.storage.keys.recordLastUses(new Map([[id, time(60)]]), 60_000);
      expect((await personOf(member)).lastActiveAt).toBe(time(60));
      await acme.storage.keys.recordLastUses(new Map([[id, time(30)]]), 60_000);
      expect((await personOf(member)).lastActiveAt).toBe(time(60));
    });
  });

  describe('sign-in attempts', () => {
    const limits: AttemptLimits = { windowMs: 60_000, accountMax: 3, networkMax: 5 };
    const attempt = (emailKey: string, network: string, seconds: number, storage = acme.storage) =>
      storage.accounts.beginAttempt({ emailKey, network, at: time(seconds) }, limits);
    const begin = async (...details: Parameters<typeof attempt>) => (await attempt(...details)).blockedUntil;

    it('blocks an account until the first of its recent failures is old enough', async () => {
      const email = uniqueEmail('blocked');
      for (const seconds of [10, 20, 30])
        expect(await begin(email, `network-${seconds}`, seconds)).toBeUndefined();
      for (const seconds of [40, 69]) expect(await begin(email, 'network-4', seconds)).toBe(time(70));
      expect(await begin(email, 'network-4', 70)).toBeUndefined();
      expect(await begin(email, 'network-4', 71)).toBe(time(80));
    });

    it('blocks a network after failures of different accounts', async () => {
      const network = newId();
      for (let index = 0; index < 5; index += 1)
        expect(await begin(uniqueEmail('any'), network, 10 + index)).toBeUndefined();
      expect(await begin(uniqueEmail('any'), network, 20)).toBe(time(70));
      expect(await begin(uniqueEmail('any'), newId(), 20)).toBeUndefined();
    });

    it('blocks until neither the account nor the network is', async () => {
      const [email, network] = [uniqueEmail('both'), newId()];
      for (const seconds of [10, 11, 12, 13, 14]) await begin(uniqueEmail('any'), network, seconds);
      for (const seconds of [20, 21, 22]) await begin(email, newId(), seconds);
      expect(await begin(email, network, 30)).toBe(time(80));
      const [laterEmail, laterNetwork] = [uniqueEmail('later'), newId()];
      for (const seconds of [10, 11, 12]) await begin(laterEmail, newId(), seconds);
      for (const seconds of [20, 21, 22, 23, 24]) await begin(uniqueEmail('any'), laterNetwork, seconds);
      expect(await begin(laterEmail, laterNetwork, 30)).toBe(time(80));
    });

    it('counts neither attempts that succeeded nor those that were blocked', async () => {
      const emailKey = uniqueEmail('succeeds');
      for (let index = 0; index < 10; index += 1) {
        const network = newId();
        expect(await begin(emailKey, network, 10 + index)).toBeUndefined();
        await acme.storage.accounts.withdrawAttempt({ emailKey, network, at: time(10 + index) });
      }
      for (const seconds of [20, 21, 22]) expect(await begin(emailKey, newId(), seconds)).toBeUndefined();
      for (const seconds of [23, 24, 25]) expect(await begin(emailKey, newId(), seconds)).toBe(time(80));
    });

    it('the first failure of an account or a network is notable, and the one that blocks it', async () => {
      const [one, other, network] = [uniqueEmail('one'), uniqueEmail('other'), newId()];
      const notable = async (...details: Parameters<typeof attempt>) => (await attempt(...details)).isNotable;
      expect(await notable(one, network, 10)).toBe(true);
      expect(await notable(one, network, 11)).toBe(false);
      expect(await notable(one, network, 12)).toBe(true);
      expect(await notable(other, network, 13)).toBe(true);
      expect(await notable(other, network, 14)).toBe(true);
      expect(await notable(other, newId(), 80)).toBe(true);
    });

    it('a new password lifts the limit of its account, and of no other', async () => {
      const [member, other] = [await acme.addMember({ email: uniqueEmail('Locked') }), uniqueEmail('other')];
      const emailKey = normalizeEmail(member.email);
      for (const key of [emailKey, other])
        for (const seconds of [10, 11, 12]) await begin(key, newId(), seconds);
      expect(await begin(emailKey, newId(), 13)).toBeDefined();
      await acme.setPassword(member, 'hash');
      expect(await begin(emailKey, newId(), 14)).toBeUndefined();
      expect(await begin(other, newId(), 14)).toBeDefined();
    });

    it('parallel attempts on several servers cannot exceed the limit', async () => {
      const email = uniqueEmail('parallel');
      const other = await acme.open();
      const attempts = Array.from({ length: 12 }, (_, index) =>
        begin(email, newId(), 10, index % 2 === 0 ? acme.storage : other),
      );
      expect((await Promise.all(attempts)).filter((until) => until === undefined)).toHaveLength(3);
    });

    it('deletes attempts that no limit needs anymore', async () => {
      const emailKey = uniqueEmail('pruned');
      await begin(emailKey, newId(), 1);
      await begin(uniqueEmail('later'), newId(), 86_400);
      const rows = await acme.database.sql(`SELECT * FROM failed_sign_ins WHERE email_key = '${emailKey}'`);
      expect(rows).toEqual([]);
    });
  });

  it('records events that change nothing else', async () => {
    const event = accountEvent('account.sign_in_failed', { id: 'unknown', email: 'nobody@example.com' });
    const author = { userId: 'anonymous', keyLabel: null };
    await acme.storage.accounts.recordEvents(acme.organizationId, author, time(601), [event]);
    expect(await acme.eventsAt(time(601))).toMatchObject([
      { kind: 'account.sign_in_failed', actorId: 'anonymous', subject: { name: 'nobody@example.com' } },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { IdentitySessionStart } from '../../src/core/accounts/account.ts';
import { accountEvent } from '../../src/core/accounts/account-event.ts';
import type { IdentityChange, KnownIdentity } from '../../src/core/accounts/identity-change.ts';
import { newId } from '../../src/core/identifiers.ts';
import { joinOrganization } from '../../src/core/organization/member-change.ts';
import type { Member } from '../../src/core/organization/organization.ts';
import { createAccountStorage } from '../support/account-storage.ts';
import { engines } from '../support/engines.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { time } from '../support/preset-storage.ts';

const issuer = 'https://idp.example';

describe.each(engines)('identities on %s', (engine) => {
  function startOf(
    { organizationId }: OrganizationStorage,
    subject: string,
    parts: Partial<IdentitySessionStart> = {},
  ): IdentitySessionStart {
    const id = newId();
    return {
      session: {
        id,
        organizationId,
        tokenHash: `hash of ${id}`,
        method: 'okta',
        address: '192.0.2.1',
        userAgent: 'Test/1.0',
        createdAt: time(10),
        lastUsedAt: time(10),
        expiresAt: time(1_000),
        idToken: 'token',
      },
      identity: { issuer, subject, provider: 'okta' },
      verifiedEmail: undefined,
      workspaceSlugs: [],
      replacedTokenHash: undefined,
      ...parts,
    };
  }

  /** Signs in with a decision of the test, and returns what the decision was based on. */
  async function signIn(
    organization: OrganizationStorage,
    start: IdentitySessionStart,
    decide: (known: KnownIdentity) => Partial<IdentityChange> & { readonly member: Member },
  ): Promise<KnownIdentity> {
    let seen: KnownIdentity | undefined;
    await organization.storage.identities.signIn(start, (known) => {
      seen = known;
      const { member, ...change } = decide(known);
      const current = known.owner ?? known.addressee;
      const events = [accountEvent('account.signed_in', member)];
      return { current, member, isLinked: known.owner === undefined, workspaces: [], events, ...change };
    });
    if (seen === undefined) throw new Error('nothing was decided');
    return seen;
  }

  it('a new person is stored with their identity, roles and session in one write', async () => {
    const organization = await createOrganizationStorage(engine);
    const { storage, organizationId } = organization;
    const { id: marketing } = await organization.createWorkspace('marketing');
    const joined = joinOrganization(
      { email: 'ann@example.com', workspaceRole: 'viewer' },
      undefined,
      time(10),
    );
    const member = joined.next as Member;
    const workspaceSlugs = ['default', 'marketing', 'unknown'];
    const start = startOf(organization, 'ann', { verifiedEmail: 'Ann@example.com', workspaceSlugs });
    const known = await signIn(organization, start, () => ({
      member,
      workspaces: [{ id: marketing, role: 'editor' }],
    }));
    expect(known).toEqual({
      owner: undefined,
      addressee: undefined,
      addresseeIssuers: [],
      hasAddresseeBeenActive: false,
      isLastAdmin: false,
      isProvisioned: false,
      workspaces: expect.arrayContaining([
        { id: expect.any(String), slug: 'default', isDefault: true, role: undefined },
        { id: marketing, slug: 'marketing', isDefault: false, role: undefined },
      ]),
    });
    expect(known.workspaces).toHaveLength(2);
    const [person] = await storage.accounts.people(organizationId, [member.id]);
    expect(person).toMatchObject({
      email: 'ann@example.com',
      providers: ['okta'],
      lastActiveAt: time(10),
      workspaces: [
        { slug: 'default', role: 'viewer' },
        { slug: 'marketing', role: 'editor' },
      ],
    });
    expect(await storage.sessions.find(start.session.tokenHash)).toMatchObject({
      ownerId: member.id,
      method: 'okta',
    });
    expect(await storage.sessions.idToken(start.session.id)).toBe('token');
    expect(await organization.eventsAt(time(10))).toMatchObject([
      { kind: 'account.signed_in', actorId: member.id, keyLabel: `session ${start.session.id.slice(-8)}` },
    ]);
  });

  it('the owner of an identity is known by issuer and subject only, with their roles', async () => {
    const organization = await createOrganizationStorage(engine);
    const ann = await organization.addMember({ email: 'ann@example.com', role: 'org:member' });
    const bob = await organization.addMember({ email: 'bob@example.com' });
    const { id: marketing } = await organization.createWorkspace('marketing');
    await signIn(organization, startOf(organization, 'ann', { verifiedEmail: ann.email }), () => ({
      member: ann,
      workspaces: [{ id: marketing, role: 'admin' }],
    }));
    const start = startOf(organization, 'ann', { verifiedEmail: bob.email, workspaceSlugs: ['marketing'] });
    const known = await signIn(organization, start, () => ({
      member: { ...ann, role: 'org:admin', workspaceRole: 'editor' },
      workspaces: [{ id: marketing, role: undefined }],
    }));
    expect(known).toMatchObject({ owner: ann, addressee: bob, addresseeIssuers: [] });
    expect(known.workspaces).toEqual([{ id: marketing, slug: 'marketing', isDefault: false, role: 'admin' }]);
    const [person] = await organization.storage.accounts.people(organization.organizationId, [ann.id]);
    expect(person).toMatchObject({ role: 'org:admin', workspaceRole: 'editor' });
    expect(person?.workspaces).toHaveLength(1);
    const others = [startOf(organization, 'Ann'), startOf(organization, 'ann')].map((other, index) =>
      index === 0 ? other : { ...other, identity: { ...other.identity, issuer: `${issuer}/` } },
    );
    for (const other of others) {
      const unknown = organization.storage.identities.signIn(other, (found) => {
        throw new Error(found.owner === undefined ? 'unknown' : 'known');
      });
      await expect(unknown).rejects.toThrow('unknown');
    }
  });

  it('the addressee is known with the issuers of their identities', async () => {
    const organization = await createOrganizationStorage(engine);
    const ann = await organization.addMember({ email: 'ann@example.com' });
    const verifiedEmail = 'ANN@example.com';
    await signIn(organization, startOf(organization, 'ann', { verifiedEmail }), () => ({ member: ann }));
    const known = await signIn(organization, startOf(organization, 'other', { verifiedEmail }), () => ({
      member: ann,
    }));
    expect(known).toMatchObject({ owner: undefined, addressee: ann, addresseeIssuers: [issuer] });
  });

  it('the addressee is known as active once they have signed in or used a key', async () => {
    const organization = await createAccountStorage(engine);
    const isActive = async ({ email }: Member) => {
      let seen: boolean | undefined;
      const refused = organization.storage.identities.signIn(
        startOf(organization, newId(), { verifiedEmail: email }),
        (known) => {
          seen = known.hasAddresseeBeenActive;
          throw new Error('refused');
        },
      );
      await expect(refused).rejects.toThrow('refused');
      return seen;
    };
    const [invited, byPassword, byLink, byKey] = [
      await organization.addMember(),
      await organization.addMember(),
      await organization.addMember(),
      await organization.addMember(),
    ];
    await organization.createLink(invited);
    await organization.setPassword(byPassword, 'hash');
    const { id } = await organization.signIn(byLink);
    await organization.storage.sessions.end(
      { organizationId: organization.organizationId, userId: byLink.id },
      organization.author,
      time(20),
      { id },
      () => [],
    );
    const key = await organization.createKey(organization.newKey({ ownerId: byKey.id }));
    await organization.storage.keys.recordLastUses(new Map([[key.id, time(60)]]), 60_000);
    expect(await isActive(invited)).toBe(false);
    for (const member of [byPassword, byLink, byKey]) expect(await isActive(member)).toBe(true);
  });

  it('a sign-in with a provider deletes the invitation of the person', async () => {
    const organization = await createAccountStorage(engine);
    const ann = await organization.addMember();
    const tokenHash = await organization.createLink(ann);
    await signIn(organization, startOf(organization, 'ann', { verifiedEmail: ann.email }), () => ({
      member: ann,
    }));
    expect(await organization.storage.accounts.findByLink(tokenHash, time(11))).toBeUndefined();
  });

  it('the last active admin is known as such', async () => {
    const organization = await createOrganizationStorage(engine);
    const [owner] =
      (await organization.storage.members.list(organization.organizationId, { offset: 0, limit: 1 }))
        ?.members ?? [];
    if (owner === undefined) throw new Error('there is no owner');
    const start = () => startOf(organization, 'owner', { verifiedEmail: owner.email });
    expect(await signIn(organization, start(), () => ({ member: owner }))).toMatchObject({
      isLastAdmin: true,
    });
    await organization.addMember({ role: 'org:admin' });
    expect(await signIn(organization, start(), () => ({ member: owner }))).toMatchObject({
      isLastAdmin: false,
    });
  });

  it('a person managed by SCIM is known as such, by identity and by address', async () => {
    const organization = await createOrganizationStorage(engine);
    const ann = await organization.addMember({ email: 'ann@example.com' });
    await organization.database.sql(
      `INSERT INTO scim_users (organization_id, user_id, user_name, user_name_key, attributes, created_at, updated_at)
       VALUES ('${organization.organizationId}', '${ann.id}', 'ann', 'ann', '{}', '${time(1)}', '${time(1)}')`,
    );
    for (const start of [
      startOf(organization, 'ann', { verifiedEmail: ann.email }),
      startOf(organization, 'ann'),
    ])
      expect(await signIn(organization, start, () => ({ member: ann }))).toMatchObject({
        isProvisioned: true,
      });
  });

  it('nothing is stored if the decision throws', async () => {
    const organization = await createOrganizationStorage(engine);
    const ann = await organization.addMember({ email: 'ann@example.com' });
    const first = startOf(organization, 'ann', { verifiedEmail: ann.email });
    await signIn(organization, first, () => ({ member: ann }));
    const start = startOf(organization, 'ann', { replacedTokenHash: first.session.tokenHash });
    const refused = organization.storage.identities.signIn(start, () => {
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    const { sessions } = organization.storage;
    expect(await sessions.find(start.session.tokenHash)).toBeUndefined();
    expect(await sessions.find(first.session.tokenHash)).toBeDefined();
  });

  it('the session that the browser had before ends', async () => {
    const organization = await createOrganizationStorage(engine);
    const ann = await organization.addMember({ email: 'ann@example.com' });
    const first = startOf(organization, 'ann', { verifiedEmail: ann.email });
    await signIn(organization, first, () => ({ member: ann }));
    const second = startOf(organization, 'ann', { replacedTokenHash: first.session.tokenHash });
    await signIn(organization, second, () => ({ member: ann }));
    const { sessions } = organization.storage;
    expect(await sessions.find(first.session.tokenHash)).toBeUndefined();
    expect(await sessions.find(second.session.tokenHash)).toBeDefined();
  });

  it('two first sign-ins of an identity at once create one person', async () => {
    const organization = await createOrganizationStorage(engine);
    const decide = ({ owner }: KnownIdentity) =>
      ({ member: owner ?? joinOrganization({ email: 'ann@example.com' }, undefined, time(10)).next }) as {
        member: Member;
      };
    const starts = [startOf(organization, 'ann'), startOf(organization, 'ann')];
    await Promise.all(starts.map((start) => signIn(organization, start, decide)));
    const owners = await Promise.all(
      starts.map(({ session }) => organization.storage.sessions.find(session.tokenHash)),
    );
    expect(new Set(owners.map((session) => session?.ownerId)).size).toBe(1);
  });

  it('a member who is removed loses their identities, and can be linked again', async () => {
    const organization = await createOrganizationStorage(engine);
    const ann = await organization.addMember({ email: 'ann@example.com' });
    const start = () => startOf(organization, 'ann', { verifiedEmail: ann.email });
    await signIn(organization, start(), () => ({ member: ann }));
    await organization.removeMember(ann.id);
    const known = await signIn(organization, start(), ({ addressee }) => ({
      member: joinOrganization({ email: ann.email }, addressee, time(10)).next as Member,
    }));
    expect(known).toMatchObject({
      owner: undefined,
      addressee: { id: ann.id, role: null },
      addresseeIssuers: [],
    });
  });
});

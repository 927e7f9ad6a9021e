import { describe, expect, it } from 'vitest';
import type { NamedWorkspace } from '../organization/group-access.ts';
import type { GroupMapping } from '../organization/group-roles.ts';
import type { ExistingUser } from '../organization/member-change.ts';
import type { Member } from '../organization/organization.ts';
import {
  acceptIdentity,
  type IdentityPolicy,
  type KnownIdentity,
  type ProvenIdentity,
  SignInRefusal,
} from './identity-change.ts';

const at = '2026-01-02T00:00:00.000Z';
const identity: ProvenIdentity = {
  issuer: 'https://idp.example',
  subject: '1',
  email: 'Ann@Example.com',
  isEmailVerified: true,
  firstName: 'Ann',
  lastName: 'Lee',
  groups: undefined,
};
const policy: IdentityPolicy = { provider: 'okta', domains: [], groups: [] };
const unknown: KnownIdentity = {
  owner: undefined,
  addressee: undefined,
  addresseeIssuers: [],
  hasAddresseeBeenActive: false,
  isLastAdmin: false,
  isProvisioned: false,
  workspaces: [],
};
const member: Member = {
  id: 'user_1',
  email: 'ann@example.com',
  firstName: 'Anna',
  lastName: 'Lee',
  role: 'org:member',
  workspaceRole: 'editor',
  deactivatedAt: null,
};
const formerMember: ExistingUser = { ...member, role: null, workspaceRole: null };
const home: NamedWorkspace = { id: 'w1', slug: 'default', isDefault: true, role: 'editor' };
const marketing: NamedWorkspace = { id: 'w2', slug: 'marketing', isDefault: false, role: 'viewer' };

interface Case {
  readonly identity?: Partial<ProvenIdentity>;
  readonly policy?: Partial<IdentityPolicy>;
  readonly known?: Partial<KnownIdentity>;
}

function accept({ identity: claims, policy: settings, known }: Case) {
  return acceptIdentity({ ...identity, ...claims }, { ...policy, ...settings }, { ...unknown, ...known }, at);
}

function refusalOf(parts: Case): string {
  try {
    accept(parts);
    return 'accepted';
  } catch (error) {
    if (error instanceof SignInRefusal) return error.reason;
    throw error;
  }
}

const inDomain = { domains: ['example.com'] };
const kindsOf = ({ events }: { readonly events: readonly { readonly kind: string }[] }) =>
  events.map(({ kind }) => kind);

describe('acceptIdentity', () => {
  it('a linked identity signs its person in and changes nothing', () => {
    expect(accept({ known: { owner: member } })).toEqual({
      current: member,
      member,
      isLinked: false,
      workspaces: [],
      events: [],
    });
  });

  it('signs in a linked person regardless of their current address', () => {
    const other = { ...member, id: 'user_2' };
    for (const claims of [{ email: undefined }, { isEmailVerified: false }, { email: 'other@else.example' }])
      expect(accept({ identity: claims, known: { owner: member, addressee: other } }).member).toEqual(member);
  });

  it('links an identity to the member who has its verified address', () => {
    const change = accept({ known: { addressee: member } });
    expect(change).toMatchObject({ current: member, member, isLinked: true });
    expect(change.events).toMatchObject([
      {
        kind: 'account.identity_linked',
        subject: { id: 'user_1', name: 'ann@example.com' },
        after: { provider: 'okta', issuer: 'https://idp.example', subject: '1' },
      },
    ]);
  });

  it('links an identity in a domain of the provider to a member who can sign in already', () => {
    const known = {
      addressee: member,
      addresseeIssuers: ['https://other.example'],
      hasAddresseeBeenActive: true,
    };
    expect(accept({ policy: inDomain, known }).isLinked).toBe(true);
  });

  it('a sign-in names a member who has no name yet, and no other', () => {
    const nameless = { ...member, firstName: '', lastName: '' };
    const change = accept({ known: { addressee: nameless } });
    expect(change.member).toMatchObject({ firstName: 'Ann', lastName: 'Lee' });
    expect(kindsOf(change)).toEqual(['member.renamed', 'account.identity_linked']);
    expect(accept({ known: { addressee: member } }).member.firstName).toBe('Anna');
  });

  it.each(['owner', 'addressee'])('the names of an %s managed by SCIM stay', (role) => {
    const nameless = { ...member, firstName: '', lastName: '' };
    const change = accept({ known: { [role]: nameless, isProvisioned: true } });
    expect(change.member).toEqual(nameless);
  });

  it('a member who still has no name is named at the next sign-in', () => {
    const change = accept({ known: { owner: { ...member, firstName: '', lastName: '' } } });
    expect(change.member).toMatchObject({ firstName: 'Ann', lastName: 'Lee' });
    expect(kindsOf(change)).toEqual(['member.renamed']);
    const named = accept({ known: { owner: { ...member, firstName: '', lastName: 'Set' } } });
    expect([named.member.firstName, kindsOf(named)]).toEqual(['', []]);
  });

  it('a verified address in a domain of the provider gets an account as a viewer', () => {
    const change = accept({ policy: inDomain });
    expect(change).toMatchObject({
      current: undefined,
      isLinked: true,
      member: {
        id: expect.stringMatching(/^user_/),
        email: 'Ann@Example.com',
        firstName: 'Ann',
        lastName: 'Lee',
        role: 'org:member',
        workspaceRole: 'viewer',
        deactivatedAt: null,
      },
    });
    expect(kindsOf(change)).toEqual(['member.added', 'account.identity_linked']);
  });

  it.each<[title: string, known: Partial<KnownIdentity>, isLinked: boolean]>([
    [
      'whose identity is still known',
      { owner: formerMember, addressee: formerMember, addresseeIssuers: [identity.issuer] },
      false,
    ],
    ['who has the address', { addressee: formerMember }, true],
  ])('a former member joins again %s, with their old id and no old roles', (_title, known, isLinked) => {
    const change = accept({ policy: inDomain, known });
    expect(change).toMatchObject({
      current: formerMember,
      isLinked,
      member: { id: 'user_1', firstName: 'Anna', role: 'org:member', workspaceRole: 'viewer' },
    });
  });

  it.each<[reason: string, title: string, Case]>([
    ['unverified', 'the address is not verified', { identity: { isEmailVerified: false }, policy: inDomain }],
    [
      'unverified',
      'a member has the address, but it is not verified',
      { identity: { isEmailVerified: false }, known: { addressee: member } },
    ],
    [
      'unverified',
      'there is no address',
      { identity: { email: undefined, isEmailVerified: false }, policy: inDomain },
    ],
    ['not_invited', 'nobody has the address and no domain is configured', {}],
    [
      'not_invited',
      'the domain is another',
      { policy: { domains: ['example.org', 'sub.example.com', 'ample.com'] } },
    ],
    [
      'not_invited',
      'the domain only ends like one of the provider',
      { identity: { email: 'a@evil-example.com' }, policy: inDomain },
    ],
    [
      'not_invited',
      'the domain is below one of the provider',
      { identity: { email: 'a@sub.example.com' }, policy: inDomain },
    ],
    [
      'not_invited',
      'the member has another identity of the issuer',
      { policy: inDomain, known: { addressee: member, addresseeIssuers: [identity.issuer] } },
    ],
    [
      'not_invited',
      'a former member has another identity of the issuer',
      { policy: inDomain, known: { addressee: formerMember, addresseeIssuers: [identity.issuer] } },
    ],
    [
      'not_invited',
      'the owner is no longer a member',
      { known: { owner: formerMember, addressee: formerMember } },
    ],
    [
      'not_linked',
      'the member has an identity of another issuer, and the domain is not listed for the provider',
      { known: { addressee: member, addresseeIssuers: ['https://other.example'] } },
    ],
    [
      'not_linked',
      'the member has signed in or used a key before, and the domain is not listed for the provider',
      { known: { addressee: member, hasAddresseeBeenActive: true } },
    ],
    ['deactivated', 'the owner is deactivated', { known: { owner: { ...member, deactivatedAt: at } } }],
    [
      'deactivated',
      'the addressee is deactivated',
      { policy: inDomain, known: { addressee: { ...member, deactivatedAt: at } } },
    ],
  ])('the sign-in is refused with %s if %s', (reason, _title, parts) => {
    expect(refusalOf(parts)).toBe(reason);
  });
});

describe('groups at sign-in', () => {
  const mappings: readonly GroupMapping[] = [
    { name: 'admins', role: 'org:admin', workspaces: {} },
    { name: 'writers', role: undefined, workspaces: { default: 'admin', marketing: 'editor' } },
  ];
  const workspaces = [home, marketing];
  const signIn = (groups: readonly string[] | undefined, known: Partial<KnownIdentity> = {}) =>
    accept({
      identity: { groups },
      policy: { ...inDomain, groups: mappings },
      known: { owner: member, workspaces, ...known },
    });

  it('decide the roles in the organization and in the workspaces that they name', () => {
    const change = signIn(['admins', 'writers']);
    expect(change).toMatchObject({
      member: { role: 'org:admin', workspaceRole: 'admin' },
      workspaces: [{ id: 'w2', role: 'editor' }],
    });
    expect(kindsOf(change)).toEqual([
      'member.role_changed',
      'workspace.member_role_changed',
      'workspace.member_role_changed',
    ]);
  });

  it('groups that the person has left no longer give roles', () => {
    expect(signIn([], { owner: { ...member, role: 'org:admin' } })).toMatchObject({
      member: { role: 'org:member', workspaceRole: 'viewer' },
      workspaces: [{ id: 'w2', role: undefined }],
    });
  });

  it('groups never demote the last active admin', () => {
    const owner: Member = { ...member, role: 'org:admin' };
    expect(signIn([], { owner, isLastAdmin: true }).member.role).toBe('org:admin');
  });

  it('roles stay if the provider sends no groups', () => {
    expect(signIn(undefined)).toMatchObject({ member, workspaces: [], events: [] });
  });

  it('roles stay if the settings have no groups', () => {
    const change = accept({ identity: { groups: ['admins'] }, known: { owner: member, workspaces } });
    expect(change).toMatchObject({ member, workspaces: [], events: [] });
  });

  it('the same groups change nothing the second time', () => {
    const { member: changed } = signIn(['writers']);
    const again = signIn(['writers'], {
      owner: changed,
      workspaces: [
        { ...home, role: 'admin' },
        { ...marketing, role: 'editor' },
      ],
    });
    expect(again.events).toEqual([]);
  });

  it('apply to people whose account is created, regardless of earlier roles', () => {
    const change = signIn(['writers'], {
      owner: formerMember,
      workspaces: [home, { ...marketing, role: 'admin' }],
    });
    expect(change).toMatchObject({
      member: { role: 'org:member', workspaceRole: 'admin' },
      workspaces: [{ id: 'w2', role: 'editor' }],
    });
    expect(kindsOf(change)).toEqual([
      'member.added',
      'workspace.member_role_changed',
      'workspace.member_added',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { ExistingUser } from '../organization/member-change.ts';
import type { Member } from '../organization/organization.ts';
import {
  changeUser,
  type ProvisionedUser,
  provisionUser,
  removeUser,
  type UserInput,
} from './provisioned-user.ts';

const at = '2026-01-02T00:00:00.000Z';
const member: Member = {
  id: 'user_ada',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'L',
  role: 'org:admin',
  workspaceRole: 'editor',
  deactivatedAt: null,
};
const formerMember: ExistingUser = { ...member, role: null, workspaceRole: null };
const input: UserInput = {
  userName: 'ada',
  externalId: 'x1',
  email: 'ada@example.com',
  firstName: undefined,
  lastName: undefined,
  isActive: true,
  attributes: { emails: [] },
};
const user: ProvisionedUser = {
  member: { ...member, firstName: '', lastName: '' },
  userName: 'ada',
  externalId: 'x1',
  attributes: { emails: [] },
  groups: [],
  createdAt: at,
  updatedAt: at,
};
const kinds = (change: { readonly events: readonly { readonly kind: string }[] } | undefined) =>
  change?.events.map(({ kind }) => kind);

describe('provisionUser', () => {
  it('a new user becomes an org:member and a viewer', () => {
    const change = provisionUser({ ...input, firstName: 'Ada' }, undefined, false, false, at);
    expect(change.next).toEqual({
      ...user,
      member: {
        id: expect.stringMatching(/^user_/),
        email: 'ada@example.com',
        firstName: 'Ada',
        lastName: '',
        role: 'org:member',
        workspaceRole: 'viewer',
        deactivatedAt: null,
      },
    });
    expect(change.events).toMatchObject([
      { kind: 'member.added' },
      { kind: 'member.provisioned', before: null, after: { user_name: 'ada', external_id: 'x1' } },
    ]);
  });

  it('a user who is not active is added and deactivated', () => {
    const change = provisionUser({ ...input, isActive: false }, undefined, false, false, at);
    expect(change.next?.member.deactivatedAt).toBe(at);
    expect(kinds(change)).toEqual(['member.added', 'member.deactivated', 'member.provisioned']);
  });

  it('a member is adopted with their roles, and with their name if the provider sends none', () => {
    const change = provisionUser(input, member, false, true, at);
    expect(change.next?.member).toEqual(member);
    expect(kinds(change)).toEqual(['member.provisioned']);
    const renamed = provisionUser({ ...input, lastName: 'K' }, member, false, true, at);
    expect(renamed.next?.member).toEqual({ ...member, lastName: 'K' });
  });

  it('a user is reactivated only if the provider says that they are active', () => {
    const deactivated = { ...member, deactivatedAt: at };
    const statusOf = (isActive: boolean | undefined) => [
      provisionUser({ ...input, isActive }, deactivated, false, false, at).next?.member.deactivatedAt,
      (changeUser({ ...input, isActive }, { ...user, member: deactivated }, false, at)?.next ?? user).member
        .deactivatedAt,
    ];
    expect(statusOf(undefined)).toEqual([at, at]);
    expect(statusOf(false)).toEqual([at, at]);
    expect(statusOf(true)).toEqual([null, null]);
  });

  it('a former member returns as the same user, but as a viewer', () => {
    const change = provisionUser(input, formerMember, false, false, at);
    expect(change.next?.member).toEqual({ ...member, role: 'org:member', workspaceRole: 'viewer' });
  });

  it('nobody is provisioned twice, and the last org:admin is not deactivated', () => {
    expect(() => provisionUser(input, member, true, false, at)).toThrow(
      expect.objectContaining({ kind: 'conflict' }),
    );
    expect(() => provisionUser({ ...input, isActive: false }, member, false, true, at)).toThrow(
      'last org:admin',
    );
  });
});

describe('changeUser', () => {
  it('nothing changes if the user is as described', () => {
    expect(changeUser(input, user, true, '2026-02-02T00:00:00.000Z')).toBeUndefined();
  });

  it('the member follows name, address, status and identifiers, with an event for each', () => {
    const later = '2026-02-02T00:00:00.000Z';
    const next = { ...input, firstName: 'Eva', email: 'eva@example.com', isActive: false, userName: 'eva' };
    const change = changeUser(next, user, false, later);
    expect(change?.next).toMatchObject({
      member: { firstName: 'Eva', email: 'eva@example.com', deactivatedAt: later },
      userName: 'eva',
      createdAt: at,
      updatedAt: later,
    });
    expect(kinds(change)).toEqual([
      'member.renamed',
      'member.email_changed',
      'member.deactivated',
      'member.provisioned',
    ]);
  });

  it('an address that an admin has changed stays until the provider sends another one', () => {
    const emails = [{ value: 'ada@example.com', type: 'work' }];
    const corrected = {
      ...user,
      member: { ...user.member, email: 'lovelace@example.com' },
      attributes: { emails },
    };
    const emailAfter = (email: string) =>
      changeUser(
        { ...input, email, attributes: { emails: [{ value: email }] }, isActive: false },
        corrected,
        false,
        at,
      )?.next?.member.email;
    expect(emailAfter('ada@example.com')).toBe('lovelace@example.com');
    expect(emailAfter('eva@example.com')).toBe('eva@example.com');
  });

  it('an attribute that presetd only stores changes without an event', () => {
    const change = changeUser({ ...input, attributes: { emails: [], title: 'Countess' } }, user, true, at);
    expect([change?.next?.attributes.title, change?.events]).toEqual(['Countess', []]);
  });

  it('a user without a name loses it', () => {
    expect(changeUser(input, { ...user, member }, true, at)?.next?.member).toEqual(user.member);
  });
});

it('removing a user removes the member, but not the last org:admin', () => {
  expect(removeUser(user, false, at)).toMatchObject({ next: null, events: [{ kind: 'member.removed' }] });
  expect(() => removeUser(user, true, at)).toThrow('last org:admin');
});

import { describe, expect, it } from 'vitest';
import {
  addMember,
  type ExistingUser,
  editMember,
  importMembers,
  joinOrganization,
  type MemberImportResult,
  type MemberInput,
  removeMember,
} from './member-change.ts';
import type { Member } from './organization.ts';

const at = '2026-01-02T00:00:00.000Z';
const member: Member = {
  id: 'user_ada',
  email: 'Ada@example.com',
  firstName: 'Ada',
  lastName: 'L',
  role: 'org:admin',
};
const left: ExistingUser = { ...member, role: null };
const lastAdmin = expect.objectContaining({
  kind: 'conflict',
  message: expect.stringContaining('last org:admin'),
});

describe('editing a member', () => {
  it('changes what is given, leaves the rest, and tells of each difference', () => {
    const change = editMember({ lastName: '', role: 'org:member' })(member, false, at);
    expect(change).toMatchObject({ at, next: { ...member, lastName: '', role: 'org:member' } });
    expect(change?.events.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['member.renamed', { first_name: 'Ada', last_name: 'L' }, { first_name: 'Ada', last_name: '' }],
      ['member.role_changed', { role: 'org:admin' }, { role: 'org:member' }],
    ]);
    for (const event of change?.events ?? [])
      expect(event).toMatchObject({
        workspaceId: null,
        subject: { id: 'user_ada', name: 'Ada@example.com' },
      });
  });

  it.each([{}, { role: 'org:admin' } as const, { firstName: 'Ada', lastName: 'L' }])(
    'to %o is nothing where it is so already',
    (wanted) => {
      expect(editMember(wanted)(member, true, at)).toBeUndefined();
    },
  );

  it('never makes the last org:admin anything else, and leaves an address alone', () => {
    expect(() => editMember({ role: 'org:member' })(member, true, at)).toThrow(lastAdmin);
    expect(editMember({ firstName: 'X' })(member, true, at)?.next).toEqual({ ...member, firstName: 'X' });
    const wanted: MemberInput = { email: 'other@example.com', firstName: 'X' };
    expect(editMember(wanted)(member, false, at)?.next).toEqual({ ...member, firstName: 'X' });
  });
});

describe('removing a member', () => {
  it('tells who it was, and never removes the last org:admin', () => {
    expect(removeMember(member, false, at)).toMatchObject({
      at,
      next: null,
      events: [
        {
          kind: 'member.removed',
          before: { email: 'Ada@example.com', first_name: 'Ada', last_name: 'L', role: 'org:admin' },
          after: null,
        },
      ],
    });
    expect(() => removeMember(member, true, at)).toThrow(lastAdmin);
  });
});

describe('adding somebody', () => {
  it.each([
    [{ email: 'ada@EXAMPLE.com' }, undefined, { email: 'ada@EXAMPLE.com', firstName: '', lastName: '' }],
    [{ email: 'ada@EXAMPLE.com' }, left, member],
    [{ email: 'ada@EXAMPLE.com', firstName: '' }, left, { ...member, firstName: '' }],
  ])('who is given as %o and known as %o makes them a member', (person, known, expected) => {
    const id = known?.id ?? expect.stringMatching(/^user_[0-9a-f]{32}$/);
    expect(joinOrganization(person, known, at).next).toEqual({ ...expected, id, role: 'org:member' });
  });

  it('gives the role that is asked for, not the one from before', () => {
    expect(joinOrganization({ email: 'x@y', role: 'org:admin' }, undefined, at).next?.role).toBe('org:admin');
  });

  it('who is a member already is refused', () => {
    expect(() => addMember(at)({ email: 'ada@example.com' }, member, false)).toThrow(
      expect.objectContaining({ kind: 'conflict', message: expect.stringContaining('Ada@example.com') }),
    );
    expect(addMember(at)({ email: 'ada@example.com' }, left, false)?.next?.id).toBe('user_ada');
  });
});

describe('importing somebody', () => {
  const given = { email: 'ADA@example.com' };
  const cases: readonly (readonly [
    string,
    MemberInput,
    ExistingUser | undefined,
    boolean,
    boolean,
    boolean,
  ])[] = [
    // outcome, given, known, update, last admin, is anything stored
    ['added', given, undefined, false, false, true],
    ['added', given, left, true, false, true],
    ['unchanged', given, member, false, true, false],
    ['unchanged', { ...given, firstName: 'Ada', role: 'org:admin' }, member, true, true, false],
    ['differs', { ...given, firstName: 'Eva' }, member, false, false, false],
    ['differs', { ...given, role: 'org:member' }, member, false, true, false],
    ['updated', { ...given, firstName: 'Eva' }, member, true, true, true],
    ['updated', { ...given, role: 'org:member' }, member, true, false, true],
    ['refused', { ...given, role: 'org:member' }, member, true, true, false],
  ];

  it.each(cases)('is %s: given %o, known %o, update %o, last admin %o', (...facts) => {
    const [outcome, person, known, updateExisting, isLastAdmin, isStored] = facts;
    const told: MemberImportResult[] = [];
    const change = importMembers(updateExisting, at, (result) => told.push(result))(
      person,
      known,
      isLastAdmin,
    );
    expect(told).toMatchObject([{ email: 'ADA@example.com', outcome }]);
    expect(told[0]?.message === undefined).toBe(outcome !== 'refused');
    expect(change !== undefined).toBe(isStored);
  });
});

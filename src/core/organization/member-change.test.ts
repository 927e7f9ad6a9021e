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
const formerMember: ExistingUser = { ...member, role: null };
const lastAdmin = expect.objectContaining({
  kind: 'conflict',
  message: expect.stringContaining('last org:admin'),
});

describe('editMember', () => {
  it('editing a member changes only the given fields, with one event per difference', () => {
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
    'editing a member to %o changes nothing if that is already the case',
    (changes) => {
      expect(editMember(changes)(member, true, at)).toBeUndefined();
    },
  );

  it('editing a member never demotes the last org:admin, and never changes an address', () => {
    expect(() => editMember({ role: 'org:member' })(member, true, at)).toThrow(lastAdmin);
    expect(editMember({ firstName: 'X' })(member, true, at)?.next).toEqual({ ...member, firstName: 'X' });
    const other: MemberInput = { email: 'other@example.com', firstName: 'X' };
    expect(editMember(other)(member, false, at)?.next).toEqual({ ...member, firstName: 'X' });
  });
});

describe('removeMember', () => {
  it('removing a member records who it was, and is not possible for the last org:admin', () => {
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

describe('adding a member', () => {
  it.each([
    [{ email: 'ada@EXAMPLE.com' }, undefined, { email: 'ada@EXAMPLE.com', firstName: '', lastName: '' }],
    [{ email: 'ada@EXAMPLE.com' }, formerMember, member],
    [{ email: 'ada@EXAMPLE.com', firstName: '' }, formerMember, { ...member, firstName: '' }],
  ])('%o becomes a member, given the existing user %o', (person, existing, expected) => {
    const id = existing?.id ?? expect.stringMatching(/^user_[0-9a-f]{32}$/);
    expect(joinOrganization(person, existing, at).next).toEqual({ ...expected, id, role: 'org:member' });
  });

  it('a new member gets the requested role', () => {
    expect(joinOrganization({ email: 'x@y', role: 'org:admin' }, undefined, at).next?.role).toBe('org:admin');
  });

  it('adding rejects someone who is already a member', () => {
    expect(() => addMember(at)({ email: 'ada@example.com' }, member, false)).toThrow(
      expect.objectContaining({ kind: 'conflict', message: expect.stringContaining('Ada@example.com') }),
    );
    expect(addMember(at)({ email: 'ada@example.com' }, formerMember, false)?.next?.id).toBe('user_ada');
  });
});

describe('importMembers', () => {
  const input = { email: 'ADA@example.com' };
  const cases: readonly (readonly [
    string,
    MemberInput,
    ExistingUser | undefined,
    boolean,
    boolean,
    boolean,
  ])[] = [
    // outcome, input, existing user, update existing, is last admin, is anything stored
    ['added', input, undefined, false, false, true],
    ['added', input, formerMember, true, false, true],
    ['unchanged', input, member, false, true, false],
    ['unchanged', { ...input, firstName: 'Ada', role: 'org:admin' }, member, true, true, false],
    ['differs', { ...input, firstName: 'Eva' }, member, false, false, false],
    ['differs', { ...input, role: 'org:member' }, member, false, true, false],
    ['updated', { ...input, firstName: 'Eva' }, member, true, true, true],
    ['updated', { ...input, role: 'org:member' }, member, true, false, true],
    ['refused', { ...input, role: 'org:member' }, member, true, true, false],
  ];

  it.each(cases)('an import reports %s for %o with existing user %o, update %o, last admin %o', (...row) => {
    const [outcome, person, existing, updateExisting, isLastAdmin, isStored] = row;
    const results: MemberImportResult[] = [];
    const change = importMembers(updateExisting, at, (result) => results.push(result))(
      person,
      existing,
      isLastAdmin,
    );
    expect(results).toMatchObject([{ email: 'ADA@example.com', outcome }]);
    expect(results[0]?.message === undefined).toBe(outcome !== 'refused');
    expect(change !== undefined).toBe(isStored);
  });
});

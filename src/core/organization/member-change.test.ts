import { describe, expect, it } from 'vitest';
import {
  addMember,
  allOf,
  changeEmail,
  deactivateMember,
  decideJoins,
  type ExistingUser,
  editMember,
  importMembers,
  joinOrganization,
  type MemberImportResult,
  type MemberInput,
  reactivateMember,
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
  workspaceRole: 'admin',
  deactivatedAt: null,
};
const formerMember: ExistingUser = { ...member, role: null, workspaceRole: null };
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

describe('deactivateMember and reactivateMember', () => {
  const deactivated: Member = { ...member, deactivatedAt: at };

  it('deactivates an active member, but never the last org:admin', () => {
    expect(deactivateMember(member, false, at)).toMatchObject({
      at,
      next: deactivated,
      events: [
        {
          kind: 'member.deactivated',
          subject: { id: 'user_ada' },
          before: { active: true },
          after: { active: false },
        },
      ],
    });
    expect(() => deactivateMember(member, true, at)).toThrow(lastAdmin);
  });

  it('reactivates a deactivated member', () => {
    const change = reactivateMember(deactivated, false, at);
    expect(change).toMatchObject({ next: member, events: [{ kind: 'member.reactivated' }] });
  });

  it('nothing changes for a member who is already in that state', () => {
    expect(deactivateMember(deactivated, false, '2026-01-03T00:00:00.000Z')).toBeUndefined();
    expect(reactivateMember(member, true, at)).toBeUndefined();
  });
});

describe('changeEmail', () => {
  it('an address changes even if only its case differs, and the event has both', () => {
    expect(changeEmail('ada@example.com')(member, true, at)).toMatchObject({
      next: { ...member, email: 'ada@example.com' },
      events: [
        {
          kind: 'member.email_changed',
          before: { email: 'Ada@example.com' },
          after: { email: 'ada@example.com' },
        },
      ],
    });
    expect(changeEmail('Ada@example.com')(member, true, at)).toBeUndefined();
  });
});

describe('allOf', () => {
  it('allOf applies rules in order as one change, and stops at a removal', () => {
    const rules = [editMember({ firstName: 'Eva' }), changeEmail('eva@example.com'), deactivateMember];
    expect(allOf(rules)(member, false, at)).toMatchObject({
      next: { ...member, firstName: 'Eva', email: 'eva@example.com', deactivatedAt: at },
      events: [{ kind: 'member.renamed' }, { kind: 'member.email_changed' }, { kind: 'member.deactivated' }],
    });
    const removal = allOf([deactivateMember, removeMember, reactivateMember])(member, false, at);
    expect(removal).toMatchObject({
      next: null,
      events: [{ kind: 'member.deactivated' }, { kind: 'member.removed' }],
    });
  });

  it('nothing changes if no rule changes anything', () => {
    expect(allOf([])(member, false, at)).toBeUndefined();
    expect(allOf([reactivateMember, editMember({})])(member, false, at)).toBeUndefined();
  });
});

describe('adding a member', () => {
  it.each([
    [
      { email: 'ada@EXAMPLE.com' },
      undefined,
      { ...member, email: 'ada@EXAMPLE.com', firstName: '', lastName: '' },
    ],
    [{ email: 'ada@EXAMPLE.com' }, formerMember, member],
    [{ email: 'ada@EXAMPLE.com', firstName: '' }, formerMember, { ...member, firstName: '' }],
  ])('%o becomes a member, given the existing user %o', (person, existing, expected) => {
    const id = existing?.id ?? expect.stringMatching(/^user_[0-9a-f]{32}$/);
    expect(joinOrganization(person, existing, at).next).toEqual({ ...expected, id, role: 'org:member' });
  });

  it('a new member gets the requested roles', () => {
    const person: MemberInput = { email: 'x@y', role: 'org:admin', workspaceRole: 'viewer' };
    const roles = { role: 'org:admin', workspaceRole: 'viewer' };
    expect(joinOrganization(person, undefined, at).next).toMatchObject(roles);
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

describe('decideJoins', () => {
  it('several people in one import cannot demote the last active admin', () => {
    const existing = ['ada', 'bob', 'eve'].map((name) => ({
      ...member,
      id: `user_${name}`,
      email: `${name}@example.com`,
      deactivatedAt: name === 'bob' ? at : null,
    }));
    const people = existing.map(({ email }) => ({ email: email.toUpperCase(), role: 'org:member' as const }));
    const results: MemberImportResult[] = [];
    const decided = decideJoins(
      people,
      existing,
      2,
      importMembers(true, at, (result) => results.push(result)),
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(['updated', 'updated', 'refused']);
    expect(decided.map(({ change }) => change?.next?.role)).toEqual(['org:member', 'org:member', undefined]);
  });
});

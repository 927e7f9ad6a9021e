import { describe, expect, it } from 'vitest';
import type { GroupMapping } from '../organization/group-roles.ts';
import { affectedUsers, changeGroup, type ProvisionedGroup } from './provisioned-group.ts';

const at = '2026-01-02T00:00:00.000Z';
const later = '2026-02-02T00:00:00.000Z';
const [ann, bob, cy] = ['ann', 'bob', 'cy'].map((id) => ({ id, email: `${id}@example.com` })) as [
  GroupMember,
  GroupMember,
  GroupMember,
];
interface GroupMember {
  readonly id: string;
  readonly email: string;
}
const group: ProvisionedGroup = {
  id: 'g1',
  displayName: 'Team',
  externalId: null,
  members: [ann, bob],
  createdAt: at,
  updatedAt: at,
};
const users = new Map([ann, bob, cy].map((user) => [user.id, user]));
const described = { displayName: 'Team', externalId: null, memberIds: ['bob', 'ann', 'bob'] };

describe('changeGroup', () => {
  it('a group is created with its members, each once', () => {
    const change = changeGroup(undefined, described, users, 'g1', at);
    expect(change?.next).toEqual(group);
    expect(change?.events).toMatchObject([
      { kind: 'group.created', subject: { id: 'g1', name: 'Team' }, after: { name: 'Team' } },
      { kind: 'group.member_added', after: { user_id: 'ann', email: 'ann@example.com' } },
      { kind: 'group.member_added', after: { user_id: 'bob' } },
    ]);
  });

  it('nothing changes if the group is as described', () => {
    expect(changeGroup(group, described, users, 'g1', later)).toBeUndefined();
    expect(changeGroup(undefined, null, users, 'g1', later)).toBeUndefined();
  });

  it('renames, adds and removes with an event for each', () => {
    const input = { displayName: 'New', externalId: 'x', memberIds: ['bob', 'cy'] };
    const change = changeGroup(group, input, users, 'other', later);
    expect(change?.next).toEqual({
      ...group,
      displayName: 'New',
      externalId: 'x',
      members: [bob, cy],
      updatedAt: later,
    });
    expect(change?.events).toMatchObject([
      { kind: 'group.renamed', before: { name: 'Team', external_id: null }, after: { name: 'New' } },
      { kind: 'group.member_added', after: { user_id: 'cy' } },
      { kind: 'group.member_removed', before: { user_id: 'ann' } },
    ]);
  });

  it('a group is deleted', () => {
    expect(changeGroup(group, null, users, 'g1', at)).toMatchObject({
      next: null,
      events: [{ kind: 'group.deleted', before: { name: 'Team' }, after: null }],
    });
  });

  it('members who are not provisioned are rejected', () => {
    const input = { ...described, memberIds: ['ann', 'stranger'] };
    expect(() => changeGroup(group, input, new Map(), 'g1', at)).toThrow('members: stranger is not');
  });
});

describe('affectedUsers', () => {
  const mapped: readonly GroupMapping[] = [{ name: 'Team', role: 'org:admin', workspaces: {} }];

  it.each<
    [title: string, current: ProvisionedGroup | undefined, next: ProvisionedGroup | null, ids: string[]]
  >([
    ['everyone of a new group', undefined, group, ['ann', 'bob']],
    ['everyone of a deleted group', group, null, ['ann', 'bob']],
    ['those who join or leave', group, { ...group, members: [bob, cy] }, ['cy', 'ann']],
    ['everyone of a renamed group', group, { ...group, displayName: 'New' }, ['ann', 'bob']],
    ['nobody otherwise', group, { ...group, externalId: 'x' }, []],
  ])('the affected users are %s', (_title, current, next, ids) => {
    expect(affectedUsers(current, next, mapped)).toEqual(ids);
    expect(affectedUsers(current, next, [])).toEqual([]);
  });
});

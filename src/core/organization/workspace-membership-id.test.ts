import { expect, it } from 'vitest';
import type { WorkspaceMember } from './workspace.ts';
import { workspaceMembershipId } from './workspace-membership-id.ts';

const membership = (workspaceId: string, userId: string): WorkspaceMember => ({
  workspaceId,
  userId,
  email: 'ada@example.com',
  role: 'org:member',
  createdAt: '2026-01-02T00:00:00.000Z',
});
const workspaceId = '01942a00-0000-7000-8000-000000000001';

it('a membership id is a version 8 UUID', () => {
  for (let count = 0; count < 100; count += 1)
    expect(workspaceMembershipId(membership(workspaceId, `user_${count}`))).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
});

it('a membership id depends only on workspace and user, and stays the same across releases', () => {
  const id = workspaceMembershipId(membership(workspaceId, 'user_a'));
  expect(id).toBe('54ccbe6f-289f-8ed6-a209-9fdbca1bc9fd');
  expect(
    workspaceMembershipId({
      ...membership(workspaceId, 'user_a'),
      role: 'org:admin',
      email: 'x',
      createdAt: 'x',
    }),
  ).toBe(id);
  const others = [membership(workspaceId, 'user_b'), membership(workspaceId.replace('1', '2'), 'user_a')];
  for (const other of others) expect(workspaceMembershipId(other)).not.toBe(id);
});

import { expect, it, vi } from 'vitest';
import { newId, workspaceMembershipId } from './identifiers.ts';
import type { WorkspaceMember } from './organization/workspace.ts';

it('an id is a version 7 UUID', () => {
  for (let count = 0; count < 1_000; count += 1) {
    expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

it('ids are unique', () => {
  expect(new Set(Array.from({ length: 10_000 }, newId)).size).toBe(10_000);
});

it('an id starts with its creation time, so later ids sort later', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] });
  const earlier = newId();
  vi.advanceTimersByTime(1);
  expect(newId() > earlier).toBe(true);
  expect(Number.parseInt(earlier.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.UTC(2026, 0, 1));
  vi.useRealTimers();
});

it('ids created in the same millisecond sort in creation order', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] });
  const ids = Array.from({ length: 4_096 }, newId);
  expect(ids.toSorted()).toEqual(ids);
  vi.useRealTimers();
});

const membership = (workspaceId: string, userId: string): WorkspaceMember => ({
  workspaceId,
  userId,
  email: 'ada@example.com',
  role: 'org:member',
  workspaceRole: 'viewer',
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

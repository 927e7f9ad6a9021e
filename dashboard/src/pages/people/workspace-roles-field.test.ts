import { expect, test } from 'vitest';
import { changedRoles } from './workspace-roles-field.tsx';

test('roles are added, changed and removed by workspace, and the same ones stay', () => {
  const before = { kept: 'viewer', raised: 'viewer', left: 'admin' } as const;
  const after = { kept: 'viewer', raised: 'editor', left: undefined, joined: 'admin' } as const;
  expect(changedRoles(before, after)).toEqual({
    added: [{ id: 'joined', role: 'admin' }],
    changed: [{ id: 'raised', role: 'editor' }],
    removed: ['left'],
  });
});

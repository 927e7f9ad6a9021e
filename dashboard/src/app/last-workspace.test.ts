import { expect, test } from 'vitest';
import type { WorkspaceAccess } from '../../../src/api/account.ts';
import { startWorkspace } from './last-workspace.ts';

const access = (slug: string, role: WorkspaceAccess['role']): WorkspaceAccess => ({
  id: slug,
  slug,
  name: slug,
  is_default: slug === 'default',
  is_content_logged: false,
  role,
});

test.each([
  ['default', [access('default', 'admin'), access('support', 'viewer')]],
  ['support', [access('default', 'viewer'), access('support', 'viewer')]],
  ['default', [access('default', 'viewer')]],
  [undefined, []],
])('people start in %s', (slug, workspaces) => {
  expect(startWorkspace(workspaces)?.slug).toBe(slug);
});

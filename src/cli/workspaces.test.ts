import { expect, it } from 'vitest';
import type { Workspace, WorkspaceMember } from '../api/workspaces.ts';
import { noPaint } from './ui/output.ts';
import { renderWorkspace, renderWorkspaceMembers, renderWorkspaces } from './workspaces.ts';

const time = '2026-08-01T09:30:00.000Z';
const workspace = {
  ...{ id: 'w1', name: 'Sup\u0007port', slug: 'support', description: null, created_at: time },
  ...{ updated_at: null, created_by: null, is_default: false, member_count: 2 },
} as Workspace;

it('the workspace list marks the workspace that everyone belongs to', () => {
  const page = {
    data: [{ ...workspace, slug: 'main', name: 'Main', is_default: true, member_count: 12 }, workspace],
    total_count: 3,
  };
  expect(renderWorkspaces(page, 0)).toBe(
    `
SLUG     MEMBERS        CREATED            NAME           ID
main     12 (everyone)  2026-08-01 09:30Z  Main           w1
support  2              2026-08-01 09:30Z  Sup\\u0007port  w1
Showing 1-2 of 3; use --offset 2 for more`.trimStart(),
  );
});

it('a workspace is shown with its properties', () => {
  expect(renderWorkspace({ ...workspace, description: 'Two\nlines' }, 'ann@example.com', noPaint)).toBe(
    `
support
name         Sup\\u0007port
description  Two\\nlines
members      2
created      2026-08-01 09:30Z by ann@example.com
id           w1`.trimStart(),
  );
});

it('the members of a workspace are listed with role and date', () => {
  const member = { user_id: 'user_1', email: 'ann@example.com', role: 'member' };
  const data = [{ ...member, workspace_role: 'editor', created_at: time } as WorkspaceMember];
  expect(renderWorkspaceMembers({ data, total_count: 5 }, 4)).toBe(
    `
EMAIL            ROLE    ORGANIZATION  JOINED             ID
ann@example.com  editor  org:member    2026-08-01 09:30Z  user_1
Showing 5-5 of 5`.trimStart(),
  );
});

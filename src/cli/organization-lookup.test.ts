import { expect, it } from 'vitest';
import { keyPath } from './keys.ts';
import { memberPath, workspacePath } from './organization-lookup.ts';

it.each([
  [memberPath('grace+1@example.com'), '/organization/members/grace%2B1%40example.com'],
  [memberPath('a/b@example.com'), '/organization/members/a%2Fb%40example.com'],
  [workspacePath('support', 'members', 'add'), '/workspaces/support/members/add'],
  [keyPath('sk-pst-v1-ab1…9f2'), '/keys/sk-pst-v1-ab1%E2%80%A69f2'],
  [keyPath('sk-pst-v1-ab1...9f2', 'rotate'), '/keys/sk-pst-v1-ab1%E2%80%A69f2/rotate'],
  [
    keyPath(`sk-pst-v1-${'0'.repeat(64)}`),
    '/keys/a4dba7c2951ca760474591b5a9d35ee227e4615e4ebca13fd8b8f62e5bdb7811',
  ],
])('the path %s is encoded as %s', (path, expected) => {
  expect(path).toBe(expected);
});

import { expect, test } from 'vitest';
import type { Right } from '../../../src/core/organization/right.ts';
import { isOrganizationAdmin, mayIn, maySeeMembers } from './rights.ts';

const rights: readonly Right[] = ['call', 'read', 'write', 'release', 'administer'];

test.each([
  ['session', 'write', 'viewer', ['call', 'read']],
  ['session', 'write', 'editor', ['call', 'read', 'write']],
  ['session', 'write', 'admin', rights],
  ['management', 'write', 'admin', rights],
  ['management', 'read', 'admin', ['call', 'read']],
  ['api', 'write', 'admin', ['call', 'read', 'write', 'release']],
  ['api', 'write', 'editor', ['call', 'read', 'write']],
  ['api', 'read', 'admin', ['call', 'read']],
  ['api', 'call', 'admin', ['call']],
] as const)('a %s of scope %s may do what both it and the role %s allow', (kind, scope, role, allowed) => {
  const caller = { organization: null, credential: { kind, scope } };
  expect(rights.filter((right) => mayIn(caller, { role }, right))).toEqual(allowed);
});

test.each([
  ['session', 'write', 'org:admin', true],
  ['session', 'write', 'org:member', false],
  ['management', 'write', 'org:admin', true],
  ['management', 'read', 'org:admin', false],
  ['api', 'write', 'org:admin', false],
] as const)('a %s of scope %s of an %s administers the organization: %s', (kind, scope, role, isAdmin) => {
  const organization = { id: 'o', name: 'Acme', role };
  expect(isOrganizationAdmin({ organization, credential: { kind, scope } })).toBe(isAdmin);
});

test.each([
  ['org:member', 'mine', true],
  ['org:member', 'theirs', false],
  ['org:admin', 'theirs', true],
] as const)('an %s sees the members of the workspace %s: %s', (role, workspaceId, isSeen) => {
  const organization = { id: 'o', name: 'Acme', role };
  const own = {
    id: 'mine',
    slug: 'mine',
    name: 'Mine',
    is_default: false,
    is_content_logged: false,
    role: 'viewer',
  } as const;
  expect(maySeeMembers({ organization, workspaces: [own] }, workspaceId)).toBe(isSeen);
});

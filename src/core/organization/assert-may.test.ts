import { describe, expect, it } from 'vitest';
import { adminCaller } from '../../../test/support/callers.ts';
import { presetFor } from '../presets/preset-access.ts';
import { assertMay, may } from './assert-may.ts';
import type { ResolvedKey, ResolvedSession } from './caller.ts';
import type { Right } from './right.ts';
import { accessibleWorkspace, workspaceFor } from './workspace-access.ts';
import type { WorkspaceRole } from './workspace-role.ts';

const rights: readonly Right[] = ['call', 'read', 'write', 'release', 'administer'];

const member: ResolvedKey = { ...adminCaller, ownerRole: 'org:member' };
const withRole = (role: WorkspaceRole): ResolvedKey => ({
  ...member,
  workspaceRoles: { workspace: role },
});
const sessionOf = (role: WorkspaceRole): ResolvedSession => ({
  ...withRole(role),
  kind: 'session',
  organizationId: 'organization',
  readOnly: false,
  presets: null,
  method: 'password',
  lastUsedAt: '2026-01-02T03:04:05.678Z',
  expiresAt: '2026-02-02T03:04:05.678Z',
});
const apiKey: ResolvedKey = { ...adminCaller, kind: 'api', workspaceId: 'workspace' };

describe('the rights of a caller', () => {
  it.each([
    ['an org:admin', adminCaller, 'administer'],
    ['a read-only key of an org:admin', { ...adminCaller, readOnly: true }, 'read'],
    ['an admin of the workspace', withRole('admin'), 'administer'],
    ['an editor', withRole('editor'), 'write'],
    ['a viewer', withRole('viewer'), 'read'],
    ['someone outside the workspace', member, undefined],
    ['an API key that writes', apiKey, 'release'],
    ['an API key that reads', { ...apiKey, scope: 'read' }, 'read'],
    ['an API key that calls', { ...apiKey, scope: 'call' }, 'call'],
    ['an API key of an editor', { ...withRole('editor'), kind: 'api', workspaceId: 'workspace' }, 'write'],
    ['an API key of a viewer', { ...withRole('viewer'), kind: 'api', workspaceId: 'workspace' }, 'read'],
    ['an API key of someone outside', { ...member, kind: 'api', workspaceId: 'workspace' }, undefined],
  ] as const)('%s has all rights up to %s', (_, caller, last) => {
    const granted = rights.slice(0, last === undefined ? 0 : rights.indexOf(last) + 1);
    expect(rights.filter((right) => may(caller, 'workspace', right))).toEqual(granted);
    for (const right of rights) {
      const attempt = () => assertMay(caller, 'workspace', right);
      if (granted.includes(right)) attempt();
      else expect(attempt).toThrow(expect.objectContaining({ kind: 'forbidden' }));
    }
  });

  it.each([
    [{ ...apiKey, scope: 'call' }, 'read', 'has the scope call and cannot read presets'],
    [{ ...apiKey, scope: 'call' }, 'read', 'a key with the scope read or write'],
    [apiKey, 'administer', 'Use a management key'],
    [
      withRole('viewer'),
      'write',
      `The owner of the key ${adminCaller.label} is a viewer of this workspace and cannot change presets. Ask a workspace admin for the role editor.`,
    ],
    [withRole('editor'), 'administer', 'is an editor of this workspace and cannot manage keys and members.'],
    [withRole('editor'), 'release', 'for the role admin'],
    [
      sessionOf('viewer'),
      'write',
      'Viewers of this workspace cannot change presets. Ask a workspace admin for the role editor.',
    ],
    [sessionOf('editor'), 'administer', 'Editors of this workspace cannot manage keys and members.'],
    [member, 'call', `The owner of the key ${member.label} has no role in this workspace.`],
    [{ ...adminCaller, readOnly: true }, 'write', 'is read-only'],
  ] as const)('a message says why and what to change', (caller, right, message) => {
    expect(() => assertMay(caller, 'workspace', right)).toThrow(message);
  });

  it.each([
    [{ ...apiKey, scope: 'call' }, 'has the scope call and cannot run drafts.'],
    [sessionOf('viewer'), 'Viewers of this workspace cannot run drafts.'],
  ] as const)('a message can name another action', (caller, message) => {
    expect(() => assertMay(caller, 'workspace', 'write', 'run drafts')).toThrow(message);
  });
});

describe('the workspace of a request', () => {
  it.each([
    ['an API key in another workspace', apiKey, 'other'],
    ['a member in a workspace without a role', withRole('admin'), 'other'],
    ['a personal key', { ...adminCaller, organizationId: null }, undefined],
  ] as const)('%s finds no workspace', (_, caller, requested) => {
    expect(() => accessibleWorkspace(caller, requested, 'call')).toThrow(
      expect.objectContaining({ kind: 'not_found' }),
    );
  });

  it('a person who names no workspace gets the default one', () => {
    expect(accessibleWorkspace(withRole('viewer'), undefined, 'read')).toEqual({
      organizationId: 'org',
      workspaceId: 'workspace',
    });
  });
});

describe('a key that is limited to presets', () => {
  const limited: ResolvedKey = { ...apiKey, presets: ['support', 'old-support'] };
  const request = { caller: limited, workspaceId: undefined };

  it.each(['support', 'old-support'])('a key limited to presets reaches %s', (slug) => {
    expect(presetFor({ ...request, slug }, 'call')).toMatchObject({ slug });
  });

  it.each(['Support', 'support2', 'other'])('a key limited to presets does not reach %s', (slug) => {
    expect(() => presetFor({ ...request, slug }, 'call')).toThrow(
      'limited to the presets support, old-support',
    );
  });

  it('a key limited to presets does not reach the workspace as a whole', () => {
    expect(() => workspaceFor(limited, undefined, 'read')).toThrow(
      expect.objectContaining({ kind: 'forbidden' }),
    );
  });
});

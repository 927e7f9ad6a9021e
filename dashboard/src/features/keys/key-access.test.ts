import { expect, test } from 'vitest';
import type { Account } from '../../../../src/api/account.ts';
import { ApiError } from '../../api/api-error.ts';
import { accessChoicesFor, describeAccess, keyActions, rejectedFields } from './key-access.ts';

test.each([
  [{ kind: 'api', read_only: false, scope: 'call' }, 'Call'],
  [{ kind: 'api', read_only: false, scope: 'write' }, 'Write'],
  [{ kind: 'management', read_only: false, scope: 'write' }, 'Management'],
  [{ kind: 'management', read_only: true, scope: 'read' }, 'Management (read-only)'],
] as const)('the key %j is shown as "%s"', (key, text) => {
  expect(describeAccess(key)).toBe(text);
});

const all = ['edit', 'rotate', 'disable', 'delete'];

test.each([
  ['their own key', 'org:member', 'viewer', 'ada', 'api', all],
  ['a key of somebody else', 'org:member', 'editor', 'alan', 'api', []],
  ['a key of the workspace they administer', 'org:member', 'admin', 'alan', 'api', ['disable', 'delete']],
  ['a management key of somebody else', 'org:member', 'admin', 'alan', 'management', []],
  ['any key as an admin', 'org:admin', 'admin', 'alan', 'management', all],
] as const)('people can change %s (%s, %s)', (_, orgRole, role, owner, kind, actions) => {
  const account = accountOf('session', 'write', orgRole, role);
  expect(keyActions(account, { kind, creator_user_id: owner, workspace_id: 'w', disabled: false })).toEqual(
    actions,
  );
});

test('admins of a workspace cannot enable a key of somebody else', () => {
  const account = accountOf('session', 'write', 'org:member', 'admin');
  const key = { kind: 'api', creator_user_id: 'alan', workspace_id: 'w', disabled: true } as const;
  expect(keyActions(account, key)).toEqual(['delete']);
});

test('nothing can be changed with a read-only key', () => {
  const account = accountOf('management', 'read', 'org:admin', 'admin');
  expect(
    keyActions(account, { kind: 'api', creator_user_id: 'ada', workspace_id: 'w', disabled: true }),
  ).toEqual([]);
});

test.each([
  ['viewer', ['write']],
  ['editor', []],
  ['admin', []],
  [undefined, []],
] as const)('a person with the role %s cannot choose %j for a key', (role, disabled) => {
  const choices = accessChoicesFor(role);
  expect(choices.filter(({ isDisabled }) => isDisabled).map(({ value }) => value)).toEqual(disabled);
});

test.each([
  ['/name', { name: 'The name must be.' }],
  ['/scope', { access: expect.stringMatching(/^ada@example\.com is a viewer .* Choose Call or Read\.$/) }],
  ['/creator_user_id', { owner: 'ada@example.com does not belong to this workspace. Add them to it first.' }],
  ['/presets/1', { presets: 'There is no preset “summaries” in this workspace.' }],
  ['/presets/2', undefined],
  ['/workspace_id', undefined],
])('the issue %s of a new key is shown as %j', (path, shown) => {
  const error = new ApiError(400, 'Not valid.', { issues: [{ path, message: 'must be' }] });
  expect(rejectedFields(error, 'ada@example.com', ['bot', 'summaries'])).toEqual(shown);
});

test('all presets that do not exist are named together', () => {
  const issues = ['/presets/0', '/presets/2'].map((path) => ({ path, message: 'must be' }));
  const error = new ApiError(400, 'Not valid.', { issues });
  expect(rejectedFields(error, 'ada@example.com', ['a', 'b', 'c'])).toEqual({
    presets: 'There is no preset “a” or “c” in this workspace.',
  });
});

test('an error that is about no field is not shown at any field', () => {
  expect(rejectedFields(new ApiError(503, 'Busy.'), 'ada@example.com')).toBeUndefined();
  expect(rejectedFields(null, 'ada@example.com')).toBeUndefined();
});

function accountOf(
  kind: Account['credential']['kind'],
  scope: Account['credential']['scope'],
  orgRole: 'org:admin' | 'org:member',
  role: Account['workspaces'][number]['role'],
): Account {
  return {
    id: 'ada',
    email: 'ada@example.com',
    first_name: '',
    last_name: '',
    organization: { id: 'o', name: 'Acme', role: orgRole },
    workspaces: [{ id: 'w', slug: 'w', name: 'W', is_default: true, is_content_logged: false, role }],
    has_password: true,
    can_set_password: true,
    needs_current_password: true,
    credential: { kind, id: 'c', label: 'c', scope, method: null, expires_at: null },
  };
}

import { describe, expect, it } from 'vitest';
import { auditKinds } from '../../../../src/core/audit/audit-kinds.ts';
import { auditQuery, kindOptions, noFilter, withOnlyWorkspace, workspaceOfPresets } from './audit-filter.ts';

const none = noFilter;

describe('auditQuery', () => {
  it('sends no parameters without filters', () => {
    expect(auditQuery(none)).toEqual({});
  });

  it("covers whole days in the user's time zone", () => {
    const filter = { ...none, actor: 'a@b.c', kind: 'key', since: '2027-01-31', until: '2027-01-31' };
    expect(auditQuery(filter)).toEqual({
      actor: 'a@b.c',
      kind: 'key',
      since: new Date(2027, 0, 31).toISOString(),
      until: new Date(2027, 1, 1).toISOString(),
    });
  });

  it('drops invalid values from the URL', () => {
    expect(auditQuery({ ...none, kind: 'nonsense', since: 'soon', until: '2027-02-31' })).toEqual({});
  });
});

describe('the preset filter', () => {
  it('is sent only together with a workspace', () => {
    const filter = { ...none, workspace: 'search', preset: 'ranking' };
    expect(auditQuery(filter)).toEqual({ workspace: 'search', preset: 'ranking' });
    expect(auditQuery({ ...filter, workspace: '' })).toEqual({});
  });

  it('uses the only workspace, or the selected one if there are several', () => {
    const filter = { ...none, preset: 'ranking' };
    const [first, second] = [{ slug: 'default' }, { slug: 'search' }];
    expect(withOnlyWorkspace(filter, [first])).toEqual({ ...filter, workspace: 'default' });
    expect(withOnlyWorkspace(filter, [first, second])).toEqual(filter);
    expect(withOnlyWorkspace(filter, [])).toEqual(filter);
    expect(withOnlyWorkspace(none, [first])).toEqual(none);
    const chosen = { ...filter, workspace: 'deleted-id' };
    expect(withOnlyWorkspace(chosen, [first])).toEqual(chosen);
  });
});

it('workspaceOfPresets prefers the filter to the workspace that is open', () => {
  const [first, second] = [{ slug: 'default' }, { slug: 'search' }];
  const filter = { ...none, workspace: 'search' };
  expect(workspaceOfPresets(filter, [first, second], first)).toBe(second);
  expect(workspaceOfPresets(none, [first, second], second)).toBe(second);
  expect(workspaceOfPresets(none, [first, second], undefined)).toBe(first);
  expect(workspaceOfPresets({ ...none, workspace: 'deleted-id' }, [first], first)).toBeUndefined();
});

it('kindOptions contains every kind and every group', () => {
  const values = kindOptions.map(([value]) => value);
  expect(values).toEqual(
    expect.arrayContaining(['', 'preset', 'key', 'workspace', 'member', 'group', ...auditKinds]),
  );
  expect(kindOptions).toContainEqual(['key.expiry_changed', 'Keys: expiry changed']);
  expect(kindOptions).toContainEqual(['preset.designated', 'Presets: live version changed']);
});

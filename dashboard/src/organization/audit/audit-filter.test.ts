import { describe, expect, it } from 'vitest';
import { auditKinds } from '../../../../src/core/audit-kinds.ts';
import { auditQuery, inOnlyWorkspace, kindOptions, noFilter } from './audit-filter.ts';

const none = noFilter;

describe('auditQuery', () => {
  it('asks for everything where nothing is chosen', () => {
    expect(auditQuery(none)).toEqual({});
  });

  it('means whole days of the person who looks', () => {
    const filter = { ...none, actor: 'a@b.c', kind: 'key', since: '2027-01-31', until: '2027-01-31' };
    expect(auditQuery(filter)).toEqual({
      actor: 'a@b.c',
      kind: 'key',
      since: new Date(2027, 0, 31).toISOString(),
      until: new Date(2027, 1, 1).toISOString(),
    });
  });

  it('leaves out what somebody wrote into the address that there is not', () => {
    expect(auditQuery({ ...none, kind: 'nonsense', since: 'soon', until: '2027-02-31' })).toEqual({});
  });
});

describe('a preset', () => {
  it('is asked for with its workspace, and not without one', () => {
    const filter = { ...none, workspace: 'search', preset: 'ranking' };
    expect(auditQuery(filter)).toEqual({ workspace: 'search', preset: 'ranking' });
    expect(auditQuery({ ...filter, workspace: '' })).toEqual({});
  });

  it('is in the only workspace where there is one, and in the chosen one where there are several', () => {
    const filter = { ...none, preset: 'ranking' };
    const [first, second] = [{ slug: 'default' }, { slug: 'search' }];
    expect(inOnlyWorkspace(filter, [first])).toEqual({ ...filter, workspace: 'default' });
    expect(inOnlyWorkspace(filter, [first, second])).toEqual(filter);
    expect(inOnlyWorkspace(filter, [])).toEqual(filter);
    expect(inOnlyWorkspace(none, [first])).toEqual(none);
    const chosen = { ...filter, workspace: 'deleted-id' };
    expect(inOnlyWorkspace(chosen, [first])).toEqual(chosen);
  });
});

it('every kind can be chosen, and every group', () => {
  const values = kindOptions.map(([value]) => value);
  expect(values).toEqual(expect.arrayContaining(['', 'preset', 'key', 'workspace', 'member', ...auditKinds]));
  expect(kindOptions).toContainEqual(['key.expiry_changed', 'Keys: expiry changed']);
});

import { describe, expect, it } from 'vitest';
import { auditKinds } from '../../../../src/core/audit-kinds.ts';
import { auditQuery, kindOptions } from './audit-filter.ts';

const none = { actor: '', kind: '', since: '', until: '' };

describe('auditQuery', () => {
  it('asks for everything where nothing is chosen', () => {
    expect(auditQuery(none)).toEqual({});
  });

  it('means whole days of the person who looks', () => {
    const filter = { actor: 'a@b.c', kind: 'key', since: '2027-01-31', until: '2027-01-31' };
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

it('every kind can be chosen, and every group', () => {
  const values = kindOptions.map(([value]) => value);
  expect(values).toEqual(expect.arrayContaining(['', 'preset', 'key', 'workspace', 'member', ...auditKinds]));
  expect(kindOptions).toContainEqual(['key.expiry_changed', 'Keys: expiry changed']);
});

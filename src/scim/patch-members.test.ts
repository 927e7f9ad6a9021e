import { describe, expect, it } from 'vitest';
import { readMemberChanges } from './patch-members.ts';

const changesOf = (...operations: readonly object[]) => {
  const changes = readMemberChanges({ Operations: operations });
  return changes && Object.fromEntries(changes);
};

describe('readMemberChanges', () => {
  it.each([
    ['an added member', [{ op: 'add', path: 'members', value: [{ value: 'ann' }] }], { ann: true }],
    ['one that is no list', [{ op: 'Add', path: 'Members', value: { value: 'ann' } }], { ann: true }],
    ['one by URL', [{ op: 'add', path: 'members', value: [{ $ref: '/Users/ann' }] }], { ann: true }],
    ['a removed member', [{ op: 'remove', path: 'members[value eq "ann"]' }], { ann: false }],
    ['one of Entra ID', [{ op: 'Remove', path: 'members', value: [{ value: 'ann' }] }], { ann: false }],
    [
      'a removed one by URL',
      [{ op: 'remove', path: 'members', value: [{ $ref: '/Users/ann' }] }],
      { ann: false },
    ],
    ['an id alone', [{ op: 'remove', path: 'members', value: 'ann' }], { ann: false }],
    [
      'the last operation on a member',
      [
        { op: 'add', path: 'members', value: [{ value: 'ann' }, { value: 'bob' }] },
        { op: 'remove', path: 'members[value eq "ann"]' },
      ],
      { ann: false, bob: true },
    ],
    [
      'no id that cannot be stored',
      [{ op: 'remove', path: 'members', value: ['a\u0000', 'b'] }],
      { b: false },
    ],
  ])('a patch of members is read: %s', (_, operations, expected) => {
    expect(changesOf(...operations)).toEqual(expected);
  });

  it.each([
    ['replaces all members', { op: 'replace', path: 'members', value: [{ value: 'ann' }] }],
    ['removes all members', { op: 'remove', path: 'members' }],
    ['removes members by another filter', { op: 'remove', path: 'members[type eq "User"]' }],
    ['changes a part of a member', { op: 'remove', path: 'members[value eq "ann"].type' }],
    ['renames the group', { op: 'replace', value: { displayName: 'New' } }],
    ['names another attribute', { op: 'add', path: 'displayName', value: 'New' }],
  ])('a patch that %s is left to applyPatch', (_, operation) => {
    const added = { op: 'add', path: 'members', value: [{ value: 'bob' }] };
    expect(changesOf(added, operation)).toBeUndefined();
  });

  it.each([
    ['Operations must be a list', {}],
    ['members[0] must be an object', { Operations: [{ op: 'add', path: 'members', value: ['ann'] }] }],
    ['The filter cannot be read', { Operations: [{ op: 'remove', path: 'members[value eq]' }] }],
  ])('an invalid patch is rejected with "%s"', (message, body) => {
    expect(() => readMemberChanges(body)).toThrow(message);
  });
});

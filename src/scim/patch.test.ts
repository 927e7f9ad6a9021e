import { describe, expect, it } from 'vitest';
import { applyPatch } from './patch.ts';
import { groupSchema, userSchema } from './schema.ts';

const user = {
  schemas: [userSchema.id],
  id: 'user_1',
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  active: true,
  emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
  meta: { resourceType: 'User' },
};
/** Without what clients cannot set. */
const { schemas: _schemas, id: _id, meta: _meta, ...settable } = user;
const work = user.emails[0];
const home = { value: 'ada@home.example', type: 'home' };

const patchUser = (...operations: readonly object[]) =>
  applyPatch(userSchema, user, { Operations: operations });

describe('applyPatch', () => {
  it.each<[title: string, operation: object, changed: object]>([
    ['replaces an attribute', { op: 'replace', path: 'userName', value: 'x' }, { userName: 'x' }],
    ['in any case', { op: 'Replace', path: 'USERNAME', value: 'x' }, { userName: 'x' }],
    ['with a URN', { op: 'add', path: `${userSchema.id}:title`, value: 'Countess' }, { title: 'Countess' }],
    ['a boolean as text', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    ['without a path', { op: 'replace', value: { active: false, id: 'x', shoe: 1 } }, { active: false }],
    [
      'a dotted key',
      { op: 'Add', value: { 'name.givenName': 'A', [`${userSchema.id}:title`]: 'T' } },
      { name: { givenName: 'A', familyName: 'Lovelace' }, title: 'T' },
    ],
    [
      'a part',
      { op: 'replace', path: 'name.familyName', value: 'King' },
      { name: { givenName: 'Ada', familyName: 'King' } },
    ],
    [
      'some parts',
      { op: 'replace', path: 'name', value: { familyName: 'King' } },
      { name: { givenName: 'Ada', familyName: 'King' } },
    ],
    ['removes a part', { op: 'remove', path: 'name.familyName' }, { name: { givenName: 'Ada' } }],
    ['removes an attribute', { op: 'Remove', path: 'name' }, { name: undefined }],
    ['null removes', { op: 'replace', path: 'name', value: null }, { name: undefined }],
    ['adds a value', { op: 'add', path: 'emails', value: [home] }, { emails: [work, home] }],
    ['adds one value', { op: 'add', path: 'emails', value: home }, { emails: [work, home] }],
    [
      'a new primary value',
      { op: 'add', path: 'emails', value: [{ ...home, primary: true }] },
      {
        emails: [
          { ...work, primary: false },
          { ...home, primary: true },
        ],
      },
    ],
    ['adds a value once', { op: 'add', path: 'emails', value: [work] }, { emails: [work] }],
    ['replaces values', { op: 'replace', path: 'emails', value: [home] }, { emails: [home] }],
    [
      'a part of a matching value',
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'b@example.com' },
      { emails: [{ ...work, value: 'b@example.com' }] },
    ],
    [
      'a part of a value that is missing',
      { op: 'Add', path: 'emails[type eq "home"].value', value: home.value },
      { emails: [work, home] },
    ],
    [
      'the primary value',
      { op: 'replace', path: 'emails[primary eq true].value', value: 'b@example.com' },
      { emails: [{ ...work, value: 'b@example.com' }] },
    ],
    [
      'parts of a matching value',
      { op: 'replace', path: 'emails[type eq "work"]', value: { value: 'b@example.com' } },
      { emails: [{ ...work, value: 'b@example.com' }] },
    ],
    ['removes matching values', { op: 'remove', path: 'emails[type eq "work"]' }, { emails: undefined }],
    ['removes nothing', { op: 'remove', path: 'emails[type eq "home"]' }, {}],
    ['removes a part of no value', { op: 'remove', path: 'emails[type eq "home"].type' }, {}],
    ['unknown attributes', { op: 'add', path: 'addresses[type eq "work"].country', value: 'NO' }, {}],
    ['extensions', { op: 'add', path: 'urn:x:enterprise:2.0:User:department', value: 'R' }, {}],
    ['prototypes', { op: 'add', path: '__proto__.polluted', value: 'x' }, {}],
  ])('an operation is applied (%s): %j', (_title, operation, changed) => {
    const expected = Object.entries({ ...settable, ...changed }).filter(([, value]) => value !== undefined);
    expect(patchUser(operation)).toEqual(Object.fromEntries(expected));
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it('operations are applied in order', () => {
    expect(
      patchUser(
        { op: 'remove', path: 'emails' },
        { op: 'add', path: 'emails', value: [home] },
        { op: 'replace', path: 'emails.type', value: 'other' },
      ),
    ).toMatchObject({ emails: [{ value: home.value, type: 'other' }] });
  });

  it.each<[scimType: string, body: unknown]>([
    ['invalidSyntax', undefined],
    ['invalidSyntax', { Operations: [] }],
    ['invalidSyntax', { Operations: ['add'] }],
    ['invalidSyntax', { Operations: [{ op: 'move', path: 'title', value: 'x' }] }],
    ['invalidSyntax', { Operations: [{ op: 'add', path: 'title' }] }],
    ['invalidSyntax', { Operations: [{ op: 'add', value: 'x' }] }],
    ['tooMany', { Operations: Array(1_001).fill({ op: 'remove', path: 'title' }) }],
    ['noTarget', { Operations: [{ op: 'remove' }] }],
    ['noTarget', { Operations: [{ op: 'replace', path: 'emails[type eq "x"]', value: home }] }],
    ['noTarget', { Operations: [{ op: 'add', path: 'emails[type sw "x"].value', value: 'x' }] }],
    ['invalidPath', { Operations: [{ op: 'add', path: 'emails[', value: 'x' }] }],
    ['invalidPath', { Operations: [{ op: 'add', path: 'name[type eq "x"]', value: 'x' }] }],
    ['invalidPath', { Operations: [{ op: 'add', path: 7, value: 'x' }] }],
    ['invalidFilter', { Operations: [{ op: 'remove', path: 'emails[shoe eq "x"]' }] }],
    ['mutability', { Operations: [{ op: 'replace', path: 'id', value: 'x' }] }],
    ['mutability', { Operations: [{ op: 'add', path: 'groups', value: [] }] }],
    ['invalidValue', { Operations: [{ op: 'replace', path: 'active', value: 'maybe' }] }],
    ['invalidValue', { Operations: [{ op: 'replace', path: 'emails', value: [{ type: 'work' }] }] }],
    ['invalidValue', { Operations: [{ op: 'remove', path: 'userName' }] }],
    ['invalidValue', { Operations: [{ op: 'remove', path: 'emails.value' }] }],
  ])('the error %s is thrown for %j', (scimType, body) => {
    expect(() => applyPatch(userSchema, user, body)).toThrow(expect.objectContaining({ scimType }));
  });

  it('members are removed by value, as Entra ID sends them', () => {
    const group = {
      displayName: 'G',
      members: [{ value: 'a', type: 'User' }, { value: 'b' }, { value: 'c' }],
    };
    const patch = (operation: object) => applyPatch(groupSchema, group, { Operations: [operation] });
    expect(patch({ op: 'Remove', path: 'members', value: [{ value: 'a' }] }).members).toEqual([
      { value: 'b' },
      { value: 'c' },
    ]);
    expect(patch({ op: 'remove', path: 'members[value eq "b" or value eq "c"]' }).members).toEqual([
      { value: 'a', type: 'User' },
    ]);
    expect(patch({ op: 'remove', path: 'members' }).members).toBeUndefined();
  });
});

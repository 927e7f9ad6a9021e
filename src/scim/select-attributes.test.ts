import { expect, it } from 'vitest';
import { userSchema } from './schema.ts';
import { isSelected, selectAttributes } from './select-attributes.ts';

const resource = {
  schemas: [userSchema.id],
  id: 'user_1',
  userName: 'ada',
  name: { givenName: 'Ada', familyName: 'L' },
  emails: [{ value: 'a@b.c', type: 'work' }],
};
const { schemas, id } = resource;

it.each<[selection: object, expected: object]>([
  [{}, resource],
  [{ attributes: '' }, resource],
  [{ attributes: 'USERNAME' }, { schemas, id, userName: 'ada' }],
  [
    { attributes: `${userSchema.id}:userName, name.givenName` },
    { schemas, id, userName: 'ada', name: { givenName: 'Ada' } },
  ],
  [
    { attributes: 'emails.value,name,name.givenName' },
    { schemas, id, name: resource.name, emails: [{ value: 'a@b.c' }] },
  ],
  [{ attributes: 'shoeSize' }, { schemas, id }],
  [
    { excludedAttributes: 'id,name,emails.type' },
    { schemas, id, userName: 'ada', emails: [{ value: 'a@b.c' }] },
  ],
  [
    { attributes: 'userName', excludedAttributes: 'userName' },
    { schemas, id, userName: 'ada' },
  ],
])('the query %j selects %j', (selection, expected) => {
  expect(selectAttributes(userSchema, resource, selection)).toEqual(expected);
});

it.each<[selection: object, isWanted: boolean]>([
  [{}, true],
  [{ attributes: 'emails.value' }, true],
  [{ attributes: 'userName' }, false],
  [{ excludedAttributes: 'emails' }, false],
  [{ excludedAttributes: 'emails.value' }, true],
])('emails are part of a response with %j: %s', (selection, isWanted) => {
  expect(isSelected(userSchema, 'emails', selection)).toBe(isWanted);
});

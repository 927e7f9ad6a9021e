import { describe, expect, it } from 'vitest';
import { parseFilter } from './filter.ts';
import { userSchema } from './schema.ts';

const ada = {
  schemas: [userSchema.id],
  id: 'user_1',
  externalId: 'Ext-1',
  userName: 'Ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  title: 'Pr\u00e9sidente',
  active: true,
  emails: [
    { value: 'Ada@example.com', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  meta: { resourceType: 'User', created: '2026-01-01T00:00:00.000Z' },
};

describe('parseFilter', () => {
  it.each<[filter: string, isMatch: boolean]>([
    ['userName eq "ada@EXAMPLE.com"', true],
    ['username EQ "ada@example.com"', true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada@example.com"', true],
    ['userName ne "ada@example.com"', false],
    ['externalId eq "ext-1"', false],
    ['externalId eq "Ext-1"', true],
    ['name.familyName co "LOVE"', true],
    ['name.familyName sw "love" and name.givenName ew "DA"', true],
    ['displayName pr', false],
    ['displayName eq null', true],
    ['name pr and emails pr', true],
    ['active eq true', true],
    ['active eq "True"', true],
    ['active eq false or userName eq "x"', false],
    ['emails eq "ada@home.example"', true],
    ['emails.type eq "home"', true],
    ['emails[type eq "work" and value ew "@home.example"]', false],
    ['emails[type eq "home" and value ew "@home.example"]', true],
    ['emails[not (primary eq true)]', true],
    ['not (userName pr)', false],
    ['(userName eq "x" or active eq true) and id eq "user_1"', true],
    ['meta.created gt "2025-12-31T23:59:59Z"', true],
    ['meta.created lt "2026-01-01T01:00:00+01:00"', false],
    ['meta.created le "2026-01-01T01:00:00+01:00"', true],
    ['userName gt "a" and userName lt "b"', true],
    ['title eq "Pre\u0301sidente"', true],
    ['title sw "PRE\u0301" and title co "\u00e9s"', true],
  ])('%s is %s for a user', (filter, isMatch) => {
    expect(parseFilter(userSchema, filter).matches(ada)).toBe(isMatch);
  });

  it.each([
    '',
    'userName',
    'userName eq',
    'userName eq "x" and',
    'userName is "x"',
    'shoeSize eq 5',
    'name eq "x"',
    'emails[nothing eq "x"]',
    'userName[value eq "x"]',
    'active gt true',
    'displayName gt null',
    '__proto__ pr',
    'constructor eq "x"',
    '('.repeat(2_000),
    `userName eq "${'x'.repeat(2_000)}"`,
  ])('%j is not a filter', (filter) => {
    expect(() => parseFilter(userSchema, filter)).toThrow(
      expect.objectContaining({ scimType: 'invalidFilter', kind: 'invalid_request' }),
    );
  });

  it.each([
    ['USERNAME eq "x"', { path: 'userName', value: 'x' }],
    ['emails eq "x"', { path: 'emails.value', value: 'x' }],
    ['emails.value eq "x"', { path: 'emails.value', value: 'x' }],
    ['active eq true', { path: 'active', value: true }],
    ['userName sw "x"', undefined],
    ['userName eq "x" and active eq true', undefined],
    ['userName eq null', undefined],
  ])('%s can be answered by an index as %o', (filter, equality) => {
    expect(parseFilter(userSchema, filter).equality).toEqual(equality);
  });
});

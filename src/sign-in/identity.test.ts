import { describe, expect, it } from 'vitest';
import { type Claims, lacksClaims, toIdentity } from './identity.ts';
import { readSignInFile } from './sign-in-file.ts';
import type { Provider } from './sign-in-settings.ts';

function providerWith(fields: object = {}): Provider {
  const entry = { id: 'a', name: 'A', issuer: 'https://a.example', client_id: 'c', ...fields };
  const { settings } = readSignInFile(JSON.stringify({ providers: [entry] }), 'file', {});
  const [provider] = settings?.providers ?? [];
  if (provider === undefined) throw new Error('invalid provider');
  return provider;
}

const token = { iss: 'https://a.example', sub: '1' };
const ann = { email: 'ann@example.com', email_verified: true, given_name: 'Ann', family_name: 'Lee' };

describe('toIdentity', () => {
  it('maps the standard claims', () => {
    expect(toIdentity({ ...token, ...ann, groups: ['a', 'b'] }, {}, providerWith())).toEqual({
      issuer: 'https://a.example',
      subject: '1',
      email: 'ann@example.com',
      isEmailVerified: true,
      firstName: 'Ann',
      lastName: 'Lee',
      groups: ['a', 'b'],
    });
  });

  it('missing claims come from the user info endpoint, but never the issuer and the subject', () => {
    const userInfo = { ...ann, given_name: 'Other', iss: 'https://b.example', sub: '2', groups: ['a'] };
    expect(toIdentity({ ...token, given_name: 'Ann' }, userInfo, providerWith())).toMatchObject({
      issuer: 'https://a.example',
      subject: '1',
      email: 'ann@example.com',
      isEmailVerified: true,
      firstName: 'Ann',
      lastName: 'Lee',
      groups: ['a'],
    });
  });

  it.each<[title: string, idToken: Claims, userInfo: Claims, provider: object, isVerified: boolean]>([
    ['true', { email_verified: true }, {}, {}, true],
    ['the text "true"', { email_verified: 'true' }, {}, {}, true],
    ['false', { email_verified: false }, {}, {}, false],
    ['the text "false"', { email_verified: 'false' }, {}, {}, false],
    ['another value', { email_verified: 1 }, {}, {}, false],
    ['absent', {}, {}, {}, false],
    ['absent, of a trusted provider', {}, {}, { trusts_email: true }, true],
    ['null, of a trusted provider', { email_verified: null }, {}, { trusts_email: true }, true],
    ['false, of a trusted provider', { email_verified: false }, {}, { trusts_email: true }, false],
    [
      'only about the address of the user info',
      {},
      { email: 'b@b.example', email_verified: true },
      {},
      false,
    ],
    [
      'about another claim',
      { upn: 'ann@example.com', email_verified: true },
      {},
      { claims: { email: 'upn' } },
      false,
    ],
    [
      'about another claim, of a trusted provider',
      { upn: 'ann@example.com', email_verified: false },
      {},
      { claims: { email: 'upn' }, trusts_email: true },
      true,
    ],
  ])('email_verified is %s', (_title, idToken, userInfo, provider, isEmailVerified) => {
    const claims = { ...token, email: 'ann@example.com', ...idToken };
    expect(toIdentity(claims, userInfo, providerWith(provider))).toMatchObject({
      email: 'ann@example.com',
      isEmailVerified,
    });
  });

  it.each([undefined, null, '', 'ann', 'a@b@example.com', 'ann@exam\u200bple.com', 7, ['ann@example.com']])(
    'the address %j is ignored, and never verified',
    (email) => {
      expect(toIdentity({ ...token, ...ann, email }, {}, providerWith({ trusts_email: true }))).toMatchObject(
        {
          email: undefined,
          isEmailVerified: false,
        },
      );
    },
  );

  it.each<[claims: Claims, firstName: string, lastName: string]>([
    [{ given_name: ' Ann ', family_name: 'Lee' }, 'Ann', 'Lee'],
    [{ given_name: 'Ann', name: 'Ann Lee' }, 'Ann', ''],
    [{ family_name: 'Lee', name: 'Ann Lee' }, '', 'Lee'],
    [{ name: 'Ann Lee' }, 'Ann Lee', ''],
    [{ given_name: 'A\nB', family_name: 'x'.repeat(201) }, '', ''],
    [{ given_name: '\ud800' }, '', ''],
    [{ given_name: 7 }, '', ''],
  ])('the names in %j are "%s" and "%s"', (claims, firstName, lastName) => {
    expect(toIdentity({ ...token, ...claims }, {}, providerWith())).toMatchObject({ firstName, lastName });
  });

  it.each<[claim: unknown, groups: readonly string[] | undefined]>([
    [undefined, undefined],
    [null, undefined],
    [{ a: 1 }, undefined],
    [[], []],
    ['admins', ['admins']],
    [['admins', 7, null], ['admins']],
  ])('the groups claim %j means %j', (groups, expected) => {
    expect(toIdentity({ ...token, groups }, {}, providerWith()).groups).toEqual(expected);
  });

  it.each<[idToken: Claims, userInfo: Claims, groups: readonly string[] | undefined]>([
    [{}, {}, []],
    [{ groups: null }, {}, []],
    [{}, { groups: ['staff'] }, ['staff']],
    [{ groups: ['staff'] }, {}, ['staff']],
    // Not missing, but of no use.
    [{ groups: { a: 1 } }, {}, undefined],
    // Entra ID names another source for the groups of people who have too many.
    [{ _claim_names: { groups: 'src1' } }, {}, undefined],
    [{}, { _claim_names: { groups: 'src1' } }, undefined],
    [{ _claim_names: { address: 'src1' } }, {}, []],
    [{ _claim_names: null }, {}, []],
  ])('with missing_groups_claim: no_groups, the claims %j and %j mean %j', (idToken, userInfo, groups) => {
    const provider = providerWith({ missing_groups_claim: 'no_groups' });
    expect(toIdentity({ ...token, ...idToken }, userInfo, provider).groups).toEqual(groups);
  });

  it('claims have the names in the settings', () => {
    const claims = {
      email: 'upn',
      first_name: 'first',
      last_name: 'last',
      groups: 'https://a.example/groups',
    };
    const elsewhere = { _claim_names: { 'https://a.example/groups': 'src1' } };
    const strict = providerWith({ claims, missing_groups_claim: 'no_groups' });
    expect(toIdentity({ ...token, groups: ['a'] }, {}, strict).groups).toEqual([]);
    expect(toIdentity({ ...token, ...elsewhere }, {}, strict).groups).toBeUndefined();
    const values = { upn: 'ann@example.com', first: 'Ann', last: 'Lee', 'https://a.example/groups': ['a'] };
    expect(toIdentity({ ...token, ...values }, {}, providerWith({ claims }))).toMatchObject({
      email: 'ann@example.com',
      firstName: 'Ann',
      lastName: 'Lee',
      groups: ['a'],
    });
  });

  it('inherited properties are not claims', () => {
    const claims = { email: 'toString', groups: '__proto__' };
    expect(toIdentity(token, {}, providerWith({ claims }))).toMatchObject({
      email: undefined,
      groups: undefined,
    });
  });
});

describe('lacksClaims', () => {
  it.each<[claims: Claims, needsGroups: boolean, isLacking: boolean]>([
    [ann, false, false],
    [ann, true, true],
    [{ ...ann, groups: [] }, true, false],
    [{ ...ann, email: undefined }, false, true],
    [{ ...ann, family_name: null }, false, true],
  ])('%j, with groups needed: %s, is %s', (claims, needsGroups, isLacking) => {
    expect(lacksClaims(claims, providerWith(), needsGroups)).toBe(isLacking);
  });
});

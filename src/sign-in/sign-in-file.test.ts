import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSignInFile } from './sign-in-file.ts';
import { signInFile } from './sign-in-file-schema.ts';

const environment = { OKTA_SECRET: 'okta-secret', WRONG_SECRET: 'hush hush', EMPTY_SECRET: '' };

function read(text: string) {
  return readSignInFile(text, 'sign-in.yaml', environment);
}

const minimal = { id: 'okta', name: 'Okta', issuer: 'https://example.okta.com', client_id: 'abc' };

/** A valid provider with other values for some of its keys. */
function withProvider(fields: object): string {
  return JSON.stringify({ providers: [{ ...minimal, ...fields }] });
}

describe('readSignInFile', () => {
  it('fills in the defaults of a provider', () => {
    expect(read(withProvider({}))).toEqual({
      problems: [],
      settings: {
        allowsPassword: true,
        groups: [],
        providers: [
          {
            id: 'okta',
            name: 'Okta',
            issuer: 'https://example.okta.com',
            clientId: 'abc',
            clientSecret: undefined,
            tokenEndpointAuthMethod: undefined,
            scopes: ['openid', 'email', 'profile'],
            domains: [],
            trustsEmail: false,
            missingGroupsClaim: 'unknown',
            claims: { email: 'email', firstName: 'given_name', lastName: 'family_name', groups: 'groups' },
          },
        ],
      },
    });
  });

  it('a YAML file may have every key', () => {
    const { settings, problems } = read(`
password: false
providers:
  - id: okta
    name: Okta
    issuer: https://example.okta.com/
    client_id: abc
    client_secret_env: OKTA_SECRET
    token_endpoint_auth_method: client_secret_basic
    scopes: [openid, email, groups]
    domains: [example.com, mail.example.co.uk]
    trusts_email: true
    missing_groups_claim: no_groups
    claims: { email: upn, first_name: first, last_name: last, groups: https://example.com/groups }
groups:
  - { name: presetd-admins, provider: okta, role: org:admin }
  - { name: presetd-admins, provider: scim, role: org:admin }
  - name: Prompt team
    workspaces: { default: editor, marketing: admin }
`);
    expect(problems).toEqual([]);
    expect(settings).toEqual({
      allowsPassword: false,
      providers: [
        {
          id: 'okta',
          name: 'Okta',
          issuer: 'https://example.okta.com/',
          clientId: 'abc',
          clientSecret: { variable: 'OKTA_SECRET', secret: 'okta-secret' },
          tokenEndpointAuthMethod: 'client_secret_basic',
          scopes: ['openid', 'email', 'groups'],
          domains: ['example.com', 'mail.example.co.uk'],
          trustsEmail: true,
          missingGroupsClaim: 'no_groups',
          claims: {
            email: 'upn',
            firstName: 'first',
            lastName: 'last',
            groups: 'https://example.com/groups',
          },
        },
      ],
      groups: [
        { name: 'presetd-admins', provider: 'okta', role: 'org:admin', workspaces: {} },
        { name: 'presetd-admins', provider: 'scim', role: 'org:admin', workspaces: {} },
        {
          name: 'Prompt team',
          provider: undefined,
          role: undefined,
          workspaces: { default: 'editor', marketing: 'admin' },
        },
      ],
    });
  });

  it.each([
    ['https://keycloak.example.com/realms/example', 'no_groups'],
    ['https://example.com/auth/realms/example', 'no_groups'],
    ['https://example.com/realms', 'unknown'],
    ['https://realms.example.com/', 'unknown'],
    ['https://example.com/my-realms/a', 'unknown'],
    ['https://login.microsoftonline.com/8f1d/v2.0', 'unknown'],
  ])('with the issuer %s, a missing groups claim means %s by default', (issuer, missingGroupsClaim) => {
    expect(read(withProvider({ issuer })).settings?.providers).toMatchObject([{ missingGroupsClaim }]);
    for (const given of ['no_groups', 'unknown']) {
      const text = withProvider({ issuer, missing_groups_claim: given });
      expect(read(text).settings?.providers).toMatchObject([{ missingGroupsClaim: given }]);
    }
  });

  it('an unset or empty variable is a missing secret', () => {
    for (const variable of ['UNSET_SECRET', 'EMPTY_SECRET'])
      expect(read(withProvider({ client_secret_env: variable })).settings?.providers).toMatchObject([
        { clientSecret: { variable, secret: undefined } },
      ]);
  });

  it.each([
    'http://localhost:8080/realms/a',
    'http://127.0.0.1:1',
    'http://[::1]:1',
    'https://login.microsoftonline.com/8f1d/v2.0',
  ])('the issuer %s is accepted', (issuer) => expect(read(withProvider({ issuer })).problems).toEqual([]));

  it.each<[problem: string, fields: object]>([
    ['providers[0].id must be 1 to 63 characters', { id: 'Okta' }],
    ['providers[0].id is "link", which presetd uses itself', { id: 'link' }],
    ['providers[0].id is "password", which presetd uses itself', { id: 'password' }],
    ['providers[0].id is "device", which presetd uses itself', { id: 'device' }],
    ['providers[0].id is "scim", which presetd uses itself', { id: 'scim' }],
    ['providers[0].name must be the name for the button', { name: 'a\nb' }],
    ['providers[0].name must be the name for the button', { name: '' }],
    ['providers[0].issuer is missing; it must be the issuer', { issuer: undefined }],
    ['providers[0].issuer must be the issuer as the provider names it', { issuer: 'accounts.google.com' }],
    ['providers[0].issuer must be the issuer', { issuer: 'http://idp.example.com' }],
    ['providers[0].issuer must be the issuer', { issuer: 'https://idp.example.com/?a' }],
    [
      'providers[0].issuer accepts accounts of every organization',
      { issuer: 'https://login.microsoftonline.com/common/v2.0' },
    ],
    [
      'providers[0].issuer accepts accounts of every organization',
      { issuer: 'https://login.microsoftonline.com/Organizations/v2.0' },
    ],
    ['providers[0].client_id must be the client id', { client_id: 5 }],
    ['providers[0].client_secret is not a known key; use one of id, name', { client_secret: 'hush' }],
    [
      'providers[0].client_secret_env must be the name of an environment variable',
      { client_secret_env: 'hush-1' },
    ],
    [
      'providers[0].client_secret_env names WRONG_SECRET, whose value must be',
      { client_secret_env: 'WRONG_SECRET' },
    ],
    [
      'providers[0].token_endpoint_auth_method must be one of client_secret_basic',
      { token_endpoint_auth_method: 'none' },
    ],
    ['providers[0].scopes must contain openid', { scopes: ['email'] }],
    ['providers[0].scopes[0] must be a scope', { scopes: ['openid email', 'openid'] }],
    ['providers[0].scopes must be a list of scopes', { scopes: 'openid' }],
    ['providers[0].domains[0] must be a domain', { domains: ['@example.com'] }],
    ['providers[0].domains[0] must be a domain', { domains: ['Example.com'] }],
    ['providers[0].domains[0] must be a domain', { domains: ['*.example.com'] }],
    ['providers[0].trusts_email must be true or false', { trusts_email: 'yes' }],
    ['providers[0].missing_groups_claim must be one of no_groups, unknown', { missing_groups_claim: 'none' }],
    ['providers[0].claims.mail is not a known key; use one of email', { claims: { mail: 'a' } }],
    ['providers[0].claims.email must be the name of a claim', { claims: { email: 'e mail' } }],
  ])('the problem "%s" is reported', (problem, fields) => {
    const { settings, problems } = read(withProvider(fields));
    expect(settings).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining(`sign-in.yaml line 1: ${problem}`)]);
    expect(problems.join()).not.toContain('hush');
  });

  it.each([
    ['', 'line 1: the file must be a map with the keys password, providers and groups, but is empty'],
    ['password: maybe', 'line 1: password must be true or false'],
    ['password: false', 'line 1: password is false, but there are no providers'],
    ['providers: okta', 'line 1: providers must be a list of at most 20 providers'],
    ['providers: [okta]', 'line 1: providers[0] must be a map with an id'],
    ['groups:\n  - name: a', 'line 2: groups[0] has no effect; add a role or workspaces'],
    ['groups:\n  - { name: a, role: admin }', 'line 2: groups[0].role must be one of org:admin, org:member'],
    ['groups:\n  - { name: 5, role: org:admin }', 'line 2: groups[0].name must be the name of a group'],
    ['groups: [{ name: a, workspaces: { a: owner } }]', 'groups[0].workspaces.a must be one of viewer'],
    ['groups: [{ name: a, workspaces: { A B: viewer } }]', 'groups[0].workspaces."A B" is not the slug'],
    [
      'groups:\n  - { name: a, provider: okta, role: org:admin }',
      'line 2: groups[0].provider is "okta", which is neither scim nor the id of a provider',
    ],
    [
      'groups: [{ name: a, provider: [], role: org:admin }]',
      'groups[0].provider must be the id of a provider in this file, or scim',
    ],
    [
      'groups:\n  - { name: a, provider: scim, role: org:admin }\n  - { name: a, provider: scim, role: org:member }',
      'line 3: groups[1].name is already used by groups[0]',
    ],
    [
      'groups:\n  - { name: a, role: org:admin }\n  - { name: a, role: org:member }',
      'line 3: groups[1].name is already used by groups[0]',
    ],
  ])('the file %j is rejected: %s', (text, problem) => {
    expect(read(text).problems).toEqual([expect.stringContaining(problem)]);
  });

  it('all problems are reported at once', () => {
    const providers = [minimal, { ...minimal, scopes: [] }];
    expect(read(JSON.stringify({ providers, groups: 1 })).problems).toHaveLength(4);
  });
});

describe('docs/sign-in-providers.md', () => {
  const page = readFileSync(new URL('../../docs/sign-in-providers.md', import.meta.url), 'utf8');

  it('docs/sign-in-providers.md shows only valid files', () => {
    const shown = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => read(text).problems);
    expect(shown.length).toBeGreaterThan(4);
    expect(shown.flat()).toEqual([]);
  });

  it('docs/sign-in-providers.md names every key of the file', () => {
    const { providers, groups } = signInFile.properties;
    const provider = providers.items.properties;
    const keys = [signInFile.properties, provider, provider.claims.properties, groups.items.properties];
    const missing = keys.flatMap(Object.keys).filter((key) => !page.includes(`| \`${key}\` |`));
    expect(missing).toEqual([]);
  });

  it('docs/sign-in-providers.md has the redirect URI of every provider that it shows', () => {
    const ids = [...page.matchAll(/^ {2}- id: (.*)$/gm)].map(([, id]) => id);
    expect(ids).toEqual(expect.arrayContaining(['google', 'entra', 'okta', 'keycloak']));
    expect(ids.filter((id) => !page.includes(`/sign-in/${id}/callback`))).toEqual([]);
  });
});

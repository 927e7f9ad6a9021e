import { roles } from '../core/organization/organization.ts';
import { workspaceRoles } from '../core/organization/workspace-role.ts';
import { Type } from '../core/type.ts';
import { oneOf, secretVariable, text } from '../settings-file/file-schema.ts';
import { missingGroupsClaims, tokenEndpointAuthMethods } from './sign-in-settings.ts';

const issuerRule =
  'must be the issuer as the provider names it, such as https://accounts.google.com: an https URL without credentials, query and fragment (http only for localhost)';

const claimName = text('^[\\x21-\\x7e]{1,256}$', 'must be the name of a claim, such as email');

const provider = Type.Object(
  {
    id: text(
      '^[a-z0-9][a-z0-9-]{0,62}$',
      'must be 1 to 63 characters of a-z, 0-9 and -, such as google; it is part of the redirect URI',
    ),
    name: text(
      '^[^\\p{Cc}]{1,60}$',
      'must be the name for the button, such as Google, of 1 to 60 characters',
    ),
    issuer: Type.String({ format: 'issuer', 'x-rule': issuerRule }),
    client_id: text(
      '^[\\x21-\\x7e]{1,512}$',
      'must be the client id from the provider, quoted if it is a number',
    ),
    client_secret_env: Type.Optional(secretVariable('GOOGLE_CLIENT_SECRET', 'secret')),
    token_endpoint_auth_method: Type.Optional(oneOf(tokenEndpointAuthMethods)),
    scopes: Type.Optional(
      Type.Array(
        text('^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,256}$', 'must be a scope such as email, without spaces'),
        {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          'x-rule': 'must be a list of scopes such as [openid, email, profile], without duplicates',
        },
      ),
    ),
    domains: Type.Optional(
      Type.Array(
        text(
          '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9-]{2,63}$',
          'must be a domain of email addresses in lower case, such as example.com',
        ),
        { maxItems: 1_000, 'x-rule': 'must be a list of domains such as [example.com]' },
      ),
    ),
    trusts_email: Type.Optional(Type.Boolean({ 'x-rule': 'must be true or false' })),
    missing_groups_claim: Type.Optional(oneOf(missingGroupsClaims)),
    claims: Type.Optional(
      Type.Object(
        {
          email: Type.Optional(claimName),
          first_name: Type.Optional(claimName),
          last_name: Type.Optional(claimName),
          groups: Type.Optional(claimName),
        },
        {
          additionalProperties: false,
          'x-rule':
            'must be a map of email, first_name, last_name and groups to names of claims, each optional',
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    'x-rule': 'must be a map with an id, a name, an issuer and a client_id',
  },
);

const group = Type.Object(
  {
    name: text(
      '^[^\\p{Cc}]{1,256}$',
      'must be the name of a group, as the provider sends it, quoted if it is a number',
    ),
    provider: Type.Optional(
      text('^[a-z0-9][a-z0-9-]{0,62}$', 'must be the id of a provider in this file, or scim'),
    ),
    role: Type.Optional(oneOf(roles)),
    workspaces: Type.Optional(
      Type.Record(Type.String(), oneOf(workspaceRoles), {
        'x-rule': `must be a map of workspaces to roles, such as default: ${workspaceRoles[0]}`,
      }),
    ),
  },
  { additionalProperties: false, 'x-rule': 'must be a map with a name, and a role or workspaces' },
);

export const signInFile = Type.Object(
  {
    password: Type.Optional(Type.Boolean({ 'x-rule': 'must be true or false' })),
    providers: Type.Optional(
      Type.Array(provider, { maxItems: 20, 'x-rule': 'must be a list of at most 20 providers' }),
    ),
    groups: Type.Optional(
      Type.Array(group, { maxItems: 1_000, 'x-rule': 'must be a list of at most 1000 groups' }),
    ),
  },
  { additionalProperties: false, 'x-rule': 'must be a map with the keys password, providers and groups' },
);

export type SignInFile = Type.Static<typeof signInFile>;

/** Plain HTTP lets anyone on the way sign in as anybody, so it is only for trying things out. */
export function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || /[@?#\s]/.test(text)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

import { workspaceSlugPattern } from '../core/organization/workspace.ts';
import { type FileIssue, isMap } from '../settings-file/file-schema.ts';
import { readSettingsFile } from '../settings-file/read-settings-file.ts';
import { isIssuer, type SignInFile, signInFile } from './sign-in-file-schema.ts';
import type { ClientSecret, MissingGroupsClaim, SignInSettings } from './sign-in-settings.ts';

type Fields = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

export interface SignInFileResult {
  /** Undefined if there are problems. */
  readonly settings: SignInSettings | undefined;
  readonly problems: readonly string[];
}

/**
 * Parses and validates the sign-in file, and fills in the defaults. `name` is the file name to
 * show, `environment` holds the client secrets.
 */
export function readSignInFile(text: string, name: string, environment: Environment): SignInFileResult {
  const { value, problems } = readSettingsFile(text, name, {
    schema: signInFile,
    formats: { issuer: isIssuer },
    findRuleIssues: (file) => (isMap(file) ? findRuleIssues(file, environment) : []),
  });
  return { settings: value && toSignInSettings(value, environment), problems };
}

function toSignInSettings(file: SignInFile, environment: Environment): SignInSettings {
  return {
    allowsPassword: file.password ?? true,
    providers: (file.providers ?? []).map((entry) => ({
      id: entry.id,
      name: entry.name,
      issuer: entry.issuer,
      clientId: entry.client_id,
      clientSecret: toSecret(entry.client_secret_env, environment),
      tokenEndpointAuthMethod: entry.token_endpoint_auth_method,
      scopes: entry.scopes ?? ['openid', 'email', 'profile'],
      domains: entry.domains ?? [],
      trustsEmail: entry.trusts_email ?? false,
      missingGroupsClaim: entry.missing_groups_claim ?? defaultMissingGroupsClaim(entry.issuer),
      claims: {
        email: entry.claims?.email ?? 'email',
        firstName: entry.claims?.first_name ?? 'given_name',
        lastName: entry.claims?.last_name ?? 'family_name',
        groups: entry.claims?.groups ?? 'groups',
      },
    })),
    groups: (file.groups ?? []).map(({ name, provider, role, workspaces = {} }) => ({
      name,
      provider,
      role,
      workspaces,
    })),
  };
}

/**
 * Keycloak leaves out the claim of a person who is in no group. Other providers leave it out for
 * other reasons too: Entra ID if there are too many groups, Google always.
 */
function defaultMissingGroupsClaim(issuer: string): MissingGroupsClaim {
  return new URL(issuer).pathname.includes('/realms/') ? 'no_groups' : 'unknown';
}

/** An empty variable counts as unset. */
function toSecret(variable: string | undefined, environment: Environment): ClientSecret | undefined {
  return variable === undefined ? undefined : { variable, secret: environment[variable] || undefined };
}

function findRuleIssues(file: Fields, environment: Environment): readonly FileIssue[] {
  const hasProviders = Array.isArray(file.providers) && file.providers.length > 0;
  const passwordIssue = {
    path: ['password'],
    message: 'is false, but there are no providers; add one, or people can sign in only with one-time links',
  };
  return [
    ...(file.password === false && !hasProviders ? [passwordIssue] : []),
    ...findEntryIssues(file, 'providers', (entry) => findProviderIssues(entry, environment)),
    ...findEntryIssues(file, 'groups', (entry) => findGroupIssues(entry, sourcesOfGroups(file))),
  ];
}

/**
 * The issues of each entry of a list. The ids of providers must be unique, and the names of groups
 * among those of the same provider.
 */
function findEntryIssues(
  file: Fields,
  list: 'providers' | 'groups',
  find: (entry: Fields) => readonly FileIssue[],
): readonly FileIssue[] {
  const entries: readonly unknown[] = Array.isArray(file[list]) ? file[list] : [];
  const unique = list === 'providers' ? 'id' : 'name';
  return entries.flatMap((entry, index) => {
    if (!isMap(entry)) return [];
    const first = entries.findIndex(
      (other) => isMap(other) && other[unique] === entry[unique] && other.provider === entry.provider,
    );
    const isDuplicate = entry[unique] !== undefined && first < index;
    const duplicate = { path: [unique], message: `is already used by ${list}[${first}]` };
    const issues = [...(isDuplicate ? [duplicate] : []), ...find(entry)];
    return issues.map(({ path, message }) => ({ path: [list, index, ...path], message }));
  });
}

/** Pages below /sign-in, names for other ways to sign in, and the source of provisioned groups. */
const reservedIds: readonly unknown[] = ['device', 'link', 'password', 'scim'];

function findProviderIssues(entry: Fields, environment: Environment): readonly FileIssue[] {
  const { id, issuer, scopes, client_secret_env: variable } = entry;
  const secret = typeof variable === 'string' ? environment[variable] : undefined;
  const issues: FileIssue[] = [];
  if (reservedIds.includes(id))
    issues.push({ path: ['id'], message: `is "${id}", which presetd uses itself; choose another` });
  if (typeof issuer === 'string' && sharedIssuer.test(issuer))
    issues.push({
      path: ['issuer'],
      message:
        'accepts accounts of every organization; replace the last part before /v2.0 with the id of your tenant',
    });
  if (Array.isArray(scopes) && !scopes.includes('openid'))
    issues.push({ path: ['scopes'], message: 'must contain openid' });
  // An unset variable is not an error: everything but this provider works without it.
  if (secret && !/^[\x21-\x7e]{1,1024}$/.test(secret))
    issues.push({
      path: ['client_secret_env'],
      message: `names ${variable}, whose value must be at most 1024 visible ASCII characters without spaces`,
    });
  return issues;
}

/** Anyone can create an Entra ID tenant and give accounts there any email address. */
const sharedIssuer = /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)(\/|$)/i;

/** A group of an unknown provider would silently give nobody a role. */
function sourcesOfGroups({ providers }: Fields): readonly unknown[] {
  const entries: readonly unknown[] = Array.isArray(providers) ? providers : [];
  return ['scim', ...entries.map((entry) => (isMap(entry) ? entry.id : undefined))];
}

function findGroupIssues(
  { provider, role, workspaces }: Fields,
  sources: readonly unknown[],
): readonly FileIssue[] {
  const issues: FileIssue[] = [];
  if (typeof provider === 'string' && !sources.includes(provider))
    issues.push({
      path: ['provider'],
      message: `is "${provider}", which is neither scim nor the id of a provider`,
    });
  if (role === undefined && workspaces === undefined)
    issues.push({ path: [], message: 'has no effect; add a role or workspaces' });
  const slug = new RegExp(workspaceSlugPattern);
  const unknownSlugs = Object.keys(isMap(workspaces) ? workspaces : {}).filter((name) => !slug.test(name));
  return [
    ...issues,
    ...unknownSlugs.map((name) => ({
      path: ['workspaces', name],
      message: 'is not the slug of a workspace',
    })),
  ];
}

import type { ProvenIdentity } from '../core/accounts/identity-change.ts';
import { isEmail, isName } from '../core/organization/organization.ts';
import type { Provider } from './sign-in-settings.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Whether the claims lack something that the user info endpoint may have. */
export function lacksClaims(claims: Claims, { claims: names }: Provider, needsGroups: boolean): boolean {
  const needed = [names.email, names.firstName, names.lastName, ...(needsGroups ? [names.groups] : [])];
  return needed.some((name) => claimOf(claims, name) === undefined);
}

/** Combines the claims of the ID token with those of the user info endpoint, which may be empty. */
export function toIdentity(idToken: Claims, userInfo: Claims, provider: Provider): ProvenIdentity {
  const { claims: names } = provider;
  const claim = (name: string) => claimOf(idToken, name) ?? claimOf(userInfo, name);
  const email = textOf(claim(names.email));
  // An address is verified only by the claim that came with it.
  const emailSource = claimOf(idToken, names.email) === undefined ? userInfo : idToken;
  const firstName = nameOf(claim(names.firstName));
  const lastName = nameOf(claim(names.lastName));
  const groups = claim(names.groups);
  const isInNoGroup =
    groups === undefined &&
    provider.missingGroupsClaim === 'no_groups' &&
    ![idToken, userInfo].some((claims) => isDistributed(claims, names.groups));
  return {
    issuer: String(idToken.iss),
    subject: String(idToken.sub),
    email: isEmail(email) ? email : undefined,
    isEmailVerified: isEmail(email) && isVerified(emailSource, provider),
    firstName: firstName || lastName ? firstName : nameOf(claim('name')),
    lastName,
    groups: isInNoGroup ? [] : groupsOf(groups),
  };
}

/**
 * `email_verified` is about the claim `email`, not about one that the operator chose instead. If
 * a provider says that an address is not verified, it is not, even if its addresses are trusted.
 */
function isVerified(claims: Claims, { claims: names, trustsEmail }: Provider): boolean {
  const verified = names.email === 'email' ? claimOf(claims, 'email_verified') : undefined;
  // Some providers send it as text.
  return verified === undefined ? trustsEmail : verified === true || verified === 'true';
}

function groupsOf(claim: unknown): readonly string[] | undefined {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((group) => typeof group === 'string') : undefined;
}

/**
 * Whether the claim exists, but has to be fetched from another server (OpenID Connect, section
 * 5.6.2). Entra ID does so with the groups of a person who has more than 200.
 */
function isDistributed(claims: Claims, name: string): boolean {
  const names = claimOf(claims, '_claim_names');
  return typeof names === 'object' && names !== null && Object.hasOwn(names, name);
}

/** Names that presetd cannot store are left out; they must not keep anyone from signing in. */
function nameOf(claim: unknown): string {
  const name = textOf(claim);
  return isName(name) && name.isWellFormed() ? name : '';
}

function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim.trim() : '';
}

/** Null counts as absent. */
function claimOf(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? (claims[name] ?? undefined) : undefined;
}

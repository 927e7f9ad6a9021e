import type { GroupMapping } from '../core/organization/group-roles.ts';

/** The ways to sign in besides one-time links, as the operator configured them. */
export interface SignInSettings {
  /** False for forced single sign-on. */
  readonly allowsPassword: boolean;
  readonly providers: readonly Provider[];
  readonly groups: readonly ConfiguredGroup[];
}

interface ConfiguredGroup extends GroupMapping {
  /** The id of the provider that the group belongs to, or `scim`; undefined for any of them. */
  readonly provider: string | undefined;
}

/** An OpenID Connect provider. */
export interface Provider {
  /** In the addresses `/sign-in/<id>` and `/sign-in/<id>/callback`. */
  readonly id: string;
  /** For people, such as Google. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client; without a secret if the variable is not set. */
  readonly clientSecret: ClientSecret | undefined;
  /** Undefined to use one that the provider supports. */
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod | undefined;
  readonly scopes: readonly string[];
  /** People with a verified address in one of these get an account when they first sign in. */
  readonly domains: readonly string[];
  /** Whether addresses count as verified if the provider does not say whether they are. */
  readonly trustsEmail: boolean;
  readonly missingGroupsClaim: MissingGroupsClaim;
  readonly claims: ClaimNames;
}

export interface ClientSecret {
  readonly variable: string;
  readonly secret: string | undefined;
}

export const tokenEndpointAuthMethods = ['client_secret_basic', 'client_secret_post'] as const;

type TokenEndpointAuthMethod = (typeof tokenEndpointAuthMethods)[number];

/**
 * The meaning of a missing groups claim: the person is in no group, or the provider does not say,
 * and they keep their roles.
 */
export const missingGroupsClaims = ['no_groups', 'unknown'] as const;

export type MissingGroupsClaim = (typeof missingGroupsClaims)[number];

/** The groups that count if `source`, the id of a provider or `scim`, says who belongs to them. */
export function groupsOf(groups: readonly ConfiguredGroup[], source: string): readonly ConfiguredGroup[] {
  return groups.filter(({ provider }) => provider === undefined || provider === source);
}

/** Where the provider puts what presetd needs. */
interface ClaimNames {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly groups: string;
}

/** The settings without a sign-in file. */
export const defaultSignInSettings: SignInSettings = { allowsPassword: true, providers: [], groups: [] };

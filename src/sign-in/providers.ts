import { setTimeout as delay } from 'node:timers/promises';
import type { IdentityPolicy } from '../core/accounts/identity-change.ts';
import type { SignInMethods } from '../core/accounts/sign-in.ts';
import type { GroupMapping } from '../core/organization/group-roles.ts';
import { createOidcClient, type OidcClient } from './oidc-client.ts';
import { groupsOf, type SignInSettings } from './sign-in-settings.ts';

/** A provider that people can sign in with. */
export interface ActiveProvider {
  readonly client: OidcClient;
  readonly policy: IdentityPolicy;
}

/**
 * The ways to sign in to this server.
 *
 * Each process creates one instance at startup and keeps it until it exits. It has the current
 * settings and one client per provider; a client caches the metadata that it has fetched from its
 * provider. SIGHUP calls `reload`, which replaces settings and clients together, so the metadata is
 * fetched again when it is next needed. Callers must look up a provider for each request: a client
 * that they keep has the old settings. Attempts to sign in are not stored here but in a cookie, so
 * they survive a reload.
 */
export interface SignInProviders {
  methods(): SignInMethods;
  /** Undefined if there is no such provider. */
  find(id: string): ActiveProvider | undefined;
  /**
   * Returns the page that ends the session at the provider. Undefined if it has none, if it does
   * not respond, or if the session began in another way.
   */
  endSessionUrl(method: string, idToken: string | null, returnUrl: string): Promise<string | undefined>;
  /** The roles that groups of SCIM give to people. */
  scimGroups(): readonly GroupMapping[];
  /** Attempts that have begun end with the new settings, and fail if their provider is gone. */
  reload(settings: SignInSettings): void;
}

export function createProviders(initial: SignInSettings): SignInProviders {
  let settings = initial;
  let active = activate(initial);
  return {
    methods: () => ({
      password: settings.allowsPassword,
      providers: settings.providers.map(({ id, name }) => ({ id, name })),
    }),
    find: (id) => active.get(id),
    async endSessionUrl(method, idToken, returnUrl) {
      const provider = active.get(method);
      // Signing out here must work without the provider.
      const url = provider?.client.endSessionUrl(idToken ?? undefined, returnUrl).catch(() => undefined);
      return url && Promise.race([url, delay(endSessionMs, undefined, { ref: false })]);
    },
    scimGroups: () => groupsOf(settings.groups, 'scim'),
    reload(next) {
      settings = next;
      active = activate(next);
    },
  };
}

/** Bounds how long signing out waits for a provider that is down. */
const endSessionMs = 2_000;

function activate({ providers, groups }: SignInSettings): ReadonlyMap<string, ActiveProvider> {
  return new Map(
    providers.map((provider) => {
      const { id, domains } = provider;
      const ownGroups = groupsOf(groups, id);
      const client = createOidcClient(provider, ownGroups.length > 0);
      return [id, { client, policy: { provider: id, domains, groups: ownGroups } }];
    }),
  );
}

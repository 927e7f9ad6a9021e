import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import type { Actor } from '../organization/actor.ts';
import type { AccountState, PersonAddress } from './account.ts';
import { accountEvent } from './account-event.ts';
import type { AccountStore } from './account-storage.ts';
import { newToken } from './token.ts';

/** How long a link to sign in works. It may have been seen by others, so not for long. */
export const linkMs = 15 * 60_000;

/** People open an invitation when they find the time. */
export const invitationMs = 7 * 24 * 3_600_000;

/** A link, which is returned only once. */
export interface NewLink {
  readonly token: string;
  readonly expiresAt: string;
}

/**
 * The page reads the token from the fragment, which browsers do not send: it is in no log. After
 * signing in, it continues at the path `returnTo`.
 */
export function linkUrl(baseUrl: string, token: string, returnTo?: string): string {
  const query = returnTo === undefined ? '' : `?${new URLSearchParams({ return_to: returnTo })}`;
  return `${baseUrl}/sign-in/link${query}#${token}`;
}

/**
 * Creates a link that signs a person in once; older ones of theirs stop working. Returns undefined
 * if they are not a member. Throws `conflict` if they are deactivated.
 */
export async function createSignInLink(
  accounts: Pick<AccountStore, 'createLink'>,
  clock: Clock,
  person: PersonAddress,
  actor: Actor,
): Promise<(NewLink & { readonly account: AccountState }) | undefined> {
  const { token, tokenHash } = newToken('link');
  const createdAt = clock();
  const expiresAt = new Date(Date.parse(createdAt) + linkMs).toISOString();
  const account = await accounts.createLink(
    { ...person, tokenHash, createdAt, expiresAt },
    actor,
    ({ member }) => {
      if (member.deactivatedAt !== null)
        throw new PresetdError('conflict', `${member.email} is deactivated. Reactivate them first.`);
      return [accountEvent('account.link_created', member, { expires_at: expiresAt })];
    },
  );
  return account && { token, expiresAt, account };
}

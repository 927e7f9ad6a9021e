import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import type { AttemptLimits, SignInAttempt } from './account.ts';
import type { AccountStore } from './account-storage.ts';
import type { PasswordHasher } from './password-hash.ts';

/** Across all servers on one database. A blocked person can still use a link or a provider. */
const limits: AttemptLimits = { windowMs: 15 * 60_000, accountMax: 10, networkMax: 50 };

interface PasswordCheck {
  readonly isCorrect: boolean;
  /** See `AttemptVerdict`. */
  readonly isNotable: boolean;
}

/**
 * Checks a password within the limits for guessing. Every check takes the same work, whether or not
 * there is a hash. Throws `rate_limited` once too many checks of the account, or from the network,
 * have failed.
 */
export type VerifyPassword = (
  attempt: Omit<SignInAttempt, 'at'>,
  password: string,
  hash: string | null,
) => Promise<PasswordCheck>;

export function createPasswordVerifier(
  accounts: Pick<AccountStore, 'beginAttempt' | 'withdrawAttempt'>,
  hasher: PasswordHasher,
  clock: Clock,
): VerifyPassword {
  return async (details, password, hash) => {
    const attempt = { ...details, at: clock() };
    const { blockedUntil, isNotable } = await accounts.beginAttempt(attempt, limits);
    if (blockedUntil !== undefined) throw tooManyFailures(blockedUntil, attempt.at);
    let isFailure = false;
    try {
      isFailure = !(await hasher.verify(password, hash));
      return { isCorrect: !isFailure, isNotable };
    } finally {
      // Also if the check itself failed, because the server is overloaded.
      if (!isFailure) await accounts.withdrawAttempt(attempt);
    }
  };
}

/** The message must not reveal whether the account exists. */
function tooManyFailures(until: string, now: string): PresetdError {
  const seconds = Math.max(1, Math.ceil((Date.parse(until) - Date.parse(now)) / 1_000));
  const minutes = Math.ceil(seconds / 60);
  return new PresetdError(
    'rate_limited',
    `Too many failed sign-ins. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, or ask an admin for a sign-in link.`,
    { retryAfterSeconds: seconds },
  );
}

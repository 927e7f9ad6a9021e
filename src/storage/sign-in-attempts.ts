import type { AttemptLimits, AttemptVerdict, SignInAttempt } from '../core/accounts/account.ts';
import type { AccountStore } from '../core/accounts/account-storage.ts';
import type { Database, Query } from './database.ts';
import { statement } from './statement.ts';

/** How many outdated rows a write deletes along the way, so that none takes long. */
export const prunedMax = 100;

/** Attempts count as failures when they begin; one that succeeds is withdrawn. */
export function signInAttempts(database: Database): Pick<AccountStore, 'beginAttempt' | 'withdrawAttempt'> {
  return {
    async beginAttempt(attempt, limits) {
      // Guesses that are refused cost a read only, and do not hold up other writes.
      const before = await judge(database.query, attempt, limits);
      if (before.blockedUntil !== undefined) return before;
      // Attempts count one after the other, so that parallel ones cannot exceed a limit. They wait
      // for those of this process first: the lock of the database would hold a connection each.
      return database.transaction(async (query) => {
        await query(lockAttempts);
        const verdict = await judge(query, attempt, limits);
        if (verdict.blockedUntil !== undefined) return verdict;
        await query(pruneFailures, [windowStart(attempt, limits)]);
        await query(insertFailure, [attempt.emailKey, attempt.network, attempt.at]);
        return verdict;
      }, 'sign-in attempts');
    },
    async withdrawAttempt({ emailKey, network, at }) {
      await database.write(withdrawAttempt, [emailKey, at, network]);
    },
  };
}

async function judge(query: Query, attempt: SignInAttempt, limits: AttemptLimits): Promise<AttemptVerdict> {
  const { windowMs, accountMax, networkMax } = limits;
  const since = windowStart(attempt, limits);
  const account = await query(accountFailures, [attempt.emailKey, since, accountMax]);
  const network = await query(networkFailures, [attempt.network, since, networkMax]);
  const blocking = [account[accountMax - 1], network[networkMax - 1]].flatMap((failure) =>
    failure === undefined ? [] : [Date.parse(failure.at) + windowMs],
  );
  const isFirst = account.length === 0 || network.length === 0;
  const blocks = account.length === accountMax - 1 || network.length === networkMax - 1;
  return {
    blockedUntil: blocking.length === 0 ? undefined : new Date(Math.max(...blocking)).toISOString(),
    isNotable: isFirst || blocks,
  };
}

/** Failures before this no longer count. */
function windowStart({ at }: SignInAttempt, { windowMs }: AttemptLimits): string {
  return new Date(Date.parse(at) - windowMs).toISOString();
}

/** SQLite has only one writer at a time. */
const lockAttempts = statement('lock-sign-in-attempts', {
  sqlite: 'SELECT 1',
  postgres: `SELECT pg_advisory_xact_lock(hashtext('presetd sign-in attempts'))`,
});

/** The latest failures: as many as block, at most. */
const recentFailures = (name: string, column: string) =>
  statement<{ readonly at: string }>(
    name,
    `SELECT failed_at AS at FROM failed_sign_ins WHERE ${column} = $1 AND failed_at > $2
     ORDER BY failed_at DESC LIMIT $3`,
  );

const accountFailures = recentFailures('account-failures', 'email_key');
const networkFailures = recentFailures('network-failures', 'address');

/** By time, because failures have no key. Few happen at the same time. */
const pruneFailures = statement('prune-failures', ({ isAmong }) => {
  const oldest = `SELECT failed_at FROM failed_sign_ins WHERE failed_at <= $1 ORDER BY failed_at LIMIT ${prunedMax}`;
  return `DELETE FROM failed_sign_ins WHERE ${isAmong('failed_at', oldest)}`;
});

const insertFailure = statement(
  'insert-failure',
  'INSERT INTO failed_sign_ins (email_key, address, failed_at) VALUES ($1, $2, $3)',
);

const withdrawAttempt = statement(
  'withdraw-attempt',
  'DELETE FROM failed_sign_ins WHERE email_key = $1 AND failed_at = $2 AND address = $3',
);

/** Forgets the failures of an account, by the key of its address. */
export const forgetFailures = statement(
  'forget-failures',
  'DELETE FROM failed_sign_ins WHERE email_key = $1',
);

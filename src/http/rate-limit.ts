import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { PresetdError } from '../core/errors.ts';
import { type RequestCount, RequestCounts } from '../core/request-counts.ts';
import type { FailedAuthentications } from './failed-authentications.ts';

type CountRequest = (keyId: string) => RequestCount | Promise<RequestCount>;

/** How many keys are counted at once; past that, the one whose minute began first starts anew. */
const keysMax = 5_000;

/**
 * Limits how many requests a key makes in a minute.
 *
 * The fast path and the route both ask, since a request may begin on one and end on the other. The first to ask counts
 * the request; the other gets the same count. Counts are kept in this process, or by the supervisor for all workers.
 */
export class RateLimit {
  readonly perMinute: number;
  readonly #count: CountRequest;
  readonly #counted = new WeakMap<IncomingMessage, RequestCount | Promise<RequestCount>>();

  /** A limit of 0 is none. Without `countRequest`, this process counts by itself. */
  constructor(perMinute: number, countRequest?: CountRequest) {
    const counts = new RequestCounts({ namesMax: keysMax });
    this.perMinute = perMinute;
    this.#count = countRequest ?? ((keyId) => counts.add(keyId));
  }

  /** Throws or rejects where the key has made more requests than it may. */
  assertWithinLimit(request: IncomingMessage, keyId: string): undefined | Promise<undefined> {
    if (this.perMinute === 0) return undefined;
    const count = this.#counted.get(request) ?? this.#count(keyId);
    this.#counted.set(request, count);
    return count instanceof Promise ? count.then(this.#assert) : this.#assert(count);
  }

  readonly #assert = ({ count, endsInMs }: RequestCount): undefined => {
    if (count <= this.perMinute) return;
    const requests = this.perMinute === 1 ? 'one request' : `${this.perMinute} requests`;
    throw new PresetdError('rate_limited', `This key has made its ${requests} of this minute.`, {
      retryAfterSeconds: Math.ceil(endsInMs / 1_000),
      limit: this.perMinute,
    });
  };
}

/** Applies the limit to every route of this scope: after the key is known and before the body is read. */
export function enforceRateLimit(scope: FastifyInstance, rateLimit: RateLimit): void {
  scope.addHook('preParsing', (request, _reply, payload, done) => {
    try {
      const checked = rateLimit.assertWithinLimit(request.raw, request.caller?.id ?? request.ip);
      if (checked === undefined) done(null, payload);
      else
        checked.then(
          () => done(null, payload),
          (error: Error) => done(error),
        );
    } catch (error) {
      done(error as Error);
    }
  });
}

/**
 * Lets a request try its key unless its address has failed too often, and counts the attempt if it fails. An address that
 * used up its limit during the attempt does not learn how it ended: else many guesses at once would be as good as few.
 */
export function limitFailedAttempts<Known>(
  failures: FailedAuthentications,
  request: { readonly ip: string },
  attempt: () => Known | Promise<Known>,
): Known | Promise<Known> {
  if (failures.limit === 0) return attempt();
  // Read before the attempt: a connection that is closed meanwhile has no address any more.
  const { ip } = request;
  const succeed = (known: Known) => {
    assertNotBlocked(failures, ip);
    return known;
  };
  const fail = (error: unknown) => {
    assertNotBlocked(failures, ip);
    if (error instanceof PresetdError && error.kind === 'unauthenticated') failures.add(ip);
    throw error;
  };
  assertNotBlocked(failures, ip);
  try {
    const known = attempt();
    return known instanceof Promise ? known.then(succeed, fail) : known;
  } catch (error) {
    return fail(error);
  }
}

function assertNotBlocked(failures: FailedAuthentications, ip: string): void {
  const seconds = failures.secondsBlocked(ip);
  if (seconds === 0) return;
  const wait = seconds === 1 ? '1 second' : `${seconds} seconds`;
  throw new PresetdError(
    'rate_limited',
    `Too many requests without a good key from this address. Try again in ${wait}.`,
    { retryAfterSeconds: seconds, limit: failures.limit },
  );
}

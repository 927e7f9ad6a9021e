import type { FastifyInstance } from 'fastify';
import { PresetdError } from '../../core/errors.ts';
import { FixedWindowCounter, type WindowCount } from '../../core/fixed-window-counter.ts';
import { authenticate } from '../authentication.ts';

type CountRequest = (keyId: string) => WindowCount | Promise<WindowCount>;

/** Keys counted at once. Past that, the key whose minute began first is evicted and starts over. */
const keysMax = 5_000;

/**
 * Limits how many requests a key may make per minute, counted from its first request.
 *
 * `createFrontStages` creates one instance. Counts live in this process or, with workers, in the
 * supervisor, which counts for all of them; then a check is asynchronous. If the supervisor cannot
 * count, the request fails with its error rather than passing unlimited.
 *
 * The fast path and the route both check, because a request may start on one and end on the other.
 * The first check counts the request and remembers the result for as long as the request lives; the
 * second reuses it.
 */
export class RateLimit {
  readonly perMinute: number;
  readonly #count: CountRequest;
  readonly #counted = new WeakMap<object, WindowCount | Promise<WindowCount>>();

  /** A limit of 0 turns it off. Without `countRequest`, this process counts by itself. */
  constructor(perMinute: number, countRequest?: CountRequest) {
    const counts = new FixedWindowCounter({ keysMax });
    this.perMinute = perMinute;
    this.#count = countRequest ?? ((keyId) => counts.increment(keyId));
  }

  /** Throws or rejects if the key is over its limit. Synchronous when this process counts. */
  assertWithinLimit(request: object, keyId: string): undefined | Promise<undefined> {
    if (this.perMinute === 0) return undefined;
    const count = this.#counted.get(request) ?? this.#count(keyId);
    this.#counted.set(request, count);
    return count instanceof Promise ? count.then(this.#assert) : this.#assert(count);
  }

  readonly #assert = ({ count, resetsInMs }: WindowCount): undefined => {
    if (count <= this.perMinute) return;
    const requests = this.perMinute === 1 ? '1 request' : `${this.perMinute} requests`;
    throw new PresetdError(
      'rate_limited',
      `This key has reached its limit of ${requests} per minute. Retry after the delay in the Retry-After header.`,
      { retryAfterSeconds: Math.ceil(resetsInMs / 1_000), limit: this.perMinute },
    );
  };
}

/**
 * Applies the limit to every route of this scope, after the key is known and before the body is
 * read.
 */
export function enforceRateLimit(scope: FastifyInstance, rateLimit: RateLimit): void {
  scope.addHook('preParsing', (request, _reply, payload, done) => {
    try {
      // Every route of the scope has a caller; the address is a fallback for new ones without a
      // key.
      const checked = rateLimit.assertWithinLimit(request.raw, request.caller?.id ?? request.ip);
      if (checked === undefined) done(null, payload);
      else
        checked
          // The key may have been revoked while the supervisor was counting.
          .then(() => authenticate(request))
          .then(
            (caller) => {
              request.caller = caller;
              done(null, payload);
            },
            (error: Error) => done(error),
          );
    } catch (error) {
      done(error as Error);
    }
  });
}

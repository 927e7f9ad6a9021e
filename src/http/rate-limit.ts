import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PresetdError } from '../core/errors.ts';
import type { RequestCount } from '../core/request-counts.ts';
import type { FailedAuthentications } from './failed-authentications.ts';

type CountRequest = (keyId: string) => Promise<RequestCount>;

/** Counts requests by key. The headers that tell of the limit come with a 429 alone, as OpenRouter's do. */
export async function limitRate(
  scope: FastifyInstance,
  requestsPerMinute: number,
  countRequest: CountRequest | undefined,
): Promise<void> {
  await scope.register(rateLimit, {
    ...(countRequest !== undefined && { store: storeBy(countRequest) }),
    max: requestsPerMinute,
    timeWindow: '1 minute',
    // After the key is known and before the body is read.
    hook: 'preParsing',
    keyGenerator: (request) => request.caller?.id ?? request.ip,
    addHeadersOnExceeding: {
      'x-ratelimit-limit': false,
      'x-ratelimit-remaining': false,
      'x-ratelimit-reset': false,
    },
    errorResponseBuilder: (_request, { ttl }) =>
      new PresetdError(
        'rate_limited',
        `This key has made its ${requestsPerMinute === 1 ? 'one request' : `${requestsPerMinute} requests`} of this minute.`,
        {
          retryAfterSeconds: Math.ceil(ttl / 1_000),
        },
      ),
  });
}

/** The form in which the plugin takes a count that is kept elsewhere. */
function storeBy(countRequest: CountRequest): FastifyRateLimitStoreCtor {
  return class Store implements FastifyRateLimitStore {
    incr(keyId: string, done: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      countRequest(keyId).then(
        ({ count, endsInMs }) => done(null, { current: count, ttl: endsInMs }),
        (error: Error) => done(error),
      );
    }

    child(): Store {
      return this;
    }
  };
}

/**
 * Lets a request try its key unless its address has failed too often, and counts the attempt if it fails. An address that
 * used up its limit during the attempt does not learn how it ended: else many guesses at once would be as good as few.
 */
export function limitFailures<Known>(
  failures: FailedAuthentications,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: () => Known | Promise<Known>,
): Known | Promise<Known> {
  if (failures.limit === 0) return attempt();
  // Read before the attempt: a connection that is closed meanwhile has no address any more.
  const { ip } = request;
  const succeed = (known: Known) => {
    assertNotBlocked(failures, ip, reply);
    return known;
  };
  const fail = (error: unknown) => {
    assertNotBlocked(failures, ip, reply);
    if (error instanceof PresetdError && error.kind === 'unauthenticated') failures.add(ip);
    throw error;
  };
  assertNotBlocked(failures, ip, reply);
  try {
    const known = attempt();
    return known instanceof Promise ? known.then(succeed, fail) : known;
  } catch (error) {
    return fail(error);
  }
}

/** The headers are those that the limit by key sends. */
function assertNotBlocked(failures: FailedAuthentications, ip: string, reply: FastifyReply): void {
  const seconds = failures.secondsBlocked(ip);
  if (seconds === 0) return;
  reply.headers({
    'x-ratelimit-limit': failures.limit,
    'x-ratelimit-remaining': 0,
    'x-ratelimit-reset': seconds,
  });
  const wait = seconds === 1 ? '1 second' : `${seconds} seconds`;
  throw new PresetdError(
    'rate_limited',
    `Too many requests without a good key from this address. Try again in ${wait}.`,
    { retryAfterSeconds: seconds },
  );
}

import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { PresetdError } from '../core/errors.ts';

/** Counts requests by key. The headers that tell of the limit come with a 429 alone, as OpenRouter's do. */
export async function limitRate(scope: FastifyInstance, requestsPerMinute: number): Promise<void> {
  await scope.register(rateLimit, {
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
        `This key has made its ${requestsPerMinute} requests of this minute.`,
        {
          retryAfterSeconds: Math.ceil(ttl / 1_000),
        },
      ),
  });
}

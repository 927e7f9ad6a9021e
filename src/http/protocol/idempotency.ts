import type { FastifyRequest } from 'fastify';
import { PresetdError } from '../../core/errors.ts';

/**
 * The idempotency key of a request; undefined if it has none. Throws if it is malformed: visible
 * ASCII is safe to store, to log and to repeat in an error message.
 */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new PresetdError(
    'invalid_request',
    'The header Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, such as a UUID.',
  );
}

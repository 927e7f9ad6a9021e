import type { OpenRouterError } from '@openrouter/sdk/models/errors';
import { expect } from 'vitest';

/** The error that an SDK call throws. Fails unless it has this class. */
export async function thrownBy<E extends OpenRouterError>(
  call: Promise<unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of a constructor that is never called
  errorClass: new (...parameters: any[]) => E,
): Promise<E> {
  const error = await call.then(
    () => expect.fail('the call succeeded'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof errorClass)) throw error;
  return error;
}

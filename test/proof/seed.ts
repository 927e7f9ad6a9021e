import type { Parameters } from 'fast-check';
import { isLong, logProgress, scale } from './scale.ts';

/**
 * Seed of all generators. The short run always uses the same one, so that it fails only after a
 * change; the long run uses a new one. Set PROOF_SEED to repeat a run.
 */
export const seed = Number(process.env.PROOF_SEED ?? (isLong ? Date.now() % 2 ** 31 : 1));
logProgress(`PROOF_SEED=${seed}`);

/** Parameters for `fc.assert`, which prints the seed and path of a counterexample. */
export function runs(short: number, long: number): Parameters<unknown> {
  return { seed, numRuns: scale(short, long) };
}

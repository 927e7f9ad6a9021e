import type { Parameters } from 'fast-check';
import { isLong, logProgress, scale } from './scale.ts';

/**
 * What a generator starts from. The short run always does the same, so that it fails only for those who broke something;
 * the long one goes where nobody has been. PROOF_SEED repeats a run that found something.
 */
export const seed = Number(process.env.PROOF_SEED ?? (isLong ? Date.now() % 2 ** 31 : 1));
logProgress(`PROOF_SEED=${seed}`);

/** For a property of fast-check, which prints seed and path of what it finds. */
export function runs(short: number, long: number): Parameters<unknown> {
  return { seed, numRuns: scale(short, long) };
}

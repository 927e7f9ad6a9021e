import { type Engine, engines } from '../support/engines.ts';

/** Set by `npm run proof`. `npm test` runs the same tests at a smaller scale. */
export const isLong = process.env.PROOF === 'long';

/** A number that depends on the length of the run. */
export function scale(short: number, long: number): number {
  return isLong ? long : short;
}

/**
 * For tests of layers above storage. The short run uses only PostgreSQL, which rejects more than
 * SQLite and can serve several releases at once.
 */
export const sampledEngines: readonly Engine[] = isLong ? engines : engines.slice(-1);

/** Prints a line about progress or results, in the long run only. */
export function logProgress(line: string): void {
  if (isLong) process.stderr.write(`proof: ${line}\n`);
}

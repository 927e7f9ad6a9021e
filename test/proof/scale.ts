import { type Engine, engines } from '../support/engines.ts';

/** `npm run proof` asks for the long run; `npm test` runs the same proofs in little. */
export const isLong = process.env.PROOF === 'long';

/** How much of something a proof does. */
export function scale(short: number, long: number): number {
  return isLong ? long : short;
}

/**
 * For proofs whose subject is above storage. The short run uses only PostgreSQL, which rejects more
 * than SQLite and serves several releases at once.
 */
export const sampledEngines: readonly Engine[] = isLong ? engines : engines.slice(-1);

/** What a proof found, and how far it is, one line at a time; only the long run says so. */
export function logProgress(line: string): void {
  if (isLong) process.stderr.write(`proof: ${line}\n`);
}

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Builds the dashboard if its sources have changed, as `npm start` does. Runs once before all
 * tests, because servers that several tests start at once would build it concurrently.
 */
export function buildDashboard(): void {
  const script = fileURLToPath(new URL('../../dashboard/build.ts', import.meta.url));
  execFileSync(process.execPath, [script, '--if-stale'], { stdio: 'inherit' });
}

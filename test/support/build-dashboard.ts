import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The pages as their sources are now, as a start makes them; before the tests, since some of these start servers at once. */
export function buildPages(): void {
  const builder = fileURLToPath(new URL('../../dashboard/build.ts', import.meta.url));
  execFileSync(process.execPath, [builder, '--if-stale'], { stdio: 'inherit' });
}

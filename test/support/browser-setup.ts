import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { browserWanted } from './browser-wanted.ts';
import { findChromium } from './chromium.ts';
import type { Chromium } from './launch-chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    chromium: Chromium;
  }
}

/** What the browser tests share: a Chromium that starts, and the pages as their sources are now. */
export async function setup(project: TestProject): Promise<void> {
  if (!browserWanted) {
    console.warn(
      'PRESETD_TEST_BROWSER leaves the browser out: nothing about the pages is tested in this run.',
    );
    return;
  }
  project.provide('chromium', await findChromium());
  buildPages();
}

/** In a process of its own: what tests have in NODE_ENV would make pages that are slower and larger than those of a start. */
function buildPages(): void {
  const builder = fileURLToPath(new URL('../../dashboard/build.ts', import.meta.url));
  const { NODE_ENV: _, ...environment } = process.env;
  execFileSync(process.execPath, [builder, '--if-stale'], { env: environment, stdio: 'inherit' });
}

import type { TestProject } from 'vitest/node';
import { browserWanted } from './browser-enabled.ts';
import { buildPages } from './build-dashboard.ts';
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

import type { TestProject } from 'vitest/node';
import { isBrowserEnabled } from './browser-enabled.ts';
import { buildDashboard } from './build-dashboard.ts';
import { findChromium } from './chromium.ts';
import type { Chromium } from './launch-chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    chromium: Chromium;
  }
}

/** Global setup of the browser project: finds a working Chromium and builds the dashboard once. */
export async function setup(project: TestProject): Promise<void> {
  if (!isBrowserEnabled) {
    console.warn('PRESETD_TEST_BROWSER=none: skipping all browser tests.');
    return;
  }
  project.provide('chromium', await findChromium());
  buildDashboard();
}

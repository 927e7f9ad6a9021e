import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { browserWanted } from './browser-enabled.ts';
import { launchChromium } from './launch-chromium.ts';

/** As describe; what it describes is left out where there is to be no browser. */
export const describeInBrowser = describe.skipIf(!browserWanted);

/** One browser for all tests around it. */
export function sharedBrowser(): { readonly browser: Browser } {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(inject('chromium'));
  });
  afterAll(() => browser.close());
  return {
    get browser() {
      return browser;
    },
  };
}

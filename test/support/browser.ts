import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { isBrowserEnabled } from './browser-enabled.ts';
import { launchChromium } from './launch-chromium.ts';

/** Like `describe`, but skipped when browser tests are disabled. */
export const describeInBrowser = describe.skipIf(!isBrowserEnabled);

/** One browser for all tests of the surrounding block. Available inside hooks and tests only. */
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

import type { Browser } from 'playwright-core';
import { beforeAll, describe, inject } from 'vitest';
import { isBrowserEnabled } from './browser-enabled.ts';
import { launchChromium } from './launch-chromium.ts';

/** Like `describe`, but skipped when browser tests are disabled. */
export const describeInBrowser = describe.skipIf(!isBrowserEnabled);

/**
 * One browser for all tests of this process, which ends with it. Available inside hooks and tests
 * only.
 */
export function sharedBrowser(): { readonly browser: Browser } {
  let browser: Browser;
  beforeAll(async () => {
    if (!(await launched)?.isConnected()) launched = launchChromium(inject('chromium'));
    browser = (await launched) as Browser;
  });
  return {
    get browser() {
      return browser;
    },
  };
}

let launched: Promise<Browser> | undefined;

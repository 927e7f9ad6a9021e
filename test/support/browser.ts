import type { Browser } from 'playwright-core';
import { beforeAll, describe, inject } from 'vitest';
import { isBrowserEnabled } from './browser-enabled.ts';
import { launchChromium } from './launch-chromium.ts';

/** Like `describe`, but skipped when browser tests are disabled. */
export const describeInBrowser = describe.skipIf(!isBrowserEnabled);

export interface SharedBrowser {
  readonly browser: Browser;
}

/**
 * One browser for all tests of this process, which ends with it; tests that measure share another
 * one. Available inside hooks and tests only.
 */
export function sharedBrowser({ isMeasured = false } = {}): SharedBrowser {
  let browser: Browser;
  beforeAll(async () => {
    const options = { isQuick: !isMeasured };
    const earlier = await launched.get(isMeasured);
    if (!earlier?.isConnected()) launched.set(isMeasured, launchChromium(inject('chromium'), options));
    browser = (await launched.get(isMeasured)) as Browser;
  });
  return {
    get browser() {
      return browser;
    },
  };
}

const launched = new Map<boolean, Promise<Browser>>();

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Dashboard, expectAccessible, screenshot } from './dashboard.ts';

/** What can be read depends on the colors, and what fits on the width. */
export const looks = [
  ['light', 1280],
  ['dark', 360],
] as const;

interface Look {
  readonly path: string;
  readonly key: string;
  /** Of the pictures. */
  readonly name: string;
  /** Brings the page to where it is looked at, such as into a dialog. */
  readonly prepare: (page: Page) => Promise<unknown>;
}

/** In both color schemes, one wide and one narrow: the page is accessible, and does not scroll sideways. */
export async function expectGoodInEveryLook(dashboard: Dashboard, { path, key, name, prepare }: Look) {
  for (const [colorScheme, width] of looks) {
    const page = await dashboard.open(path, { key, colorScheme, width });
    await prepare(page);
    await expectAccessible(page);
    expect(await sidewaysOverflow(page)).toBe(0);
    await screenshot(page, `${name}-${colorScheme}-${width}`);
    await page.close();
  }
}

/** How far the page can be scrolled to the side. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate('document.scrollingElement.scrollWidth - innerWidth');
}

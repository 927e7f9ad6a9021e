import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, screenshot } from './dashboard.ts';

/** What can be read depends on the colors, and what fits on the width. */
export const looks = [
  ['light', 1280],
  ['dark', 360],
] as const;

/**
 * In both color schemes, one wide and one narrow: the page as it stands is accessible, and does not scroll sideways.
 * The pictures are called by the name. It is left light, and as wide as before.
 */
export async function expectGoodInEveryLook(page: Page, name: string): Promise<void> {
  const opened = page.viewportSize();
  for (const [colorScheme, width] of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: opened?.height ?? 800 });
    await expectAccessible(page);
    expect(await sidewaysOverflow(page)).toBe(0);
    await screenshot(page, `${name}-${colorScheme}-${width}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (opened !== null) await page.setViewportSize(opened);
}

/** How far the page can be scrolled to the side. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate('document.scrollingElement.scrollWidth - innerWidth');
}

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, screenshot } from './dashboard.ts';

/** Color scheme and width of each look. */
const appearances = [
  ['light', 1280],
  ['dark', 360],
] as const;

/** The rules of axe-core whose result depends on colors or width; the others need one look only. */
const rulesByAppearance = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable'];

/**
 * Checks the page in both color schemes, one wide and one narrow: it is accessible and does not
 * scroll sideways. Saves a screenshot of each under this name. Leaves the page light and as wide as
 * before.
 */
export async function expectGoodInEveryAppearance(page: Page, name: string): Promise<void> {
  const opened = page.viewportSize();
  for (const [colorScheme, width] of appearances) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: opened?.height ?? 800 });
    await expectAccessible(page, colorScheme === 'light' ? undefined : rulesByAppearance);
    expect(await sidewaysOverflow(page)).toBe(0);
    await screenshot(page, `${name}-${colorScheme}-${width}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (opened !== null) await page.setViewportSize(opened);
}

/** By how many pixels the page can scroll sideways. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate('document.scrollingElement.scrollWidth - innerWidth');
}

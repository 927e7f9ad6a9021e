import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';

describeInBrowser('guides', () => {
  const dashboard = useDashboard();

  test('are linked from their pages, and link each other', async () => {
    const page = await dashboard.open('/presets', { key: apiKey });
    await page.getByRole('link', { name: 'Guide: Presets' }).click();
    await page.getByRole('heading', { level: 1, name: 'Manage presets' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/guides/presets');
    await page.getByRole('link', { name: 'All guides' }).click();
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
    await page.getByRole('article').getByRole('link', { name: 'Manage versions' }).click();
    await page.getByRole('heading', { level: 2, name: 'Roll back' }).waitFor();
    const list = page.getByRole('navigation', { name: 'Guides' });
    expect(await list.getByRole('link').first().textContent()).toBe('Try presetd with demo data');
    expect(await list.locator('[aria-current=page]').textContent()).toBe('Manage versions');
    await expectGoodInEveryAppearance(page, 'guide');
  });

  test('can be read without signing in, at a section', async () => {
    const page = await dashboard.open('/guides/versions#calls-that-break', {});
    const heading = page.getByRole('heading', { name: 'Calls that break' });
    await heading.waitFor();
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(200);
    await page.getByRole('link', { name: 'variable', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Use variables in a prompt' }).waitFor();
    await page.getByRole('columnheader', { name: 'Type' }).waitFor();
    await expectGoodInEveryAppearance(page, 'guide-table');
  });

  test('are found by their sections in the palette', async () => {
    const page = await dashboard.open('/presets', { key: apiKey });
    await page.getByRole('link', { name: 'Guide: Presets' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('calls that break');
    await page.getByRole('option', { name: /^Calls that break/ }).click();
    await page.getByRole('heading', { name: 'Calls that break' }).waitFor();
    expect(page.url()).toMatch(/\/guides\/versions#calls-that-break$/);
  });

  test('an unknown guide is a page that was not found', async () => {
    const page = await dashboard.open('/guides/nothing', { key: apiKey });
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
});

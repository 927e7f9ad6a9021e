import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { screenshot, useDashboard } from '../support/dashboard.ts';
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

  test('are found by their text, from any guide and in the palette', async () => {
    const page = await dashboard.open('/guides', { key: apiKey });
    await page.getByRole('searchbox', { name: 'Search the guides' }).fill('retention');
    const found = page.getByRole('region', { name: 'Sections found' });
    await found.getByRole('link').first().waitFor();
    expect(new URL(page.url()).search).toBe('?q=retention');
    await found.getByText('How long records are kept').first().waitFor();
    await expectGoodInEveryAppearance(page, 'guide-search');
    await page.getByRole('searchbox').fill('openai key');
    await found
      .getByText(/OPENAI_API_KEY/)
      .first()
      .waitFor();
    await found.getByRole('link').first().click();
    await page.getByRole('article').waitFor();
    expect(new URL(page.url()).search).toBe('');

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('retention');
    await page.locator('[role=option][data-highlighted]', { hasText: 'How long records are kept' }).waitFor();
    await screenshot(page, 'palette-guides', false);
  });

  test('call this server in their examples, in color, and lead on to the next guide', async () => {
    const page = await dashboard.open('/guides/getting-started', { key: apiKey, width: 1024 });
    const text = page.getByRole('article');
    const example = text.locator('figure', { hasText: 'curl' }).first();
    await example.waitFor();
    expect(await example.innerText()).toContain(dashboard.server.url);
    expect(await example.locator('span').count()).toBeGreaterThan(3);
    // The box ends with the last line.
    const [frame, code] = [
      await example.locator('section').boundingBox(),
      await example.locator('pre').boundingBox(),
    ];
    expect((frame?.height ?? 0) - (code?.height ?? 0)).toBeLessThan(30);
    const sizeOf = async (selector: string): Promise<number> =>
      Number.parseFloat(
        await page.evaluate(`getComputedStyle(document.querySelector('${selector}')).fontSize`),
      );
    expect(await sizeOf('main h1')).toBeGreaterThan(await sizeOf('article h2'));
    await screenshot(page, 'guide-1024', false);
    await page.locator('summary', { hasText: 'All guides' }).click();
    await page
      .getByRole('navigation', { name: 'Guides' })
      .getByRole('link', { name: 'Manage versions' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Manage versions' }).waitFor();
    const neighbors = page.getByRole('navigation', { name: 'Previous and next guide' });
    await neighbors.getByRole('link').last().click();
    await page.getByRole('heading', { level: 1, name: 'The workbench' }).waitFor();
  });

  test('an unknown guide is a page that was not found', async () => {
    const page = await dashboard.open('/guides/nothing', { key: apiKey });
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
});

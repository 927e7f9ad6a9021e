import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { makeWorkspace } from '../support/organizations.ts';

const owner = 'owner@localhost';

describeInBrowser('the command palette', () => {
  const dashboard = useDashboard();

  beforeAll(async () => {
    const { server } = dashboard;
    for (const [slug, prompt] of [
      ['support-bot', 'You answer customers.'],
      ['invoice-summary', 'Sum up this ledger.'],
    ] as const)
      for (const model of ['openai/gpt-5', 'openai/gpt-5-mini'])
        await server.post(`/api/v1/presets/${slug}/chat/completions`, {
          model,
          messages: [{ role: 'system', content: prompt }],
        });
    await makeWorkspace(server, 'search');
  });

  const field = (page: Page) => page.getByRole('combobox', { name: 'Search', exact: true });
  const highlighted = (page: Page, name: string) =>
    page.locator('[role=option][data-highlighted]', { hasText: name });

  async function open(path: string): Promise<Page> {
    const page = await dashboard.open(path, { as: owner });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  /** Waits until the palette highlights the option, and chooses it. */
  async function choose(page: Page, query: string, name: string): Promise<void> {
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.keyboard.insertText(query);
    await highlighted(page, name).waitFor();
    await page.keyboard.press('Enter');
    await field(page).waitFor({ state: 'detached' });
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  test('opens presets, also by their prompt, versions, pages and workspaces by keyboard', async () => {
    const page = await open('/w/default/presets');
    await choose(page, 'inv sum', 'invoice-summary');
    await heading(page, 'invoice-summary');
    await choose(page, 'v1', 'Version 1');
    await page.waitForURL('**/history/1');
    await choose(page, 'answer customers', 'support-bot');
    await heading(page, 'support-bot');
    // Without typing, those opened last.
    await page.keyboard.press('Control+k');
    const presets = page.locator('[role=group]', { hasText: 'Presets' }).getByRole('option');
    await presets.first().waitFor();
    expect(await presets.first().textContent()).toContain('invoice-summary');
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    await choose(page, 'aud log', 'Audit log');
    await heading(page, 'Audit log');
    await choose(page, 'invite', 'Invite a person');
    await page.getByRole('dialog', { name: 'Invite a person' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Escape');
    await choose(page, 'new key', 'New key');
    await page.getByRole('dialog', { name: 'New key' }).waitFor();
    await page.keyboard.press('Escape');
    await choose(page, 'preset owner', 'Preset Owner');
    await heading(page, 'People');
    expect(await page.getByRole('searchbox').inputValue()).toBe('owner@localhost');
    await choose(page, 'search', 'search');
    await page.waitForURL('**/w/search/presets');
  });

  test('rolls back on the page of a preset', async () => {
    const page = await open('/w/default/presets/support-bot/history');
    await choose(page, 'roll back', 'Roll back one version');
    await page.getByRole('dialog', { name: 'Make version 1 live?' }).waitFor();
  });

  test('moves with the arrow keys, says what was found and closes on Escape', async () => {
    const page = await open('/w/default/presets');
    const search = page.getByRole('button', { name: 'Search', exact: true });
    await search.click();
    await field(page).fill('theme');
    await highlighted(page, 'Use dark theme').waitFor();
    const active = await field(page).getAttribute('aria-activedescendant');
    expect(await highlighted(page, 'Use dark theme').getAttribute('id')).toBe(active);
    await page.keyboard.press('ArrowDown');
    await highlighted(page, 'Use light theme').waitFor();
    await page.getByRole('status').filter({ hasText: '2 results' }).waitFor();
    await expectGoodInEveryAppearance(page, 'palette');
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    expect(await search.evaluate((element) => element.matches(':focus'))).toBe(true);
    await choose(page, 'dark', 'Use dark theme');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.reload();
    await heading(page, 'Presets');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.keyboard.insertText('xyzzyplugh');
    await page.getByText('Nothing found for “xyzzyplugh”').waitFor();
    await expectAccessible(page);
  });

  test('offers what the page offers, and lists its keys on ?', async () => {
    const page = await open('/w/default/presets/support-bot/workbench');
    const prompt = page.getByRole('textbox', { name: 'System prompt', exact: true });
    await prompt.waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Save version', { exact: true }).waitFor();
    await expectGoodInEveryAppearance(page, 'keys');
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });

    // In a field it is a character like any other, and with it there is something to save.
    await prompt.click();
    await page.keyboard.type('?');
    expect(await keys.count()).toBe(0);
    await choose(page, 'save ve', 'Save version');
    await page.getByRole('dialog', { name: /^Save/ }).waitFor();
  });
});

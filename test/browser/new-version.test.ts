import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { choose } from '../support/menu.ts';
import { apiKey } from '../support/server.ts';

const chat = (system: string) => ({ model: 'm', messages: [{ role: 'system', content: system }] });

describeInBrowser('a new version', () => {
  const dashboard = useDashboard();
  const open = (path: string, options = {}) =>
    dashboard.open(`/presets/${path}`, { key: apiKey, width: 1_440, ...options });
  const prompt = (page: Page) => page.getByRole('textbox', { name: 'System prompt', exact: true });

  /** Versions 1 to 3, each with its number in the prompt; version 2 is live. */
  async function createThree(slug: string): Promise<void> {
    for (const number of [1, 2, 3])
      await dashboard.server.post(`/api/v1/presets/${slug}/chat/completions`, chat(`Take ${number}.`));
    await dashboard.server.send('PATCH', `/api/v1/presets/${slug}`, { designated_version: 2 });
  }

  async function addAtEnd(page: Page, text: string): Promise<void> {
    await prompt(page).click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText(text);
  }

  beforeAll(async () => {
    for (const slug of ['shown', 'asked', 'missing', 'renamed', 'older']) await createThree(slug);
  });

  test('starts from the version that the address names, until another one is saved', async () => {
    const page = await open('shown/history/3');
    await page.getByRole('link', { name: 'Edit in workbench' }).click();
    await page.waitForURL('**/presets/shown?from=3');
    await prompt(page).getByText('Take 3.').waitFor();
    await page.getByText('Version 3, not live.').waitFor();
    await page.reload();
    await prompt(page).getByText('Take 3.').waitFor();
    await addAtEnd(page, ' And more.');
    await page.getByText('Draft saved').waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 4 saved, not live').waitFor();
    await page.waitForURL('**/presets/shown');
    await page.getByRole('button', { name: 'Make live…' }).waitFor();
  });

  test('does not replace a draft of another version without asking', async () => {
    const page = await open('asked?from=1');
    await addAtEnd(page, ' Mine.');
    await page.getByText('Draft saved').waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await choose(page, 'Actions for version 3', 'Edit in workbench');
    await page.getByText('You have a draft based on version 1').waitFor();
    expect(await prompt(page).count()).toBe(0);
    await expectGoodInEveryAppearance(page, 'workbench-other-draft');
    await page.getByRole('link', { name: 'Continue the draft' }).click();
    await prompt(page).getByText('Take 1. Mine.').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Discard it and start from version 3' }).click();
    await prompt(page).getByText('Take 3.').waitFor();
    await expect
      .poll(async () => (await dashboard.server.get('/api/v1/presets/asked/draft')).status)
      .toBe(404);
    await page.reload();
    await page.getByRole('button', { name: 'Restore earlier draft' }).click();
    await prompt(page).getByText('Take 1. Mine.').waitFor();
  });

  test('cannot start from a version that does not exist', async () => {
    const page = await open('missing?from=9');
    await page.getByRole('alert').getByText('This preset has no version “9”').waitFor();
    await expectAccessible(page);
    await page.evaluate(`history.pushState(null, '', '/presets/missing?from=x')`);
    await page.getByRole('alert').getByText('This preset has no version “x”').waitFor();
    await page.getByRole('link', { name: 'Start from the live version' }).click();
    await prompt(page).getByText('Take 2.').waitFor();
  });

  test('keeps its draft when the preset is renamed', async () => {
    const page = await open('renamed');
    await addAtEnd(page, ' Before the rename.');
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await choose(page, 'More actions', 'Rename and edit…');
    await page.getByRole('textbox', { name: 'Slug' }).fill('renamed-since');
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**/presets/renamed-since');
    await prompt(page).getByText('Take 2. Before the rename.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Hello');
  });

  test('continues from a draft that presetd 0.6 left in the tab', async () => {
    const page = await open('older');
    await addAtEnd(page, ' Typed.');
    await page.getByText('Draft saved').waitFor();
    await dashboard.server.send('DELETE', '/api/v1/presets/older/draft');
    await page.goto(`${dashboard.server.url}/healthz`);
    // It was named by slug, and had the preset in place of the version, and a note.
    await page.evaluate(`(() => {
      const name = Object.keys(sessionStorage).find((key) => /draft\\.(?!run|synced|incomplete)/.test(key));
      const before = { preset: { designated_version: { version: 1 } }, etag: 'x' };
      sessionStorage.removeItem(name);
      sessionStorage.setItem(name.replace(/[^/]*$/, 'older'), JSON.stringify({
        slug: 'older', text: ${JSON.stringify(JSON.stringify(chat('From 0.6.')))}, note: 'Old note', before,
      }));
      for (const key of Object.keys(sessionStorage)) if (/synced/.test(key)) sessionStorage.removeItem(key);
    })()`);
    await page.goto(`${dashboard.server.url}/presets/older/new?from=2`);
    await page.getByRole('link', { name: 'Continue the draft' }).click();
    await prompt(page).getByText('From 0.6.').waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    const note = page.getByRole('dialog').getByRole('textbox', { name: 'Note' });
    expect(await note.inputValue()).toBe('Old note');
  });
});

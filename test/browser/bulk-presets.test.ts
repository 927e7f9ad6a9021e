import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';

const slugs = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];

describeInBrowser('changing many presets', () => {
  const dashboard = useDashboard();

  beforeEach(async () => {
    const { server } = dashboard;
    for (const slug of slugs) {
      const path = `/api/v1/presets/${slug}`;
      await server.post(`${path}/responses`, {
        model: 'openai/gpt-5',
        instructions: 'Be brief.',
        input: 'Hi',
      });
      await server.send('POST', `${path}/restore`);
      await server.send('PATCH', path, { tags: slug === 'beta' ? ['eu'] : [], status: 'active' });
    }
    await server.send('PUT', '/api/v1/presets/alpha/labels/production', { version: 1 });
    await server.send('PUT', '/api/v1/presets/beta/aliases/old-beta');
  });

  const open = async () => {
    const page = await dashboard.open('/?sort=name', { key: apiKey });
    await page.getByText('5 presets', { exact: true }).waitFor();
    return page;
  };
  const select = (page: Page, name: string, modifiers: 'Shift'[] = []) =>
    page.getByRole('checkbox', { name: `Select ${name}` }).click({ modifiers });
  const tagsOf = async (slug: string) =>
    (await dashboard.server.get(`/api/v1/presets/${slug}/tags`)).body.data as readonly string[];

  test('tags are added to a range of rows and removed from it, and both are undone', async () => {
    const page = await open();
    await select(page, 'alpha');
    await select(page, 'delta', ['Shift']);
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Tags…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change tags of 3 presets' });
    await dialog.getByRole('textbox', { name: 'Add a tag' }).fill('support');
    await dialog.getByRole('textbox', { name: 'Add a tag' }).press('Enter');
    await dialog.getByRole('checkbox', { name: 'eu (1)' }).check();
    await expectGoodInEveryAppearance(page, 'presets-bulk-tags');
    await dialog.getByRole('button', { name: 'Change tags' }).click();
    await page.getByText('Changed the tags of 3 presets').waitFor();
    for (const slug of ['alpha', 'beta', 'delta']) expect(await tagsOf(slug)).toEqual(['support']);
    expect(await tagsOf('gamma')).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored the tags of 3 presets').waitFor();
    expect(await tagsOf('alpha')).toEqual([]);
    expect(await tagsOf('beta')).toEqual(['eu']);
  });

  test('archiving names what breaks, lists failures, can be undone, and skips a disabled preset', async () => {
    const page = await open();
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await select(page, 'gamma');
    // Somebody else changes one of them after the list was loaded.
    await dashboard.server.send('PATCH', '/api/v1/presets/delta', { description: `At ${Date.now()}` });
    await page.getByRole('button', { name: 'Archive…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Archive 4 presets' });
    await dialog.getByText('1 preset has labels: production').waitFor();
    await dialog.getByText('1 alias stops working: old-beta').waitFor();
    await dialog.getByText('None was called in the last hour.').waitFor();
    await expectGoodInEveryAppearance(page, 'presets-bulk-archive');
    await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
    await dialog.getByText('Could not change 1 of 4 presets').waitFor();
    await dialog.getByText('Somebody has changed it').waitFor();
    await expectAccessible(page);
    await dialog.locator('footer').getByRole('button', { name: 'Close' }).click();
    await page.getByText('2 presets', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored 3 presets').waitFor();
    await page.getByText('5 presets', { exact: true }).waitFor();

    await dashboard.server.send('PATCH', '/api/v1/presets/gamma', { status: 'disabled' });
    await page.reload();
    await select(page, 'gamma');
    await page.getByRole('button', { name: 'Archive…' }).click();
    const none = page.getByRole('dialog', { name: 'Archive 0 presets' });
    await none.getByText('1 disabled preset is skipped').waitFor();
    expect(await none.getByRole('button', { name: 'Archive', exact: true }).isDisabled()).toBe(true);
  });
});

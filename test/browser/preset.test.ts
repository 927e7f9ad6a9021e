import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { choose, itemsOf } from '../support/menu.ts';
import { apiKey, managementKey } from '../support/server.ts';

describeInBrowser('the preset page', () => {
  const dashboard = useDashboard();
  const open = (slug: string, options: object = {}) =>
    dashboard.open(`/presets/${slug}`, { key: apiKey, ...options });
  const send = (method: string, path: string, body?: unknown) =>
    dashboard.server.send(method, `/api/v1/presets/${path}`, body);

  /** Creates versions, each with its number in the prompt. */
  async function capture(slug: string, versions = 1, fields: object = {}): Promise<void> {
    for (let version = 1; version <= versions; version += 1) {
      const messages = [{ role: 'system', content: `Take ${version}.` }];
      const body = { model: 'openai/gpt-5', temperature: version / 100, messages, ...fields };
      const { status } = await dashboard.server.post(`/api/v1/presets/${slug}/chat/completions`, body);
      expect(status).toBe(200);
    }
  }

  beforeAll(async () => {
    await capture('bot', 4);
    await send('PUT', 'bot/labels/production', { version: 2 });
    await send('PUT', 'bot/labels/staging', { version: 4 });
    await send('PUT', 'bot/aliases/helper');
    await send('PATCH', 'bot', { name: 'Support bot', description: 'Answers customers.', tags: ['shop'] });
  });

  const promptEditor = (page: Page) => page.getByRole('textbox', { name: 'System prompt', exact: true });

  test('opens on the workbench, below a header of two lines, and supports addresses of earlier releases', async () => {
    const page = await open('bot', { width: 1_440 });
    await promptEditor(page).getByText('Take 4.').waitFor();
    expect(await page.getByRole('link', { name: 'Workbench' }).getAttribute('aria-current')).toBe('page');
    const header = page.getByRole('main').locator('header').first();
    await header.getByRole('link', { name: 'staging: 4' }).waitFor();
    await header.getByRole('link', { name: 'shop' }).waitFor();
    for (const text of ['Support bot', 'bot', 'Live: version 4', 'production: 2'])
      expect(await header.innerText()).toContain(text);
    // Active is what presets are.
    expect(await header.innerText()).not.toContain('Active');
    const bottom = await page.getByRole('region', { name: 'Prompt' }).boundingBox();
    const top = await page.getByRole('main').boundingBox();
    expect((bottom?.y ?? 0) - (top?.y ?? 0)).toBeLessThanOrEqual(100);
    await expectGoodInEveryAppearance(page, 'preset');
    await header.getByRole('link', { name: 'production: 2' }).click();
    await page.waitForURL('**/presets/bot/history/2');
    await page.evaluate(`history.pushState(null, '', '/presets/bot/compare?from=2&to=4')`);
    await page.waitForURL('**/presets/bot/history/2..4');
  });

  test('reports a preset that does not exist', async () => {
    const page = await open('nobody');
    await page.getByRole('heading', { name: 'Preset not found' }).waitFor();
    await expectGoodInEveryAppearance(page, 'preset-missing');
    await page.getByRole('link', { name: 'Go to presets' }).click();
    await page.getByRole('heading', { name: 'Presets', level: 1 }).waitFor();
  });

  test('edits name and description, and sends only what changed', async () => {
    await capture('renamed');
    const page = await open('renamed');
    await choose(page, 'More actions', 'Rename and edit…');
    const name = page.getByRole('textbox', { name: 'Name' });
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await name.fill('  ');
    await page.getByText('The name must contain a visible character.').waitFor();
    await name.fill('Renamed bot');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    expect((await sent).postDataJSON()).toEqual({ name: 'Renamed bot' });
    await page.getByRole('heading', { name: 'Renamed bot' }).waitFor();
    await choose(page, 'More actions', 'Rename and edit…');
    await page.getByRole('textbox', { name: 'Description' }).fill('For tests.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Changes saved').last().waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    const shown = page.getByRole('main').getByText('For tests.');
    await shown.waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await shown.waitFor({ state: 'detached' });

    // The server's message is shown at the description, which keeps its text.
    await choose(page, 'More actions', 'Rename and edit…');
    const description = page.getByRole('textbox', { name: 'Description' });
    await description.fill('x'.repeat(2_001));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => description.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('alert').waitFor();
    expect(await description.inputValue()).toHaveLength(2_001);
    await expectGoodInEveryAppearance(page, 'preset-edit-refused');
  });

  test('its dialogs can be canceled without a change, and name what breaks', async () => {
    const page = await open('bot');
    // The accessible name of the copy button says that copying failed.
    await page.evaluate(`(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
      document.execCommand = () => false;
    })()`);
    await page.getByRole('button', { name: 'Copy slug' }).click();
    await page.getByRole('button', { name: 'Copy slug: Copy manually', exact: true }).waitFor();

    const dialog = page.getByRole('dialog');
    for (const item of ['Rename and edit…', 'Disable…', 'Archive…']) {
      await choose(page, 'More actions', item);
      await dialog.waitFor();
      if (item !== 'Rename and edit…') {
        await dialog.getByText('@preset/bot:staging').waitFor();
        // Enter must not stop calls, and the close button comes last.
        expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Tab');
        expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Close');
      }
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('More actions');
    }
    expect((await send('GET', 'bot')).body.data).toMatchObject({ name: 'Support bot', status: 'active' });

    // What stops working, and whether the preset was just called.
    await choose(page, 'More actions', 'Archive…');
    await dialog.getByText('No recorded calls.').waitFor();
    const names = dialog.getByRole('list', { name: 'Names that stop working' }).getByRole('listitem');
    await expect
      .poll(() => names.allInnerTexts())
      .toEqual([
        '@preset/bot',
        '@preset/helper (alias)',
        '@preset/bot:production (label, version 2)',
        '@preset/bot:staging (label, version 4)',
      ]);
    await expectGoodInEveryAppearance(page, 'preset-archive');
    await page.keyboard.press('Escape');
    await page.route('**/presets/bot/usage*', (route) =>
      route.fulfill({ json: { data: { last_called_at: new Date(Date.now() - 120_000).toISOString() } } }),
    );
    await choose(page, 'More actions', 'Disable…');
    await dialog.getByText('This preset was called in the last hour: 2 minutes ago.').waitFor();
    await expectGoodInEveryAppearance(page, 'preset-in-use');
  });

  test('asks before disabling, which can be undone', async () => {
    await capture('switched');
    const page = await open('switched');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/v1/presets/switched**', async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    });
    await choose(page, 'More actions', 'Disable…');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Disable', exact: true }).click();
    // It cannot be closed while its request is in flight.
    await dialog.locator('[aria-busy]').waitFor();
    for (const name of ['Cancel', 'Close'])
      expect(await dialog.getByRole('button', { name }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await dialog.getByText('fail until you enable it again').waitFor();
    release();
    await page.getByText('Preset disabled').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('To archive it, enable it first.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Preset enabled').waitFor();
    await page.getByText('To archive it, enable it first.').waitFor({ state: 'detached' });
    await choose(page, 'More actions', 'Disable…');
    await dialog.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByText('To archive it, enable it first.').waitFor();
    await expectGoodInEveryAppearance(page, 'preset-disabled');
  });

  test('can be archived and restored, and enabled if a colleague has disabled it', async () => {
    const slug = 'archived';
    await capture(slug);
    await send('PUT', `${slug}/labels/qa`, { version: 1 });
    const page = await open(slug);
    await choose(page, 'More actions', 'Archive…');
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByText('Restore it to make changes.').waitFor();
    await page.getByRole('button', { name: 'Save…' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    await expectGoodInEveryAppearance(page, 'preset-archived');
    await page.getByRole('link', { name: 'History' }).click();
    await page
      .getByRole('list', { name: 'Versions, newest first' })
      .getByText('qa', { exact: true })
      .waitFor();
    expect(await page.getByRole('button', { name: /label|alias|tag/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Preset restored').waitFor();
    await page.getByRole('button', { name: 'More actions' }).waitFor();
    // The pressed button is gone; focus moves to the title.
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    expect((await send('GET', slug)).body.data.status).toBe('active');

    await send('PATCH', slug, { status: 'disabled' });
    await page.reload();
    await page.getByText('To archive it, enable it first.').waitFor();
    expect(await itemsOf(page, 'More actions')).toEqual([
      ...['View usage', 'Rename and edit…', 'Add alias…', 'Duplicate', 'Enable'],
    ]);
    await page.keyboard.press('Escape');
    await choose(page, 'More actions', 'Enable');
    await page.getByText('Preset enabled').waitFor();
  });

  test('a read-only key can read the workbench, and is offered no change', async () => {
    const body = { name: 'Reader', kind: 'management', read_only: true };
    const { key } = (await dashboard.server.post('/api/v1/keys', body, { key: managementKey })).body;
    const page = await open('bot?from=2', { key });
    await promptEditor(page).getByText('Take 2.').waitFor();
    await promptEditor(page).click();
    await page.keyboard.insertText('Mine.');
    expect(await promptEditor(page).innerText()).toBe('Take 2.');
    const changes = page.getByRole('main').getByRole('button', { name: /^(Save|Discard|More|Add|Make)/ });
    expect(await changes.count()).toBe(0);
    await expectGoodInEveryAppearance(page, 'preset-read-only');
  });

  test('lists events as sentences, which link to versions, show the exact time and can be filtered', async () => {
    const page = await open('bot/events?sort=time');
    const events = page.getByRole('table', { name: 'Events' }).getByRole('row');
    await events.nth(1).getByText('created the preset with version 1').waitFor();
    expect(await events.locator('td:first-child').allTextContents()).toEqual(
      expect.arrayContaining([
        'created the preset with version 1',
        'added version 2 and made it live (was 1)Compare versions 1 → 2',
        'added label staging to version 4',
        'renamed the preset from “bot” to “Support bot”',
        'set the description to “Answers customers.”',
      ]),
    );
    expect(await events.nth(1).getByText('owner@localhost').count()).toBe(1);
    expect(await page.getByRole('link', { name: 'Events' }).getAttribute('aria-current')).toBe('page');
    await expectGoodInEveryAppearance(page, 'preset-events');

    const added = page.getByRole('row').filter({ hasText: 'added version 2' });
    await added.getByRole('button').focus();
    expect(await added.getByRole('tooltip').innerText()).toMatch(/ UTC$/);
    await added.getByRole('link', { name: 'Compare versions 1 → 2' }).click();
    await page.waitForURL('**/presets/bot/history/1..2');
    await page.goBack();
    await page.getByLabel('About').selectOption('Labels');
    await events.nth(1).getByText('label').first().waitFor();
    await page.getByText(/^\d+ of \d+ events$/).waitFor();
    expect(new URL(page.url()).search).toBe('?sort=time&about=labels');
    await page.getByLabel('About').selectOption({ index: 0 });
    await added.getByRole('link', { name: 'version 2', exact: true }).click();
    await page.waitForURL('**/presets/bot/history/2');
    await page.getByRole('heading', { name: 'Version 2' }).waitFor();
  });

  test('reports an unreachable server and recovers on retry', async () => {
    const page = await dashboard.open('/', { key: apiKey, isFailing: true });
    await page.route('**/api/v1/presets/bot**', (route) => route.abort());
    await page.getByRole('link', { name: 'Support bot' }).click();
    await page.getByRole('alert').getByText('Cannot reach the server').waitFor();
    await expectAccessible(page);
    await page.unroute('**/api/v1/presets/bot**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await promptEditor(page).getByText('Take 4.').waitFor();
  });
});

import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance, sidewaysOverflow } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { execFileInTest } from '../support/test-scope.ts';

const request = {
  model: 'openai/gpt-5',
  messages: [{ role: 'system', content: 'Be brief.' }],
};

describeInBrowser('a workspace without presets', () => {
  const dashboard = useDashboard();

  test('explains how to create the first preset', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByRole('heading', { name: 'Capture your first request' }).waitFor();
    expect(await page.getByRole('region', { name: 'capture command' }).innerText()).toContain(
      `curl ${dashboard.server.url}/api/v1/presets/support-bot/chat/completions`,
    );
    await expectGoodInEveryAppearance(page, 'presets-empty');
  });

  test('copies runnable commands that include the key, which is not shown', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // Less is shown of a key that the operator chose than of a generated one.
    expect(await page.locator('main').innerText()).not.toContain(apiKey.slice(0, 8));
    const commands = [
      await copiedBy(page, 'Copy export command'),
      await copiedBy(page, 'Copy capture command'),
    ];
    await execFileInTest('sh', ['-c', commands.join('\n')]);
    await page.reload();
    await page.getByRole('link', { name: 'support-bot' }).waitFor();
  });

  test('links to archived presets if there are only those', async () => {
    const { server } = dashboard;
    await server.post('/api/v1/presets/support-bot/responses', { model: 'm' });
    await server.send('DELETE', '/api/v1/presets/support-bot');
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByRole('link', { name: 'archived (1)' }).click();
    await page.getByRole('link', { name: 'support-bot' }).waitFor();
    await page.getByText('1 preset', { exact: true }).waitFor();
  });
});

describeInBrowser('the preset list', () => {
  const dashboard = useDashboard();

  beforeAll(async () => {
    const { server } = dashboard;
    const slugs = Array.from({ length: 118 }, (_, index) => `bulk-${String(index).padStart(3, '0')}`);
    for (const slug of [...slugs, 'support-bot', 'support-bot', 'old-bot'])
      await server.post(`/api/v1/presets/${slug}/chat/completions`, request);
    await server.send('PUT', '/api/v1/presets/support-bot/labels/production', { version: 1 });
    await server.send('PATCH', '/api/v1/presets/support-bot', { name: 'Support', designated_version: 1 });
    await server.send('PATCH', '/api/v1/presets/bulk-000', { status: 'disabled' });
    await server.send('DELETE', '/api/v1/presets/old-bot');
  });

  test('shows the main facts about each preset', async () => {
    const page = await dashboard.open('/?q=supp', { key: apiKey });
    const row = page.getByRole('row', { name: /support-bot/ });
    await row.waitFor();
    const text = await row.innerText();
    for (const expected of [
      'Support',
      'openai/gpt-5',
      'Active',
      'production 1',
      'owner@localhost',
      'live: 1',
    ])
      expect(text).toContain(expected);
    await expectGoodInEveryAppearance(page, 'presets-found');
  });

  test('searches as the user types and keeps the search in the URL', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByText('1–50 of 119 presets').waitFor();
    await page.getByRole('searchbox', { name: 'Search presets' }).pressSequentially('supp');
    await page.getByText('1 preset', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=supp');
    // Typing does not add history entries.
    expect(await page.evaluate('history.length')).toBe(2);
    await page.reload();
    await page.getByText('1 preset', { exact: true }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('supp');
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByRole('heading', { name: 'No matching presets' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('1–50 of 119 presets').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
  });

  test('is loaded page by page, and Back returns to the previous page', async () => {
    const queries: string[] = [];
    const page = await dashboard.open('/', { key: apiKey });
    page.on('request', (sent) => queries.push(new URL(sent.url()).search));
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('51–100 of 119 presets').waitFor();
    expect(await page.getByRole('row').count()).toBe(51);
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('101–119 of 119 presets').waitFor();
    expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    await page.goBack();
    await page.getByText('51–100 of 119 presets').waitFor();
    expect(queries).toContain('?offset=50&limit=50');
  });

  test('says when a page no longer exists and links to the first', async () => {
    const page = await dashboard.open('/?offset=500', { key: apiKey });
    await page.getByRole('heading', { name: 'This page no longer exists' }).waitFor();
    await page.getByRole('button', { name: 'Go to first page' }).click();
    await page.getByText('1–50 of 119 presets').waitFor();
  });

  test.each([
    ['Disabled', '1 preset', 'bulk-000'],
    ['Archived', '1 preset', 'old-bot'],
    ['All', '1–50 of 120 presets', 'support-bot'],
  ])('filters by status: %s', async (status, count, slug) => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByRole('combobox', { name: 'Status' }).selectOption(status);
    await page.getByText(count).waitFor();
    await page.getByRole('cell', { name: slug, exact: true }).first().waitFor();
  });

  test('a preset can be opened by keyboard alone', async () => {
    const page = await dashboard.open('/?q=supp', { key: apiKey });
    await page.getByRole('link', { name: 'Support', exact: true }).waitFor();
    await tabTo(page, 'Support');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/presets/support-bot');
  });

  test('reports an unreachable server and recovers on retry', async () => {
    const page = await dashboard.open('/?q=supp', { key: apiKey, isFailing: true });
    await page.getByText('1 preset', { exact: true }).waitFor();
    await page.route('**/api/v1/presets?**', (route) => route.abort());
    await page.getByRole('searchbox').fill('bulk');
    await page.getByRole('alert').getByText('Cannot reach the server').waitFor();
    await expectAccessible(page);
    await page.unroute('**/api/v1/presets?**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1–50 of 118 presets').waitFor();
  });

  test('reports a response that does not come from presetd', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByText('1–50 of 119 presets').waitFor();
    await page.route('**/api/v1/presets?**', (route) => route.fulfill({ body: '<html>A proxy</html>' }));
    await page.getByRole('searchbox').fill('bulk');
    await page.getByRole('alert').getByText('The response did not come from presetd').waitFor();
  });

  test('a management key can switch workspaces', async () => {
    const { server } = dashboard;
    const body = { name: 'Search team', slug: 'search' };
    await server.post('/api/v1/workspaces', body, { key: managementKey });
    const page = await dashboard.open('/', { key: managementKey });
    await page.getByRole('combobox', { name: 'Workspace' }).selectOption('Search team');
    await page.getByRole('heading', { name: 'Capture your first request' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Capture your first request' }).waitFor();
    await expectAccessible(page);

    // Someone else deletes the workspace; the user can switch to another.
    await server.send('DELETE', '/api/v1/workspaces/search', undefined, { key: managementKey });
    await page.reload();
    await page.getByRole('heading', { name: 'No access to this workspace' }).waitFor();
    await page.getByRole('combobox', { name: 'Workspace' }).selectOption('Default');
    await page.getByText('1–50 of 119 presets').waitFor();
  });
});

describeInBrowser('a preset list with long values', () => {
  const email = 'maximiliane.von-hohenzollern@customer-experience.example-enterprise.com';
  const dashboard = useDashboard({ environment: { PRESETD_OWNER_EMAIL: email } });
  const name = 'Invoice extraction with structured output for the accounting department';

  beforeAll(async () => {
    const { server } = dashboard;
    const model = 'google/gemini-2.5-flash-preview-09-2025';
    const long = 'invoice-extraction-structured-output-production';
    for (const slug of [long, 'short'])
      await server.post(`/api/v1/presets/${slug}/chat/completions`, { ...request, model });
    await server.send('PATCH', `/api/v1/presets/${long}`, { name });
    for (const label of ['production', 'staging', 'canary', 'customers-in-western-europe', 'rollback'])
      await server.send('PUT', `/api/v1/presets/${long}/labels/${label}`, { version: 1 });
  });

  const rowHeights = (page: Page) =>
    page
      .getByRole('row')
      .evaluateAll((rows) => rows.slice(1).map((row) => row.getBoundingClientRect().height));

  test.each([1280, 1440, 1920])('rows take one line each at %d pixels', async (width) => {
    const page = await dashboard.open('/', { key: apiKey, width });
    await page.getByRole('link', { name }).waitFor();
    for (const height of await rowHeights(page)) expect(height).toBeLessThanOrEqual(40);
    expect(await sidewaysOverflow(page)).toBe(0);
    await expectAccessible(page);
    await screenshot(page, `presets-long-${width}`);
  });

  test('uses the full width of a large screen', async () => {
    const page = await dashboard.open('/', { key: apiKey, width: 1920 });
    const table = page.getByRole('table', { name: 'Presets' });
    await table.waitFor();
    expect((await table.boundingBox())?.width).toBeGreaterThan(1600);
    const model = page.getByText('google/gemini-2.5-flash-preview-09-2025').first();
    expect(await isClipped(model)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await isClipped(model)).toBe(true);
  });

  test('shows a clipped value in full on hover and in the focused row', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    const link = page.getByRole('link', { name });
    await link.waitFor();
    const row = page.getByRole('row').filter({ has: link });
    const address = row.getByText(email);
    expect(await address.getAttribute('title')).toBe(email);
    expect(await isClipped(address)).toBe(true);
    expect(await row.getByTitle('rollback 1, staging 1').innerText()).toContain('+');
    expect(await row.getByText('staging 1', { exact: true }).isVisible()).toBe(false);
    await tabTo(page, name);
    expect(await isClipped(address)).toBe(false);
    expect(await row.getByText('staging 1', { exact: true }).isVisible()).toBe(true);
    await expectAccessible(page);
  });

  test('has accessible layouts with long values', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByRole('link', { name }).waitFor();
    await expectGoodInEveryAppearance(page, 'presets-long');
  });
});

/** Whether the text of a cell is cut off. */
function isClipped(text: Locator): Promise<boolean> {
  return text.locator('xpath=ancestor::td').evaluate((cell) => cell.scrollWidth > cell.clientWidth);
}

async function copiedBy(page: Page, name: string): Promise<string> {
  const button = page.getByRole('button', { name });
  await button.click();
  await button.getByText('Copied').waitFor();
  return page.evaluate('navigator.clipboard.readText()');
}

async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement.textContent')) === text) return;
  }
  throw new Error(`"${text}" cannot be reached by keyboard.`);
}

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

  test('explains how to create the first preset, with commands to copy', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByRole('heading', { name: 'Capture your first request' }).waitFor();
    expect(await page.getByRole('region', { name: 'capture command' }).innerText()).toContain(
      `curl ${dashboard.server.url}/api/v1/presets/support-bot/chat/completions`,
    );
    await expectGoodInEveryAppearance(page, 'presets-empty');

    // The copied commands are runnable: they include the key, which is not shown.
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
    for (const expected of ['Support', 'openai/gpt-5', '1 of 2', 'production 1', 'owner@localhost'])
      expect(text).toContain(expected);
    await expectGoodInEveryAppearance(page, 'presets-found');
  });

  test('searches as the user types and keeps the search in the URL', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByText('119 presets').waitFor();
    const entries = await page.evaluate('history.length');
    await page.getByRole('searchbox', { name: 'Search presets' }).pressSequentially('supp');
    await page.getByText('1 preset', { exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?q=supp');
    // Typing does not add history entries.
    expect(await page.evaluate('history.length')).toBe(entries);
    await page.reload();
    await page.getByText('1 preset', { exact: true }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('supp');
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByRole('heading', { name: 'No matching presets' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('119 presets').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
  });

  test('shows the first rows before the rest is loaded, and only renders those near the window', async () => {
    const queries: string[] = [];
    const page = await dashboard.open('/sign-in', {});
    page.on('request', (sent) => {
      const { pathname, search } = new URL(sent.url());
      if (pathname === '/api/v1/presets') queries.push(search);
    });
    await page.evaluate(`sessionStorage.setItem('presetd.key', '${apiKey}')`);
    await page.goto(new URL('/', page.url()).href);
    await page.getByText('119 presets').waitFor();
    expect(queries).toEqual(['?offset=0&limit=100', '?offset=100&limit=100']);
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('link', { name: 'bulk-001', exact: true }).waitFor();
  });

  test('a return to the list asks only for what has changed', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByText('119 presets').waitFor();
    await page.getByRole('link', { name: 'Support', exact: true }).click();
    await page.getByRole('heading', { name: 'Support', level: 1 }).waitFor();
    await dashboard.server.post('/api/v1/presets/late-bot/chat/completions', request);
    const queries: string[] = [];
    page.on('request', (sent) => {
      const { pathname, search } = new URL(sent.url());
      if (pathname === '/api/v1/presets') queries.push(search);
    });
    // The data counts as fresh for two seconds.
    await page.waitForTimeout(2_100);
    await page.goBack();
    await page.getByText('120 presets').waitFor();
    expect(queries).toEqual(['?offset=0&limit=100']);
    await dashboard.server.send('DELETE', '/api/v1/presets/late-bot');
  });

  test('filters by status', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    for (const [status, count, slug] of [
      ['Disabled', '1 preset', 'bulk-000'],
      ['Archived', /^[12] presets?$/, 'old-bot'],
      ['Any status', /^12\d presets$/, 'Support'],
    ] as const) {
      await page.getByRole('combobox', { name: 'Status' }).selectOption(status);
      await page.getByText(count, { exact: true }).waitFor();
      await page.getByRole('link', { name: slug, exact: true }).waitFor();
    }
  });

  test('a preset can be found and opened by keyboard alone', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByText('119 presets').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('bulk-11');
    await page.getByText('8 presets', { exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/presets/bulk-116');
  });

  test('sorts by a column, in both directions, and keeps the order in the URL', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByText('119 presets').waitFor();
    const header = page.getByRole('columnheader', { name: 'Name' });
    const firstName = () => page.locator('tbody [data-row-link]').first().innerText();
    await header.getByRole('button').click();
    await expect.poll(firstName).toBe('bulk-000');
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    await header.getByRole('button').click();
    await expect.poll(firstName).toBe('Support');
    expect(new URL(page.url()).search).toBe('?sort=-name');
    await page.reload();
    await expect.poll(firstName).toBe('Support');
  });

  test('reports an unreachable server, recovers on retry, and reports a response of something else', async () => {
    const page = await dashboard.open('/?q=supp', { key: apiKey, isFailing: true });
    await page.getByText('1 preset', { exact: true }).waitFor();
    await page.route('**/api/v1/presets?**', (route) => route.abort());
    await page.getByRole('searchbox').fill('bulk');
    await page.getByRole('alert').getByText('Cannot reach the server').waitFor();
    await expectAccessible(page);
    await page.unroute('**/api/v1/presets?**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('118 presets').waitFor();
    await page.route('**/api/v1/presets?**', (route) => route.fulfill({ body: '<html>A proxy</html>' }));
    await page.getByRole('searchbox').fill('support');
    await page.getByRole('alert').getByText('The response did not come from presetd').waitFor();
  });

  test('a management key can switch workspaces', async () => {
    const { server } = dashboard;
    const body = { name: 'Search team', slug: 'search' };
    await server.post('/api/v1/workspaces', body, { key: managementKey });
    const page = await dashboard.open('/', { key: managementKey });
    await page.getByRole('button', { name: 'Workspace: ' }).click();
    await page.getByRole('menuitem', { name: 'Search team' }).click();
    await page.getByRole('heading', { name: 'Capture your first request' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Capture your first request' }).waitFor();
    await expectAccessible(page);

    // Someone else deletes the workspace; the user can switch to another.
    await server.send('DELETE', '/api/v1/workspaces/search', undefined, { key: managementKey });
    await page.reload();
    await page.getByRole('heading', { name: 'No access to this workspace' }).waitFor();
    await page.getByRole('button', { name: 'Workspace: ' }).click();
    await page.getByRole('menuitem', { name: 'Default' }).click();
    await page.getByText('119 presets').waitFor();
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

  test('has rows of at most 44 pixels, and uses the full width of a large screen', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByRole('link', { name }).waitFor();
    const model = page.getByTitle('google/gemini-2.5-flash-preview-09-2025').first();
    for (const width of [1440, 1024, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      if (width !== 1440) await expect.poll(() => isClipped(model)).toBe(width === 1024);
      for (const height of await rowHeights(page)) expect(height).toBeLessThanOrEqual(44);
      expect(await sidewaysOverflow(page)).toBe(0);
      await screenshot(page, `presets-long-${width}`);
    }
    const table = page.getByRole('table', { name: 'Presets' });
    expect((await table.boundingBox())?.width).toBeGreaterThan(1600);
  });

  test('shows a clipped value in full on hover, and has accessible layouts', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name }) });
    await row.waitFor();
    const address = row.getByText(email);
    expect(await address.getAttribute('title')).toBe(email);
    expect(await isClipped(address)).toBe(true);
    expect(
      await row.getByTitle('production 1, rollback 1, staging 1', { exact: true }).innerText(),
    ).toContain('+3');
    await expectGoodInEveryAppearance(page, 'presets-long');
  });
});

/** Whether the text is cut off, by itself or by its cell. */
function isClipped(text: Locator): Promise<boolean> {
  return text.evaluate((element) =>
    [element, element.closest('td')].some((box) => box !== null && box.scrollWidth > box.clientWidth),
  );
}

async function copiedBy(page: Page, name: string): Promise<string> {
  const button = page.getByRole('button', { name });
  await button.click();
  await button.getByText('Copied').waitFor();
  return page.evaluate('navigator.clipboard.readText()');
}

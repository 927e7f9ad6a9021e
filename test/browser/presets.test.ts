import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectGoodInEveryAppearance, sidewaysOverflow } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { execFileInTest } from '../support/test-scope.ts';

const request = {
  model: 'openai/gpt-5',
  messages: [{ role: 'system', content: 'Be brief.' }],
};

const lastName = 'von Hohenzollern of Customer Experience Enterprises';
const email = 'maximiliane.von-hohenzollern@customer-experience.example-enterprise.com';

describeInBrowser('the preset list', () => {
  const dashboard = useDashboard({
    environment: {
      PRESETD_OWNER_EMAIL: email,
      PRESETD_OWNER_FIRST_NAME: 'Maximiliane',
      PRESETD_OWNER_LAST_NAME: lastName,
    },
  });

  test('explains how to create the first preset, and links to archived ones if there are only those', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByRole('heading', { name: 'Capture your first request' }).waitFor();
    expect(await page.getByRole('region', { name: 'capture command' }).innerText()).toContain(
      `curl ${dashboard.server.url}/api/v1/presets/support-bot/chat/completions`,
    );
    await expectGoodInEveryAppearance(page, 'presets-empty');
    await page.keyboard.press('c');
    await page.waitForURL('**/new');
    await page.goBack();
    await page.getByRole('link', { name: 'Write a prompt' }).click();
    await page.getByRole('combobox', { name: 'Model' }).and(page.locator(':focus')).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Capture your first request' }).waitFor();

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
    await dashboard.server.send('DELETE', '/api/v1/presets/support-bot');
    await page.reload();
    await page.getByRole('link', { name: 'archived (1)' }).click();
    await page.getByRole('link', { name: 'support-bot' }).waitFor();
    await page.getByText('1 preset', { exact: true }).waitFor();
  });

  describe('a list of many presets', () => {
    beforeAll(async () => {
      const { server } = dashboard;
      const slugs = Array.from({ length: 118 }, (_, index) => `bulk-${String(index).padStart(3, '0')}`);
      for (const slug of [...slugs, 'support-desk', 'support-desk', 'old-bot'])
        await server.post(`/api/v1/presets/${slug}/chat/completions`, request);
      await server.send('PUT', '/api/v1/presets/support-desk/labels/production', { version: 1 });
      await server.send('PATCH', '/api/v1/presets/support-desk', { name: 'Support', designated_version: 1 });
      await server.send('PATCH', '/api/v1/presets/bulk-000', { status: 'disabled' });
      await server.send('DELETE', '/api/v1/presets/old-bot');
    });

    test('shows the main facts about each preset', async () => {
      const page = await dashboard.open('/?q=supp', { key: apiKey });
      const row = page.getByRole('row', { name: /support-desk/ });
      await row.waitFor();
      const text = await row.innerText();
      for (const expected of ['Support', 'openai/gpt-5', '1 of 2', 'production 1', 'Never', lastName])
        expect(text).toContain(expected);
      await expectGoodInEveryAppearance(page, 'presets-found');
    });

    test('searches as the user types, filters and sorts, and keeps all of it in the URL', async () => {
      const page = await dashboard.open('/', { key: apiKey });
      await page.getByText('119 presets').waitFor();
      const search = page.getByRole('searchbox', { name: 'Search presets' });
      const entries = await page.evaluate('history.length');
      await search.pressSequentially('supp');
      await page.getByText('1 preset', { exact: true }).waitFor();
      await expect.poll(() => new URL(page.url()).search).toBe('?q=supp');
      // Typing does not add history entries.
      expect(await page.evaluate('history.length')).toBe(entries);
      await search.fill('nothing like it');
      await page.getByRole('heading', { name: 'No matching presets' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByText('119 presets').waitFor();
      expect(await search.inputValue()).toBe('');

      for (const [status, count, slug] of [
        ['Disabled', '1 preset', 'bulk-000'],
        ['Archived', '2 presets', 'old-bot'],
        ['Any status', '121 presets', 'Support'],
      ] as const) {
        await page.getByRole('combobox', { name: 'Status' }).selectOption(status);
        await page.getByText(count, { exact: true }).waitFor();
        await page.getByRole('link', { name: slug, exact: true }).waitFor();
      }

      await search.fill('bulk-11');
      await page.getByText('8 presets', { exact: true }).waitFor();
      const header = page.getByRole('columnheader', { name: 'Name' });
      const firstName = () => page.locator('tbody [data-row-link]').first().innerText();
      await header.getByRole('button').click();
      await expect.poll(firstName).toBe('bulk-110');
      expect(await header.getAttribute('aria-sort')).toBe('ascending');
      await header.getByRole('button').click();
      await expect.poll(firstName).toBe('bulk-117');
      expect(await header.getAttribute('aria-sort')).toBe('descending');
      const kept = new URL(page.url()).searchParams;
      expect(Object.fromEntries(kept)).toEqual({ q: 'bulk-11', status: 'all', sort: '-name' });
      await page.reload();
      await expect.poll(firstName).toBe('bulk-117');
      expect(await search.inputValue()).toBe('bulk-11');
    });

    test('loads and renders no more than it needs, even on return, and can be used by keyboard alone', async () => {
      const queries: string[] = [];
      const page = await dashboard.open('/sign-in', {});
      page.on('request', (sent) => {
        const { pathname, search } = new URL(sent.url());
        if (pathname === '/api/v1/presets') queries.push(search);
      });
      await page.evaluate(`sessionStorage.setItem('presetd.key', '${apiKey}')`);
      await page.goto(new URL('/', page.url()).href);
      await page.getByText('119 presets').waitFor();
      expect(queries.splice(0)).toEqual(['?offset=0&limit=100', '?offset=100&limit=100']);
      // Only the rows near the window.
      expect(await page.getByRole('row').count()).toBeLessThan(80);
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await page.getByRole('link', { name: 'bulk-001', exact: true }).waitFor();

      await page.evaluate('scrollTo(0, 0)');
      await page.getByRole('link', { name: 'Support', exact: true }).click();
      await page.getByRole('heading', { name: 'Support', level: 1 }).waitFor();
      await dashboard.server.post('/api/v1/presets/late-bot/chat/completions', request);
      // The data counts as fresh for two seconds.
      await page.waitForTimeout(2_100);
      queries.splice(0);
      await page.goBack();
      await page.getByText('120 presets').waitFor();
      expect(queries).toEqual(['?offset=0&limit=100']);
      await dashboard.server.send('DELETE', '/api/v1/presets/late-bot');

      await page.keyboard.press('/');
      await page.keyboard.insertText('bulk-11');
      await page.getByText('8 presets', { exact: true }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/presets/bulk-116');
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

      // Someone else deletes the workspace; the user can switch to another.
      await server.send('DELETE', '/api/v1/workspaces/search', undefined, { key: managementKey });
      await page.reload();
      await page.getByRole('heading', { name: 'No access to this workspace' }).waitFor();
      await page.getByRole('button', { name: 'Workspace: ' }).click();
      await page.getByRole('menuitem', { name: 'Default' }).click();
      await page.getByText('119 presets').waitFor();
    });
  });

  describe('a list with long values', () => {
    const name = 'Invoice extraction with structured output for the accounting department';

    beforeAll(async () => {
      const { server } = dashboard;
      const model = 'google/gemini-2.5-flash-preview-09-2025';
      const long = 'invoice-extraction-structured-output-production';
      await server.post(`/api/v1/presets/${long}/chat/completions`, { ...request, model });
      await server.send('PATCH', `/api/v1/presets/${long}`, { name });
      for (const label of ['production', 'staging', 'canary', 'customers-in-western-europe', 'rollback'])
        await server.send('PUT', `/api/v1/presets/${long}/labels/${label}`, { version: 1 });
    });

    const rowHeights = (page: Page) =>
      page
        .getByRole('row')
        .evaluateAll((rows) => rows.slice(1).map((row) => row.getBoundingClientRect().height));

    test('has low rows, uses the full width, and shows a clipped value in full on hover', async () => {
      const page = await dashboard.open('/?q=invoice', { key: apiKey });
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

      await page.setViewportSize({ width: 1280, height: 800 });
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name }) });
      const person = row.getByText(lastName);
      expect(await person.getAttribute('title')).toBe(email);
      expect(await isClipped(person)).toBe(true);
      expect(
        await row.getByTitle('production 1, rollback 1, staging 1', { exact: true }).innerText(),
      ).toContain('+3');
      await expectGoodInEveryAppearance(page, 'presets-long');
    });
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

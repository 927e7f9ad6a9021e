import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance, sidewaysOverflow } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';

const request = {
  model: 'vendor/model',
  messages: [{ role: 'system', content: 'You are terse.' }],
};
const withVariables = (presetd: object) => ({
  model: 'vendor/model',
  messages: [{ role: 'system', content: 'Hello {{customer}}.' }],
  presetd,
});

describeInBrowser('the Use tab', () => {
  const dashboard = useDashboard();
  const path = '/presets/support-bot/use';

  beforeAll(async () => {
    const { server } = dashboard;
    const capture = (slug: string, body: object) =>
      server.post(`/api/v1/presets/${slug}/chat/completions`, body);
    for (const slug of ['support-bot', 'support-bot', 'disabled', 'archived']) await capture(slug, request);
    await server.send('PUT', '/api/v1/presets/support-bot/labels/production', { version: 1 });
    await server.send('PATCH', '/api/v1/presets/disabled', { status: 'disabled' });
    await server.send('DELETE', '/api/v1/presets/archived');
    const customer = { type: 'string' };
    await capture('variables', withVariables({ variables: { customer } }));
    await capture('variables', withVariables({ variables: { customer, stars: { type: 'integer' } } }));
  });

  const example = (page: Page) => page.getByRole('region', { name: /example$/ });
  const version = (page: Page) => page.getByRole('combobox', { name: 'Version', exact: true });
  const runLink = (page: Page) => page.getByRole('link', { name: 'Run it in the workbench' });

  test("code examples contain this server's URL and the selected pin, which is kept in the URL", async () => {
    const page = await dashboard.open(path, { key: apiKey });
    const { origin } = new URL(dashboard.server.url);
    await example(page).waitFor();
    expect(await example(page).innerText()).toContain(`${origin}/api/v1/chat/completions`);
    for (const [choice, reference, search, run] of [
      ['Label production · version 1', '@preset/support-bot:production', '?pin=production', '1'],
      ['Version 1 · production', '@preset/support-bot@1', '?pin=1', '1'],
      ['Latest version', '@preset/support-bot:latest', '?pin=latest', '2'],
      ['Live version', '@preset/support-bot', '', 'live'],
    ] as const) {
      await version(page).selectOption(choice);
      await expect.poll(() => example(page).innerText()).toContain(`"${reference}"`);
      expect(new URL(page.url()).search).toBe(search);
      expect(await runLink(page).getAttribute('href')).toMatch(
        new RegExp(`/presets/support-bot\\?run=${run}$`),
      );
    }
    // By keyboard, to the next but four.
    await page.getByRole('radio', { name: 'curl' }).focus();
    for (const _ of [1, 2, 3, 4]) await page.keyboard.press('ArrowRight');
    await expect.poll(() => example(page).innerText()).toContain(`base_url="${origin}/api"`);
    expect(await page.locator('main').innerText()).not.toContain(apiKey);
    await expectGoodInEveryAppearance(page, 'use');

    await version(page).selectOption('Version 1 · production');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('radio', { name: 'OpenAI TypeScript' }).check();
    await page.getByRole('button', { name: 'Copy OpenAI TypeScript example' }).click();
    await page.getByText('Copied').first().waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toContain("model: '@preset/support-bot@1',");
    expect(copied.trim()).toBe((await example(page).innerText()).trim());

    await page.setViewportSize({ width: 360, height: 800 });
    for (const radio of await page.getByRole('radio').all()) {
      await radio.check();
      expect(await sidewaysOverflow(page)).toBe(0);
    }
  });

  test('reports a pin that does not exist, ignores one that is not valid, and passes required variables', async () => {
    const page = await dashboard.open(`${path}?pin=staging`, { key: apiKey });
    await page.getByText('This preset has no version or label “staging”').waitFor();
    expect(await runLink(page).count()).toBe(0);

    await go(page, 'support-bot/use?pin=x%27; touch pwned; echo %27');
    await example(page).getByText('"model": "@preset/support-bot",').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('pwned');

    // With the clients that can.
    await go(page, 'variables/use');
    await example(page)
      .getByText('"prompt": {"variables": {"customer": "<customer>", "stars": 1}},')
      .waitFor();
    expect(await page.getByRole('radio', { name: /OpenRouter/ }).count()).toBe(0);
    await version(page).selectOption('Version 1');
    await page.getByRole('radio', { name: 'OpenRouter Python' }).check();
    await example(page).getByText('"variables": {"customer": "<customer>"},').waitFor();
    await version(page).selectOption('Live version');
    await expect.poll(() => page.getByRole('radio', { name: 'curl' }).isChecked()).toBe(true);
  });

  test('opens the workbench with a column for the selected version', async () => {
    const page = await dashboard.open(`${path}?pin=production`, { key: apiKey, width: 390 });
    await runLink(page).click();
    const column = page.getByRole('region', { name: 'Version 1' });
    await column.waitFor();
    expect(await page.getByRole('tab', { name: 'Run' }).getAttribute('aria-selected')).toBe('true');
    expect(await page.getByRole('region', { name: 'Draft' }).count()).toBe(0);
    // The column is of the workbench now, and not of the address.
    expect(new URL(page.url()).search).toBe('');
    await column.getByRole('combobox', { name: 'Version' }).selectOption('Version 2');
    await page.getByRole('region', { name: 'Version 2' }).waitFor();
    await page.reload();
    await page.getByRole('tab', { name: 'Run' }).click();
    await page.getByRole('region', { name: 'Version 2' }).waitFor();
  });

  test('explains why a preset that is not active cannot be called', async () => {
    const page = await dashboard.open('/presets/disabled/use', { key: apiKey });
    await page.getByText('Calls to this preset fail with status 403.').waitFor();
    await example(page).waitFor();
    expect(await runLink(page).count()).toBe(0);
    await go(page, 'archived/use');
    await page.getByText('Calls to this preset fail with status 404.').waitFor();
    await example(page).waitFor();
    expect(await runLink(page).count()).toBe(0);
    await expectAccessible(page);
  });
});

/** Without loading the page again. */
function go(page: Page, path: string): Promise<unknown> {
  return page.evaluate(`history.pushState(null, '', '/presets/${path}')`);
}

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';

describeInBrowser('signing in', () => {
  const dashboard = useDashboard();

  test('asks for a key and has accessible layouts', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    await expectGoodInEveryAppearance(page, 'sign-in');
  });

  test('an API key opens the presets but no organization pages', async () => {
    const page = await dashboard.open('/');
    await signIn(page, apiKey);
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
    expect(await navigationLinks(page)).toEqual(['Presets']);
  });

  test('a management key opens the organization pages, too', async () => {
    const page = await dashboard.open('/');
    await signIn(page, `  ${managementKey}\n`);
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
    expect(await navigationLinks(page)).toEqual(['Presets', 'Members', 'Workspaces', 'Keys', 'Audit log']);
  });

  test('continues to the requested page', async () => {
    const page = await dashboard.open('/new');
    await signIn(page, apiKey);
    await page.getByRole('heading', { name: 'New preset' }).waitFor();
  });

  test('works by keyboard alone: the field has focus and Enter submits', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    await page.keyboard.insertText(apiKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
  });

  test('an unknown key is reported and not stored', async () => {
    const page = await dashboard.open('/');
    await signIn(page, 'sk-not-a-key');
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    expect(await storage(page)).toEqual([]);
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('sk-not-a-key');
    await signIn(page, apiKey);
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
  });

  test.each([
    ['', 'Enter a key.'],
    ['sk-pst one two', 'Keys contain only ASCII characters and no spaces.'],
    ['schlüssel', 'Keys contain only ASCII characters and no spaces.'],
  ])('"%s" is rejected without a request', async (key, problem) => {
    const page = await dashboard.open('/');
    await signIn(page, key);
    await page.getByText(problem).waitFor();
  });

  test('the key is stored in the tab only', async () => {
    const page = await dashboard.open('/');
    await signIn(page, apiKey);
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
    expect(await storage(page)).toEqual([['presetd.key', apiKey]]);
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expect(await page.context().cookies()).toEqual([]);
    const other = await page.context().newPage();
    await other.goto(`${dashboard.server.url}/`);
    await other.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
  });

  test('signing out deletes the key', async () => {
    const page = await dashboard.open('/', { key: managementKey });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(await storage(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
  });

  test('signing out removes a pending undo and aborts requests in flight', async () => {
    const { server } = dashboard;
    await server.post('/api/v1/presets/undone/responses', { model: 'm' });
    const page = await dashboard.open('/presets/undone', { key: apiKey });
    await page.getByRole('button', { name: 'Disable…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const aborted = page.waitForEvent('requestfailed');
    await page.route('**/api/v1/presets?**', () => undefined);
    await page.getByRole('link', { name: 'Presets', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect((await aborted).url()).toContain('/api/v1/presets');
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect((await server.get('/api/v1/presets/undone')).body.data.status).toBe('disabled');
  });

  test('a key that is disabled during a session returns to the sign-in page', async () => {
    const { server } = dashboard;
    await server.post('/api/v1/presets/any/responses', { model: 'm' });
    const made = await server.post('/api/v1/keys', { name: 'Soon gone' }, { key: managementKey });
    const page = await dashboard.open('/', { key: made.body.key });
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
    await server.send(
      'PATCH',
      `/api/v1/keys/${made.body.data.hash}`,
      { disabled: true },
      { key: managementKey },
    );
    await page.getByRole('searchbox').fill('anything');
    await page.getByRole('alert').getByText('Your key no longer works.').waitFor();
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('');
  });

  test('can be retried when the server is unreachable', async () => {
    const page = await dashboard.open('/', { isFailing: true });
    await page.route('**/api/v1/key', (route) => route.abort());
    await signIn(page, apiKey);
    await page.getByRole('alert').getByText('Cannot reach the server').waitFor();
    await expectAccessible(page);
    await page.unroute('**/api/v1/key');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
  });
});

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

function navigationLinks(page: Page): Promise<string[]> {
  return page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
}

function storage(page: Page): Promise<[string, string][]> {
  return page.evaluate('Object.entries(sessionStorage)');
}

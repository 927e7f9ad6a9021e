import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';

describeInBrowser('signing in', () => {
  const dashboard = useDashboard();

  test('asks for a key', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    await expectGoodInEveryAppearance(page, 'sign-in');
  });

  test('with an API key opens the presets, and nothing of the organization', async () => {
    const page = await dashboard.open('/');
    await signIn(page, apiKey);
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
    expect(await destinations(page)).toEqual(['Presets']);
  });

  test('with a management key opens the pages of the organization too', async () => {
    const page = await dashboard.open('/');
    await signIn(page, `  ${managementKey}\n`);
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
    expect(await destinations(page)).toEqual(['Presets', 'Members', 'Workspaces', 'Keys', 'Audit']);
  });

  test('leads to the page that was asked for', async () => {
    const page = await dashboard.open('/new');
    await signIn(page, apiKey);
    await page.getByRole('heading', { name: 'New preset' }).waitFor();
  });

  test('by keyboard alone: the field has the focus, and Enter is enough', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    await page.keyboard.insertText(apiKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
  });

  test('a key that the server does not know is told, and not kept', async () => {
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
    ['', 'Paste a key.'],
    ['sk-pst one two', 'A key has no spaces and only plain characters.'],
    ['schlüssel', 'A key has no spaces and only plain characters.'],
  ])('"%s" is not even asked about', async (key, problem) => {
    const page = await dashboard.open('/');
    await signIn(page, key);
    await page.getByText(problem).waitFor();
  });

  test('the key is in the storage of the tab and nowhere else', async () => {
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

  test('signing out forgets the key, and everything that it showed', async () => {
    const page = await dashboard.open('/', { key: managementKey });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(await storage(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
  });

  test('signing out takes the way back with it, and breaks off what is under way', async () => {
    const { server } = dashboard;
    await server.post('/api/v1/presets/undone/responses', { model: 'm' });
    const page = await dashboard.open('/presets/undone', { key: apiKey });
    await page.getByRole('button', { name: 'Disable…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const broken = page.waitForEvent('requestfailed');
    await page.route('**/api/v1/presets?**', () => undefined);
    await page.getByRole('link', { name: 'Presets', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect((await broken).url()).toContain('/api/v1/presets');
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect((await server.get('/api/v1/presets/undone')).body.data.status).toBe('disabled');
  });

  test('a key that is disabled while its page is open leads back to here', async () => {
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
    await page.getByRole('alert').getByText('Your key does not work any more').waitFor();
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('');
  });

  test('when the server does not answer, it can be tried again', async () => {
    const page = await dashboard.open('/', { isFailing: true });
    await page.route('**/api/v1/key', (route) => route.abort());
    await signIn(page, apiKey);
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
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

function destinations(page: Page): Promise<string[]> {
  return page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
}

function storage(page: Page): Promise<[string, string][]> {
  return page.evaluate('Object.entries(sessionStorage)');
}

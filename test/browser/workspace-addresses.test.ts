import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { invite, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';

describeInBrowser('addresses', () => {
  const dashboard = useDashboard();
  let search: string;

  beforeAll(async () => {
    const { server } = dashboard;
    search = await makeWorkspace(server, 'search');
    await makeWorkspace(server, 'secret');
    for (const [id, model] of [
      ['', 'in/default'],
      [`?workspace_id=${search}`, 'in/search'],
    ])
      await server.post(`/api/v1/presets/bot/responses${id}`, { model }, { key: managementKey });
    await invite(server, 'ada@example.com', { workspaces: [{ id: 'search', role: 'viewer' }] });
    await invite(server, 'alan@example.com');
  });

  test('short addresses and those of earlier releases lead to a workspace', async () => {
    const page = await dashboard.open('/?q=bot', { as: 'owner@localhost' });
    await page.waitForURL('**/w/default/presets?q=bot');
    for (const [old, address] of [
      ['/new', '/w/default/new'],
      ['/', '/w/default/presets'],
      ['/presets/bot?version=1', '/w/default/presets/bot/history/1'],
      ['/presets', '/w/default/presets'],
      ['/presets/bot/events?workspace=search', '/w/search/presets/bot/events'],
      ['/w/default', '/w/default/presets'],
      [`/presets/bot?workspace=${search}`, '/w/search/presets/bot'],
      ['/keys', '/organization/keys'],
      ['/audit', '/organization/audit'],
      ['/people', '/organization/members'],
      ['/members', '/organization/members'],
      ['/workspaces', '/organization/workspaces'],
    ] as const) {
      await page.evaluate(`history.pushState(null, '', '${old}')`);
      await page.waitForURL(`**${address}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
  });

  test('a copied address opens the same preset for a colleague', async () => {
    const page = await dashboard.open('/w/search/presets', { as: 'owner@localhost' });
    await page.getByRole('link', { name: 'bot' }).click();
    await expectModel(page, 'in/search');
    const { pathname } = new URL(page.url());
    await page.close();
    const theirs = await dashboard.open(pathname, { as: 'ada@example.com' });
    await expectModel(theirs, 'in/search');
    expect(await selectedWorkspace(theirs)).toBe('search');
  });

  test('the switcher changes the address, Back returns, and the last workspace opens next time', async () => {
    const page = await dashboard.open('/w/default/presets/bot', { as: 'owner@localhost' });
    await expectModel(page, 'in/default');
    await page.getByRole('button', { name: 'Workspace: ' }).click();
    await page.getByRole('menuitem', { name: 'search' }).click();
    await page.waitForURL('**/w/search/presets');
    await page.goBack();
    await expectModel(page, 'in/default');
    expect(await selectedWorkspace(page)).toBe('Default');

    await page.goForward();
    await page.getByRole('link', { name: 'bot' }).waitFor();
    const navigation = page.getByRole('navigation', { name: 'Main' });
    const place = await navigation.boundingBox();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    expect((await navigation.boundingBox())?.x).toBe(place?.x);
    // The keys are those of all workspaces.
    await page.getByRole('button', { name: 'Organization' }).click();
    await page.getByRole('menuitem', { name: 'Default' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Workspace: ' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Presets' }).click();
    await page.waitForURL('**/w/search/presets');
    const other = await dashboard.open('/');
    await other.waitForURL('**/w/search/presets');
  });

  test('a person without a role sees an explanation and their workspaces, and gets in once they have a role', async () => {
    const page = await dashboard.open('/w/search/presets/bot', { as: 'alan@example.com' });
    await page.getByRole('heading', { name: 'No access to this workspace' }).waitFor();
    await page.getByText('alan@example.com').first().waitFor();
    await expectGoodInEveryAppearance(page, 'no-access');
    expect(await page.getByRole('link', { name: 'secret' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Default' }).click();
    await page.waitForURL('**/w/default/presets');
    await page.getByRole('link', { name: 'bot' }).waitFor();
    const { body } = await dashboard.server.get('/api/v1/organization/people/alan@example.com');
    const added = { user_ids: [body.data.id], role: 'viewer' };
    await dashboard.server.post(`/api/v1/workspaces/${search}/members/add`, added, { key: managementKey });
    await page.evaluate("history.pushState(null, '', '/w/search/presets/bot')");
    await expectModel(page, 'in/search');
  });

  test('an API key has the address of its workspace', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.waitForURL('**/w/default/presets');
    expect(await page.getByRole('button', { name: 'Workspace: ' }).count()).toBe(0);
  });
});

function selectedWorkspace(page: Page): Promise<string> {
  return page.getByRole('banner').getByRole('button', { name: 'Workspace: ' }).innerText();
}

async function expectModel(page: Page, model: string): Promise<void> {
  await expect.poll(() => page.getByRole('combobox', { name: 'Model' }).first().inputValue()).toBe(model);
}

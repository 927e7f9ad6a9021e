import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { managementKey } from '../support/server.ts';

const path = '/organization/workspaces';

describeInBrowser('the workspaces of an organization', () => {
  const dashboard = useDashboard();
  const openWorkspaces = (query = '') => dashboard.open(path + query, { key: managementKey });

  beforeAll(async () => {
    await makeWorkspace(dashboard.server, 'search');
    await makeMember(dashboard.server, 'alan@example.com');
  });

  test.each([
    ['list', '', (page: Page) => row(page, 'search').waitFor()],
    ['new', '', (page: Page) => press(page, 'New workspace')],
    ['delete', '', (page: Page) => press(page, 'Delete search')],
    ['members', '?members=search', (page: Page) => row(page, 'owner@localhost').waitFor()],
    ['remove', '?members=search', (page: Page) => press(page, 'Remove owner@localhost')],
    ['default', '?members=default', (page: Page) => row(page, 'alan@example.com').waitFor()],
    ['missing', '?members=nothing', (page: Page) => page.getByText('There is no such workspace').waitFor()],
  ])('%s is good to look at and accessible', async (what, query, prepare) => {
    const page = await dashboard.open(path + query, { key: managementKey });
    await prepare(page);
    await expectGoodInEveryAppearance(page, `workspaces-${what}`);
  });

  test('one is made with a slug from its name, changed, and can be chosen at once', async () => {
    const page = await openWorkspaces();
    await press(page, 'New workspace');
    await press(page, 'Create workspace');
    await page.getByText('Give the workspace a name.').waitFor();
    await page.getByLabel('Name').fill('Ads & Offers');
    expect(await page.getByLabel('Slug').inputValue()).toBe('ads-offers');
    await page.getByLabel('Slug').fill('search');
    await press(page, 'Create workspace');
    await page.getByRole('alert').getByText('which another workspace already uses').waitFor();
    await page.getByLabel('Slug').fill('ads');
    await page.getByLabel('Description (optional)').fill('For the shop');
    await press(page, 'Create workspace');
    await row(page, 'Ads & Offers').getByText('For the shop').waitFor();
    await page.getByRole('combobox', { name: 'Workspace' }).selectOption('Ads & Offers');

    await press(page, 'Edit Ads & Offers');
    await page.getByLabel('Name').fill('Advertising');
    await page.getByLabel('Slug').fill('advertising');
    await page.getByText('its old slug stop working').waitFor();
    await page.getByLabel('Description (optional)').fill('');
    await press(page, 'Save');
    await row(page, 'Advertising').waitFor();
    const { body } = await dashboard.server.get('/api/v1/workspaces/advertising');
    expect(body.data).toMatchObject({ name: 'Advertising', description: null });
  });

  test('its presets are looked at from here', async () => {
    const page = await openWorkspaces();
    await press(page, 'Look at the presets of search');
    await page.getByRole('heading', { name: 'Presets', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    const choice = page.getByRole('combobox', { name: 'Workspace' });
    expect(await choice.locator('option:checked').innerText()).toBe('search');
  });

  test('one that is deleted has to be typed, and leaves the default one to look at', async () => {
    const id = await makeWorkspace(dashboard.server, 'soon-gone');
    const { id: keyId } = await makeKey(dashboard.server, { workspace_id: id });
    const page = await openWorkspaces();
    await press(page, 'Look at the presets of soon-gone');
    await page.getByRole('link', { name: 'Workspaces' }).click();
    await press(page, 'Delete soon-gone');
    const confirm = page.getByRole('button', { name: 'Delete workspace' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByText('Its presets cannot be reached any more').waitFor();
    await page.getByLabel('Type soon-gone to confirm').fill('soon-gone');
    await confirm.click();
    await page.getByRole('alert').getByText('The workspace soon-gone still has an active key.').waitFor();
    await dashboard.server.send('DELETE', `/api/v1/keys/${keyId}`, undefined, { key: managementKey });
    await confirm.click();
    await page.getByText('Deleted the workspace soon-gone.').waitFor();
    await row(page, 'soon-gone').waitFor({ state: 'detached' });
    expect(await page.evaluate("sessionStorage.getItem('presetd.workspace')")).toBe(null);
    expect(await page.getByRole('button', { name: 'Delete Default' }).count()).toBe(0);
  });

  test('somebody is added to one by their address, removed, and put back', async () => {
    const page = await openWorkspaces();
    await row(page, 'search').getByRole('link', { name: '1 member of search' }).click();
    const field = page.getByRole('combobox', { name: 'Add a member of the organization' });
    await field.fill('nobody@example.com');
    await press(page, 'Add');
    await page.getByText('There is no member nobody@example.com').waitFor();
    await field.fill('ala');
    await page.locator('datalist option[value="alan@example.com"]').waitFor({ state: 'attached' });
    await press(page, 'Add');
    await page.getByText('Choose a member from the list, or enter a whole e-mail address.').waitFor();
    await field.fill('Alan@example.com');
    await press(page, 'Add');
    await row(page, 'alan@example.com').waitFor();
    await press(page, 'Remove alan@example.com');
    await press(page, 'Remove from workspace');
    await row(page, 'alan@example.com').waitFor({ state: 'detached' });
    await press(page, 'Undo');
    await page.getByText('Put alan@example.com back into search.').waitFor();
    await row(page, 'alan@example.com').waitFor();
  });

  test('somebody who cannot be put back is told of, with the reason', async () => {
    const id = await makeMember(dashboard.server, 'leaving@example.com');
    const workspace = await makeWorkspace(dashboard.server, 'left');
    const members = `/api/v1/workspaces/${workspace}/members`;
    const body = { user_ids: [id] };
    await dashboard.server.post(`${members}/add`, body, { key: managementKey });
    const page = await openWorkspaces('?members=left');
    await press(page, 'Remove leaving@example.com');
    await press(page, 'Remove from workspace');
    await row(page, 'leaving@example.com').waitFor({ state: 'detached' });
    await page.route('**/members/add', (route) =>
      route.fulfill({ status: 403, json: { error: { code: 403, message: 'Not any more.' } } }),
    );
    await press(page, 'Undo');
    await page.getByText('leaving@example.com was not put back: Not any more.').waitFor();
  });

  test('a page after the last one leads back to the first', async () => {
    const page = await openWorkspaces('?members=search&offset=5000');
    await page.getByText('Nobody on this page').waitFor();
    await press(page, 'To the first page');
    await row(page, 'owner@localhost').waitFor();
    expect(new URL(page.url()).search).toBe('?members=search');
  });

  test('somebody with an active key in it is not removed, and it is said why', async () => {
    const id = await makeWorkspace(dashboard.server, 'kept');
    await makeKey(dashboard.server, { workspace_id: id });
    const page = await openWorkspaces('?members=kept');
    await press(page, 'Remove owner@localhost');
    await press(page, 'Remove from workspace');
    await page.getByRole('alert').getByText('who has an active key in this workspace').waitFor();
  });
});

function row(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

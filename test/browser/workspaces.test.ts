import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { chooseInRowMenu, menuItem, openRowMenu } from '../support/menu.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { managementKey } from '../support/server.ts';

const path = '/organization/workspaces';

describeInBrowser('the Workspaces page', () => {
  const dashboard = useDashboard();
  const openWorkspaces = (query = '') => dashboard.open(path + query, { key: managementKey });

  beforeAll(async () => {
    await makeWorkspace(dashboard.server, 'search');
    await makeMember(dashboard.server, 'alan@example.com');
  });

  test('has accessible layouts', async () => {
    const page = await openWorkspaces();
    const expectGood = (what: string) => expectGoodInEveryAppearance(page, `workspaces-${what}`);
    await row(page, 'search').waitFor();
    await expectGood('list');
    await press(page, 'New workspace');
    await page.getByRole('dialog').waitFor();
    await expectGood('new');
    await page.keyboard.press('Escape');
    await chooseInRowMenu(page, 'search', 'Delete…');
    await page.getByRole('dialog').waitFor();
    await expectGood('delete');
    await page.keyboard.press('Escape');
    await row(page, 'search').getByRole('link', { name: '1 member of search' }).click();
    await row(page, 'owner@localhost').waitFor();
    await expectGood('members');
    await go(page, '?members=default');
    await row(page, 'alan@example.com').waitFor();
    await go(page, '?members=nothing');
    await page.getByText('Workspace not found').waitFor();
    await expectGood('nothing');
  });

  test('creates a workspace with a suggested slug, edits and opens it, and deletes one if its slug is typed', async () => {
    const id = await makeWorkspace(dashboard.server, 'soon-gone');
    const { id: keyId } = await makeKey(dashboard.server, { workspace_id: id });
    const page = await openWorkspaces();
    await press(page, 'New workspace');
    await press(page, 'Create workspace');
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name').fill('Ads & Offers');
    expect(await page.getByLabel('Slug').inputValue()).toBe('ads-offers');
    await page.getByLabel('Slug').fill('search');
    await press(page, 'Create workspace');
    await page.getByText('The slug is search, which another workspace already uses.').waitFor();
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Slug');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByLabel('Slug').fill('ads');
    await page.getByLabel('Description (optional)').fill('For the shop');
    await press(page, 'Create workspace');
    await row(page, 'Ads & Offers').getByText('For the shop').waitFor();
    await chooseInRowMenu(page, 'Ads & Offers', 'Show presets');
    await page.waitForURL('**/w/ads/presets');
    await page.getByRole('button', { name: 'Workspace: Ads & Offers' }).waitFor();
    await page.getByRole('link', { name: 'Workspaces' }).click();

    await chooseInRowMenu(page, 'Ads & Offers', 'Edit…');
    await page.getByLabel('Name').fill('Advertising');
    await page.getByLabel('Slug').fill('advertising');
    await page.getByText('with the old slug stop working').waitFor();
    await page.getByLabel('Description (optional)').fill('');
    await press(page, 'Save');
    await row(page, 'Advertising').waitFor();
    const { body } = await dashboard.server.get('/api/v1/workspaces/advertising');
    expect(body.data).toMatchObject({ name: 'Advertising', description: null });

    await chooseInRowMenu(page, 'soon-gone', 'Show presets');
    await page.getByRole('heading', { name: 'Presets', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/w/soon-gone/presets');
    await page.getByRole('button', { name: 'Workspace: soon-gone' }).waitFor();
    await page.getByRole('link', { name: 'Workspaces' }).click();
    await chooseInRowMenu(page, 'soon-gone', 'Delete…');
    const confirm = page.getByRole('button', { name: 'Delete workspace' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByText('Its presets become inaccessible').waitFor();
    await page.getByLabel('Type “soon-gone” to confirm').fill('soon-gone');
    await confirm.click();
    await page.getByRole('alert').getByText('The workspace soon-gone still has an active key.').waitFor();
    await dashboard.server.send('DELETE', `/api/v1/keys/${keyId}`, undefined, { key: managementKey });
    await confirm.click();
    await page.getByText('Deleted workspace soon-gone').waitFor();
    await row(page, 'soon-gone').waitFor({ state: 'detached' });
    await openRowMenu(page, 'Default');
    await menuItem(page, 'Edit…').waitFor();
    expect(await menuItem(page, 'Delete…').count()).toBe(0);
  });

  test('turns the content log on and off, and says what is wrong with its settings', async () => {
    await makeWorkspace(dashboard.server, 'logged');
    const settings = async () =>
      (await dashboard.server.get('/api/v1/workspaces/logged/content-log')).body.data;
    const page = await openWorkspaces();
    await chooseInRowMenu(page, 'logged', 'Content log…');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Not stored').waitFor();
    expect(await dialog.getByLabel('Days until deletion').count()).toBe(0);
    await dialog.getByLabel('Stored for a limited time').check();
    await expectGoodInEveryAppearance(page, 'workspaces-content-log');
    await dialog.getByLabel('Sampling rate, %').fill('0');
    await dialog.getByLabel('Redact (optional)').fill('a+\n(?=b)');
    await press(page, 'Save');
    await dialog.getByText('Enter a number from 0.01 to 100.').waitFor();
    await dialog.getByLabel('Sampling rate, %').fill('12.5');
    await dialog.getByLabel('Days until deletion').fill('7');
    await press(page, 'Save');
    await dialog
      .getByText('The pattern (?=b) must be a regular expression without lookaround and backreferences.')
      .waitFor();
    await dialog.getByLabel('Redact (optional)').fill('a+');
    await press(page, 'Save');
    await page.getByText('Content of calls in logged is logged from now on').waitFor();
    await row(page, 'logged').getByText('Content log on', { exact: true }).waitFor();
    expect(await settings()).toEqual({
      enabled: true,
      sampling_rate: 0.125,
      redaction_patterns: ['a+'],
      retention_days: 7,
      bytes_max: 262_144,
    });
    await chooseInRowMenu(page, 'logged', 'Content log…');
    expect(await dialog.getByLabel('Redact (optional)').inputValue()).toBe('a+');
    await dialog.getByLabel('Not stored').check();
    await press(page, 'Save');
    await page.getByText('Content of calls in logged is no longer logged').waitFor();
    expect(await settings()).toMatchObject({ enabled: false, retention_days: 7 });
  });

  test('adds a person found by part of their address, removes them and undoes it, or says why not', async () => {
    const id = await makeMember(dashboard.server, 'leaving@example.com');
    const workspace = await makeWorkspace(dashboard.server, 'left');
    const members = `/api/v1/workspaces/${workspace}/members`;
    const body = { user_ids: [id] };
    await dashboard.server.post(`${members}/add`, body, { key: managementKey });
    const kept = await makeWorkspace(dashboard.server, 'kept');
    await makeKey(dashboard.server, { workspace_id: kept });
    const page = await openWorkspaces();
    await row(page, 'search').getByRole('link', { name: '1 member of search' }).click();
    const field = page.getByRole('combobox', { name: 'Add a person', exact: true });
    await press(page, 'Add');
    await page.getByText('Choose a person from the list.').waitFor();
    await field.fill('nobody@example.com');
    await page.getByText('No one matches').waitFor();
    await field.fill('ala');
    await page.getByRole('option').filter({ hasText: 'alan@example.com' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('alan@example.com');
    await press(page, 'Add');
    await row(page, 'alan@example.com').waitFor();
    await chooseInRowMenu(page, 'alan@example.com', 'Remove from workspace…');
    await press(page, 'Remove from workspace');
    await row(page, 'alan@example.com').waitFor({ state: 'detached' });
    await press(page, 'Undo');
    await page.getByText('Added alan@example.com back to search').waitFor();
    await row(page, 'alan@example.com').waitFor();

    await go(page, '?members=left');
    await chooseInRowMenu(page, 'leaving@example.com', 'Remove from workspace…');
    await press(page, 'Remove from workspace');
    await row(page, 'leaving@example.com').waitFor({ state: 'detached' });
    await page.route('**/members/add', (route) =>
      route.fulfill({ status: 403, json: { error: { code: 403, message: 'Not any more.' } } }),
    );
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await page.getByText('Could not add leaving@example.com back: Not any more.').waitFor();

    // With an active key in the workspace.
    await go(page, '?members=kept');
    await chooseInRowMenu(page, 'owner@localhost', 'Remove from workspace…');
    await press(page, 'Remove from workspace');
    await page.getByRole('alert').getByText('who has an active key in this workspace').waitFor();
  });

  test('shows members only of workspaces that the person belongs to', async () => {
    await makeWorkspace(dashboard.server, 'private');
    await makeMember(dashboard.server, 'eve@example.com');
    const page = await dashboard.open(path, { as: 'eve@example.com' });
    await row(page, 'private').waitFor();
    expect(await row(page, 'private').getByRole('link').count()).toBe(0);
    expect(await row(page, 'private').getByRole('button').count()).toBe(0);
    await go(page, '?members=private');
    await page.getByText('Only members of the workspace see this list.').waitFor();
    await expectGoodInEveryAppearance(page, 'workspaces-not-a-member');
    await go(page, '');
    await row(page, 'Default').getByRole('link', { name: 'Default', exact: true }).click();
    await row(page, 'eve@example.com').waitFor();
  });
});

/** Without loading the page again. */
function go(page: Page, query: string): Promise<unknown> {
  return page.evaluate(`history.pushState(null, '', '${path}${query}')`);
}

function row(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { chooseInRowMenu, pickPerson } from '../support/menu.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { managementKey } from '../support/server.ts';

const path = '/organization/keys';
const day = 86_400_000;

describeInBrowser('the Keys page', () => {
  const dashboard = useDashboard();
  const openKeys = (query = '', key = managementKey) => dashboard.open(path + query, { key });
  const get = async (id: string) => (await dashboard.server.get(`/api/v1/keys/${id}`)).body.data;
  const statusOf = async (key: string) => (await dashboard.server.get('/api/v1/key', { key })).status;
  const ownKey = (name: string) => makeKey(dashboard.server, { name, kind: 'management' });

  beforeAll(async () => {
    const { server } = dashboard;
    await makeWorkspace(server, 'search');
    await makeMember(server, 'alan@example.com');
    const { id } = await makeKey(server, { name: 'Rotated', limit: 50, limit_reset: 'monthly' });
    await server.post(`/api/v1/keys/${id}/rotate`, {}, { key: managementKey });
  });

  test('has accessible layouts', async () => {
    const page = await openKeys();
    await row(page, 'Rotated').getByText('Old secret in').waitFor();
    await expectGoodInEveryAppearance(page, 'keys-list');
    const dialog = page.getByRole('dialog');
    const expectGood = async (what: string) => {
      await dialog.waitFor();
      await expectGoodInEveryAppearance(page, `keys-${what}`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await press(page, 'New key');
    await page.getByLabel('Expires').selectOption('On a date');
    await expectGood('new');
    for (const [key, item, what] of [
      ['First management key', 'Rotate…', 'rotate'],
      ['Rotated', 'Delete…', 'delete'],
    ] as const) {
      await chooseInRowMenu(page, key, item);
      await expectGood(what);
    }
    await create(page, 'Not copied');
    await press(page, 'Done');
    await page.getByText('Secret not copied').waitFor();
    await expectGoodInEveryAppearance(page, 'keys-secret');
  });

  test('creates keys of all kinds, shows their secret once and stores it nowhere', async () => {
    for (const slug of ['support-bot', 'summary', 'to-delete'])
      await dashboard.server.post(`/api/v1/presets/${slug}/responses`, { model: 'm' });
    const page = await openKeys();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const secret = await create(page, 'Shop CI');
    expect(secret).toMatch(/^sk-pst-v1-[0-9a-f]{64}$/);
    expect(await statusOf(secret)).toBe(200);
    // The focus is on the button that copies it.
    await page.keyboard.press('Enter');
    await page.getByText('Copied', { exact: true }).first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await press(page, 'Done');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await row(page, 'Shop CI').getByText('Active').waitFor();
    const stored =
      'document.documentElement.outerHTML + JSON.stringify({ ...sessionStorage, ...localStorage })';
    expect(await page.evaluate(stored)).not.toContain(secret);

    // The first Escape does not close a secret that was not copied.
    const notCopied = await create(page, 'Hasty');
    await page.keyboard.press('Escape');
    await page.getByText('Secret not copied').waitFor();
    expect(await page.getByRole('region', { name: 'Secret' }).innerText()).toBe(notCopied);
    await press(page, 'Close without copying');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    // Only for calls, and only of some presets.
    await press(page, 'New key');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('radio', { name: 'Call', exact: true }).isChecked()).toBe(true);
    await page.getByLabel('Name').fill('Shop backend');
    const presets = page.getByRole('combobox', { name: 'Only these presets' });
    await presets.fill('nothing');
    await page.getByText('No preset matches “nothing”.').waitFor();
    // Without a choice, the key would not be restricted.
    await page.keyboard.press('Enter');
    expect(await presets.inputValue()).toBe('nothing');
    await press(page, 'Create key');
    await page.getByText('Choose a preset from the list, or clear the text.').waitFor();
    for (const [search, slug] of [
      ['sup', 'support-bot'],
      ['del', 'to-delete'],
      ['summary', 'summary'],
    ] as const) {
      await presets.fill(search);
      await page.getByRole('option').filter({ hasText: slug }).click();
      await page.getByRole('button', { name: `Remove ${slug}` }).waitFor();
    }
    await presets.fill('sup');
    await page.getByText('All matching presets are already selected.').waitFor();
    await presets.fill('');
    await page.getByLabel('Name').focus();
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await expectGoodInEveryAppearance(page, 'keys-presets');
    await page.getByRole('button', { name: 'Remove to-delete' }).click();
    await press(page, 'Create key');
    const restricted = await shownSecret(page);
    const { body } = await dashboard.server.get('/api/v1/key', { key: restricted });
    expect(body.data).toMatchObject({ scope: 'call', presets: ['support-bot', 'summary'] });
    expect((await dashboard.server.get('/api/v1/presets', { key: restricted })).status).toBe(403);
    await press(page, 'Done');
    await press(page, 'Close without copying');
    await row(page, 'Shop backend').getByText('Call', { exact: true }).waitFor();
    await row(page, 'Shop backend').getByText('Only support-bot, summary').waitFor();

    // For another member, in another workspace, with an expiry.
    await press(page, 'New key');
    await page.getByLabel('Name').fill('For Alan');
    await page.getByRole('dialog').getByLabel('Workspace').selectOption('search');
    await page.getByRole('combobox', { name: 'Owner' }).fill('nobody@example.com');
    await page.getByText('No one matches').waitFor();
    await pickPerson(page, 'Owner', 'alan', 'alan@example.com');
    await page.getByLabel('Expires').selectOption('On a date');
    // The field is below the visible part of the form.
    await page.setViewportSize({ width: 1_440, height: 500 });
    await page.getByRole('dialog').getByLabel('Name').focus();
    await press(page, 'Create key');
    const problem = page.getByText('Choose a date.');
    const footer = await page.getByRole('button', { name: 'Create key' }).boundingBox();
    await expect.poll(async () => (await problem.boundingBox())?.y).toBeLessThan(footer?.y ?? 0);
    expect(await page.evaluate('document.activeElement.type')).toBe('date');
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.getByLabel('Expires').selectOption('In 90 days');
    await press(page, 'Create key');
    await page.getByText('alan@example.com does not belong to this workspace.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('dialog').getByLabel('Workspace').selectOption('Default');
    await press(page, 'Create key');
    await page.getByText('shown only once').waitFor();
    await page.keyboard.press('Escape');
    await press(page, 'Close without copying');
    await row(page, 'For Alan').getByText('alan@example.com').waitFor();
    const keys = await dashboard.server.get('/api/v1/keys');
    const created = keys.body.data.find(({ name }: { name: string }) => name === 'For Alan');
    expect(Math.round((Date.parse(created.expires_at) - Date.now()) / day)).toBe(90);
  });

  test('a key can be created by keyboard alone', async () => {
    const page = await openKeys();
    await page.getByRole('button', { name: 'New key' }).waitFor();
    await tabTo(page, 'New key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New key' }).waitFor();
    await page.keyboard.insertText('By keyboard');
    await page.keyboard.press('Tab');
    // From the scope `call` to the read-only management key.
    for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const secret = page.getByRole('region', { name: 'Secret' });
    await secret.waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await tabTo(page, 'Copy');
    await page.keyboard.press('Enter');
    await page.getByText('Copied', { exact: true }).first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await row(page, 'By keyboard').getByText('Management (read-only)').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('New key');
  });

  test('filters by workspace, status and text, and includes disabled keys on request', async () => {
    const { server } = dashboard;
    const workspace_id = await makeWorkspace(server, 'ads');
    await makeKey(server, { name: 'Ads backend', workspace_id });
    const { id } = await makeKey(server, { name: 'Old laptop', workspace_id });
    await server.send('PATCH', `/api/v1/keys/${id}`, { disabled: true }, { key: managementKey });
    const page = await openKeys();
    // Keys of all workspaces, and the management keys of none.
    await row(page, 'Ads backend').waitFor();
    await row(page, 'First management key').waitFor();
    const filter = page.getByRole('search').getByLabel('Workspace');
    await filter.selectOption('ads');
    await row(page, 'First management key').waitFor({ state: 'detached' });
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('search').getByLabel('Status').selectOption('All statuses');
    await row(page, 'Old laptop').getByText('Disabled').waitFor();
    await page.reload();
    await row(page, 'Old laptop').waitFor();
    await chooseInRowMenu(page, 'Old laptop', 'Enable');
    await row(page, 'Old laptop').getByText('Active').waitFor();
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('ads back');
    await page.getByText('1 of 2 keys', { exact: true }).waitFor();
  });

  test('edits, rotates, disables and deletes a key; disabling can be undone, but not for a removed member', async () => {
    const { server } = dashboard;
    const creator_user_id = await makeMember(server, 'left@example.com');
    await makeKey(server, { name: 'Orphaned', creator_user_id });
    await server.send('DELETE', `/api/v1/organization/members/${creator_user_id}`, undefined, {
      key: managementKey,
    });
    const stopped = await makeKey(server, { name: 'To stop' });
    const { id } = await makeKey(dashboard.server, { name: 'Before', expires_at: '2031-01-01T00:00:00Z' });
    const turning = await makeKey(dashboard.server, { name: 'Turning' });
    const page = await openKeys('?status=all');
    await chooseInRowMenu(page, 'Before', 'Edit…');
    await page.getByLabel('Name').fill('After');
    await press(page, 'Save');
    await row(page, 'After').waitFor();
    expect(await get(id)).toMatchObject({ name: 'After', expires_at: '2031-01-01T00:00:00.000Z' });
    await chooseInRowMenu(page, 'After', 'Edit…');
    await page.getByLabel('Expires').selectOption('Never');
    await press(page, 'Save');
    await row(page, 'After').getByText('Never').first().waitFor();
    await expect.poll(async () => (await get(id)).expires_at).toBe(null);
    await chooseInRowMenu(page, 'After', 'Edit…');
    await page.getByRole('combobox', { name: 'Only these presets' }).fill('sup');
    await page.getByRole('option').filter({ hasText: 'support-bot' }).click();
    await press(page, 'Save');
    await row(page, 'After').getByText('Only support-bot').waitFor();
    expect((await get(id)).presets).toEqual(['support-bot']);

    await chooseInRowMenu(page, 'Turning', 'Rotate…');
    await page.getByLabel('Old secret expires').selectOption('In 7 days');
    await press(page, 'Rotate key');
    const current = await shownSecret(page);
    expect([await statusOf(turning.secret), await statusOf(current)]).toEqual([200, 200]);
    const { previous_secret_expires_at } = await get(turning.id);
    expect(Math.round((Date.parse(previous_secret_expires_at) - Date.now()) / day)).toBe(7);
    await press(page, 'Done');
    await press(page, 'Close without copying');

    await chooseInRowMenu(page, 'To stop', 'Disable…');
    await press(page, 'Disable key');
    await row(page, 'To stop').getByText('Disabled').waitFor();
    expect(await statusOf(stopped.secret)).toBe(401);
    await press(page, 'Undo');
    await row(page, 'To stop').getByText('Active').waitFor();
    expect(await statusOf(stopped.secret)).toBe(200);
    await chooseInRowMenu(page, 'To stop', 'Delete…');
    await page.getByText('A deleted key cannot be restored.').waitFor();
    await press(page, 'Delete key');
    await row(page, 'To stop').waitFor({ state: 'detached' });
    expect((await server.get(`/api/v1/keys/${stopped.id}`)).status).toBe(404);
    await chooseInRowMenu(page, 'Orphaned', 'Enable');
    await page.getByText('Could not enable Orphaned: ').waitFor();
  });

  test('limits what a key can spend, and changes and removes the limit', async () => {
    const page = await openKeys();
    await press(page, 'New key');
    await page.getByLabel('Name').fill('On a budget');
    const amount = page.getByLabel('Spending limit in USD (optional)');
    await amount.fill('twenty');
    await press(page, 'Create key');
    await page.getByText('Enter an amount such as 20 or 12.50').waitFor();
    await amount.fill('20');
    await page.getByLabel('Limit resets').selectOption('Weekly');
    await press(page, 'Create key');
    await shownSecret(page);
    await press(page, 'Done');
    await press(page, 'Close without copying');
    const budget = row(page, 'On a budget').getByRole('link', { name: '$0.00 of $20 this week' });
    await budget.waitFor();

    await chooseInRowMenu(page, 'On a budget', 'Edit…');
    expect(await amount.inputValue()).toBe('20');
    await amount.fill('12.50');
    await page.getByLabel('Limit resets').selectOption('No reset');
    await press(page, 'Save');
    await row(page, 'On a budget').getByText('$0.00 of $12.50', { exact: true }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(new URL(page.url()).searchParams.get('key')).toMatch(/^[0-9a-f-]{36}$/);
    await page.goBack();
    await chooseInRowMenu(page, 'On a budget', 'Edit…');
    await amount.fill('');
    await press(page, 'Save');
    await row(page, 'On a budget').getByText('None', { exact: true }).waitFor();
  });

  test('rotating the key of this session continues it with the new secret', async () => {
    const { secret: older } = await ownKey('Mine');
    const page = await openKeys('', older);
    await chooseInRowMenu(page, 'Mine', 'Rotate…');
    await page.getByText('You are signed in with this key').waitFor();
    await page.getByLabel('Old secret expires').selectOption('Immediately');
    await page.getByText('Choose this if the secret leaked.').waitFor();
    await press(page, 'Rotate key');
    const newer = await shownSecret(page);
    await page.getByText('This tab now uses the new secret.').waitFor();
    expect(await statusOf(older)).toBe(401);
    expect(await page.evaluate("sessionStorage.getItem('presetd.key')")).toBe(newer);
    await press(page, 'Done');
    await press(page, 'Close without copying');
    await row(page, 'Mine').getByText('(this session)').waitFor();
    await page.reload();
    await row(page, 'Mine').waitFor();
  });

  test.each([
    ['Disable', 'Disable key'],
    ['Delete', 'Delete key'],
  ])('the action %s on the key of this session warns and signs out', async (action, confirm) => {
    const { secret } = await ownKey(`Ending by ${action}`);
    const page = await openKeys('', secret);
    await chooseInRowMenu(page, `Ending by ${action}`, `${action}…`);
    await page.getByText('Your session ends.').waitFor();
    await press(page, confirm);
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

async function create(page: Page, name: string): Promise<string> {
  await press(page, 'New key');
  await page.getByLabel('Name').fill(name);
  await press(page, 'Create key');
  return shownSecret(page);
}

async function shownSecret(page: Page): Promise<string> {
  await page.getByText('shown only once').waitFor();
  return page.getByRole('region', { name: 'Secret' }).innerText();
}

function row(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await page.evaluate('document.activeElement.textContent')) === text) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`"${text}" cannot be reached by keyboard.`);
}

import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { menuItem, openRowMenu } from '../support/menu.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';

const parts = [
  ['members', 'People'],
  ['workspaces', 'Workspaces'],
  ['keys', 'Keys'],
  ['audit', 'Audit log'],
] as const;

describeInBrowser('access to organization pages', () => {
  const dashboard = useDashboard();
  let readOnlyKey: string;
  let memberKey: string;

  beforeAll(async () => {
    const { server } = dashboard;
    const creator_user_id = await makeMember(server, 'alan@example.com');
    readOnlyKey = (await makeKey(server, { name: 'Looking', kind: 'read_only' })).secret;
    memberKey = (await makeKey(server, { name: 'Of Alan', kind: 'management', creator_user_id })).secret;
  });

  test('an API key sees an explanation on all pages, without a request to organization endpoints', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.getByRole('heading', { name: 'Presets' }).waitFor();
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    for (const [part, title] of parts) {
      await go(page, part);
      await page.getByRole('heading', { name: title }).waitFor();
      await page.getByRole('heading', { name: 'This page needs your account' }).waitFor();
      await page.getByText('presetd sign-in-link').waitFor();
    }
    expect(paths.filter((path) => /^\/api\/v1\/(organization|workspaces|keys|audit)/.test(path))).toEqual([]);
    await page.getByRole('button', { name: 'Sign in another way' }).waitFor();
    await expectGoodInEveryAppearance(page, 'needs-account');
  });

  test('a read-only key sees people, workspaces and keys without buttons to change them', async () => {
    const page = await dashboard.open('/', { key: readOnlyKey });
    for (const [part, text] of [
      ['members', 'owner@localhost'],
      ['workspaces', 'Default'],
      ['keys', 'Of Alan'],
    ] as const) {
      await go(page, part);
      const table = page.getByRole('table');
      await table.getByText(text).first().waitFor();
      await page.getByText('This management key is read-only.').waitFor();
      const menus = table.getByRole('button', { name: /^Actions for/ });
      expect(await menus.count()).toBe(part === 'workspaces' ? 1 : 0);
      if (part === 'workspaces') {
        await menus.click();
        await page.getByText('Show members').waitFor();
        expect(await page.getByText(/^(Edit|Delete)…$/).count()).toBe(0);
        await page.keyboard.press('Escape');
      }
      expect(await page.getByRole('button', { name: /^(New|Invite|Import)/ }).count()).toBe(0);
    }
    await go(page, 'nonsense');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  test('a member can change only their own keys', async () => {
    const page = await dashboard.open('/organization/keys', { key: memberKey });
    await page.getByText('Your keys and, in workspaces that you administer, those of others.').waitFor();
    await openRowMenu(page, 'Of Alan');
    await menuItem(page, 'Rotate…').waitFor();
    await page.keyboard.press('Escape');
    await openRowMenu(page, 'First API key');
    await menuItem(page, 'Disable…').waitFor();
    expect(await menuItem(page, 'Rotate…').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New key' }).click();
    expect(await page.getByLabel('Owner', { exact: true }).count()).toBe(0);
    await page.getByLabel('Name').fill('Made by Alan');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('shown only once').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close without copying' }).click();
    const created = page.getByRole('row').filter({ hasText: 'Made by Alan' });
    await created.getByText('alan@example.com').waitFor();

    for (const part of ['members', 'workspaces']) {
      await go(page, part);
      await page.getByRole('table').getByRole('row').nth(1).waitFor();
      await page.getByText('Only admins can make changes here.').waitFor();
      expect(await page.getByRole('button', { name: /^(New|Invite|Import)/ }).count()).toBe(0);
    }
  });

  test('the dialog shows the rejection if the user lost their role meanwhile', async () => {
    const { server } = dashboard;
    const id = await makeMember(server, 'falling@example.com', { role: 'org:admin' });
    const { secret } = await makeKey(server, { kind: 'management', creator_user_id: id });
    const page = await dashboard.open('/organization/workspaces', { key: secret });
    await page.getByRole('button', { name: 'New workspace' }).click();
    await server.send(
      'PATCH',
      `/api/v1/organization/members/${id}`,
      { role: 'org:member' },
      {
        key: managementKey,
      },
    );
    await page.getByLabel('Name').fill('Too late');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('alert').getByText('requires a management key of an org:admin').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Too late');
  });

  test('an unknown path returns a page to browsers and a JSON error to API clients', async () => {
    const page = await dashboard.open('/api-keys', { key: apiKey });
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Presets' }).first().click();
    await page.getByRole('heading', { name: 'Presets', exact: true }).waitFor();
    const { server } = dashboard;
    const accept = 'text/html,application/xhtml+xml';
    const asBrowser = await server.get('/settings', { headers: { accept } });
    expect([asBrowser.status, asBrowser.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    expect(asBrowser.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const [path, headers] of [
      ['/settings', {}],
      ['/api/v1/settings', { accept }],
      ['/assets/no.js', { accept }],
    ] as const) {
      const { status, body } = await server.get(path, { headers });
      expect([status, body.error.code]).toEqual([404, 404]);
    }
  });
});

/** Without loading the page again. */
function go(page: Page, part: string): Promise<unknown> {
  return page.evaluate(`history.pushState(null, '', '/organization/${part}')`);
}

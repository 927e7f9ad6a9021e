import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';

const parts = [
  ['members', 'Members'],
  ['workspaces', 'Workspaces'],
  ['keys', 'Keys'],
  ['audit', 'Audit'],
] as const;

describeInBrowser('who may do what on the pages of the organization', () => {
  const dashboard = useDashboard();
  let readOnlyKey: string;
  let memberKey: string;

  beforeAll(async () => {
    const { server } = dashboard;
    const creator_user_id = await makeMember(server, 'alan@example.com');
    readOnlyKey = (await makeKey(server, { name: 'Looking', kind: 'read_only' })).secret;
    memberKey = (await makeKey(server, { name: 'Of Alan', kind: 'management', creator_user_id })).secret;
  });

  test.each(parts)(
    'an API key is told about %s what it needs, and the organization is not asked for',
    async (part, title) => {
      const page = await dashboard.open('/', { key: apiKey });
      await page.getByRole('heading', { name: 'Presets' }).waitFor();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.evaluate(`history.pushState(null, '', '/organization/${part}')`);
      await page.getByRole('heading', { name: title }).waitFor();
      await page.getByRole('heading', { name: 'This page needs a management key' }).waitFor();
      await page.getByText('presetd recover').waitFor();
      expect(asked.filter((path) => /^\/api\/v1\/(organization|workspaces|keys|audit)/.test(path))).toEqual(
        [],
      );
    },
  );

  test('the page for an API key is good to look at and accessible', async () => {
    const page = await dashboard.open('/organization/members', { key: apiKey });
    await page.getByRole('button', { name: 'Sign in with another key' }).waitFor();
    await expectGoodInEveryAppearance(page, 'needs-management-key');
  });

  test.each([
    ['members', 'owner@localhost', []],
    ['workspaces', 'Default', ['Look at the presets of Default']],
    ['keys', 'Of Alan', []],
  ])('a read-only key sees %s and no way to change them', async (part, told, left) => {
    const page = await dashboard.open(`/organization/${part}`, { key: readOnlyKey });
    const table = page.getByRole('table');
    await table.getByText(told).first().waitFor();
    await page.getByText('This management key only reads.').waitFor();
    const buttons = await table.getByRole('button').evaluateAll((all) => all.map((one) => one.ariaLabel));
    expect(buttons).toEqual(left);
    expect(await page.getByRole('button', { name: /^(New|Add|Import)/ }).count()).toBe(0);
  });

  test('a member changes keys of their own, and only reads the rest', async () => {
    const page = await dashboard.open('/organization/keys', { key: memberKey });
    await page.getByText('you make and change keys of your own').waitFor();
    expect(await page.getByRole('button', { name: /^Rotate/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'New key' }).click();
    expect(await page.getByLabel('Owner').count()).toBe(0);
    await page.getByLabel('Name').fill('Made by Alan');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('shown this once').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close without copying' }).click();
    const made = page.getByRole('row').filter({ hasText: 'Made by Alan' });
    await made.getByText('alan@example.com').waitFor();

    for (const part of ['members', 'workspaces']) {
      await page.goto(`${dashboard.server.url}/organization/${part}`);
      await page.getByText('You are an org:member').waitFor();
      expect(await page.getByRole('button', { name: /^(New|Add|Import|Edit|Remove|Delete)/ }).count()).toBe(
        0,
      );
    }
  });

  test('what is refused since the rights changed meanwhile is told at the action', async () => {
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

  test.each([
    ['members', 'Add member'],
    ['workspaces', 'New workspace'],
    ['workspaces?members=default', undefined],
    ['keys', 'Rotate Of Alan'],
  ])('where the rights cannot be read for %s, that is said and can be tried again', async (part, button) => {
    const { body } = await dashboard.server.get('/api/v1/organization/members/owner@localhost');
    const ownPath = `**/api/v1/organization/members/${body.data.id}`;
    const page = await dashboard.open('/', { key: managementKey, isFailing: true });
    await page.route(ownPath, (route) =>
      route.fulfill({ status: 403, json: { error: { code: 403, message: 'Not now.' } } }),
    );
    await page.evaluate(`history.pushState(null, '', '/organization/${part}')`);
    const alert = page.getByRole('alert').filter({ hasText: 'What you may change could not be read' });
    await alert.getByText('Not now.').waitFor();
    await page.getByRole('table').waitFor();
    if (button !== undefined) expect(await page.getByRole('button', { name: button }).count()).toBe(0);
    await expectGoodInEveryAppearance(page, `rights-unknown-${part.replace('?', '-')}`);
    await page.unroute(ownPath);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    if (button !== undefined) await page.getByRole('button', { name: button }).waitFor();
  });

  test('an address under the organization that leads nowhere says so', async () => {
    const page = await dashboard.open('/organization/nonsense', { key: managementKey });
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  });

  test('where nothing is at all, a person is told by a page and a program as by the API', async () => {
    const page = await dashboard.open('/api-keys', { key: apiKey });
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    await page.getByRole('link', { name: 'Presets' }).first().click();
    await page.getByRole('heading', { name: 'Presets', exact: true }).waitFor();
    const { server } = dashboard;
    const accept = 'text/html,application/xhtml+xml';
    const asPerson = await server.get('/settings', { headers: { accept } });
    expect([asPerson.status, asPerson.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    expect(asPerson.headers.get('content-security-policy')).toContain("default-src 'none'");
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

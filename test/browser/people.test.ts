import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { chooseInRowMenu, openRowMenu } from '../support/menu.ts';
import { invite, makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { managementKey, type TestServer } from '../support/server.ts';
import { signInAs } from '../support/sign-in.ts';

const path = '/organization/members';
const owner = 'owner@localhost';

describeInBrowser('the People page', () => {
  const dashboard = useDashboard();
  const openPeople = (query = '', as = owner) => dashboard.open(path + query, { as });
  const person = async (email: string) =>
    (await dashboard.server.get(`/api/v1/organization/people/${email}`)).body.data;

  beforeAll(async () => {
    const { server } = dashboard;
    await makeWorkspace(server, 'search');
    await invite(server, 'person-0@example.com', {
      first_name: 'Grace',
      last_name: 'Hopper',
      workspaces: [{ id: 'search', role: 'admin' }],
    });
    const members = Array.from({ length: 12 }, (_, index) => ({ email: `person-${index + 1}@example.com` }));
    await server.post('/api/v1/organization/members/import', { members }, { key: managementKey });
  });

  test('shows roles, status, and how people sign in, finds them, and has accessible layouts', async () => {
    await makeMember(dashboard.server, 'kath@example.org', { first_name: 'Katherine', last_name: 'Johnson' });
    const page = await openPeople();
    const expectGood = (what: string) => expectGoodInEveryAppearance(page, `people-${what}`);
    const close = async () => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    const search = page.getByRole('searchbox', { name: 'Search people' });
    const find = async (text: string) => {
      await search.fill(text);
      await page.getByText('1 person', { exact: true }).waitFor();
    };
    await row(page, 'person-0@example.com').waitFor();
    await expectGood('list');
    const me = row(page, owner);
    for (const text of ['(you)', 'Admin', 'All, as admin', 'Active'])
      await me.getByText(text, { exact: true }).waitFor();
    const grace = row(page, 'Grace Hopper');
    for (const text of ['Member', 'search admin', 'Default viewer', 'Invited', 'Never'])
      await grace.getByText(text).waitFor();

    await search.pressSequentially('john kat');
    await page.getByText('1 person', { exact: true }).waitFor();
    await row(page, 'Katherine Johnson').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await expect.poll(() => new URL(page.url()).search).toBe('?q=john+kat');
    await search.fill('PERSON-1');
    await page.getByText('4 people', { exact: true }).waitFor();
    await search.fill('nobody@example.com');
    await page.getByRole('heading', { name: 'No matching people' }).waitFor();
    await press(page, 'Clear filters');
    await row(page, 'person-0@example.com').waitFor();
    expect(await search.inputValue()).toBe('');

    await find(owner);
    await act(page, owner, 'Edit…');
    await page.getByRole('radio', { name: 'Member' }).check();
    await page.getByText('This is you').waitFor();
    await expectGood('edit-self');
    await close();
    await act(page, owner, 'Sessions…');
    await page.getByText('This browser').waitFor();
    await expectGood('sessions');
    await close();

    await find('person-0');
    await openRowMenu(page, 'person-0@example.com');
    await expectGood('menu');
    await page.keyboard.press('Escape');
    await press(page, 'Invite');
    await page.getByRole('dialog').waitFor();
    await expectGood('invite');
    await close();
    await act(page, 'person-0@example.com', 'Remove…');
    await page.getByRole('dialog').waitFor();
    await expectGood('remove');
    await close();
    await act(page, 'person-0@example.com', 'New sign-in link…');
    await press(page, 'Create link');
    await press(page, 'Done');
    await page.getByText('Link not copied').waitFor();
    await expectGood('link');
  });

  test('invites a person by keyboard alone, with a link that signs them in, unless they are active', async () => {
    await makeMember(dashboard.server, 'active@example.com');
    await signInAs(dashboard.server, 'active@example.com');
    const page = await openPeople();
    await press(page, 'Invite');
    await page.getByLabel('Email', { exact: true }).fill('active@example.com');
    await press(page, 'Create invitation');
    await page.getByText('active@example.com is already').waitFor();
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe('active@example.com');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Invite', exact: true }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Invite a person' });
    await page.keyboard.insertText('ada');
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter an email address').waitFor();
    await page.keyboard.insertText('@example.com');
    await tabTo(page, 'Role in search');
    await page.keyboard.type('Editor');
    await tabTo(page, 'Create invitation');
    await page.keyboard.press('Enter');
    const link = page.getByRole('region', { name: 'Link' });
    await link.waitFor();
    const url = await link.innerText();
    expect(url).toMatch(/\/sign-in\/link#/);
    expect(await person('ada@example.com')).toMatchObject({
      role: 'org:member',
      status: 'invited',
      workspaces: [
        { slug: 'default', role: 'viewer' },
        { slug: 'search', role: 'editor' },
      ],
    });
    await page.keyboard.press('Escape');
    await page.getByText('Link not copied').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(url.split('#')[1]);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Invite');
    await page.context().clearCookies();
    await page.goto(url);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Welcome to presetd' }).waitFor();
  });

  test('edits name, roles and address of a person, and explains what is wrong with the address', async () => {
    await invite(dashboard.server, 'editable@example.com');
    const page = await openPeople('?q=editable');
    await act(page, 'editable@example.com', 'Edit…');
    await page.getByLabel('First name').fill('Edith');
    await page.getByLabel('Role in search').selectOption('Admin');
    await page.getByLabel('Role in Default').selectOption('Editor');
    await press(page, 'Save');
    await row(page, 'Edith').getByText('search admin').waitFor();
    await row(page, 'Edith').getByText('Default editor').waitFor();
    await act(page, 'editable@example.com', 'Edit…');
    await page.getByLabel('Role in search').selectOption('No access');
    await press(page, 'Save');
    await row(page, 'Edith').getByText('search admin').waitFor({ state: 'detached' });
    await act(page, 'editable@example.com', 'Edit…');
    await page.getByRole('radio', { name: 'Admin' }).check();
    await press(page, 'Save');
    await row(page, 'Edith').getByText('All, as admin').waitFor();

    await signInAs(dashboard.server, 'editable@example.com');
    await act(page, 'editable@example.com', 'Edit…');
    const email = page.getByLabel('Email');
    await email.fill('corrected');
    await press(page, 'Save');
    await page.getByText('Enter an email address').waitFor();
    await email.fill(owner);
    await press(page, 'Save');
    await page.getByText('Another user, possibly a former member, has the address').waitFor();
    await email.fill('corrected@example.com');
    await page.getByText('If somebody else may have used the account').waitFor();
    await press(page, 'Save');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Search people' }).fill('corrected');
    await row(page, 'corrected@example.com').waitFor();
  });

  test('ends the sessions of a person, deactivates, reactivates and removes them', async () => {
    const { server } = dashboard;
    const creator_user_id = await makeMember(server, 'stopped@example.com');
    const { secret } = await makeKey(server, { creator_user_id });
    const before = await signInAs(server, 'stopped@example.com');
    const page = await openPeople('?q=stopped');
    await act(page, 'stopped@example.com', 'Sessions…');
    await page.getByRole('dialog').getByRole('row').nth(1).waitFor();
    await press(page, 'End all sessions');
    await page.getByText('Ended all sessions of stopped@example.com').waitFor();
    expect((await before.get('/account')).status).toBe(401);
    await act(page, 'stopped@example.com', 'Sessions…');
    await page.getByText('Not signed in anywhere').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const theirs = await signInAs(server, 'stopped@example.com');
    await act(page, 'stopped@example.com', 'Deactivate…');
    await page.getByText('Their sessions end, and they cannot sign in.').waitFor();
    await page.getByText('Their keys and the apps that use them stop working').waitFor();
    await press(page, 'Deactivate');
    await row(page, 'stopped@example.com').getByText('Deactivated').waitFor();
    expect((await server.get('/api/v1/key', { key: secret })).status).toBe(403);
    expect((await theirs.get('/account')).status).toBe(401);
    await act(page, 'stopped@example.com', 'Reactivate…');
    await press(page, 'Reactivate');
    await row(page, 'stopped@example.com').getByText('Active').waitFor();
    expect((await server.get('/api/v1/key', { key: secret })).status).toBe(200);

    await act(page, 'stopped@example.com', 'Remove…');
    await page.getByText('all their keys are disabled').waitFor();
    await press(page, 'Cancel');
    await act(page, 'stopped@example.com', 'Remove…');
    await press(page, 'Remove person');
    await page.getByRole('heading', { name: 'No matching people' }).waitFor();
  });

  test('the last admin can be neither removed, deactivated nor demoted', async () => {
    await demoteOtherAdmins(dashboard.server);
    const page = await openPeople(`?q=${encodeURIComponent(owner)}`);
    const rejection = page.getByRole('alert').getByText('last');
    await act(page, owner, 'Edit…');
    await page.getByRole('radio', { name: 'Member' }).check();
    await press(page, 'Save');
    await rejection.waitFor();
    await press(page, 'Cancel');
    for (const [item, button] of [
      ['Remove…', 'Remove person'],
      ['Deactivate…', 'Deactivate'],
    ] as const) {
      await act(page, owner, item);
      await page.getByText('Your session ends').waitFor();
      await press(page, button);
      await rejection.waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  test('users who remove themselves are signed out', async () => {
    await makeMember(dashboard.server, 'leaving@example.com', { role: 'org:admin' });
    const page = await openPeople('?q=leaving%40example.com', 'leaving@example.com');
    await act(page, 'leaving@example.com', 'Remove…');
    await press(page, 'Remove person');
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('members see everyone and can change nobody', async () => {
    await makeMember(dashboard.server, 'reader@example.com');
    const page = await openPeople('', 'reader@example.com');
    await row(page, 'person-0@example.com').waitFor();
    await page.getByText('Only admins can make changes here.').waitFor();
    expect(await page.getByRole('button', { name: /^(Invite|Import|Actions)/ }).count()).toBe(0);
  });
});

/** Other tests make more admins. */
async function demoteOtherAdmins(server: TestServer): Promise<void> {
  const { body } = await server.get('/api/v1/organization/members?limit=100');
  for (const { id, email, role } of body.data)
    if (role === 'org:admin' && email !== owner)
      await server.send(
        'PATCH',
        `/api/v1/organization/members/${id}`,
        { role: 'org:member' },
        { key: managementKey },
      );
}

function row(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

const act = chooseInRowMenu;

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).last().click();
}

async function tabTo(page: Page, label: string): Promise<void> {
  const focused = 'document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent';
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(focused)) === label) return;
  }
  throw new Error(`"${label}" cannot be reached by keyboard.`);
}

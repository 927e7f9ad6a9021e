import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { managementKey } from '../support/server.ts';

const path = '/organization/members';

describeInBrowser('the Members page', () => {
  const dashboard = useDashboard();
  const openMembers = (query = '', key = managementKey) => dashboard.open(path + query, { key });

  beforeAll(async () => {
    // Added first, so that it is on the first page; the others are added at the same instant, in
    // any order.
    await makeMember(dashboard.server, 'person-0@example.com');
    const members = Array.from({ length: 59 }, (_, index) => ({ email: `person-${index + 1}@example.com` }));
    await dashboard.server.post('/api/v1/organization/members/import', { members }, { key: managementKey });
  });

  test.each([
    ['list', async (page: Page) => row(page, 'person-0@example.com').waitFor()],
    ['add', (page: Page) => press(page, 'Add member')],
    [
      'edit-self',
      async (page: Page) => {
        await press(page, 'Edit owner@localhost');
        await page.getByRole('radio', { name: 'Member' }).check();
        await page.getByText('This is you').waitFor();
      },
    ],
    ['remove', (page: Page) => press(page, 'Remove person-0@example.com')],
  ])('has accessible layouts: %s', async (what, prepare) => {
    const page = await openMembers();
    await prepare(page);
    await expectGoodInEveryAppearance(page, `members-${what}`);
  });

  test('lists members page by page', async () => {
    const page = await openMembers();
    await page.getByText('1–50 of 61 members').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('51–61 of 61 members').waitFor();
    expect(new URL(page.url()).search).toBe('?offset=50');
    await page.goto(`${dashboard.server.url}${path}?offset=5000`);
    await press(page, 'Go to first page');
    await page.getByText('1–50 of 61 members').waitFor();
  });

  test('searches by part of name or address as the user types', async () => {
    await makeMember(dashboard.server, 'kath@example.org', { first_name: 'Katherine', last_name: 'Johnson' });
    const page = await openMembers();
    const search = page.getByRole('searchbox', { name: 'Search members' });
    await search.pressSequentially('john kat');
    await page.getByText('1 member', { exact: true }).waitFor();
    await row(page, 'Katherine Johnson').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    expect(new URL(page.url()).search).toBe('?q=john+kat');
    await search.fill('PERSON-5');
    await page.getByText('11 members', { exact: true }).waitFor();
    await search.fill('PERSON-55@example.com');
    await page.getByText('1 member', { exact: true }).waitFor();
    await row(page, 'person-55@example.com').waitFor();
    await search.fill('example');
    await page.getByText(/^1–50 of 6\d members$/).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText(/^51–/).waitFor();
    expect(new URL(page.url()).search).toBe('?q=example&offset=50');
    await search.fill('nobody@example.com');
    await page.getByRole('heading', { name: 'No matching members' }).waitFor();
    await dashboard.server.send('DELETE', '/api/v1/organization/members/kath@example.org', undefined, {
      key: managementKey,
    });
    await press(page, 'Show all members');
    await page.getByText('1–50 of').waitFor();
    expect(await search.inputValue()).toBe('');
  });

  test('adds, edits and removes a member', async () => {
    const page = await openMembers();
    await press(page, 'Add member');
    const dialog = page.getByRole('dialog', { name: 'Add member' });
    await page.keyboard.type('grace');
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter an email address').waitFor();
    await page.keyboard.type('@example.com');
    await dialog.getByLabel('First name').fill('Grace');
    await dialog.getByLabel('Last name').fill('Hopper');
    await dialog.getByRole('radio', { name: 'Admin' }).check();
    await dialog.getByRole('button', { name: 'Add member' }).click();
    await page.getByText('Added grace@example.com as admin').waitFor();

    await page.goto(`${dashboard.server.url}${path}?q=grace%40example.com`);
    await press(page, 'Edit grace@example.com');
    await page.getByLabel('First name').fill('Grace B.');
    await page.getByRole('radio', { name: 'Member' }).check();
    await press(page, 'Save');
    await row(page, 'Grace B. Hopper').getByText('Member', { exact: true }).waitFor();

    await press(page, 'Remove grace@example.com');
    await page.getByText('All their keys are disabled immediately.').waitFor();
    await press(page, 'Cancel');
    expect(await row(page, 'Grace B. Hopper').count()).toBe(1);
    await press(page, 'Remove grace@example.com');
    await press(page, 'Remove member');
    await page.getByRole('heading', { name: 'No matching members' }).waitFor();
  });

  test('the form reports an existing member and keeps what was typed', async () => {
    const page = await openMembers();
    await press(page, 'Add member');
    await page.getByLabel('Email', { exact: true }).fill('person-1@example.com');
    await page.getByLabel('First name').fill('Again');
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await page.getByRole('alert').getByText('person-1@example.com is already a member').waitFor();
    expect(await page.getByLabel('First name').inputValue()).toBe('Again');
  });

  test('the last admin can be neither removed nor demoted', async () => {
    const page = await openMembers();
    const rejection = page.getByRole('alert').getByText('owner@localhost is the last org:admin.');
    await press(page, 'Edit owner@localhost');
    await page.getByRole('radio', { name: 'Member' }).check();
    await press(page, 'Save');
    await rejection.waitFor();
    await press(page, 'Cancel');
    await press(page, 'Remove owner@localhost');
    await page.getByText('so your session ends').waitFor();
    await press(page, 'Remove member');
    await rejection.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('users who remove themselves are signed out', async () => {
    const { server } = dashboard;
    const creator_user_id = await makeMember(server, 'leaving@example.com', { role: 'org:admin' });
    const { secret } = await makeKey(server, { kind: 'management', creator_user_id });
    const page = await openMembers('?q=leaving%40example.com', secret);
    await press(page, 'Remove leaving@example.com');
    await press(page, 'Remove member');
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});

function row(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).last().click();
}

import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance, sidewaysOverflow } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { managementKey } from '../support/server.ts';

const path = '/organization/members';

/** With the owner: more than two pages of the API, and more than are rendered at once. */
const count = 250;

describeInBrowser('the table of a long list', () => {
  const dashboard = useDashboard();
  const openPeople = (query = '') => dashboard.open(path + query, { key: managementKey });

  beforeAll(async () => {
    const members = Array.from({ length: count - 1 }, (_, index) => ({
      email: `p-${index}@example.com`,
      first_name: index === 0 ? '=cmd()' : 'Person',
      last_name: String(index),
      role: index % 50 === 0 ? 'org:admin' : 'org:member',
    }));
    await dashboard.server.post('/api/v1/organization/members/import', { members }, { key: managementKey });
  });

  test('sorts all rows by keyboard, not only those that are loaded, and renders those near the window', async () => {
    const page = await openPeople();
    await page.getByText(`100 of ${count} people loaded`).waitFor();
    await page.getByRole('button', { name: 'Name' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`${count} people`, { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await rowAt(page, 2).getByText('Preset Owner').waitFor();
    await rowAt(page, 3).getByText('Person 248').waitFor();
    expect(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe(
      'descending',
    );
    expect(new URL(page.url()).search).toBe('?sort=-name');
    await page.reload();
    await rowAt(page, 3).getByText('Person 248').waitFor();

    await page.getByText(`${count} people`, { exact: true }).waitFor();
    const table = page.getByRole('table', { name: 'People' });
    expect(await table.getAttribute('aria-rowcount')).toBe(String(count + 1));
    expect(await table.getByRole('row').count()).toBeLessThan(100);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await rowAt(page, count + 1)
      .getByText('=cmd() 0')
      .waitFor();
    const height = 'document.querySelector("tbody:not([aria-hidden]) tr").offsetHeight';
    expect(await page.evaluate(height)).toBeLessThanOrEqual(44);
  });

  test('loads more rows while the user scrolls', async () => {
    const page = await openPeople();
    await page.getByText(`100 of ${count} people loaded`).waitFor();
    for (const text of [`200 of ${count} people loaded`, `${count} people`]) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await page.getByText(text, { exact: true }).waitFor();
    }
  });

  test('exports what is filtered, and all of it, so that spreadsheets run nothing', async () => {
    const page = await openPeople('?role=org:admin&sort=name');
    await page.getByText(`6 of ${count} people`).waitFor();
    const csv = await exported(page, 'Export 6 people as CSV');
    const lines = csv.split('\r\n');
    expect(lines).toHaveLength(8);
    expect(lines[1]).toContain("'=cmd() 0,p-0@example.com,admin");
    await page.goto(`${dashboard.server.url}${path}`);
    await page.getByText(`100 of ${count} people loaded`).waitFor();
    const json = JSON.parse(await exported(page, `Export ${count} people as JSON`));
    expect(json).toHaveLength(count);
    expect(json.at(-1)).toMatchObject({ role: 'org:member', status: 'invited' });
  });

  test('remembers the columns', async () => {
    const page = await openPeople('?role=org:admin');
    await page.getByText(`6 of ${count} people`).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Workspaces' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Email' }).click();
    await expectGoodInEveryAppearance(page, 'table-columns');
    await page.reload();
    await page.getByRole('columnheader', { name: 'Email' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Workspaces' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Reset columns' }).click();
    await page.getByRole('columnheader', { name: 'Workspaces' }).waitFor();
  });

  test('shortens no time or badge where there is room, and no row menu leaves the screen', async () => {
    const page = await dashboard.open('/organization/keys', { key: managementKey, width: 1024 });
    await page.getByRole('cell', { name: 'Active' }).first().waitFor();
    const cut = `[...document.querySelectorAll('tbody time, tbody [class*=badge]')]
      .filter((element) => element.closest('td').scrollWidth > element.closest('td').clientWidth).length`;
    expect(await page.evaluate(cut)).toBe(0);
    // Too narrow for all columns, so the table scrolls below its menus.
    await page.setViewportSize({ width: 730, height: 700 });
    const button = page.getByRole('button', { name: 'Actions for First API key' });
    expect(await isOnScreen(button)).toBe(true);
    expect(await page.evaluate(`document.querySelector('table').offsetWidth > innerWidth`)).toBe(true);
    expect(await sidewaysOverflow(page)).toBe(0);
    await button.click();
    expect(await isOnScreen(page.getByRole('menu'))).toBe(true);
  });

  test('a row is a card of a few lines on a phone', async () => {
    const page = await dashboard.open(path, { key: managementKey, width: 390, height: 844 });
    await page.getByText('Preset Owner').waitFor();
    const card = page.getByRole('table', { name: 'People' }).locator('tbody tr').first();
    expect((await card.boundingBox())?.height).toBeLessThan(130);
    // The title of a value that does not explain itself is beside it, and the others have none.
    const captions = await card
      .locator('td')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-title')));
    expect(captions.filter(Boolean)).toEqual(['Workspaces', 'Signs in with', 'Last active']);
    expect(await sidewaysOverflow(page)).toBe(0);
  });

  test('a click on a row opens what the row shows, and rows that show nothing more do not react', async () => {
    const page = await openPeople('?q=p-7@example.com');
    await page.getByRole('cell', { name: 'Member', exact: true }).click();
    await page.getByRole('dialog', { name: 'Edit p-7@example.com' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Person 7');

    await page.goto(`${dashboard.server.url}/organization/workspaces`);
    await page.getByRole('cell', { name: 'default', exact: true }).click();
    await page.waitForURL('**/organization/workspaces?members=default');
    const row = rowAt(page, 2);
    await row.getByText('owner@localhost').click();
    const background = 'getComputedStyle(document.querySelector("tbody tr:hover")).backgroundColor';
    expect(await page.evaluate(background)).toBe('rgba(0, 0, 0, 0)');
    expect(new URL(page.url()).search).toBe('?members=default');
  });

  test('does not claim to be sorted if it could not load all rows', async () => {
    const page = await dashboard.open(path, { key: managementKey, isFailing: true });
    await page.getByText(`100 of ${count} people loaded`).waitFor();
    await page.route('**/people?offset=100**', (route) => route.fulfill({ status: 403, json: {} }));
    await page.getByRole('button', { name: 'Name' }).click();
    await page.getByText('Could not load all people').waitFor();
    expect(await page.locator('th[aria-sort]').count()).toBe(0);
    await page.unroute('**/people?offset=100**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('th[aria-sort=ascending]').waitFor();
  });
});

/** By its position in the whole list; the header is the first. */
function rowAt(page: Page, index: number) {
  return page.locator(`tr[aria-rowindex="${index}"]`);
}

async function isOnScreen(element: Locator): Promise<boolean> {
  await element.waitFor();
  const [box, screen] = [await element.boundingBox(), element.page().viewportSize()];
  if (box === null || screen === null) return false;
  const { x, y, width, height } = box;
  return x >= 0 && y >= 0 && x + width <= screen.width && y + height <= screen.height;
}

async function exported(page: Page, item: string): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
  return readFileSync(await (await download).path(), 'utf8');
}

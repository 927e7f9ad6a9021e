import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';

const path = '/organization/audit';

describeInBrowser('the audit log', () => {
  let retiredId: string;
  const dashboard = useDashboard();
  const openAudit = (query = '') => dashboard.open(path + query, { key: managementKey });

  beforeAll(async () => {
    const { server } = dashboard;
    const request = { model: 'openai/gpt-5', messages: [{ role: 'system', content: 'Be brief.' }] };
    const creator_user_id = await makeMember(server, 'grace@example.com', { role: 'org:admin' });
    const grace = await makeKey(server, { name: 'Of Grace', kind: 'management', creator_user_id });
    await makeKey(server, { name: 'By Grace' }, grace.secret);
    const workspace = await makeWorkspace(server, 'search');
    const retired = await makeWorkspace(server, 'retired');
    await server.post('/api/v1/presets/summary/chat/completions', request, { key: apiKey });
    const send = (method: string, path: string, body?: unknown) =>
      server.send(method, `/api/v1${path}`, body, { key: managementKey });
    for (const id of [workspace, retired])
      for (const model of ['openai/gpt-5', 'openai/gpt-5-mini'])
        await send('POST', `/presets/summary/chat/completions?workspace_id=${id}`, { ...request, model });
    await send('PATCH', `/presets/summary?workspace_id=${workspace}`, { designated_version: 1 });
    await send('PUT', `/presets/summary/labels/production?workspace_id=${workspace}`, { version: 2 });
    await send('DELETE', '/workspaces/retired');
    retiredId = retired;
    await server.send('PATCH', '/api/v1/presets/summary', { name: 'Summary' }, { key: apiKey });
    const members = Array.from({ length: 60 }, (_, index) => ({ email: `p-${index}@example.com` }));
    await server.post('/api/v1/organization/members/import', { members }, { key: managementKey });
  });

  test('has accessible layouts, and shows the values before and after an event', async () => {
    const page = await openAudit('?kind=preset');
    await page.getByText('added label').waitFor();
    await expectGoodInEveryAppearance(page, 'audit-presets');
    await go(page, '?kind=key');
    await page.getByText('created API key “By Grace”').waitFor();
    await go(page, '?workspace=nobodys');
    await page.getByText('No matching events').waitFor();

    await go(page, '?kind=preset.renamed');
    await page.getByText('renamed preset summary to “Summary”').waitFor();
    const details = page.getByRole('button', { name: /^Details of/ });
    await details.click();
    expect(await details.getAttribute('aria-expanded')).toBe('true');
    const values = page.getByRole('table', { name: 'Values before and after' });
    const row = values.getByRole('row').filter({ hasText: 'name' });
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['summary', 'Summary']);
    await expectGoodInEveryAppearance(page, 'audit-details');
    await details.click();
    await row.waitFor({ state: 'detached' });
  });

  test('has its link, as all pages do, in a menu on a phone, where the navigation has no room', async () => {
    const page = await dashboard.open('/organization/keys', { key: managementKey, width: 360 });
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Pages' }).click();
    const links = page.getByRole('menu', { name: 'Pages' }).getByRole('menuitem');
    await links.first().waitFor();
    const titles = ['Presets', 'Usage', 'Calls', 'People', 'Workspaces', 'Keys', 'Audit log'];
    expect(await links.allInnerTexts()).toEqual(titles);
    expect(await page.locator('[role="menuitem"][aria-current="true"]').allInnerTexts()).toEqual(['Keys']);
    await expectAccessible(page);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
  });

  test('groups events by day, and shows similar ones as one until they are opened', async () => {
    const page = await openAudit('?kind=member');
    await page.getByText('added p-59@example.com').waitFor();
    expect(await page.getByRole('columnheader', { name: 'Today' }).count()).toBe(1);
    expect(await items(page).count()).toBe(1);
    await page.getByRole('button', { name: '60 more like this' }).click();
    await expect.poll(() => items(page).count()).toBe(61);
    await page.getByText('added p-0@example.com').waitFor();
    await page.getByRole('button', { name: '60 more like this' }).click();
    await expect.poll(() => items(page).count()).toBe(1);
    // In another order, similar events need not be neighbors.
    await page.getByRole('columnheader', { name: 'Actor' }).getByRole('button').click();
    await expect.poll(() => items(page).count()).toBe(61);
    expect(await page.getByRole('columnheader', { name: 'Today' }).count()).toBe(0);
  });

  test('finds events by every word of a search, and shows people by name', async () => {
    const page = await openAudit();
    const actor = items(page).first().getByText('Preset Owner');
    expect(await actor.first().getAttribute('title')).toBe('owner@localhost');
    await page.getByRole('searchbox', { name: 'Search events' }).fill('owner p-17@');
    await page.getByText(/^1 of /).waitFor();
    expect(await items(page).count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?q=owner+p-17%40');
    // The log is of the organization.
    expect(await page.getByRole('button', { name: 'Workspace: ' }).count()).toBe(0);
  });

  test('finds people by name even if their names arrive after the events', async () => {
    const page = await openAudit();
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(directory, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${dashboard.server.url}${path}?kind=workspace.created&q=preset`);
    await page.getByText('No matching events').waitFor();
    release();
    await page.getByText('2 events', { exact: true }).waitFor();
    await page.unroute(directory);
  });

  test('asks for names once, even if they cannot be read', async () => {
    const page = await dashboard.open(path, { key: managementKey, isFailing: true });
    // No request of the page that is left may count.
    await page.goto('about:blank');
    let requests = 0;
    await page.route(directory, (route) => {
      requests += 1;
      return route.fulfill({ status: 403, json: {} });
    });
    await page.goto(`${dashboard.server.url}${path}?kind=member`);
    await page.getByText('owner@localhost').first().waitFor();
    await page.getByRole('button', { name: '60 more like this' }).click();
    await page.getByText('added p-0@example.com').waitFor();
    expect(requests).toBe(1);
    await page.unroute(directory);
  });

  test('shows no events as matches of a search that is too large', async () => {
    const page = await openAudit();
    const { data, ...rest } = (await dashboard.server.get('/api/v1/audit?limit=1', { key: managementKey }))
      .body;
    const many = Array.from({ length: 20_001 }, (_, index) => ({ ...data[0], id: `event-${index}` }));
    const events = /\/api\/v1\/audit\?/;
    await page.route(events, (route) =>
      route.fulfill({ json: { ...rest, data: many, next_cursor: 'more' } }),
    );
    await page.goto(`${dashboard.server.url}${path}?q=nothing-like-this`);
    await page.getByText('Too many events to search').waitFor();
    await page.getByText('Choose a shorter period or a kind of event.').waitFor();
    expect(await items(page).count()).toBe(0);
    await page.unroute(events);
  });

  test('exports people by their address alone', async () => {
    const page = await openAudit('?kind=workspace.created');
    await items(page).first().getByText('Preset Owner').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: /as CSV$/ }).click();
    const csv = readFileSync(await (await download).path(), 'utf8');
    expect(csv).toContain(',owner@localhost,created workspace search,');
  });

  test('is sorted by any column, which loads the rest of the log', async () => {
    const page = await openAudit();
    await items(page).first().waitFor();
    const times = () =>
      page.locator('tbody time').evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''));
    const [newest = ''] = await times();
    await page.getByRole('columnheader', { name: 'Time' }).getByRole('button').click();
    await expect.poll(async () => (await times())[0]).not.toBe(newest);
    const sorted = await times();
    expect(sorted).toEqual(sorted.toSorted());
    expect(sorted[0] && sorted[0] < newest).toBe(true);
    await page.getByRole('columnheader', { name: 'Actor' }).getByRole('button').click();
    await expect.poll(() => page.getByRole('row').nth(1).innerText()).toContain('grace@example.com');
  });

  test('filters by actor, event, days and preset, and keeps the filters in the URL', async () => {
    const page = await openAudit();
    await choose(page, 'Actor', 'grace', 'grace@example.com');
    await page.getByText('created API key “By Grace”').waitFor();
    await page.getByText('1 event', { exact: true }).waitFor();
    expect(await items(page).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Filter' }).and(page.locator(':focus')).waitFor();
    await choose(page, 'Event', 'members all', 'Members: all');
    await page.getByText('No matching events').waitFor();
    expect(new URL(page.url()).search).toBe('?actor=grace%40example.com&kind=member');
    await expectGoodInEveryAppearance(page, 'audit-nothing');
    await page.reload();
    await removal(page, 'Actor: grace@example.com').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('added p-59@example.com').waitFor();
    expect(await removal(page, '').count()).toBe(0);
    await choose(page, 'Event', 'workspaces created', 'Workspaces: created');
    await page.getByText('created workspace search').waitFor();
    await expect.poll(() => items(page).count()).toBe(2);

    // In the user's time zone.
    const today: string = await page.evaluate(
      "[new Date().getFullYear(), new Date().getMonth() + 1, new Date().getDate()].map((part) => String(part).padStart(2, '0')).join('-')",
    );
    await choose(page, 'From', 'today', 'Today');
    await choose(page, 'To', 'today', 'Today');
    await page.getByText('created workspace search').waitFor();
    await choose(page, 'To', '2020-01-01', '2020-01-01');
    await page.getByText('No matching events').waitFor();
    await removal(page, 'To: 2020-01-01').click();
    await page.getByText('created workspace search').waitFor();
    expect(new URL(page.url()).searchParams.get('since')).toBe(today);

    await go(page, '');
    await choose(page, 'Workspace', 'search', 'search');
    await choose(page, 'Preset', 'sum', 'summary');
    await page.getByText('4 events', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?workspace=search&preset=summary');
    await page.reload();
    await page.getByText('4 events', { exact: true }).waitFor();
    await removal(page, 'Preset: summary').waitFor();
    await choose(page, 'Preset', 'nobodys', 'nobodys');
    await page.getByText('There is no preset "nobodys"').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('added p-59@example.com').waitFor();
    expect(new URL(page.url()).search).toBe('');
    // Without a workspace, the presets are those of the one that is open.
    await choose(page, 'Preset', 'sum', 'summary');
    await expect.poll(() => new URL(page.url()).search).toBe('?workspace=default&preset=summary');
    await removal(page, 'Workspace: Default').click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  test('has one row of filters, and whole links, in a narrow window', async () => {
    const page = await dashboard.open(`${path}?kind=preset&workspace=search`, {
      key: managementKey,
      width: 1024,
    });
    const link = page.getByRole('link', { name: 'Compare versions 2 → 1' });
    await link.waitFor();
    const search = page.getByRole('search');
    expect((await search.boundingBox())?.height).toBeLessThan(60);
    const cell = items(page).filter({ has: link }).getByRole('cell').nth(3);
    const [inner, outer] = [await link.boundingBox(), await cell.boundingBox()];
    const endOf = (box: typeof inner) => (box === null ? Number.NaN : box.x + box.width);
    expect(endOf(inner)).toBeLessThanOrEqual(endOf(outer));
    await screenshot(page, 'audit-1024', false);
  });

  test('distinguishes presets with the same slug by workspace, and filters by workspace', async () => {
    const page = await openAudit('?kind=preset.created');
    await page.getByText('3 events', { exact: true }).waitFor();
    expect(await items(page).filter({ hasText: 'created preset summary' }).count()).toBe(3);
    const chips = items(page).getByRole('link', { name: /^in / });
    expect(await chips.allTextContents()).toEqual(['in retired (deleted)', 'in search', 'in Default']);
    await chips.filter({ hasText: 'search' }).click();
    await expect.poll(() => items(page).count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?kind=preset.created&workspace=search');
    await removal(page, 'Workspace: search').click();
    await expect.poll(() => items(page).count()).toBe(3);
    await chips.filter({ hasText: 'retired' }).click();
    await page.waitForURL(`**/organization/audit?kind=preset.created&workspace=${retiredId}`);
    await expect.poll(() => items(page).count()).toBe(1);
    await removal(page, 'Workspace: retired').waitFor();
  });

  const selectedWorkspace = (page: Page) => page.getByRole('button', { name: 'Workspace: ' }).innerText();

  test('an event shows its exact time, and links to its workspace and to filters for similar events', async () => {
    const page = await openAudit('?kind=preset.designated');
    const [event, tooltip] = [items(page).first(), page.getByRole('tooltip')];
    const time = event.getByRole('button').nth(1);
    const at = (await event.locator('time').getAttribute('datetime')) ?? '';
    const utc = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
    await time.hover();
    expect(await tooltip.innerText()).toContain(utc);
    const local: string = await page.evaluate(
      `new Date('${at}').toLocaleString('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' })`,
    );
    expect(await tooltip.innerText()).toContain(local);
    await page.mouse.move(0, 0);
    await tooltip.waitFor({ state: 'hidden' });
    await page.getByRole('combobox', { name: 'Filter' }).focus();
    while ((await page.evaluate('document.activeElement.textContent')) !== (await time.innerText()))
      await page.keyboard.press('Tab');
    expect(await tooltip.innerText()).toContain(utc);
    await expectGoodInEveryAppearance(page, 'audit-time');
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'hidden' });

    await items(page).getByRole('link', { name: 'version 1', exact: true }).waitFor();
    for (const [name, url] of [
      ['Compare versions 2 → 1', '/w/search/presets/summary/history/2..1'],
      ['version 1', '/w/search/presets/summary/history/1'],
      ['summary', '/w/search/presets/summary'],
    ] as const)
      expect(await items(page).getByRole('link', { name, exact: true }).getAttribute('href')).toBe(url);
    await items(page).getByRole('link', { name: 'summary', exact: true }).click();
    await page.waitForURL('**/w/search/presets/summary');
    await page.getByRole('heading', { name: 'summary', level: 1 }).waitFor();
    await expect.poll(() => selectedWorkspace(page)).toBe('search');

    await page.goBack();
    await page.getByRole('button', { name: /^Details of/ }).click();
    await page.getByRole('link', { name: 'this preset' }).click();
    await page.waitForURL('**/organization/audit?kind=preset.designated&workspace=search&preset=summary');
    await page.getByRole('link', { name: 'this actor' }).click();
    expect(new URL(page.url()).searchParams.get('actor')).toBe('owner@localhost');

    const href = await page.getByRole('link', { name: 'version 1', exact: true }).getAttribute('href');
    const other = await dashboard.open(href ?? '', { key: managementKey });
    await other.getByText('openai/gpt-5').first().waitFor();
    await expect.poll(() => selectedWorkspace(other)).toBe('search');
    await other.getByRole('link', { name: 'Events' }).click();
    await other.getByText('added label production to version 2').waitFor();
  });

  test('links to members, keys and workspaces, but not to deleted ones', async () => {
    const page = await openAudit('?kind=member.added&actor=owner@localhost&until=');
    await page.getByRole('link', { name: 'p-59@example.com' }).click();
    await page.waitForURL('**/organization/members?q=p-59%40example.com');
    await page.getByRole('cell', { name: 'p-59@example.com', exact: true }).waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await go(page, '?kind=workspace');
    await page.getByText('deleted workspace retired').waitFor();
    expect(await items(page).getByRole('link', { name: 'retired', exact: true }).count()).toBe(0);
    await items(page).getByRole('link', { name: 'search', exact: true }).first().click();
    await page.waitForURL('**/organization/workspaces?members=*');
    await go(page, '?kind=key.created');
    await items(page).filter({ hasText: 'By Grace' }).getByRole('link', { name: /…/ }).click();
    await page.waitForURL('**/organization/keys?*');
    await page.getByRole('cell', { name: /^By Grace/ }).waitFor();
  });
});

/** Adds a filter from the menu with the keyboard. */
async function choose(page: Page, filter: string, typed: string, value: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Filter' }).click();
  await page.getByPlaceholder('Filter by…').fill(filter);
  await page.keyboard.press('Enter');
  await page.getByPlaceholder(`${filter}…`).fill(typed);
  await page.locator('[role=option][data-highlighted]', { hasText: value }).waitFor();
  await page.keyboard.press('Enter');
}

function removal(page: Page, filter: string) {
  return page.getByRole('button', { name: `Remove filter ${filter}` });
}

/** The names of all members. */
const directory = /\/organization\/members\?.*limit=100/;

/** Without loading the page again. */
function go(page: Page, query: string): Promise<unknown> {
  return page.evaluate(`history.pushState(null, '', '${path}${query}')`);
}

/** The rows of events, without those of their details. */
function items(page: Page) {
  return page.locator('table[aria-label="Events"] > tbody > tr:has(> td + td)');
}

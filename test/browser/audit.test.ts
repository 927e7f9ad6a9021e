import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { expectGoodInEveryLook } from '../support/every-look.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';

const path = '/organization/audit';

describeInBrowser('the audit', () => {
  const dashboard = useDashboard();
  const openAudit = (query = '') => dashboard.open(path + query, { key: managementKey });

  beforeAll(async () => {
    const { server } = dashboard;
    const request = { model: 'openai/gpt-5', messages: [{ role: 'system', content: 'Be brief.' }] };
    const creator_user_id = await makeMember(server, 'grace@example.com', { role: 'org:admin' });
    const grace = await makeKey(server, { name: 'Of Grace', kind: 'management', creator_user_id });
    await makeKey(server, { name: 'By Grace' }, grace.secret);
    const workspace = await makeWorkspace(server, 'search');
    await server.post('/api/v1/presets/summary/chat/completions', request, { key: apiKey });
    await server.post(`/api/v1/presets/ranking/chat/completions?workspace_id=${workspace}`, request, {
      key: managementKey,
    });
    await server.send('PATCH', '/api/v1/presets/summary', { name: 'Summary' }, { key: apiKey });
    const members = Array.from({ length: 60 }, (_, index) => ({ email: `p-${index}@example.com` }));
    await server.post('/api/v1/organization/members/import', { members }, { key: managementKey });
  });

  test.each([
    ['list', '?kind=key', (page: Page) => page.getByText('created the API key “By Grace”').waitFor()],
    [
      'details',
      '?kind=preset.renamed',
      async (page: Page) => {
        await page.getByRole('button', { name: 'Details' }).click();
        await page.getByRole('cell', { name: 'Summary', exact: true }).waitFor();
      },
    ],
    ['nothing', '?actor=nobody', (page: Page) => page.getByText('Nothing matches').waitFor()],
  ])('%s is good to look at and accessible', async (what, query, prepare) => {
    const page = await dashboard.open(path + query, { key: managementKey });
    await prepare(page);
    await expectGoodInEveryLook(page, `audit-${what}`);
  });

  test('tells what was done as sentences, and more of them when asked', async () => {
    const page = await openAudit();
    await page.getByText('owner@localhost added p-59@example.com as org:member').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('owner@localhost added grace@example.com as org:admin').waitFor();
    await page.getByText('That is all.').waitFor();
  });

  test('shows what was before and after', async () => {
    const page = await openAudit('?kind=preset.renamed');
    await page.getByText('owner@localhost renamed the preset summary to “Summary”').waitFor();
    const details = page.getByRole('button', { name: 'Details' });
    await details.click();
    expect(await details.getAttribute('aria-expanded')).toBe('true');
    const facts = page.getByRole('row').filter({ hasText: 'name' });
    expect(await facts.getByRole('cell').allInnerTexts()).toEqual(['summary', 'Summary']);
    await details.click();
    await facts.waitFor({ state: 'detached' });
  });

  test('is filtered by who, what and when, and the address keeps it', async () => {
    const page = await openAudit();
    const who = page.getByRole('searchbox', { name: 'Who' });
    await who.fill('Grace@example.com');
    await who.press('Enter');
    await page.getByText('grace@example.com created the API key “By Grace”').waitFor();
    await page.getByText('That is all that matches.').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(1);
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.getByRole('combobox', { name: 'What' }).selectOption('Members: all');
    await page.getByText('Nothing matches').waitFor();
    expect(new URL(page.url()).search).toBe('?actor=Grace%40example.com&kind=member');
    await page.reload();
    expect(await who.inputValue()).toBe('Grace@example.com');
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page.getByText('owner@localhost added p-59@example.com').waitFor();
    expect(await who.inputValue()).toBe('');
    await page.getByRole('combobox', { name: 'What' }).selectOption('Workspaces: created');
    await page.getByText('created the workspace search').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(1);
  });

  test('days are those of the person who looks', async () => {
    const page = await openAudit('?kind=workspace.created');
    const today: string = await page.evaluate(
      "[new Date().getFullYear(), new Date().getMonth() + 1, new Date().getDate()].map((part) => String(part).padStart(2, '0')).join('-')",
    );
    await page.getByLabel('From').fill(today);
    await page.getByLabel('To').fill(today);
    await page.getByText('created the workspace search').waitFor();
    await page.getByLabel('To').fill('2020-01-01');
    await page.getByText('Nothing matches').waitFor();
    await page.getByLabel('To').fill('');
    await page.getByText('created the workspace search').waitFor();
    expect(new URL(page.url()).searchParams.get('since')).toBe(today);
  });

  test.each([
    ['summary', null],
    ['ranking', 'search'],
  ])('a preset leads to its page: %s', async (slug, workspace) => {
    const page = await openAudit('?kind=preset.created');
    await page.getByRole('link', { name: slug }).click();
    await page.waitForURL(`**/presets/${slug}`);
    const chosen = page.getByRole('combobox', { name: 'Workspace' }).locator('option:checked');
    expect(await chosen.innerText()).toBe(workspace ?? 'Default');
  });
});

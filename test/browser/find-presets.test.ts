import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';

const presets = [
  {
    slug: 'support-bot',
    name: 'Support bot',
    tags: ['support', 'eu', 'team:customer-experience', 'gpt-5'],
    labels: ['production', 'staging'],
    prompt: 'Never promise a delivery date.',
  },
  { slug: 'refunds', name: 'Refunds', tags: ['support', 'us'], labels: ['production'], prompt: 'Be exact.' },
  { slug: 'newsletter', name: 'Newsletter', tags: ['eu'], labels: [], prompt: 'Write three paragraphs.' },
  { slug: 'search-terms', name: 'Search terms', tags: [], labels: ['canary'], prompt: 'List ten terms.' },
] as const;

describeInBrowser('finding presets', () => {
  const dashboard = useDashboard();

  beforeAll(async () => {
    const { server } = dashboard;
    for (const { slug, name, tags, labels, prompt } of presets) {
      const path = `/api/v1/presets/${slug}`;
      const body = { model: 'anthropic/claude-sonnet-4.5', instructions: prompt, input: 'Hello' };
      await server.post(`${path}/responses`, body);
      await server.send('PATCH', path, { name, tags });
      for (const label of labels) await server.send('PUT', `${path}/labels/${label}`, { version: 1 });
    }
  });

  /** The names in the list, sorted. */
  const names = async (page: Page): Promise<readonly string[]> =>
    (await page.locator('tbody [data-row-link]').allInnerTexts()).toSorted();
  const expectNames = (page: Page, expected: readonly string[]) =>
    expect.poll(() => names(page)).toEqual(expected);
  const tagIn = (page: Page, row: string, tag: string) =>
    page.getByRole('row', { name: new RegExp(row) }).getByRole('link', { name: tag, exact: true });
  const tagParam = (page: Page) => new URL(page.url()).searchParams.get('tag');
  const everything = ['Newsletter', 'Refunds', 'Search terms', 'Support bot'];

  test('tags filter the list by click and by choice, and are removed by Back and by keyboard', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await expectNames(page, everything);
    await tagIn(page, 'refunds', 'support').click();
    await expectNames(page, ['Refunds', 'Support bot']);
    expect(tagParam(page)).toBe('support');
    await tagIn(page, 'support-bot', 'eu').click();
    await expectNames(page, ['Support bot']);
    expect(tagParam(page)).toBe('support,eu');
    await expectGoodInEveryAppearance(page, 'presets-tagged');
    await page.goBack();
    await expectNames(page, ['Refunds', 'Support bot']);
    await page.goBack();
    await expectNames(page, everything);
    expect(await page.getByRole('button', { name: /^Remove filter/ }).count()).toBe(0);

    const field = page.getByRole('combobox', { name: 'Tag' });
    await field.selectOption('eu (2)');
    await expectNames(page, ['Newsletter', 'Support bot']);
    expect(await field.inputValue()).toBe('');
    await page.getByRole('searchbox').fill('news');
    await expectNames(page, ['Newsletter']);
    expect(new URL(page.url()).search).toBe('?tag=eu&q=news');
    await page.reload();
    await expectNames(page, ['Newsletter']);
    await page.getByRole('button', { name: 'Remove filter eu' }).press('Enter');
    await page.getByRole('button', { name: 'Remove filter eu' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?q=news');
    // The pressed button is gone; the focus stays with the filters.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT');
  });

  test('label, model and person narrow the list, and saved filters, favorites and recent presets are on top', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await expectNames(page, everything);
    await page.getByRole('combobox', { name: 'Label' }).selectOption('production (2)');
    await expectNames(page, ['Refunds', 'Support bot']);
    await page.getByRole('combobox', { name: 'Model' }).selectOption('anthropic/claude-sonnet-4.5 (4)');
    await page.getByRole('combobox', { name: 'Updated by' }).selectOption('Preset Owner (you) (4)');
    await expectNames(page, ['Refunds', 'Support bot']);
    await page.getByRole('button', { name: 'Save filter…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('In production');
    await page.getByRole('button', { name: 'Save filter', exact: true }).click();
    const saved = page.getByRole('navigation', { name: 'Saved filters' });
    await saved.getByRole('link', { name: 'In production' }).waitFor();
    await saved.getByRole('link', { name: 'All presets' }).click();
    await expectNames(page, everything);

    await page.getByRole('button', { name: 'Favorite Refunds' }).click();
    const favorites = page.getByRole('navigation', { name: 'Favorites' });
    await favorites.getByRole('link', { name: 'Refunds' }).waitFor();
    await page.locator('tbody').getByRole('link', { name: 'Newsletter' }).click();
    await page.getByRole('heading', { name: 'Newsletter', level: 1 }).waitFor();
    // The page remembers a preset right after showing it.
    await expect.poll(() => page.evaluate('JSON.stringify(localStorage)')).toContain('Newsletter');
    await page.goBack();
    await page
      .getByRole('navigation', { name: 'Recent' })
      .getByRole('link', { name: 'Newsletter' })
      .waitFor();
    await page.reload();
    await favorites.getByRole('link', { name: 'Refunds' }).waitFor();
    await expectGoodInEveryAppearance(page, 'presets-favorites');
    await page.getByRole('button', { name: 'Favorite Refunds' }).click();
    await favorites.waitFor({ state: 'detached' });

    await saved.getByRole('link', { name: 'In production' }).click();
    await expectNames(page, ['Refunds', 'Support bot']);
    await page.getByRole('button', { name: 'Delete filter' }).click();
    await saved.getByRole('link', { name: 'In production' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await saved.getByRole('link', { name: 'In production' }).waitFor();
  });

  test('an unknown tag leads to an empty list, an invalid one is explained, and one of a preset to its list', async () => {
    const page = await dashboard.open('/?tag=nobody&q=bot&status=active', { key: apiKey });
    await page.getByRole('heading', { name: 'No matching presets' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expectNames(page, everything);
    expect(new URL(page.url()).search).toBe('');

    await page.evaluate(`history.pushState(null, '', '/w/default/presets?tag=Not%20a%20tag')`);
    await page.getByRole('alert').getByText('must be 1 to 64 characters').waitFor();
    await page.getByRole('button', { name: 'Remove filter Not a tag' }).click();
    await expectNames(page, everything);

    await page.getByRole('link', { name: 'Support bot' }).click();
    await page.getByRole('list', { name: 'Tags' }).getByRole('link', { name: 'support' }).click();
    await expectNames(page, ['Refunds', 'Support bot']);
    expect(tagParam(page)).toBe('support');
    await page.goBack();
    await page.getByRole('heading', { name: 'Support bot', level: 1 }).waitFor();
  });

  test('a search finds a word of the prompt', async () => {
    // Prompts are indexed in the background.
    const found = async () => (await dashboard.server.get('/api/v1/presets?q=deliver')).body.data.length;
    await expect.poll(found).toBe(1);
    const page = await dashboard.open('/', { key: apiKey });
    const search = page.getByRole('searchbox');
    expect(await search.getAttribute('placeholder')).toBe('Search by name, slug, prompt, note or model');
    const place = await search.boundingBox();
    await search.fill('deliver');
    await expectNames(page, ['Support bot']);
    // The row says where, in place of the slug.
    const row = page.getByRole('row', { name: /Support bot/ });
    await row.getByText('Never promise a delivery date.').waitFor();
    expect(await row.locator('mark').innerText()).toBe('deliver');
    expect(await row.getByText('support-bot').count()).toBe(0);
    // “Save filter…” has appeared, and nothing has moved.
    await page.getByRole('button', { name: 'Save filter…' }).waitFor();
    expect(await search.boundingBox()).toEqual(place);
    await expectGoodInEveryAppearance(page, 'presets-snippet');
    await search.fill('support');
    await row.getByText('support-bot').waitFor();
    expect(await row.locator('mark').count()).toBe(0);
  });

  test('letters move through the list, open a preset and create one', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await expectNames(page, everything);
    const rows = await page.locator('tbody [data-row-link]').allInnerTexts();
    const focused = () => page.evaluate('document.activeElement.textContent');
    for (const [key, index] of [
      ['j', 0],
      ['j', 1],
      ['j', 2],
      ['k', 1],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(rows[index]);
    }
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const name of ['Next preset', 'Previous preset', 'Open the preset', 'Create a preset'])
      await keys.getByText(name, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    expect(await focused()).toBe(rows[1]);
    await expectGoodInEveryAppearance(page, 'presets-focused');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: rows[1] ?? '', level: 1 }).waitFor();
    await page.goBack();
    await expectNames(page, everything);
    // In a field they are letters.
    await page.keyboard.press('/');
    await page.keyboard.type('c');
    expect(await page.getByRole('searchbox').inputValue()).toBe('c');
    await page.getByRole('searchbox').fill('');
    await page.locator('h1').click();
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'New preset' }).waitFor();
  });
});

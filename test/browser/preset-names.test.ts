import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { choose } from '../support/menu.ts';
import { apiKey, managementKey } from '../support/server.ts';

describeInBrowser('the names and tags of a preset', () => {
  const dashboard = useDashboard();
  const send = (method: string, path: string, body?: unknown) =>
    dashboard.server.send(method, `/api/v1/presets/${path}`, body);
  const aliasesOf = async (slug: string): Promise<readonly string[]> =>
    (await send('GET', `${slug}/aliases`)).body.data.map(({ alias }: { alias: string }) => alias);
  const tagsOf = async (slug: string): Promise<readonly string[]> =>
    (await send('GET', `${slug}/tags`)).body.data;

  async function capture(slug: string): Promise<void> {
    const body = { model: 'a/b', instructions: `You are ${slug}.`, input: 'Hello' };
    expect((await dashboard.server.post(`/api/v1/presets/${slug}/responses`, body)).status).toBe(200);
  }

  async function open(slug: string, path = '', options: object = {}): Promise<Page> {
    await capture(slug);
    return show(slug, path, options);
  }

  async function show(slug: string, path = '', options: object = {}): Promise<Page> {
    const page = await dashboard.open(`/presets/${slug}/history${path}`, { key: apiKey, ...options });
    await page.getByRole('button', { name: 'Add alias…' }).waitFor();
    return page;
  }

  const alias = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Aliases' }).getByRole('listitem').filter({ hasText: name });
  const tag = (page: Page, name: string) =>
    page.getByRole('group', { name: 'Tags' }).getByRole('link', { name, exact: true });
  const tagField = (page: Page) => page.getByRole('textbox', { name: 'Add tag' });

  test('an alias can be added and removed, and an invalid or taken one is explained at its field', async () => {
    await capture('other');
    await send('PUT', 'other/aliases/others', {});
    const page = await open('aliased');
    await page.getByRole('button', { name: 'Add alias…' }).click();
    const field = page.getByRole('textbox', { name: 'Alias' });
    const add = page.getByRole('button', { name: 'Add alias', exact: true });
    for (const [invalid, message] of [
      ['a/b', 'The alias must be 1 to 128 characters'],
      ['aliased', 'The preset already has this name.'],
    ] as const) {
      await field.fill(invalid);
      await page.getByText(message).waitFor();
      expect(await add.isDisabled()).toBe(true);
    }
    for (const [taken, message] of [
      ['other', '"other" is already the slug of another preset.'],
      ['others', '"others" is already an alias of the preset "other".'],
    ] as const) {
      await field.fill(taken);
      await add.click();
      await page.getByText(message).waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    await expectGoodInEveryAppearance(page, 'preset-alias-taken');
    // Pasted.
    await field.fill(' pmpt_68a4b1 ');
    await page.getByText('Call it as @preset/pmpt_68a4b1.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe(null);
    await field.press('Enter');
    await page.getByText('Added alias pmpt_68a4b1').waitFor();
    await alias(page, 'pmpt_68a4b1').waitFor();
    expect(await aliasesOf('aliased')).toEqual(['pmpt_68a4b1']);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Add alias…');

    await page.getByRole('button', { name: 'Remove alias pmpt_68a4b1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove alias' });
    await dialog.getByText('Calls to @preset/pmpt_68a4b1 fail from now on.').waitFor();
    await expectGoodInEveryAppearance(page, 'preset-remove-alias');
    await dialog.getByRole('button', { name: 'Remove alias' }).click();
    await alias(page, 'pmpt_68a4b1').waitFor({ state: 'detached' });
    expect(await aliasesOf('aliased')).toEqual([]);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Add alias…');
    await page.getByRole('button', { name: 'Undo' }).click();
    await alias(page, 'pmpt_68a4b1').waitFor();
    expect(await aliasesOf('aliased')).toEqual(['pmpt_68a4b1']);
  });

  test('twenty aliases are collapsed, and no more can be added', async () => {
    await capture('full');
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    await Promise.all(numbers.map((number) => send('PUT', `full/aliases/full-${number}`)));
    const page = await show('full');
    await page.getByRole('button', { name: '17 more aliases' }).click();
    await alias(page, 'full-9').waitFor();
    expect(await page.getByRole('list', { name: 'Aliases' }).getByRole('listitem').count()).toBe(20);
    const add = page.getByRole('button', { name: 'Add alias…' });
    expect(await add.isDisabled()).toBe(true);
    expect(await add.getAttribute('title')).toBe('A preset has at most 20 aliases');
    await expectGoodInEveryAppearance(page, 'preset-aliases');
    // The old slug would be one more.
    await choose(page, 'More actions', 'Rename and edit…');
    const slug = page.getByRole('textbox', { name: 'Slug' });
    await slug.fill('fuller');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('already has 20 aliases').waitFor();
    expect(await slug.getAttribute('aria-invalid')).toBe('true');
  });

  test('a new slug changes the address, can be undone, and an invalid one is explained at its field', async () => {
    await capture('occupied');
    const page = await open('before', '/1');
    await choose(page, 'More actions', 'Rename and edit…');
    const slug = page.getByRole('textbox', { name: 'Slug' });
    await page.getByText('the old slug keeps working as an alias').waitFor();
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await slug.fill('two words');
    await page.getByText('The slug must be 1 to 128 characters').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await slug.fill('occupied');
    await save.click();
    await page.getByText('"occupied" is already the slug of another preset.').waitFor();
    expect(await slug.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('alert').count()).toBe(0);
    await slug.fill('vacant');
    await save.click();
    await page.waitForURL('**/presets/vacant/history/1');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForURL('**/presets/before/history/1');
    await page.getByText('Changed the slug back to before; vacant is now an alias').waitFor();
    await alias(page, 'vacant').waitFor();
    expect(await aliasesOf('before')).toEqual(['vacant']);

    await choose(page, 'More actions', 'Rename and edit…');
    await slug.fill('after');
    await page.getByText('@preset/before keeps working: the old slug becomes an alias.').waitFor();
    await expectGoodInEveryAppearance(page, 'preset-rename');
    await save.click();
    await page.waitForURL('**/presets/after/history/1');
    await page.getByText('Changed the slug to after; before is now an alias').waitFor();
    await alias(page, 'before').waitFor();
    await page.getByText('You are before.').waitFor();

    // The page keeps working under its new name.
    await tagField(page).fill('moved');
    await tagField(page).press('Enter');
    await tag(page, 'moved').waitFor();
    expect(await tagsOf('after')).toEqual(['moved']);
    await page.getByRole('link', { name: 'Events' }).click();
    await page.waitForURL('**/presets/after/events');
    await page.getByText('changed the slug from before to after').waitFor();
    await page.getByText('set the tags to moved').waitFor();

    // The old one leads to the preset.
    await page.evaluate(`history.pushState(null, '', '/presets/before/events?offset=0')`);
    await page.waitForURL('**/presets/after/events?offset=0');
  });

  test('an open dialog keeps its text when someone else renames the preset', async () => {
    const page = await open('renamed-elsewhere');
    await choose(page, 'More actions', 'Rename and edit…');
    await page.getByRole('textbox', { name: 'Description' }).fill('Mine.');
    await send('PATCH', 'renamed-elsewhere', { slug: 'elsewhere' });
    await expect
      .poll(async () => {
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        return page.getByRole('main').locator('header .mono').allInnerTexts();
      })
      .toContain('elsewhere');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('dialog', { name: 'Changed by someone else' });
    await conflict.getByRole('row', { name: 'Slug renamed-elsewhere elsewhere' }).waitFor();
    await conflict.getByRole('button', { name: 'Keep editing' }).click();
    expect(await page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('Mine.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**/presets/elsewhere/history');
    expect((await send('GET', 'elsewhere')).body.data).toMatchObject({ description: 'Mine.' });
  });

  test('tags are added and removed by keyboard and mouse, and an invalid one is explained at its field', async () => {
    const page = await open('tagged');
    await tabTo(page, 'Add tag');
    await page.keyboard.insertText('eu');
    await page.keyboard.press('Enter');
    await tag(page, 'eu').waitFor();
    // Focus stays in the field, for the next one.
    await page.keyboard.insertText('us');
    await page.keyboard.press('Enter');
    await tag(page, 'us').waitFor();
    expect(await tagsOf('tagged')).toEqual(['eu', 'us']);
    await page.keyboard.press('Shift+Tab');
    expect(await focusedName(page)).toBe('Remove tag us');
    await page.keyboard.press('Enter');
    await tag(page, 'us').waitFor({ state: 'detached' });
    expect(await tagsOf('tagged')).toEqual(['eu']);
    // The pressed button is gone; the next Tab is still at the tags.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('eu');

    // Tags are lower case.
    await tagField(page).fill('Support');
    await tagField(page).press('Enter');
    await tag(page, 'support').waitFor();
    // A comma ends a tag, too.
    await tagField(page).pressSequentially('team:growth,');
    await tag(page, 'team:growth').waitFor();
    expect(await tagField(page).inputValue()).toBe('');
    expect(await tagsOf('tagged')).toEqual(['eu', 'support', 'team:growth']);
    await page.getByRole('button', { name: 'Remove tag support' }).click();
    await tag(page, 'support').waitFor({ state: 'detached' });
    expect(await tagsOf('tagged')).toEqual(['eu', 'team:growth']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await tag(page, 'support').waitFor();
    expect(await tagsOf('tagged')).toEqual(['eu', 'support', 'team:growth']);

    // A tag is added to those that someone else has added meanwhile.
    await send('PATCH', 'tagged', { tags: ['theirs'] });
    await tagField(page).fill('mine');
    await tagField(page).press('Enter');
    await tag(page, 'mine').waitFor();
    await tag(page, 'theirs').waitFor();
    expect(await tagsOf('tagged')).toEqual(['mine', 'theirs']);

    for (const [text, message] of [
      ['two words', 'A tag must be 1 to 64 characters'],
      ['theirs', 'theirs is already in the list.'],
    ] as const) {
      await tagField(page).fill(text);
      await tagField(page).press('Enter');
      await page.getByText(message).waitFor();
      expect(await tagField(page).getAttribute('aria-invalid')).toBe('true');
    }
    await expectGoodInEveryAppearance(page, 'preset-tag-refused');
    await tagField(page).fill('fine');
    expect(await tagField(page).getAttribute('aria-invalid')).toBe(null);
  });

  test('names and tags that cannot be loaded are reported, and a tag that cannot be added keeps its text', async () => {
    const page = await open('offline', '', { isFailing: true });
    await page.route('**/api/v1/presets/offline', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await tagField(page).fill('kept');
    await tagField(page).press('Enter');
    await page.getByRole('alert').getByText('Cannot reach the server').waitFor();
    expect(await tagField(page).inputValue()).toBe('kept');

    await page.route(/\/offline\/(aliases|tags)$/, (route) => route.abort());
    await page.reload();
    await page.getByText('Could not load the aliases.').waitFor();
    await page.getByText('Could not load the tags.').waitFor();
    await expectAccessible(page);
  });

  test('a read-only key sees names and tags without buttons', async () => {
    await capture('readable');
    await send('PUT', 'readable/aliases/legible');
    await send('PATCH', 'readable', { tags: ['plain'] });
    const body = { name: 'Reader', kind: 'management', read_only: true };
    const { key } = (await dashboard.server.post('/api/v1/keys', body, { key: managementKey })).body;
    const page = await dashboard.open('/presets/readable/history', { key });
    await alias(page, 'legible').waitFor();
    await tag(page, 'plain').waitFor();
    expect(await page.getByRole('button', { name: /alias|tag/i }).count()).toBe(0);
    expect(await tagField(page).count()).toBe(0);
    await expectAccessible(page);
  });
});

function focusedName(page: Page): Promise<string | null> {
  return page.evaluate("document.activeElement.getAttribute('aria-label')");
}

/** Presses Tab until the field with this placeholder has the focus. */
async function tabTo(page: Page, placeholder: string): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement.placeholder')) === placeholder) return;
  }
  throw new Error(`"${placeholder}" cannot be reached by keyboard.`);
}

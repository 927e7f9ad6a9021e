import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { accepted, panel, paste, requestBody } from '../support/capture-page.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';

const chat = (system: string) => ({ model: 'm', messages: [{ role: 'system', content: system }] });

describeInBrowser('the page for a new version', () => {
  const dashboard = useDashboard();
  const create = (slug: string, request: object, path = 'chat/completions') =>
    dashboard.server.post(`/api/v1/presets/${slug}/${path}`, request);
  const open = (slug: string, options = {}) =>
    dashboard.open(`/presets/${slug}/new`, { key: apiKey, ...options });
  const live = async (slug: string) =>
    (await dashboard.server.get(`/api/v1/presets/${slug}`)).body.data.designated_version;

  test('begins with the live version, which is changed and saved', async () => {
    const slug = 'changed';
    await create(slug, { ...chat('First.'), temperature: 0.5 });
    const page = await open(slug);
    await page.getByText('Nothing differs from version 1, which is live.').waitFor();
    await accepted(page);
    await expectGoodInEveryAppearance(page, 'new-version');
    const text = await requestBody(page).innerText();
    await paste(page, text.replace('First.', 'Second.'));
    await panel(page, 'Kept').getByText('Second.').waitFor();
    expect(await page.getByText('Nothing differs').count()).toBe(0);
    await page.getByRole('button', { name: 'Save version 2' }).click();
    await page.waitForURL(`**/presets/${slug}?version=2`);
    await page.getByText('Version 2 is live').waitFor();
    expect(await live(slug)).toMatchObject({
      version: 2,
      config: { model: 'm', temperature: 0.5 },
      system_prompt: 'Second.',
    });
  });

  /** Versions 1 to 4, each with its number in its prompt; version 2 is live. */
  async function createFour(slug: string): Promise<void> {
    for (const number of [1, 2, 3, 4]) await create(slug, chat(`Take ${number}.`));
    await dashboard.server.send('PUT', `/api/v1/presets/${slug}/labels/staging`, { version: 3 });
    await dashboard.server.send('PATCH', `/api/v1/presets/${slug}`, { designated_version: 2 });
  }

  test('starts from the version on screen, which the address names and a reload keeps', async () => {
    await createFour('shown');
    const page = await dashboard.open('/presets/shown?version=4', { key: apiKey });
    await page.getByText('This is version 4. Version 2 is live.').waitFor();
    await page.getByRole('link', { name: 'New version' }).click();
    await page.waitForURL('**/presets/shown/new?from=4');
    await page.getByText('Starts from version 4. Replaces live version 2 when saved.').waitFor();
    expect(await requestBody(page).innerText()).toContain('Take 4.');
    await page.getByText('No changes to version 4 yet.').waitFor();
    await accepted(page);
    await expectGoodInEveryAppearance(page, 'new-version-from');
    await page.reload();
    await accepted(page);
    expect(await requestBody(page).innerText()).toContain('Take 4.');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.waitForURL('**/presets/shown?version=4');
    await page.goBack();
    await paste(page, chat('Take 5.'));
    await accepted(page);
    await page.getByRole('button', { name: 'Save version 5' }).click();
    await page.waitForURL('**/presets/shown?version=5');
    expect(await live('shown')).toMatchObject({ version: 5, system_prompt: 'Take 5.' });
  });

  test.each([
    ['the overview', '', 2],
    ['the overview of an older version', '?version=1', 1],
    ['a comparison', '/compare?from=4&to=1', 1],
    ['a comparison of the live version with the newest', '/compare', 4],
    ['the examples for a version', '/use?pin=3', 3],
    ['the examples for a label', '/use?pin=staging', 3],
    ['the events', '/events', 2],
  ])('in %s, "New version" leads to the version that is shown', async (title, address, from) => {
    const slug = `from-${title.replaceAll(/\W/g, '-')}`;
    await createFour(slug);
    const page = await dashboard.open(`/presets/${slug}${address}`, { key: apiKey });
    const link = page.getByRole('link', { name: 'New version' });
    await expect.poll(() => link.getAttribute('href')).toBe(`/presets/${slug}/new?from=${from}`);
  });

  test('a long prompt beside the editor can be shown whole', async () => {
    await create('long', chat('A rule of the prompt.\n'.repeat(60)));
    const page = await open('long');
    await accepted(page);
    const prompt = panel(page, 'Kept').getByRole('region', { name: 'System prompt' });
    const heightOf = async () => (await prompt.boundingBox())?.height ?? 0;
    expect(await heightOf()).toBeLessThan(330);
    await expectGoodInEveryAppearance(page, 'new-version-long');
    await panel(page, 'Kept').getByRole('button', { name: 'Show all' }).click();
    expect(await heightOf()).toBeGreaterThan(1_000);
  });

  test('an address without a version gets that of the live one', async () => {
    await createFour('unnamed');
    const page = await open('unnamed');
    await page.waitForURL('**/presets/unnamed/new?from=2');
    await page.getByText('Starts from live version 2 and replaces it when saved.').waitFor();
    expect(await requestBody(page).innerText()).toContain('Take 2.');
  });

  test.each([
    ['9', 'Version 9 could not be read.'],
    ['x', 'There is no version “x”.'],
  ])('the address of a version %s that does not exist leads to the live one', async (from, title) => {
    const slug = `missing-${from}`;
    await createFour(slug);
    const page = await dashboard.open(`/presets/${slug}/new?from=${from}`, { key: apiKey });
    await page.getByRole('alert').getByText(title).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Start from the live version' }).click();
    await page.waitForURL(`**/presets/${slug}/new?from=2`);
    await accepted(page);
  });

  test.each([
    ['chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
    ['messages', { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }],
    ['messages', { model: 'm', system: 'Be brief.', messages: [] }],
    ['responses', { model: 'm', temperature: 1 }],
    ['responses', { model: 'm', instructions: 'Be brief.', input: 'Hi' }],
  ])('a version in %s is taken again as it is: %j', async (path, request) => {
    const slug = `again-${path.length}-${JSON.stringify(request).length}`;
    await create(slug, request, path);
    const page = await open(slug);
    await page.getByText('Nothing differs from version 1').waitFor();
    await page.getByRole('button', { name: 'Save version 2' }).click();
    await page.waitForURL(`**/presets/${slug}?version=2`);
    const versions = await dashboard.server.get(`/api/v1/presets/${slug}/versions`);
    const [one, two] = versions.body.data;
    expect([two.config, two.system_prompt, two.dialect]).toEqual([
      one.config,
      one.system_prompt,
      one.dialect,
    ]);
  });

  test('what somebody else made live meanwhile is not replaced unseen', async () => {
    await create('contested', chat('Mine.'));
    const page = await open('contested');
    await accepted(page);
    await paste(page, chat('Mine, changed.'));
    await create('contested', chat('Theirs.'));
    await page.getByRole('button', { name: /^Save version/ }).click();
    await page.getByRole('dialog').waitFor();
    await expectGoodInEveryAppearance(page, 'new-version-conflict');
    expect((await live('contested')).system_prompt).toBe('Theirs.');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await requestBody(page).innerText()).toContain('Mine, changed.');
    await page.getByRole('button', { name: 'Save version 3' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Do it anyway' }).click();
    await page.waitForURL('**/presets/contested?version=3');
    expect((await live('contested')).system_prompt).toBe('Mine, changed.');
  });

  test('a version whose answer got lost is not made twice', async () => {
    await create('unheard', chat('One.'));
    const page = await open('unheard', { isFailing: true });
    await accepted(page);
    await paste(page, chat('Two.'));
    await accepted(page);
    await page.route(/unheard\/chat\/completions$/, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Save version 2' }).click();
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    await expectAccessible(page);
    await page.unroute(/unheard\/chat\/completions$/);
    await page.getByRole('button', { name: /^Save version/ }).click();
    await page.waitForURL('**/presets/unheard?version=2');
    const { body } = await dashboard.server.get('/api/v1/presets/unheard/versions');
    expect(body.total_count).toBe(2);
  });

  test('what the database keeps the server from checking is told, and checked again', async () => {
    await create('unchecked', chat('One.'));
    const page = await open('unchecked', { isFailing: true });
    await accepted(page);
    await page.route(/dry_run=true/, (route) =>
      route.fulfill({ status: 503, json: { error: { code: 503, message: 'The database cannot answer.' } } }),
    );
    await paste(page, chat('Two.'));
    const alert = page.getByRole('alert').filter({ hasText: 'The database cannot answer.' });
    await alert.waitFor();
    await expectGoodInEveryAppearance(page, 'new-version-unchecked');
    await page.unroute(/dry_run=true/);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await panel(page, 'Kept').getByText('Two.').waitFor();
  });

  test('an archived preset takes none, in the words of the server', async () => {
    await create('archived', chat('One.'));
    await dashboard.server.send('DELETE', '/api/v1/presets/archived');
    const page = await open('archived');
    await page.getByRole('alert').getByText('archived').first().waitFor();
    await expectAccessible(page);
  });

  test('a preset that does not exist is told', async () => {
    const page = await open('missing');
    await page.getByRole('alert').getByText('missing').waitFor();
    await expectAccessible(page);
  });
});

import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { accepted, panel, paste, requestBody } from '../support/capture-page.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';

const chat = (system: string) => ({ model: 'm', messages: [{ role: 'system', content: system }] });

describeInBrowser('the New version page', () => {
  const dashboard = useDashboard();
  const create = (slug: string, request: object, path = 'chat/completions') =>
    dashboard.server.post(`/api/v1/presets/${slug}/${path}`, request);
  const open = (slug: string, options = {}) =>
    dashboard.open(`/presets/${slug}/new`, { key: apiKey, ...options });
  const live = async (slug: string) =>
    (await dashboard.server.get(`/api/v1/presets/${slug}`)).body.data.designated_version;

  test('starts from the live version and saves the changed one', async () => {
    const slug = 'changed';
    await create(slug, { ...chat('First.'), temperature: 0.5 });
    const page = await open(slug);
    await page.getByText('Identical to live version 1.').waitFor();
    await accepted(page);
    await expectGoodInEveryAppearance(page, 'new-version');
    const text = await requestBody(page).innerText();
    await paste(page, text.replace('First.', 'Second.'));
    await panel(page, 'Saved').getByText('Second.').waitFor();
    expect(await page.getByText('Identical to').count()).toBe(0);
    await page.getByRole('button', { name: 'Save version 2' }).click();
    await page.waitForURL(`**/presets/${slug}?version=2`);
    await page.getByText('Version 2 is live').waitFor();
    expect(await live(slug)).toMatchObject({
      version: 2,
      config: { model: 'm', temperature: 0.5 },
      system_prompt: 'Second.',
    });
  });

  /** Versions 1 to 4, each with its number in the prompt; version 2 is live. */
  async function createFour(slug: string): Promise<void> {
    for (const number of [1, 2, 3, 4]) await create(slug, chat(`Take ${number}.`));
    await dashboard.server.send('PUT', `/api/v1/presets/${slug}/labels/staging`, { version: 3 });
    await dashboard.server.send('PATCH', `/api/v1/presets/${slug}`, { designated_version: 2 });
  }

  test('starts from the version on screen, which is in the URL and survives a reload', async () => {
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
    ['a comparison of the live version with the latest', '/compare', 4],
    ['the examples for a version', '/use?pin=3', 3],
    ['the examples for a label', '/use?pin=staging', 3],
    ['the events', '/events', 2],
  ])('in %s, "New version" starts from the version on screen', async (title, path, from) => {
    const slug = `from-${title.replaceAll(/\W/g, '-')}`;
    await createFour(slug);
    const page = await dashboard.open(`/presets/${slug}${path}`, { key: apiKey });
    const link = page.getByRole('link', { name: 'New version' });
    await expect.poll(() => link.getAttribute('href')).toBe(`/w/default/presets/${slug}/new?from=${from}`);
  });

  test('a long prompt next to the editor can be expanded', async () => {
    await create('long', chat('A rule of the prompt.\n'.repeat(60)));
    const page = await open('long');
    await accepted(page);
    const prompt = panel(page, 'Saved').getByRole('region', { name: 'System prompt' });
    const heightOf = async () => (await prompt.boundingBox())?.height ?? 0;
    expect(await heightOf()).toBeLessThan(330);
    await expectGoodInEveryAppearance(page, 'new-version-long');
    await panel(page, 'Saved').getByRole('button', { name: 'Show all' }).click();
    expect(await heightOf()).toBeGreaterThan(1_000);
  });

  test('a URL without a version gets the live one', async () => {
    await createFour('unnamed');
    const page = await open('unnamed');
    await page.waitForURL('**/presets/unnamed/new?from=2');
    await page.getByText('Starts from live version 2 and replaces it when saved.').waitFor();
    expect(await requestBody(page).innerText()).toContain('Take 2.');
  });

  test.each([
    ['9', 'Could not load version 9'],
    ['x', 'Version “x” does not exist'],
  ])('offers the live version if the URL names version %s, which does not exist', async (from, title) => {
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
  ])('saving an unchanged version of %s creates an identical one: %j', async (path, request) => {
    const slug = `again-${path.length}-${JSON.stringify(request).length}`;
    await create(slug, request, path);
    const page = await open(slug);
    await page.getByText('Identical to live version 1.').waitFor();
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

  test('does not replace a version that someone else made live meanwhile without asking', async () => {
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
    await page.getByRole('dialog').getByRole('button', { name: 'Apply anyway' }).click();
    await page.waitForURL('**/presets/contested?version=3');
    expect((await live('contested')).system_prompt).toBe('Mine, changed.');
  });

  test('retrying after a lost response does not create a second version', async () => {
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
    await page.getByRole('alert').getByText('Cannot reach the server').waitFor();
    await expectAccessible(page);
    await page.unroute(/unheard\/chat\/completions$/);
    await page.getByRole('button', { name: /^Save version/ }).click();
    await page.waitForURL('**/presets/unheard?version=2');
    const { body } = await dashboard.server.get('/api/v1/presets/unheard/versions');
    expect(body.total_count).toBe(2);
  });

  test('a failed check is reported and can be retried', async () => {
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
    await panel(page, 'Saved').getByText('Two.').waitFor();
  });

  test("shows the server's message for an archived preset", async () => {
    await create('archived', chat('One.'));
    await dashboard.server.send('DELETE', '/api/v1/presets/archived');
    const page = await open('archived');
    await page.getByRole('alert').getByText('archived').first().waitFor();
    await expectAccessible(page);
  });

  test('reports a preset that does not exist', async () => {
    const page = await open('missing');
    await page.getByRole('alert').getByText('missing').waitFor();
    await expectAccessible(page);
  });
});

import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { createRandom } from '../support/random.ts';
import { apiKey, managementKey } from '../support/server.ts';

const rules = Array.from({ length: 12 }, (_, index) => `Rule ${index + 1} of the house.`).join('\n');
const tool = (description: string) => ({ type: 'function', function: { name: 'find_parcel', description } });
const weather = { type: 'function', function: { name: 'get_weather' } };

/** Three versions; the last has what the second has. */
const versions = [
  {
    model: 'openai/gpt-5',
    temperature: 0.2,
    seed: 7,
    provider: { sort: 'price', order: ['openai'] },
    tools: [tool('Finds a parcel')],
    messages: [{ role: 'system', content: `Be brief and kind.\n${rules}\nSign as Acme.` }],
  },
  ...Array.from({ length: 2 }, () => ({
    model: 'openai/gpt-5',
    temperature: 0.4,
    provider: { order: ['openai'], sort: 'price' },
    tools: [weather, tool('Finds a parcel by its number')],
    stop: ['END'],
    messages: [{ role: 'system', content: `Be brief and very kind.\n${rules}\nSign as Acme.` }],
  })),
];

describeInBrowser('the comparison of versions', () => {
  const dashboard = useDashboard();
  const path = '/presets/support-bot/compare';
  const presetPath = '/api/v1/presets/support-bot';

  beforeAll(async () => {
    for (const version of versions) await dashboard.server.post(`${presetPath}/chat/completions`, version);
    await dashboard.server.send('PUT', `${presetPath}/labels/production`, { version: 1 });
    await dashboard.server.post('/api/v1/presets/single/chat/completions', versions[0]);
  });
  beforeEach(async () => {
    await dashboard.server.send('PATCH', presetPath, { designated_version: 1, name: 'Support' });
  });

  const live = async () => (await dashboard.server.get(presetPath)).body.data.designated_version.version;

  test('says where too much changed to compare in detail', async () => {
    const random = createRandom(5);
    const prompt = () => Array.from({ length: 8_000 }, () => random.pick(['a', 'b', 'c'])).join('\n');
    const long = 'x'.repeat(3_000);
    for (const type of ['string', 'number'])
      await dashboard.server.post('/api/v1/presets/large/responses', {
        instructions: prompt(),
        tools: [{ type: 'function', name: 't', parameters: { [long]: { type } } }],
      });
    const page = await dashboard.open('/presets/large/compare?from=1&to=2', { key: apiKey });
    await page.getByText('Too many lines changed to compare in detail.').waitFor();
    await page.getByText('nested too deep to compare in detail').waitFor();
    await expectAccessible(page);
  });

  test('shows the prompt by words and the settings by fields', async () => {
    const page = await dashboard.open(`${path}?from=1&to=2`, { key: apiKey });
    const prompt = page.getByRole('table', { name: 'System prompt' });
    await prompt.waitFor();
    expect(await prompt.locator('ins').allInnerTexts()).toEqual(['very ']);
    expect(await prompt.locator('del').count()).toBe(0);
    const rows = page
      .getByRole('table', { name: 'Changed settings' })
      .locator('tbody')
      .first()
      .locator('> tr');
    const told = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(told).toEqual([
      expect.stringMatching(/^temperature changed 0\.2 0\.4$/),
      expect.stringMatching(/^seed removed 7 not set$/),
      expect.stringMatching(
        /^tools › find_parcel › function\.description changed "Finds a parcel" "Finds a parcel by/,
      ),
      expect.stringMatching(/^tools › get_weather added not set /),
      expect.stringMatching(/^stop added not set \["END"\]$/),
    ]);
    await page.getByText('4 unchanged fields').click();
    await page.getByRole('table', { name: 'Unchanged settings' }).getByText('provider').waitFor();
    await expectGoodInEveryAppearance(page, 'compare');
  });

  test('without a choice compares what is live with the newest', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    expect(await chosen(page)).toEqual(['Version 1 · live · production', 'Version 3']);
  });

  test('reads no version but the two', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    const read: number[] = [];
    page.on('response', async (response) => {
      if (!/\/versions\b/.test(new URL(response.url()).pathname)) return;
      const { data } = await response.json();
      read.push(...[data].flat().map(({ version }) => version));
    });
    await page.goto(new URL(`${path}?from=2&to=3`, page.url()).href);
    await page.getByText('These versions are the same.').waitFor();
    await vi.waitFor(() => expect(read.toSorted()).toEqual([2, 3]));
  });

  test('lets any two be chosen and swapped, and the address keeps them', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('combobox', { name: 'To' }).selectOption('Version 2');
    await page.getByRole('button', { name: 'Swap the two versions' }).click();
    await vi.waitFor(() => expect(new URL(page.url()).search).toBe('?from=2&to=1'));
    const prompt = page.getByRole('table', { name: 'System prompt' });
    await prompt.locator('del').waitFor();
    expect(await prompt.locator('del').allInnerTexts()).toEqual(['very ']);
    await page.reload();
    await prompt.waitFor();
    expect(await chosen(page)).toEqual(['Version 2', 'Version 1 · live · production']);
  });

  test('says so where two versions are the same', async () => {
    const page = await dashboard.open(`${path}?from=2&to=3`, { key: apiKey });
    await page.getByText('These versions are the same.').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
  });

  test('says so where the address asks for a version that does not exist', async () => {
    const page = await dashboard.open(`${path}?from=9&to=2`, { key: apiKey });
    await page.getByText('There is no version 9 of this preset. It has versions 1 to 3.').waitFor();
  });

  test('finds one of many versions by its number', async () => {
    for (let version = 1; version <= 102; version += 1)
      await dashboard.server.post('/api/v1/presets/many/chat/completions', { ...versions[0], seed: version });
    const page = await dashboard.open('/presets/many/compare', { key: apiKey });
    const number = page.getByRole('textbox', { name: 'From, by number' });
    await number.fill('103');
    await page.getByText('There are versions 1 to 102.').waitFor();
    await number.fill('1');
    await vi.waitFor(async () => expect(await chosen(page)).toEqual(['Version 1', 'Version 102 · live']));
    const row = page.getByRole('table', { name: 'Changed settings' }).getByRole('row', { name: /seed/ });
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toBe('seed changed 1 102');
  });

  test('says so where there is nothing to compare', async () => {
    const page = await dashboard.open('/presets/single/compare', { key: apiKey });
    await page.getByRole('heading', { name: 'There is one version so far' }).waitFor();
    await expectAccessible(page);
  });

  test('folds lines that did not change, and shows them by keyboard alone', async () => {
    const page = await dashboard.open(`${path}?from=1&to=2`, { key: apiKey });
    const fold = page.getByRole('button', { name: 'Show 10 unchanged lines' });
    await fold.waitFor();
    expect(await page.getByText('Rule 9 of the house.').count()).toBe(0);
    await fold.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Rule 9 of the house.').first().waitFor();
    expect(await page.evaluate('document.activeElement.innerText')).toContain('Rule 4 of the house.');
  });

  test('folds a setting again for the next two versions', async () => {
    for (const first of ['One', 'Two', 'Three'])
      await dashboard.server.post('/api/v1/presets/folded/chat/completions', {
        ...versions[0],
        tools: [tool(`${first}.\n${rules}`)],
      });
    const page = await dashboard.open('/presets/folded/compare?from=1&to=3', { key: apiKey });
    const fold = page.getByRole('button', { name: /^Show \d+ unchanged lines$/ });
    const rule = page.getByText('Rule 9 of the house.').first();
    const to = page.getByRole('combobox', { name: 'To' });
    // Once both pairs have been read, one takes the place of the other at once.
    await page.getByText('Three.').first().waitFor();
    await to.selectOption('Version 2');
    await page.getByText('Two.').first().waitFor();
    await fold.click();
    await rule.waitFor();
    await to.selectOption('Version 3 · live');
    await page.getByText('Three.').first().waitFor();
    await fold.waitFor();
    expect(await rule.count()).toBe(0);
  });

  test('makes a version live after a look at what that changes, and undoes it', async () => {
    const page = await dashboard.open(`${path}?from=1&to=2`, { key: apiKey });
    await page.getByRole('button', { name: 'Make version 2 live…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make version 2 live?' });
    await dialog.getByRole('table', { name: 'System prompt' }).waitFor();
    expect(await dialog.innerText()).toContain('use version 2 instead of version 1');
    expect(await live()).toBe(1);
    await dialog.getByRole('button', { name: 'Make version 2 live' }).click();
    await page.getByText('Version 2 is live.').waitFor();
    expect(await live()).toBe(2);
    await vi.waitFor(async () => expect((await chosen(page))[1]).toBe('Version 2 · live'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Version 1 is live again.').waitFor();
    expect(await live()).toBe(1);
  });

  test('undoes nothing once somebody else has changed the preset', async () => {
    const page = await dashboard.open(`${path}?from=1&to=2`, { key: apiKey });
    await page.getByRole('button', { name: 'Make version 2 live…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make version 2 live' }).click();
    await page.getByText('Version 2 is live.').waitFor();
    await dashboard.server.send('PATCH', presetPath, { designated_version: 3 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Not undone: the preset was changed again meanwhile.').waitFor();
    expect(await live()).toBe(3);
  });

  test('overwrites nothing where somebody else was faster, and asks again with what is live now', async () => {
    const page = await dashboard.open(`${path}?from=1&to=2`, { key: apiKey });
    await page.getByRole('button', { name: 'Make version 2 live…' }).click();
    await page.getByRole('dialog').getByRole('table', { name: 'System prompt' }).waitFor();
    await dashboard.server.send('PATCH', presetPath, { designated_version: 3 });
    await page.getByRole('button', { name: 'Make version 2 live', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Make version 2 live?' });
    await question.waitFor({ state: 'detached' });
    expect(await live()).toBe(3);
    await page.getByRole('dialog').getByRole('button', { name: 'Do it anyway' }).click();
    await question.getByText('use version 2 instead of version 3').waitFor();
    await question.getByText('These versions are the same.').waitFor();
    await question.getByRole('button', { name: 'Make version 2 live' }).click();
    await page.getByText('Version 2 is live.').waitFor();
    expect(await live()).toBe(2);
  });

  test('asks in an accessible way', async () => {
    const page = await dashboard.open(`${path}?from=1&to=2`, { key: apiKey });
    await page.getByRole('button', { name: 'Make version 2 live…' }).click();
    await page.getByRole('dialog').getByRole('table', { name: 'System prompt' }).waitFor();
    await expectGoodInEveryAppearance(page, 'make-live');
  });

  test('can be done by keyboard alone', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    await page.getByRole('button', { name: 'Make version 3 live…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('table', { name: 'System prompt' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Make version 3 live…');
    await page.keyboard.press('Enter');
    const confirm = dialog.getByRole('button', { name: 'Make version 3 live' });
    await confirm.waitFor();
    for (let step = 0; step < 40 && !(await isFocused(page, 'Make version 3 live')); step += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Version 3 is live.').waitFor();
    expect(await live()).toBe(3);
  });

  test('says what the server says where it refuses', async () => {
    const page = await dashboard.open(`${path}?from=1&to=2`, { key: apiKey });
    await page.getByRole('button', { name: 'Make version 2 live…' }).click();
    const refusal = { status: 429, json: { error: { code: 429, message: 'Too many requests.' } } };
    await page.route('**/api/v1/presets/support-bot', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill(refusal) : route.continue(),
    );
    await page.getByRole('button', { name: 'Make version 2 live', exact: true }).click();
    await page.getByRole('dialog').getByText('Too many requests.').waitFor();
    expect(await live()).toBe(1);
  });

  test('offers no change of an archived preset', async () => {
    for (const version of versions)
      await dashboard.server.post('/api/v1/presets/archived/chat/completions', version);
    await dashboard.server.send('DELETE', '/api/v1/presets/archived');
    const page = await dashboard.open('/presets/archived/compare?from=1&to=2', { key: apiKey });
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    expect(await page.getByRole('button', { name: /live/ }).count()).toBe(0);
  });

  test('offers no change to whoever may only read', async () => {
    const { body } = await dashboard.server.post(
      '/api/v1/keys',
      { name: 'Reader', kind: 'management', read_only: true },
      { key: managementKey },
    );
    const page = await dashboard.open(`${path}?from=1&to=2`, { key: body.key });
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    expect(await page.getByRole('button', { name: /live/ }).count()).toBe(0);
  });
});

async function chosen(page: Page): Promise<readonly string[]> {
  const text = (name: string) =>
    page.getByRole('combobox', { name, exact: true }).locator('option:checked').innerText();
  return [await text('From'), await text('To')];
}

function isFocused(page: Page, text: string): Promise<boolean> {
  return page.evaluate(`document.activeElement.innerText === ${JSON.stringify(text)}`);
}

import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { createRandom } from '../support/random.ts';
import { apiKey, managementKey } from '../support/server.ts';

const rules = Array.from({ length: 12 }, (_, index) => `Rule ${index + 1} of the house.`).join('\n');
const tool = (description: string) => ({ type: 'function', function: { name: 'find_parcel', description } });
const weather = { type: 'function', function: { name: 'get_weather' } };

/** Three versions; the last two are identical. */
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

describeInBrowser('comparing versions', () => {
  const dashboard = useDashboard();
  const path = '/presets/support-bot/history';
  const presetPath = '/api/v1/presets/support-bot';

  beforeAll(async () => {
    for (const version of versions) await dashboard.server.post(`${presetPath}/chat/completions`, version);
    await dashboard.server.send('PUT', `${presetPath}/labels/production`, { version: 1 });
  });
  beforeEach(async () => {
    await dashboard.server.send('PATCH', presetPath, { designated_version: 1, name: 'Support' });
  });

  const live = async () => (await dashboard.server.get(presetPath)).body.data.designated_version.version;

  test('says when too much changed to compare in detail', async () => {
    const random = createRandom(5);
    const prompt = () => Array.from({ length: 800 }, () => random.pick(['a', 'b', 'c'])).join('\n');
    const long = 'x'.repeat(3_000);
    for (const type of ['string', 'number'])
      await dashboard.server.post('/api/v1/presets/large/responses', {
        instructions: prompt(),
        tools: [{ type: 'function', name: 't', parameters: { [long]: { type } } }],
      });
    const page = await dashboard.open('/presets/large/history/1..2', { key: apiKey });
    await page.getByText('Too many lines changed to compare in detail.').waitFor();
    await page.getByText('nested too deeply to compare in detail').waitFor();
    await expectAccessible(page);
  });

  test('shows the prompt by words and the config by fields, of any two versions', async () => {
    const page = await dashboard.open(`${path}/1..2`, { key: apiKey });
    const prompt = page.getByRole('table', { name: 'System prompt' });
    await prompt.waitFor();
    expect(await prompt.locator('ins').allInnerTexts()).toEqual(['very ']);
    expect(await prompt.locator('del').count()).toBe(0);
    const rows = page.getByRole('table', { name: 'Config changes' }).locator('tbody').first().locator('> tr');
    const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(texts).toEqual([
      expect.stringMatching(/^temperature Changed 0\.2 0\.4$/),
      expect.stringMatching(/^seed Removed 7 Not set$/),
      expect.stringMatching(
        /^tools › find_parcel › function\.description Changed "Finds a parcel" "Finds a parcel by/,
      ),
      expect.stringMatching(/^tools › get_weather Added Not set /),
      expect.stringMatching(/^stop Added Not set \["END"\]$/),
    ]);
    await page.getByText('4 unchanged fields').click();
    await page.getByRole('table', { name: 'Unchanged config' }).getByText('provider').waitFor();
    await expectGoodInEveryAppearance(page, 'compare');

    // Unchanged lines are folded; the keyboard can unfold them.
    const fold = page.getByRole('button', { name: 'Show 10 unchanged lines' });
    expect(await page.getByText('Rule 9 of the house.').count()).toBe(0);
    await fold.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Rule 9 of the house.').filter({ visible: true }).first().waitFor();
    expect(await page.evaluate('document.activeElement.innerText')).toContain('Rule 4 of the house.');

    await page.getByRole('combobox', { name: 'To' }).selectOption('Version 3');
    await expect.poll(() => page.url()).toMatch(/\/history\/1\.\.3$/);
    await page.getByRole('combobox', { name: 'To' }).selectOption('Version 2');
    await page.getByRole('button', { name: 'Swap versions' }).click();
    await expect.poll(() => page.url()).toMatch(/\/history\/2\.\.1$/);
    await prompt.locator('del').waitFor();
    expect(await prompt.locator('del').allInnerTexts()).toEqual(['very ']);
    await page.reload();
    await prompt.waitFor();
    expect(await selected(page)).toEqual(['Version 2', 'Version 1 · live · production']);
  });

  test('selects one of many versions by its number', async () => {
    for (let version = 1; version <= 102; version += 1)
      await dashboard.server.post('/api/v1/presets/many/chat/completions', { ...versions[0], seed: version });
    const page = await dashboard.open('/presets/many/history/101..102', { key: apiKey });
    const number = page.getByRole('textbox', { name: 'From version number' });
    await number.fill('103');
    await page.getByText('Enter a version from 1 to 102.').waitFor();
    await number.fill('1');
    await expect.poll(() => selected(page)).toEqual(['Version 1', 'Version 102 · live']);
    const row = page.getByRole('table', { name: 'Config changes' }).getByRole('row', { name: /seed/ });
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toBe('seed Changed 1 102');
  });

  test('folds lines again when other versions are selected', async () => {
    for (const first of ['One', 'Two', 'Three'])
      await dashboard.server.post('/api/v1/presets/folded/chat/completions', {
        ...versions[0],
        tools: [tool(`${first}.\n${rules}`)],
      });
    const page = await dashboard.open('/presets/folded/history/1..3', { key: apiKey });
    const fold = page.getByRole('button', { name: /^Show \d+ unchanged lines$/ });
    const rule = page.getByText('Rule 9 of the house.').filter({ visible: true }).first();
    const to = page.getByRole('combobox', { name: 'To' });
    // Load both pairs first, so that one replaces the other without a loading state.
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

  test('makes a version live after showing the changes, says why it was rejected, and undoes it', async () => {
    const page = await dashboard.open(`${path}/1..2`, { key: apiKey });
    await page.getByRole('button', { name: 'Make version 2 live…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make version 2 live?' });
    await dialog.getByRole('table', { name: 'System prompt' }).waitFor();
    expect(await dialog.innerText()).toContain('will use version 2 instead of version 1');
    await expectGoodInEveryAppearance(page, 'make-live');
    expect(await live()).toBe(1);

    const refusal = { status: 429, json: { error: { code: 429, message: 'Too many requests.' } } };
    await page.route('**/api/v1/presets/support-bot', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill(refusal) : route.continue(),
    );
    await dialog.getByRole('button', { name: 'Make version 2 live' }).click();
    await dialog.getByText('Too many requests.').waitFor();
    expect(await live()).toBe(1);
    await page.unroute('**/api/v1/presets/support-bot');

    await dialog.getByRole('button', { name: 'Make version 2 live' }).click();
    await page.getByText('Version 2 is live').waitFor();
    expect(await live()).toBe(2);
    await expect.poll(async () => (await selected(page))[1]).toBe('Version 2 · live');
    // One message, which offers it for ten minutes.
    expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Version 1 is live again').waitFor();
    expect(await live()).toBe(1);

    // But not once someone else has changed the preset.
    await page.getByRole('button', { name: 'Make version 2 live…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make version 2 live' }).click();
    await page.getByText('Version 2 is live').waitFor();
    await dashboard.server.send('PATCH', presetPath, { designated_version: 3 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Could not undo: version 3 is live now').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(await live()).toBe(3);
  });

  test('does not overwrite a concurrent change, asks again, and can be used by keyboard alone', async () => {
    const page = await dashboard.open(`${path}/1..2`, { key: apiKey });
    await page.getByRole('button', { name: 'Make version 2 live…' }).click();
    await page.getByRole('dialog').getByRole('table', { name: 'System prompt' }).waitFor();
    await dashboard.server.send('PATCH', presetPath, { designated_version: 3 });
    await page.getByRole('button', { name: 'Make version 2 live', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Make version 2 live?' });
    await question.waitFor({ state: 'detached' });
    expect(await live()).toBe(3);
    await page.getByRole('dialog').getByRole('button', { name: 'Apply anyway' }).click();
    await question.getByText('will use version 2 instead of version 3').waitFor();
    await question.getByText('These versions are identical.').waitFor();
    await question.getByRole('button', { name: 'Make version 2 live' }).click();
    await page.getByText('Version 2 is live').waitFor();
    expect(await live()).toBe(2);
    await question.waitFor({ state: 'detached' });

    await page.getByRole('combobox', { name: 'To' }).selectOption('Version 3');
    await page.getByRole('button', { name: 'Make version 3 live…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Make version 3 live…');
    await page.keyboard.press('Enter');
    const confirm = dialog.getByRole('button', { name: 'Make version 3 live' });
    await confirm.waitFor();
    for (let step = 0; step < 40 && !(await isFocused(page, 'Make version 3 live')); step += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Version 3 is live').waitFor();
    expect(await live()).toBe(3);
  });

  test('offers no changes to an archived preset, nor to a read-only key', async () => {
    for (const version of versions)
      await dashboard.server.post('/api/v1/presets/archived/chat/completions', version);
    await dashboard.server.send('DELETE', '/api/v1/presets/archived');
    const page = await dashboard.open('/presets/archived/history/1..2', { key: apiKey });
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    expect(await page.getByRole('button', { name: /live/ }).count()).toBe(0);

    const { body } = await dashboard.server.post(
      '/api/v1/keys',
      { name: 'Reader', kind: 'management', read_only: true },
      { key: managementKey },
    );
    await page.evaluate(`sessionStorage.setItem('presetd.key', '${body.key}')`);
    await page.goto(`${dashboard.server.url}${path}/1..2`);
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    expect(await page.getByRole('button', { name: /live/ }).count()).toBe(0);
  });
});

async function selected(page: Page): Promise<readonly string[]> {
  const text = (name: string) =>
    page.getByRole('combobox', { name, exact: true }).locator('option:checked').innerText();
  return [await text('From'), await text('To')];
}

function isFocused(page: Page, text: string): Promise<boolean> {
  return page.evaluate(`document.activeElement.innerText === ${JSON.stringify(text)}`);
}

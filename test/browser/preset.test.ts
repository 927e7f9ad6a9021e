import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance, sidewaysOverflow } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';

const prompt = 'You are the support agent.\n\n## Rules\n1. Be **kind**.\n    2. Be brief.';

const config = {
  model: 'openai/gpt-5',
  models: ['openai/gpt-5-mini', 'anthropic/claude-sonnet-4.5'],
  temperature: 0.2,
  max_tokens: 1200,
  stop: ['END'],
  reasoning: { effort: 'high', exclude: false },
  provider: { order: ['openai', 'azure'], max_price: { prompt: 1.5 } },
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather in a city.',
        strict: true,
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    },
  ],
  tool_choice: 'auto',
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'answer', schema: { type: 'object', properties: { reply: { type: 'string' } } } },
  },
  cache_control: { type: 'ephemeral' },
};

describeInBrowser('the preset page', () => {
  const dashboard = useDashboard();
  const open = (slug: string, options: object = {}) =>
    dashboard.open(`/presets/${slug}`, { key: apiKey, ...options });
  const send = (method: string, path: string, body?: unknown) =>
    dashboard.server.send(method, `/api/v1/presets/${path}`, body);

  /** Creates versions, each with its number in the prompt. */
  async function capture(slug: string, versions = 1, fields: object = {}): Promise<void> {
    for (let version = 1; version <= versions; version += 1) {
      const messages = [{ role: 'system', content: `Take ${version}.` }];
      const body = { model: 'openai/gpt-5', temperature: version / 100, messages, ...fields };
      const { status } = await dashboard.server.post(`/api/v1/presets/${slug}/chat/completions`, body);
      expect(status).toBe(200);
    }
  }

  beforeAll(async () => {
    await capture('bot', 3);
    const messages = [{ role: 'system', content: prompt }];
    // As text, since JavaScript would round this number.
    const body = JSON.stringify({ ...config, messages }).replace('{', '{"seed":12345678901234567890,');
    await dashboard.server.post('/api/v1/presets/bot/chat/completions', body);
    await send('PUT', 'bot/labels/production', { version: 2 });
    await send('PUT', 'bot/labels/staging', { version: 4 });
    await send('PATCH', 'bot', { name: 'Support bot', description: 'Answers customers.' });
  });

  test('shows everything about the live version', async () => {
    const page = await open('bot');
    await page.getByRole('heading', { name: 'Support bot', level: 1 }).waitFor();
    await page.getByRole('button', { name: /^staging/ }).waitFor();
    const text = await page.locator('main').innerText();
    for (const expected of [
      ...['bot', 'Active', 'Answers customers.', 'Version 4', 'Live', 'owner@localhost'],
      ...['captured as Chat Completions', prompt, `${prompt.length} characters`],
      ...['Model', 'openai/gpt-5', 'openai/gpt-5-mini', '12345678901234567890', '0.2', '1200', 'END'],
      ...['effort', 'high', 'max_price', '1.5', 'get_weather', 'The weather in a city.', '1 parameter: city'],
      ...['Tool choice', 'auto', 'json_schema', '1 field: reply', 'Cache control', 'ephemeral'],
    ])
      expect(text).toContain(expected);
    await expectGoodInEveryAppearance(page, 'preset');
  });

  test('shows the config as JSON with exact digits, and copies it', async () => {
    const page = await open('bot');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Raw JSON' }).click();
    const shown = await page.getByRole('region', { name: 'config JSON' }).innerText();
    expect(shown).toContain('"seed": 12345678901234567890');
    expect(JSON.parse(shown)).toMatchObject(config);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Copy config JSON' }).click();
    await page.getByText('Copied').first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown);
    await page.getByRole('button', { name: 'Copy system prompt' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(prompt);
    await page.getByRole('button', { name: 'Copy slug' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('bot');
  });

  test('the accessible name of the copy button says that copying failed', async () => {
    const page = await open('bot');
    await page.evaluate(`(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
      document.execCommand = () => false;
    })()`);
    await page.getByRole('button', { name: 'Copy slug' }).click();
    await page.getByRole('button', { name: 'Copy slug: Copy manually', exact: true }).waitFor();
  });

  test('expands the parameters of a tool', async () => {
    const page = await open('bot');
    await page.getByText('1 parameter: city').click();
    await page.getByRole('region', { name: 'parameters of get_weather' }).getByText('"city"').waitFor();
    await expectAccessible(page);
  });

  test('shows another version and says that it is not live', async () => {
    const page = await open('bot');
    await page.getByRole('link', { name: 'Version 2', exact: true }).click();
    await page.getByText('This is version 2. Version 4 is live.').waitFor();
    await page.getByRole('region', { name: 'System prompt text' }).getByText('Take 2.').waitFor();
    expect(new URL(page.url()).search).toBe('?version=2');
    await expectGoodInEveryAppearance(page, 'preset-version');
    const compare = page.getByRole('link', { name: 'Compare with live' });
    expect(await compare.getAttribute('href')).toBe('/w/default/presets/bot/compare?from=4&to=2');
    await page.getByRole('button', { name: 'Make live…' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Show live version' }).click();
    await page.getByText('You are the support agent.').waitFor();
  });

  test('links each version to a comparison with the previous one', async () => {
    const page = await open('bot');
    await page.getByRole('link', { name: 'Compare version 3 with 2' }).click();
    await page.waitForURL('**/presets/bot/compare?from=2&to=3');
    await page.getByRole('link', { name: 'Compare', exact: true, includeHidden: false }).waitFor();
  });

  test.each([
    ['99', 'has no version 99; it has versions 1 to 4'],
    ['old', 'Version “old” does not exist'],
  ])('reports version %s, which does not exist, and links to the live one', async (version, message) => {
    const page = await open(`bot?version=${version}`);
    await page.getByRole('alert').getByText(message).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Show live version' }).click();
    await page.getByText('You are the support agent.').waitFor();
  });

  test('reports a preset that does not exist', async () => {
    const page = await open('nobody');
    await page.getByRole('heading', { name: 'Preset not found' }).waitFor();
    await expectGoodInEveryAppearance(page, 'preset-missing');
    await page.getByRole('link', { name: 'Go to presets' }).click();
    await page.getByRole('heading', { name: 'Presets', level: 1 }).waitFor();
  });

  test('says when there is no system prompt', async () => {
    await capture('silent', 1, { messages: [{ role: 'user', content: 'Hello' }] });
    const page = await open('silent');
    await page.getByText('No system prompt.').waitFor();
  });

  test('a very long prompt scrolls inside its panel', async () => {
    const content = 'A line of the prompt.\n'.repeat(5_000);
    await capture('long', 1, { messages: [{ role: 'system', content }] });
    const page = await open('long', { width: 360 });
    const text = page.getByRole('region', { name: 'System prompt text' });
    await text.waitFor();
    await page.getByText('110,000 characters').waitFor();
    const { height } = (await text.boundingBox()) ?? {};
    expect(height).toBeLessThan(600);
    await text.focus();
    await page.keyboard.press('End');
    await expect.poll(() => text.evaluate((element) => element.scrollTop)).toBeGreaterThan(1_000);
    expect(await sidewaysOverflow(page)).toBe(0);
    await expectAccessible(page);
  });

  test('a long prompt is cut off and can be expanded and collapsed', async () => {
    const content = Array.from({ length: 60 }, (_, index) => `Rule ${index + 1}.`).join('\n');
    await capture('rules', 1, { messages: [{ role: 'system', content }] });
    await capture('rules', 1);
    const page = await open('rules', { width: 1280 });
    const text = page.getByRole('region', { name: 'System prompt text' });
    await text.getByText('Take 1.').waitFor();
    expect(await page.getByRole('button', { name: 'Show all' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Version 1', exact: true }).click();
    const showAll = page.getByRole('button', { name: 'Show all of System prompt text' });
    await showAll.waitFor();
    expect(await isCutOff(text)).toBe(true);
    await expectGoodInEveryAppearance(page, 'preset-long-prompt');
    await showAll.press('Enter');
    const showLess = page.getByRole('button', { name: 'Show less of System prompt text' });
    await showLess.waitFor();
    expect(await isCutOff(text)).toBe(false);
    await expectAccessible(page);
    await showLess.press('Enter');
    await showAll.waitFor();
    expect(await isCutOff(text)).toBe(true);
  });

  test('a box with hidden content keeps its scrollbar visible', async () => {
    const content = 'A line of the prompt.\n'.repeat(100);
    await capture('scrolled', 1, { messages: [{ role: 'system', content }] });
    const page = await open('scrolled');
    await page.getByRole('region', { name: 'System prompt text' }).waitFor();
    const box = `document.querySelector('[aria-label="System prompt text"]')`;
    // Systems that hide scrollbars until scrolling do not hide styled ones.
    expect(await page.evaluate(`getComputedStyle(${box}, '::-webkit-scrollbar').width`)).toBe('10px');
  });

  test('lists sixty versions newest first and loads older ones on request', async () => {
    await capture('many', 60);
    await send('PUT', 'many/labels/first', { version: 1 });
    const queries: string[] = [];
    const page = await dashboard.open('/', { key: apiKey });
    page.on('request', (request) => queries.push(new URL(request.url()).search));
    await page.getByRole('link', { name: 'many' }).click();
    const versions = page.getByRole('link', { name: /^Version \d+$/ });
    await expect.poll(() => versions.count()).toBe(20);
    expect(await versions.first().innerText()).toBe('Version 60');
    await page.getByRole('button', { name: 'first 1: move or remove label' }).waitFor();
    await screenshot(page, 'preset-many');
    const showOlder = page.getByRole('button', { name: 'Show older versions' });
    await showOlder.click();
    await expect.poll(() => versions.count()).toBe(40);
    await showOlder.click();
    await expect.poll(() => versions.count()).toBe(60);
    expect(await versions.last().innerText()).toBe('Version 1');
    expect(await showOlder.count()).toBe(0);
    expect(queries.filter((search) => search.includes('limit=20')).sort()).toEqual([
      '?offset=0&limit=20',
      '?offset=20&limit=20',
      '?offset=40&limit=20',
    ]);
    // The list scrolls by itself, so that an old version is visible as soon as it is chosen.
    await versions.last().click();
    const notice = page.getByText('This is version 1. Version 60 is live.');
    await notice.waitFor();
    expect((await notice.boundingBox())?.y).toBeGreaterThan(0);
    await expectAccessible(page);
  });

  test('edits name and description, and sends only what changed', async () => {
    await capture('renamed');
    const page = await open('renamed');
    await page.getByRole('button', { name: 'Edit…' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await name.fill('  ');
    await page.getByText('The name must contain a visible character.').waitFor();
    await expectAccessible(page);
    await name.fill('Renamed bot');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save' }).click();
    expect((await sent).postDataJSON()).toEqual({ name: 'Renamed bot' });
    await page.getByRole('heading', { name: 'Renamed bot' }).waitFor();
    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.getByRole('textbox', { name: 'Description' }).fill('For tests.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('header').getByText('For tests.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('header').getByText('For tests.').waitFor({ state: 'detached' });
  });

  test("shows the server's message at the description and keeps the text", async () => {
    await capture('described');
    const page = await open('described');
    await page.getByRole('button', { name: 'Edit…' }).click();
    const description = page.getByRole('textbox', { name: 'Description' });
    await description.fill('x'.repeat(2_001));
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => description.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('alert').waitFor();
    expect(await description.inputValue()).toHaveLength(2_001);
    await expectGoodInEveryAppearance(page, 'preset-edit-refused');
  });

  test.each(['Edit…', 'Disable…', 'Archive…'])(
    '%s opens a dialog that can be cancelled without a change',
    async (button) => {
      const page = await open('bot');
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').waitFor();
      await expectGoodInEveryAppearance(page, `preset-${button.slice(0, -1).toLowerCase()}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.textContent')).toBe(button);
      expect((await send('GET', 'bot')).body.data).toMatchObject({ name: 'Support bot', status: 'active' });
    },
  );

  test('asks before disabling, which can be undone', async () => {
    await capture('switched');
    const page = await open('switched');
    await page.getByRole('button', { name: 'Disable…' }).click();
    await page.getByText('fail until you enable it again').waitFor();
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByText('Preset disabled').waitFor();
    await page.getByText('To archive it, enable it first.').waitFor();
    expect(await page.getByRole('button', { name: 'Archive…' }).isDisabled()).toBe(true);
    await expectGoodInEveryAppearance(page, 'preset-disabled');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Preset enabled').waitFor();
    await page.getByRole('button', { name: 'Disable…' }).waitFor();
    await send('PATCH', 'switched', { status: 'disabled' });
    await page.reload();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable…' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Disable…');
  });

  test('a dialog cannot be closed while its request is in flight', async () => {
    await capture('slow');
    const page = await open('slow');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/v1/presets/slow**', async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Disable…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Disable', exact: true }).click();
    await dialog.locator('[aria-busy]').waitFor();
    for (const name of ['Cancel', 'Close'])
      expect(await dialog.getByRole('button', { name }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await dialog.getByText('fail until you enable it again').waitFor();
    release();
    await page.getByText('Preset disabled').waitFor();
    await dialog.waitFor({ state: 'detached' });
  });

  test('can be archived and restored', async () => {
    const slug = 'archived';
    await capture(slug);
    await send('PUT', `${slug}/labels/qa`, { version: 1 });
    const page = await open(slug);
    await page.getByRole('button', { name: 'Archive…' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByText('Restore it to make changes.').waitFor();
    await expect.poll(() => changeButtons(page)).toEqual(['Restore']);
    await page.getByText('qa', { exact: true }).waitFor();
    await expectGoodInEveryAppearance(page, 'preset-archived');
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Preset restored').waitFor();
    await page.getByRole('button', { name: 'Archive…' }).waitFor();
    // The pressed button is gone; focus moves to the title.
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    expect((await send('GET', slug)).body.data.status).toBe('active');
  });

  test('offers no changes to a read-only key', async () => {
    const body = { name: 'Reader', kind: 'management', read_only: true };
    const { key } = (await dashboard.server.post('/api/v1/keys', body, { key: managementKey })).body;
    const page = await open('bot?version=2', { key });
    await page.getByText('This is version 2').waitFor();
    await page.getByText('production', { exact: true }).waitFor();
    expect(await changeButtons(page)).toEqual([]);
    expect(await page.getByRole('link', { name: 'New version' }).count()).toBe(0);
    await expectAccessible(page);
  });

  test('lists events as sentences', async () => {
    const page = await open('bot/events');
    const events = page.getByRole('table', { name: 'Events' }).getByRole('row');
    await events.nth(1).waitFor();
    expect(await events.locator('td:first-child').allTextContents()).toEqual(
      expect.arrayContaining([
        'created the preset with version 1',
        'added version 2 and made it live (was 1)Compare versions 1 → 2',
        'added label staging to version 4',
        'renamed the preset from “bot” to “Support bot”',
        'set the description to “Answers customers.”',
      ]),
    );
    expect(await events.nth(1).getByText('owner@localhost').count()).toBe(1);
    expect(await page.getByRole('link', { name: 'Events' }).getAttribute('aria-current')).toBe('page');
    await expectGoodInEveryAppearance(page, 'preset-events');
  });

  test('an event links to its versions and their comparison, and shows its exact time', async () => {
    const page = await open('bot/events');
    const added = page.getByRole('row').filter({ hasText: 'added version 2' });
    await added.getByRole('button').focus();
    expect(await added.getByRole('tooltip').innerText()).toMatch(/ UTC$/);
    await added.getByRole('link', { name: 'Compare versions 1 → 2' }).click();
    await page.waitForURL('**/presets/bot/compare?from=1&to=2');
    await page.goBack();
    await added.getByRole('link', { name: 'version 2', exact: true }).click();
    await page.waitForURL('**/presets/bot?version=2');
    await page.getByText('This is version 2').waitFor();
  });

  test('filters events and sorts them by age', async () => {
    const page = await open('bot/events?sort=time');
    const events = page.getByRole('table', { name: 'Events' }).getByRole('row');
    await events.nth(1).getByText('created the preset with version 1').waitFor();
    await page.getByLabel('About').selectOption('Labels');
    await events.nth(1).getByText('label').first().waitFor();
    await page.getByText(/^\d+ of \d+ events$/).waitFor();
    expect(new URL(page.url()).search).toBe('?sort=time&about=labels');
  });

  test('reports an unreachable server and recovers on retry', async () => {
    const page = await dashboard.open('/', { key: apiKey, isFailing: true });
    await page.route('**/api/v1/presets/bot**', (route) => route.abort());
    await page.getByRole('link', { name: 'Support bot' }).click();
    await page.getByRole('alert').getByText('Cannot reach the server').waitFor();
    await expectAccessible(page);
    await page.unroute('**/api/v1/presets/bot**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('You are the support agent.').waitFor();
  });
});

/** All buttons except those that only show or copy something. */
async function changeButtons(page: Page): Promise<readonly string[]> {
  const names = await page.locator('main').getByRole('button').allInnerTexts();
  return names.filter((name) => !['Copy', 'Raw JSON'].includes(name));
}

function isCutOff(text: Locator): Promise<boolean> {
  return text.evaluate((box) => box.scrollHeight > box.clientHeight + 1);
}

import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance, sidewaysOverflow } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { mainThreadTasks } from '../support/main-thread-tasks.ts';
import { choose, itemsOf, menuItem } from '../support/menu.ts';
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

describeInBrowser('the history of a preset', () => {
  const dashboard = useDashboard();
  const open = (slug: string, shown = '', options: object = {}) =>
    dashboard.open(`/presets/${slug}/history${shown}`, { key: apiKey, width: 1_440, ...options });
  const send = (method: string, path: string, body?: unknown) =>
    dashboard.server.send(method, `/api/v1/presets/${path}`, body);
  const readClipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()');

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

  test('lists versions with what each changed, next to the live one', async () => {
    const page = await open('bot');
    await row(page, 4)
      .getByRole('button', { name: /^staging/ })
      .waitFor();
    await row(page, 2).getByText('temperature 0.01 → 0.02, 1 line of prompt').waitFor();
    await row(page, 1).getByText('First version').waitFor();
    const text = await page.locator('main').innerText();
    for (const expected of [
      ...['Answers customers.', 'Version 4', 'Live', 'owner@localhost'],
      ...['captured as Chat Completions', prompt, `${prompt.length} characters`],
      ...['Model', 'openai/gpt-5', 'openai/gpt-5-mini', '12345678901234567890', '0.2', '1200', 'END'],
      ...['effort', 'high', 'max_price', '1.5', 'get_weather', 'The weather in a city.', '1 parameter: city'],
      ...['Tool choice', 'auto', 'json_schema', '1 field: reply', 'Cache control', 'ephemeral'],
    ])
      expect(text).toContain(expected);
    await page.getByText('1 parameter: city').click();
    await page.getByRole('region', { name: 'parameters of get_weather' }).getByText('"city"').waitFor();
    await expectGoodInEveryAppearance(page, 'history');
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
    expect(await readClipboard(page)).toBe(shown);
    await page.getByRole('button', { name: 'Copy system prompt' }).click();
    await expect.poll(() => readClipboard(page)).toBe(prompt);
  });

  test('any version and any two of them can be opened with one click, and shared', async () => {
    const page = await open('bot');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await row(page, 2).getByRole('link', { name: 'Version 2', exact: true }).click();
    await page.waitForURL('**/presets/bot/history/2');
    await page.getByRole('region', { name: 'System prompt text' }).getByText('Take 2.').waitFor();
    await page.getByText('Not live').waitFor();
    await expectGoodInEveryAppearance(page, 'history-version');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect.poll(() => readClipboard(page)).toBe(page.url());

    await page.getByRole('link', { name: 'Compare version 3 with 2' }).click();
    await page.waitForURL('**/presets/bot/history/2..3');
    await page.getByText('temperature 0.02 → 0.03, 1 line of prompt').last().waitFor();
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect.poll(() => readClipboard(page)).toBe(page.url());
    await page.goBack();
    await page.getByRole('link', { name: 'Compare with live' }).click();
    await page.waitForURL('**/presets/bot/history/2..4');
  });

  test('each version has a menu of what can be done with it', async () => {
    const page = await open('bot');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await choose(page, 'Actions for version 2', 'Copy call as curl');
    await page.getByText('Copied a call to version 2 as curl').waitFor();
    expect(await readClipboard(page)).toContain('"model": "@preset/bot@2"');
    await choose(page, 'Actions for version 2', 'Copy request as JSON');
    await page.getByText('Copied version 2 as a request').waitFor();
    expect(JSON.parse(String(await readClipboard(page)))).toMatchObject({ temperature: 0.02 });
    expect(await itemsOf(page, 'Actions for version 2')).toEqual([
      ...['Make live…', 'Add label…', 'Edit in workbench', 'Compare with live', 'Compare with previous'],
      ...[
        'View usage',
        'Copy link',
        'Duplicate as a new preset',
        'Copy call as curl',
        'Copy request as JSON',
      ],
    ]);
    await expectAccessible(page);
    await menuItem(page, 'Compare with previous').click();
    await page.waitForURL('**/presets/bot/history/1..2');
    await choose(page, 'Actions for version 3', 'Make live…');
    await page.getByRole('dialog', { name: 'Make version 3 live?' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Make version 3 live');
    const list = page.locator('main ol').first();
    const place = await list.boundingBox();
    await page.keyboard.press('Enter');
    await page.getByText('Version 3 is live, replacing version 4').waitFor();
    expect((await list.boundingBox())?.y).toBe(place?.y);
    // The offer moves nothing on narrower screens either, where it stays for as long.
    const positions = [];
    for (const isOffered of [true, false]) {
      for (const width of [1_024, 390]) {
        await page.setViewportSize({ width, height: 800 });
        positions.push((await list.boundingBox())?.y);
      }
      await page.setViewportSize({ width: 1_280, height: 800 });
      if (!isOffered) continue;
      await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
      await page.getByText('Version 4 is live again').waitFor();
    }
    expect(positions.slice(0, 2)).toEqual(positions.slice(2));
    await choose(page, 'Actions for version 3', 'Edit in workbench');
    await page.waitForURL('**/presets/bot?from=3');
  });

  test('on a narrow screen, the list leads to a version and back', async () => {
    const page = await open('bot', '', { width: 390 });
    await row(page, 2).getByRole('link', { name: 'Version 2', exact: true }).click();
    await page.getByRole('heading', { name: 'Version 2' }).waitFor();
    expect(await row(page, 3).count()).toBe(0);
    await page.getByRole('button', { name: 'Make live…' }).click();
    await page.getByRole('dialog', { name: 'Make version 2 live?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'All versions' }).click();
    await row(page, 3).waitFor();
  });

  test('reports an address without a version, and links to the live one', async () => {
    const page = await open('bot', '/99');
    const alert = page.getByRole('alert');
    await alert.getByText('This preset has no version 99').waitFor();
    await page.getByText('It has versions 1 to 4.').waitFor();
    await expectAccessible(page);
    for (const [shown, message] of [
      ['2..9', 'This preset has no version 9'],
      ['old', 'This preset has no version “old”'],
    ] as const) {
      await page.goto(`${dashboard.server.url}/presets/bot/history/${shown}`);
      await alert.getByText(message, { exact: true }).waitFor();
    }
    await page.getByRole('link', { name: 'Show live version' }).click();
    await page.getByText('You are the support agent.').waitFor();
  });

  test('says when there is no system prompt', async () => {
    await capture('silent', 1, { messages: [{ role: 'user', content: 'Hello' }] });
    const page = await open('silent');
    await page.getByText('No system prompt.').waitFor();
  });

  test('a very long prompt scrolls inside its panel', async () => {
    const content = 'A line of the prompt.\n'.repeat(5_000);
    await capture('long', 1, { messages: [{ role: 'system', content }] });
    const page = await open('long', '/1', { width: 360 });
    const text = page.getByRole('region', { name: 'System prompt text' });
    await text.waitFor();
    await page.getByText('110,000 characters').waitFor();
    const { height } = (await text.boundingBox()) ?? {};
    expect(height).toBeLessThan(600);
    // Systems that hide scrollbars until scrolling do not hide styled ones.
    const box = `document.querySelector('[aria-label="System prompt text"]')`;
    expect(await page.evaluate(`getComputedStyle(${box}, '::-webkit-scrollbar').width`)).toBe('10px');
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
    const page = await open('rules');
    const text = page.getByRole('region', { name: 'System prompt text' });
    await text.getByText('Take 1.').waitFor();
    expect(await page.getByRole('button', { name: 'Show all' }).count()).toBe(0);
    await row(page, 1).getByRole('link', { name: 'Version 1', exact: true }).click();
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

  test('120 versions with long prompts stay smooth, and load as they are scrolled to', async () => {
    const lines = Array.from(
      { length: 2_500 },
      (_, index) => `Line ${index} of a prompt of 100 kB in total.`,
    );
    // More than a page of them.
    for (let version = 1; version <= 120; version += 1) {
      const content = lines.with(version, 'Another line.').join('\n');
      await capture('many', 1, { messages: [{ role: 'system', content }], temperature: version / 100 });
    }
    await send('PUT', 'many/labels/first', { version: 1 });
    const page = await open('many');
    const tasks = await mainThreadTasks(page, () => scrollToFirstVersion(page));
    // Comparing all rows on screen in one task would take several times as long.
    expect(Math.max(...tasks)).toBeLessThan(800);
    // A link to an old version scrolls to it.
    await page.goto(page.url().replace('/history/1', '/history/60'));
    await row(page, 60).waitFor();
    await expectAccessible(page);
  });

  async function scrollToFirstVersion(page: Page): Promise<void> {
    await row(page, 120).getByText('temperature 1.19 → 1.2').waitFor();
    const rows = page.getByRole('list', { name: 'Versions, newest first' }).getByRole('listitem');
    expect(await rows.count()).toBeLessThan(30);
    await screenshot(page, 'history-many');
    await rows.first().hover();
    const scroll = async () => {
      await page.mouse.wheel(0, 600);
      return row(page, 1).count();
    };
    await expect.poll(scroll).toBe(1);
    await row(page, 1).getByRole('button', { name: 'first: move or remove label' }).waitFor();
    await row(page, 2).getByText('temperature 0.01 → 0.02, 2 lines of prompt').waitFor();
    // The list scrolls by itself, so that an old version is visible as soon as it is chosen. Rows
    // that grow when their changes are shown can push the last one out of sight again.
    const last = row(page, 1).getByRole('link', { name: 'Version 1', exact: true });
    const scrollAndClick = async () => {
      await page.mouse.wheel(0, 600);
      return last.click({ timeout: 2_000 }).then(
        () => 'clicked',
        () => 'out of sight',
      );
    };
    await expect.poll(scrollAndClick).toBe('clicked');
    const heading = page.getByRole('heading', { name: 'Version 1', exact: true });
    await heading.waitFor();
    expect((await heading.boundingBox())?.y).toBeGreaterThan(0);
  }

  test('offers no changes to a read-only key', async () => {
    const body = { name: 'Reader', kind: 'management', read_only: true };
    const { key } = (await dashboard.server.post('/api/v1/keys', body, { key: managementKey })).body;
    const page = await open('bot', '/2', { key });
    await page.getByRole('heading', { name: 'Version 2' }).waitFor();
    await row(page, 2).getByText('production', { exact: true }).waitFor();
    expect(await itemsOf(page, 'Actions for version 2')).toEqual([
      ...['Compare with live', 'Compare with previous'],
      ...['View usage', 'Copy link', 'Copy call as curl', 'Copy request as JSON'],
    ]);
    expect(await page.getByRole('link', { name: 'Edit in workbench' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /label|alias|tag/ }).count()).toBe(0);
    await expectAccessible(page);
  });
});

function row(page: Page, version: number): Locator {
  return page
    .getByRole('list', { name: 'Versions, newest first' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: `Version ${version}`, exact: true }) });
}

function isCutOff(text: Locator): Promise<boolean> {
  return text.evaluate((box) => box.scrollHeight > box.clientHeight + 1);
}

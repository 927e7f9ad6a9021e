import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance, sidewaysOverflow } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { recordCalls } from '../support/call-records.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { mainThreadTasks } from '../support/main-thread-tasks.ts';
import { apiKey, type TestServer } from '../support/server.ts';
import {
  type Exchange,
  recorded,
  respondInDialect,
  type Script,
  stream,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { recordings } from '../support/wire/recordings.ts';

/** Answers with a cost that depends on the model and the case. */
const answer: Script = (exchange) => {
  const { model, messages } = exchange.request.body;
  const [, number = ''] = /parcel (\d+)/.exec(JSON.stringify(messages)) ?? [];
  const cost = Number(number) * (model === 'other/model' ? 0.002 : 0.001);
  const chunks = [
    {
      choices: [
        { index: 0, delta: { role: 'assistant', content: `Parcel ${number} arrives today. `.repeat(5) } },
      ],
    },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 30, completion_tokens: 9, total_tokens: 39, cost } },
  ].map((chunk) => `data: ${JSON.stringify({ object: 'chat.completion.chunk', model, ...chunk })}\n\n`);
  return stream(`${chunks.join('')}data: [DONE]\n\n`)(exchange);
};

/** No task of the main thread may take longer, in milliseconds of processor time. */
const taskMsMax = 50;

/** Case 101, Case 102 and so on. */
async function addCases(server: TestServer, slug: string, count: number): Promise<void> {
  const add = async (index: number) => {
    const { status, text } = await server.send('PUT', `/api/v1/presets/${slug}/cases/Case%20${101 + index}`, {
      messages: [{ role: 'user', content: `Where is parcel ${index + 1}?` }],
    });
    expect([status, text]).toEqual([200, text]);
  };
  // A busy server would refuse some of many at once.
  const together = 20;
  for (let start = 0; start < count; start += together)
    await Promise.all(
      Array.from({ length: Math.min(together, count - start) }, (_, index) => add(start + index)),
    );
}

describeInBrowser('test cases in the workbench', () => {
  const dashboard = useDashboard({ upstream: true });

  beforeAll(async () => {
    await addPreset('few', 4);
    await addPreset('asked', 11);
    await dashboard.server.capture('none', {
      model: 'vendor/model',
      messages: [{ role: 'system', content: 'Greet {{customer}}.' }],
      presetd: { variables: { customer: { type: 'string' } } },
    });
  });

  async function addPreset(slug: string, count: number) {
    const { server } = dashboard;
    await server.capture(slug, {
      model: 'vendor/model',
      messages: [{ role: 'system', content: 'You are terse.' }],
    });
    await addCases(server, slug, count);
  }

  /** The list of models is requested, too, at any time. */
  const respondToCalls = (script: Script) =>
    dashboard.upstream.respondAlways((exchange: Exchange) =>
      exchange.request.method === 'POST' ? script(exchange) : respondInDialect(exchange),
    );
  const calls = () => dashboard.upstream.requests.filter(({ method }) => method === 'POST');
  const table = (page: Page) => page.getByRole('table', { name: 'All cases' });
  const row = (page: Page, name: string) => table(page).getByRole('row', { name });

  /** With as many columns, the second of another model. */
  async function open(slug: string, columns: number, width = 1_440): Promise<Page> {
    const page = await dashboard.open(`/presets/${slug}/workbench`, { key: apiKey, width, height: 900 });
    for (let count = 1; count < columns; count += 1) {
      await page.getByRole('button', { name: 'Compare' }).click();
      if (count > 1) continue;
      const second = page.getByRole('region', { name: /^Live/ });
      await second.getByRole('combobox', { name: 'Model' }).fill('other/model');
      await page.keyboard.press('Tab');
    }
    return page;
  }

  /** Where each begins, from the left edge and from the top. */
  async function positions(elements: Locator): Promise<readonly (readonly [x: number, y: number])[]> {
    const boxes = await Promise.all((await elements.all()).map((element) => element.boundingBox()));
    return boxes.map((box) => [box?.x ?? 0, box?.y ?? 0]);
  }

  test('keeps columns beside each other at any width, and scrolls sideways', async () => {
    const page = await open('few', 3);
    for (const width of [1_440, 1_024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      if (width === 390) await page.getByRole('tab', { name: 'Run' }).click();
      const columns = page.locator('section[aria-label]:has(> [data-column])');
      const all = await positions(columns);
      expect(all).toHaveLength(3);
      expect(new Set(all.map(([, y]) => y)).size).toBe(1);
      const [first, second] = all.map(([x]) => x);
      expect(second).toBeGreaterThan((first ?? 0) + 200);
      // On a large screen, all are in sight.
      const end = await columns.last().evaluate((element) => element.getBoundingClientRect().right);
      if (width === 1_440) expect(end).toBeLessThan(width);
      // Room for "Live · version 2".
      const version = columns.last().getByRole('combobox', { name: 'Version' });
      expect((await version.boundingBox())?.width).toBeGreaterThan(130);
      const maximize = page.getByRole('button', { name: 'Maximize run' });
      if (width > 390) expect(await maximize.innerText()).toBe(width === 1_440 ? '' : 'Maximize');
      // What is above the columns stays in view while they scroll.
      const name = page.getByRole('combobox', { name: 'Test case' });
      const before = await name.boundingBox();
      await columns.last().scrollIntoViewIfNeeded();
      expect((await name.boundingBox())?.x).toBe(before?.x);
      await columns.first().scrollIntoViewIfNeeded();
      expect(await sidewaysOverflow(page)).toBe(0);
    }
    await page.getByRole('tab', { name: 'All cases' }).click();
    const [model] = await table(page).getByRole('combobox', { name: 'Model' }).all();
    expect(await model?.getAttribute('placeholder')).toBe('vendor/model');
    for (const width of [390, 1_024, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      const headers = table(page).getByRole('columnheader');
      await headers.nth(3).waitFor();
      expect(new Set((await positions(headers)).map(([, y]) => y)).size).toBe(1);
      expect((await headers.last().boundingBox())?.width).toBeGreaterThanOrEqual(168);
      // The header is above its results, and the names of cases stay in view.
      await headers.last().scrollIntoViewIfNeeded();
      const cells = row(page, 'Case 101').getByRole('cell');
      expect((await positions(cells)).map(([x]) => x)).toEqual(
        (await positions(headers)).slice(1).map(([x]) => x),
      );
      expect((await row(page, 'Case 101').getByRole('rowheader').boundingBox())?.x).toBe(
        (await headers.first().boundingBox())?.x,
      );
      expect(await sidewaysOverflow(page)).toBe(0);
    }
    await expectGoodInEveryAppearance(page, 'cases-columns');
  });

  test('shows the time and cost of each result whole beside its badges, and steps through the dialogs by arrow keys', async () => {
    const page = await open('few', 3);
    respondToCalls(answer);
    await page.getByRole('tab', { name: 'All cases' }).click();
    // Before the first run, rows are as low as those of a list.
    for (const name of ['Case 101', 'Total'])
      expect((await row(page, name).boundingBox())?.height).toBeLessThanOrEqual(40);
    const version = table(page).getByRole('combobox', { name: 'Version' }).last();
    expect(await version.evaluate((element) => element.clientWidth)).toBeGreaterThan(125);
    await screenshot(page, 'cases-before');
    await page.getByRole('button', { name: 'Run all cases' }).click();
    await page.getByText('12 of 12 runs finished, 0 failed').waitFor({ state: 'attached' });
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).pressSequentially('Be kind. ');
    await row(page, 'Case 101').getByText('Outdated').first().waitFor();
    // What is not cut by the cell or by its line.
    const shown: readonly string[] = await row(page, 'Case 104').evaluate((element) =>
      [...element.querySelectorAll('td')].map((cell) => {
        const { right, bottom } = cell.getBoundingClientRect();
        return [...cell.querySelectorAll('button > span:last-child > span > span')]
          .filter((part) => {
            const box = part.getBoundingClientRect();
            const line = part.parentElement?.getBoundingClientRect();
            return box.right <= right && box.bottom <= Math.min(bottom, (line?.bottom ?? 0) + 2);
          })
          .map((part) => part.textContent)
          .join(' ');
      }),
    );
    await screenshot(page, 'cases-outdated');
    expect(shown).toEqual([
      expect.stringMatching(/^Outdated \S+ m?s \$0\.004/),
      expect.stringMatching(/^\S+ m?s \$0\.008/),
      expect.stringMatching(/^\S+ m?s \$0\.004/),
    ]);

    await row(page, 'Case 102').getByRole('button', { name: 'Case 102' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Case 102' }).waitFor();
    const figures = page.getByRole('dialog').getByRole('region', { name: 'Figures' }).getByRole('row');
    expect(await figures.filter({ hasText: 'Cost' }).innerText()).toMatch(
      /^Cost\s+\$0\.002\s+\$0\.004\s+\+100%\s+\$0\.002\s+0%$/,
    );
    await screenshot(page, 'cases-dialog', false);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: 'Case 103' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('dialog', { name: 'Case 102' }).waitFor();
    await expectGoodInEveryAppearance(page, 'cases-dialog');
  });

  test('compares only what both columns have, and moves nothing while results arrive', async () => {
    const page = await open('few', 2);
    const held = new Map<string, () => void>();
    respondToCalls(async (exchange) => {
      const { model, messages } = exchange.request.body;
      const [, number] = /parcel (\d+)/.exec(JSON.stringify(messages)) ?? [];
      await new Promise<void>((resolve) => held.set(`${model} ${number}`, resolve));
      return model === 'other/model' && number === '4'
        ? upstreamError(400, 'refused')(exchange)
        : answer(exchange);
    });
    const release = async (...calls: readonly string[]) => {
      for (const call of calls) {
        await expect.poll(() => held.has(call)).toBe(true);
        held.get(call)?.();
      }
    };
    await page.getByRole('tab', { name: 'All cases' }).click();
    await row(page, 'Case 104').waitFor();
    await page.evaluate(`
      window.shifts = [];
      new PerformanceObserver((list) => shifts.push(
        // The click that starts the run makes room for its results.
        ...list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput).flatMap(({ sources }) => sources.map(({ node }) => node?.outerHTML ?? node?.data))
      ))
        .observe({ type: 'layout-shift' });
    `);
    await page.getByRole('button', { name: 'Run all cases' }).click();
    const [, ofDraft, ofLive] = [0, 1, 2].map((index) => row(page, 'Total').locator('th, td').nth(index));
    await release('vendor/model 1', 'other/model 1', 'vendor/model 2');
    await expect.poll(() => ofDraft?.innerText()).toContain('$0.003');
    await expect
      .poll(() => ofLive?.innerText())
      .toMatch(/^1 result\n.*\$0.002\s+\+100%\nCompared on 1 case$/s);
    await page.getByText('3 of 8', { exact: true }).waitFor();
    await screenshot(page, 'cases-running');
    await release('vendor/model 3', 'vendor/model 4', 'other/model 2', 'other/model 3', 'other/model 4');
    await page.getByText('8 of 8 runs finished, 1 failed').waitFor({ state: 'attached' });
    expect(await ofLive?.innerText()).toMatch(
      /^4 results, 1 error\n.*\$0.012\s+\+100%\nCompared on 3 cases$/s,
    );
    expect(await page.evaluate('shifts')).toEqual([]);
    await expectGoodInEveryAppearance(page, 'cases-compared');
  });

  test('asks before many calls, runs selected cases, and retries what failed', async () => {
    const page = await open('asked', 2);
    let isDown = true;
    respondToCalls((exchange) => {
      const isRefused = isDown && JSON.stringify(exchange.request.body.messages).includes('parcel 2?');
      return isRefused ? upstreamError(400, 'refused')(exchange) : answer(exchange);
    });
    await page.getByRole('tab', { name: 'All cases' }).click();
    await page.getByRole('button', { name: 'Run all cases' }).click();
    const question = page.getByRole('dialog', { name: 'Run 11 cases × 2 columns?' });
    await question.getByText('22 calls, cost unknown').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(calls()).toEqual([]);

    // A few start at once. Shift selects all rows in between.
    await page.getByRole('checkbox', { name: 'Select Case 101' }).check();
    await page.getByRole('checkbox', { name: 'Select Case 103' }).click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Run 3 selected' }).click();
    await page.getByText('6 of 6 runs finished, 2 failed').waitFor({ state: 'attached' });
    await screenshot(page, 'cases-selected');
    isDown = false;
    await page.getByRole('button', { name: 'Retry 2 failed' }).click();
    await page.getByText('2 of 2 runs finished, 0 failed').waitFor({ state: 'attached' });
    expect(calls()).toHaveLength(8);

    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Run all cases' }).click();
    // Three of each cost 0.001 + 0.002 + 0.003, and twice as much; the other eight their mean.
    await question
      .getByText('22 calls, about $0.066, estimated from earlier results on this page.')
      .waitFor();
    await expectGoodInEveryAppearance(page, 'cases-question');
    await question.getByRole('button', { name: 'Run 22 calls' }).press('ControlOrMeta+Enter');
    await page.getByText('22 of 22 runs finished, 0 failed').waitFor({ state: 'attached' });
    expect(calls()).toHaveLength(30);
  });

  test('estimates the cost of a run from calls of the preset', async () => {
    await addPreset('priced', 11);
    const { id: presetId } = (await dashboard.server.get('/api/v1/presets/priced')).body.data;
    const ofPreset = { presetId, presetSlug: 'priced', version: 1, model: 'vendor/model' };
    const cost = { nanos: 2_000_000, source: 'library', price: { request: 0.002 } } as const;
    await recordCalls(dashboard.server, [
      { group: ofPreset, cost },
      { group: ofPreset, cost: { nanos: null, source: null, price: null } },
    ]);
    const page = await open('priced', 2);
    await page.getByRole('tab', { name: 'All cases' }).click();
    await page.getByRole('button', { name: 'Run all cases' }).click();
    await page
      .getByRole('dialog')
      .getByText(
        '22 calls, about $0.022, plus 11 calls of unknown cost, estimated from calls of this preset in the last 30 days.',
      )
      .waitFor();
  });

  test('finds cases, moves between them with the arrow keys, and saves new ones in the table', async () => {
    const page = await open('none', 1);
    await page.getByRole('tab', { name: 'All cases' }).click();
    await page.getByRole('button', { name: 'New case' }).click();
    const form = page.getByRole('form', { name: 'New case' });
    const name = form.getByRole('textbox', { name: 'Name' });
    for (const [title, customer] of [
      ['Angry', 'Ada'],
      ['Polite', 'Grace'],
    ] as const) {
      await name.fill(title);
      await form.getByRole('textbox', { name: 'User message' }).fill('Where is it?');
      await form.getByRole('textbox', { name: 'customer' }).fill(customer);
      await page.keyboard.press('ControlOrMeta+Enter');
      await page.getByText(`Saved the case ${title}`).waitFor();
      await row(page, title).waitFor();
      // The next one can be typed at once.
      await page.locator('input:focus').and(name).waitFor();
      expect(await name.inputValue()).toBe('');
    }
    await name.fill('Angry');
    await page.getByText('There is already a case Angry.').waitFor();
    await expectGoodInEveryAppearance(page, 'cases-new');
    await page.keyboard.press('Escape');
    expect(await name.inputValue({ timeout: 5_000 })).toBe('Angry');
    await form.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard case' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New case' }).click();
    // Ends the composition of a character.
    await name.dispatchEvent('keydown', { key: 'Escape', isComposing: true });
    expect(await form.count()).toBe(1);
    await name.press('Escape');
    await form.waitFor({ state: 'detached' });
    const saved = await dashboard.server.get('/api/v1/presets/none/cases/Angry');
    expect(saved.body.data).toMatchObject({
      variables: { customer: 'Ada' },
      messages: [{ role: 'user', content: 'Where is it?' }],
    });

    const search = page.getByRole('searchbox', { name: 'Search cases' });
    await search.fill('grace where');
    await page.getByRole('button', { name: 'Run 1 shown' }).waitFor();
    expect(await row(page, 'Angry').count()).toBe(0);
    await search.fill('nobody');
    await page.getByText('No matching cases').waitFor();
    await search.fill('');
    await page.getByRole('button', { name: 'Run all cases' }).waitFor();

    const focused = () =>
      page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText');
    await row(page, 'Angry').getByRole('checkbox').focus();
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Select Polite');
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Polite');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Polite' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    const dialog = page.getByRole('dialog', { name: 'Angry' });
    await dialog.getByText('This case has not run yet.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('shows only the cases that failed or differ, and keeps them while they run', async () => {
    const page = await open('few', 2);
    respondToCalls((exchange) => {
      const { model, messages } = exchange.request.body;
      const isOther = model === 'other/model';
      if (isOther && JSON.stringify(messages).includes('parcel 2?'))
        return upstreamError(400, 'refused')(exchange);
      return answer(exchange);
    });
    await page.getByRole('tab', { name: 'All cases' }).click();
    await page.getByRole('button', { name: 'Run all cases' }).click();
    await page.getByText('8 of 8 runs finished, 1 failed').waitFor({ state: 'attached' });
    await page.getByRole('checkbox', { name: 'Select Case 101' }).check();
    await page.getByRole('button', { name: 'Run 1 selected' }).click();
    await page.getByText('2 of 2 runs finished, 0 failed').waitFor({ state: 'attached' });
    await page.getByRole('checkbox', { name: 'Select Case 101' }).uncheck();
    const show = page.getByRole('combobox', { name: 'Show' });
    await show.selectOption('Different only');
    await page.getByText('No cases with this result').waitFor();
    await show.selectOption('Failed');
    await page.getByRole('button', { name: 'Run 1 shown' }).waitFor();
    respondToCalls(answer);
    await page.getByRole('button', { name: 'Retry 1 failed' }).click();
    await row(page, 'Case 102').getByText('Parcel 2').nth(1).waitFor();
    expect(await row(page, 'Case 101').count()).toBe(0);

    // Cells that differ from those of the first column say so.
    respondToCalls((exchange) => {
      const { model, messages } = exchange.request.body;
      const isOther = model === 'other/model' && JSON.stringify(messages).includes('parcel 3?');
      return isOther ? recorded(recordings['openai-chat'])(exchange) : answer(exchange);
    });
    await show.selectOption('All');
    await page.getByRole('button', { name: 'Run all cases' }).click();
    await page.getByText('8 of 8 runs finished, 0 failed').waitFor({ state: 'attached' });
    await show.selectOption('Different only');
    await page.getByRole('button', { name: 'Run 1 shown' }).waitFor();
    const cells = row(page, 'Case 103').getByRole('cell');
    expect(await cells.filter({ hasText: 'Different' }).count()).toBe(1);
    expect(await cells.last().innerText()).toContain('Different');
    await expectAccessible(page);
  });
});

describeInBrowser('500 test cases in the workbench', () => {
  const dashboard = useDashboard({ upstream: true, isMeasured: true });

  test('are searched, moved through and run in short tasks of the main thread', async () => {
    const { server } = dashboard;
    await server.capture('many', {
      model: 'vendor/model',
      messages: [{ role: 'system', content: 'You are terse.' }],
    });
    await addCases(server, 'many', 500);
    dashboard.upstream.respondAlways((exchange) =>
      exchange.request.method === 'POST' ? answer(exchange) : respondInDialect(exchange),
    );
    const page = await dashboard.open('/presets/many/workbench', { key: apiKey, width: 1_440, height: 900 });
    for (let count = 0; count < 2; count += 1) await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('tab', { name: 'All cases' }).click();
    const table = page.getByRole('table', { name: 'All cases' });
    await table.getByRole('row', { name: 'Case 101' }).waitFor();
    const search = page.getByRole('searchbox', { name: 'Search cases' });
    const tasks = await mainThreadTasks(page, async () => {
      await search.pressSequentially('parcel 49', { delay: 40 });
      await page.getByRole('button', { name: 'Run 25 shown' }).waitFor();
      await search.fill('');
      await page.getByRole('button', { name: 'Run all cases' }).waitFor();
      await table.getByRole('checkbox', { name: 'Select Case 101' }).focus();
      for (let count = 0; count < 30; count += 1) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('End');
      await page.locator('input[aria-label="Select Case 600"]:focus').waitFor();
      await page.getByRole('checkbox', { name: 'Select all' }).click();
      await page.getByRole('button', { name: 'Run 500 selected' }).click();
      await page.getByRole('dialog').getByText('1,500 calls, cost unknown').waitFor();
      await page.getByRole('button', { name: 'Run 1,500 calls' }).click();
      await page.getByText(/^\d\d of 1,500$/).waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: /remaining$/ }).waitFor();
    });
    const longest = Math.max(...tasks);
    console.log(`500 cases: longest task ${longest.toFixed(1)} ms of ${tasks.length}`);
    expect(longest).toBeLessThan(taskMsMax);
    expect(await table.getByRole('row').count()).toBeLessThan(25);
  });
});

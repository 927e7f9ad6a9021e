import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { formatAmount, formatCost, formatDuration } from '../../src/core/ledger/metric-text.ts';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { callIdAt, recordCalls } from '../support/call-records.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { chooseInRowMenu } from '../support/menu.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';

const path = '/w/default/usage';
const day = 86_400_000;
const callCount = 2_000;
const runCount = 7;

interface Question {
  readonly [field: string]: unknown;
  readonly filters?: readonly object[];
}

describeInBrowser('the Usage page', () => {
  const dashboard = useDashboard();
  const openUsage = (query = '', key = managementKey) => dashboard.open(path + query, { key });
  /** Rows of the API about calls of apps, as somebody with a key of the workspace gets them. */
  const query = async ({ filters = [], ...body }: Question) => {
    const isOfApp = { field: 'purpose', operator: 'eq', value: 'call' };
    const sent = { ...body, filters: [...filters, isOfApp] };
    return (await dashboard.server.post('/api/v1/analytics/query', sent)).body.data.data;
  };
  let emptyWorkspace: string;

  beforeAll(async () => {
    const { server } = dashboard;
    const preset = async (slug: string, models: readonly string[]) => {
      let id = '';
      for (const model of models)
        id = (await server.post(`/api/v1/presets/${slug}/responses`, { model, input: 'Hi' })).body.data.id;
      return id;
    };
    const bot = await preset('support-bot', ['openai/gpt-5', 'openai/gpt-5-mini']);
    const summary = await preset('summary', ['anthropic/claude-sonnet-4.5']);
    const middle = Date.now() - 15 * day;
    const { id: keyId } = await makeKey(server, { name: 'Shop' });
    const grace = await makeMember(server, 'grace@example.com');
    const search = await makeWorkspace(server, 'search');
    emptyWorkspace = await makeWorkspace(server, 'empty');
    const now = Date.now();
    const calls = Array.from({ length: callCount }, (_, index) => {
      const at = now - ((index * 7_919_000) % (29 * day));
      const version = at > middle ? 2 : 1;
      const wave = 1 + Math.sin(at / (3 * day));
      const isSummary = index % 4 === 0;
      const isUnpriced = index % 50 === 0;
      return {
        id: callIdAt(at),
        group: {
          presetId: isSummary ? summary : bot,
          presetSlug: isSummary ? 'summary' : 'support-bot',
          version: isSummary ? 1 : version,
          selection: 'live' as const,
          model: isUnpriced ? 'local/llama' : isSummary ? 'anthropic/claude-sonnet-4.5' : 'openai/gpt-5',
          keyId: index % 3 === 0 ? null : keyId,
          userId: index % 3 === 0 ? grace : 'owner',
          status: index % 97 === 0 ? 502 : 200,
        },
        cost: isUnpriced
          ? { nanos: null, source: null, price: null }
          : {
              nanos: Math.round((version === 2 ? 2_100_000 : 3_300_000) * wave),
              source: 'library' as const,
              price: { inputPerMillion: 1.25 },
            },
        tokens: {
          input: 900 + ((index * 37) % 800),
          cached: null,
          cacheWrite: null,
          output: 100 + (index % 90),
          reasoning: null,
        },
        firstTokenMs: 300 + ((index * 13) % 400),
        totalMs: Math.round((version === 2 ? 900 : 1_300) + ((index * 31) % 1_500)),
      };
    });
    await recordCalls(server, calls);
    const run = { model: 'openai/gpt-5', purpose: 'workbench' as const };
    await recordCalls(
      server,
      Array.from({ length: runCount }, () => ({ group: run })),
    );
    await recordCalls(server, [{ group: { workspaceId: search, model: 'search/model' } }]);
  });

  test('has accessible layouts', async () => {
    const page = await openUsage();
    await chart(page, 'Spend').waitFor();
    await expectGoodInEveryAppearance(page, 'usage');
    await go(page, '?preset=support-bot&version=2&compare=1');
    await page.getByRole('table', { name: 'Comparison of two versions' }).waitFor();
    await expectGoodInEveryAppearance(page, 'usage-compare');
    await go(page, '?preset=support-bot&group=none');
    await chart(page, 'Spend').waitFor();
    await tableOf(page, 'Latency');
    await expectGoodInEveryAppearance(page, 'usage-preset');
    await chart(page, 'Calls').hover();
    await page
      .getByText(/^\w+, \w+ \d+, \d{4} UTC/)
      .first()
      .waitFor();
    await screenshot(page, 'usage-hover');
    await page.getByRole('combobox', { name: 'Filter' }).click();
    await option(page, 'Model').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'usage-filter', false);
  });

  test('has its filters behind one button on a phone', async () => {
    const page = await dashboard.open(path, { key: managementKey, width: 390 });
    await chart(page, 'Spend').waitFor();
    const range = page.getByRole('combobox', { name: 'Range' });
    expect(await range.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters (1)' }).click();
    await range.waitFor();
    await page.getByRole('button', { name: 'Remove filter Purpose: Calls of apps' }).click();
    await page.getByRole('button', { name: 'Filters', exact: true }).waitFor();
  });

  test('shows the numbers of the API, whole and by group and period', async () => {
    const page = await openUsage('?group=model');
    const range = rangeOf(30);
    const [total] = await query({ ...range, metrics: ['total_usage', 'request_count', 'tokens_total'] });
    expect(total.request_count).toBe(callCount);
    await expect.poll(() => totalOf(page, 'Calls')).toContain(formatAmount(total.request_count));
    expect(await totalOf(page, 'Spend')).toContain(formatCost(total.total_usage));
    expect(await totalOf(page, 'Tokens')).toContain(formatAmount(total.tokens_total));

    const groups = await query({
      ...range,
      metrics: ['total_usage', 'request_count', 'latency_p95'],
      dimensions: ['model'],
    });
    const rows = page.getByRole('table', { name: 'Usage by group' }).getByRole('row');
    for (const group of groups) {
      const text = await rows.filter({ hasText: group.model }).innerText();
      expect(text).toContain(formatCost(group.total_usage));
      expect(text).toContain(formatAmount(group.request_count));
      expect(text).toContain(formatDuration(group.latency_p95));
    }
    expect(await rows.count()).toBe(groups.length + 1);

    const table = await tableOf(page, 'Calls');
    const days = await query({ ...range, metrics: ['request_count'], granularity: 'day' });
    const cells = await table.locator('tbody tr').evaluateAll(rowsAsNumbers);
    expect(cells).toHaveLength(30);
    // The groups of a day add up to its total, and the days to that of the range.
    for (const [sum, ...parts] of cells.map((row) => row.toReversed()))
      expect(parts.reduce((added, part) => added + part, 0)).toBe(sum);
    const sums = cells.map((row) => row.at(-1) ?? 0);
    expect(sums.filter((sum) => sum > 0)).toEqual(
      days.map((row: { readonly request_count: number }) => row.request_count),
    );
    expect(sums.reduce((added, sum) => added + sum, 0)).toBe(total.request_count);
    expect(await table.locator('tfoot').innerText()).toContain(formatAmount(total.request_count));
  });

  test('compares totals with as much time before, and dashes lines to the period that runs', async () => {
    const page = await openUsage('?range=7d&group=none');
    await expect.poll(() => totalOf(page, 'Calls')).toMatch(/([+−][\d.]+% vs\.|Same as) previous period$/);
    await chart(page, 'Error rate').waitFor();
    expect(await chart(page, 'Error rate').locator('[data-current]').count()).toBe(1);
    // There were no calls before.
    await go(page, '?range=90d&group=none');
    await expect.poll(() => totalOf(page, 'Calls')).toContain(formatAmount(callCount));
    expect(await totalOf(page, 'Calls')).not.toContain('previous');
    await chart(page, 'Error rate').waitFor();
    expect(await chart(page, 'Error rate').locator('[data-current]').count()).toBe(1);
    const yesterday = new Date(Date.now() - day).toISOString().slice(0, 10);
    await go(page, `?from=2026-01-01&to=${yesterday}&granularity=month&group=none`);
    await chart(page, 'Error rate').waitFor();
    expect(await chart(page, 'Error rate').locator('[data-current]').count()).toBe(0);
  });

  test('counts runs in the workbench only if they are asked for', async () => {
    const page = await openUsage('?group=purpose');
    const calls = () => totalOf(page, 'Calls');
    await expect.poll(calls).toContain(formatAmount(callCount));
    const filter = page.getByRole('button', { name: 'Remove filter Purpose: Calls of apps' });
    await filter.click();
    await expect.poll(calls).toContain(formatAmount(callCount + runCount));
    expect(searchOf(page)).toBe('?group=purpose&purpose=all');
    await page.getByRole('link', { name: 'Workbench runs' }).click();
    await expect.poll(calls).toMatch(/^7\b/);
    await page.getByRole('button', { name: 'Remove filter Purpose: Workbench runs' }).click();
    await expect.poll(calls).toContain(formatAmount(callCount + runCount));
    await go(page, '?model=none');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await filter.waitFor();
    await expect.poll(calls).toContain(formatAmount(callCount));
  });

  test('shows a cost that nobody knows as unknown, with the number of calls', async () => {
    const page = await openUsage('?model=local/llama&group=none');
    await expect.poll(() => totalOf(page, 'Spend')).toContain('Unknown');
    const [{ unpriced_request_count: unpriced }] = await query({
      ...rangeOf(30),
      metrics: ['unpriced_request_count'],
    });
    const note = `without ${unpriced} calls of unknown cost`;
    expect(await totalOf(page, 'Spend')).toContain(note);
    // Spend and cost per call.
    expect(await page.getByText('No cost is known in this range.').count()).toBe(2);
    expect(await chart(page, 'Spend').count()).toBe(0);
    const table = await tableOf(page, 'Spend');
    const text = await table.innerText();
    expect(text).toContain('unknown');
    expect(text).toMatch(/without \d calls? of unknown cost/);
    // Days without calls cost nothing; those with calls do not.
    const rows = await table.locator('tbody tr').allInnerTexts();
    for (const row of rows) expect(row.includes('$0.00')).toBe(!row.includes('unknown'));
    await go(page, '');
    await page.getByRole('link', { name: note }).waitFor();
    await expect.poll(() => totalOf(page, 'Spend')).toContain('$');
  });

  test('keeps groups, filters and range in the URL, and sets them with the keyboard alone', async () => {
    const page = await openUsage();
    await chart(page, 'Spend').waitFor();
    await page.getByRole('combobox', { name: 'Filter' }).focus();
    await page.keyboard.press('Enter');
    await page.getByPlaceholder('Filter by…').waitFor();
    await page.keyboard.type('mod');
    await page.keyboard.press('Enter');
    await page.getByPlaceholder('Model…').waitFor();
    await page.keyboard.type('claude');
    await option(page, 'anthropic/claude-sonnet-4.5').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => searchOf(page)).toBe('?model=anthropic%2Fclaude-sonnet-4.5');
    await page.getByRole('combobox', { name: 'Filter' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('By person');
    await page.getByRole('link', { name: 'grace@example.com' }).waitFor();
    await page.getByRole('combobox', { name: 'Range' }).selectOption('Last 7 days');
    await page.getByRole('combobox', { name: 'Granularity' }).selectOption('By hour');
    expect(searchOf(page)).toBe(
      '?model=anthropic%2Fclaude-sonnet-4.5&group=person&range=7d&granularity=hour',
    );
    await page.reload();
    await page.getByRole('link', { name: 'grace@example.com' }).waitFor();
    expect(await (await tableOf(page, 'Calls')).locator('tbody tr').count()).toBe(7 * 24);
    await page.getByRole('button', { name: 'Remove filter Model: anthropic/claude-sonnet-4.5' }).click();
    await expect.poll(() => searchOf(page)).toBe('?group=person&range=7d&granularity=hour');
    // A group leads to what it consists of.
    await page.getByRole('link', { name: 'grace@example.com' }).click();
    await page.getByRole('button', { name: 'Remove filter Person: grace@example.com' }).waitFor();
    await page.getByRole('combobox', { name: 'Range' }).selectOption('Custom range');
    await page.getByRole('textbox', { name: 'From (UTC)' }).fill('2020-01-02');
    await page.getByRole('textbox', { name: 'To (UTC)' }).fill('2020-01-01');
    await page.getByText('No matching calls').waitFor();
    expect(searchOf(page)).toContain('from=2020-01-01&to=2020-01-01');
    await page.getByRole('button', { name: 'Show the last 90 days' }).click();
    await chart(page, 'Spend').waitFor();
  });

  test('compares two versions of a preset, and marks when one went live', async () => {
    const page = await openUsage('?preset=support-bot');
    await page.getByRole('combobox', { name: 'Version' }).selectOption('Version 2 · live');
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('Compared with version 1');
    const comparison = page.getByRole('table', { name: 'Comparison of two versions' });
    await comparison.waitFor();
    expect(searchOf(page)).toBe('?preset=support-bot&version=2&compare=1');
    const versions = await query({
      ...rangeOf(30),
      metrics: ['request_count', 'cost_per_call', 'latency_p95'],
      dimensions: ['preset_version'],
      filters: [{ field: 'preset', operator: 'eq', value: 'support-bot' }],
      order_by: { field: 'preset_version', direction: 'asc' },
    });
    const cellsOf = async (title: string) =>
      (await comparison.getByRole('row', { name: title }).getByRole('cell').allInnerTexts()).slice(0, 2);
    const texts = (format: (value: unknown) => string, name: string) =>
      versions.map((row: Record<string, unknown>) => format(row[name]));
    expect(await cellsOf('Calls')).toEqual(texts(formatAmount, 'request_count'));
    expect(await cellsOf('Cost per call')).toEqual(texts(formatCost, 'cost_per_call'));
    expect(await cellsOf('Latency p95')).toEqual(texts(formatDuration, 'latency_p95'));
    // The totals are those of the filtered version, not of both together.
    const calls = versions.map((row: { readonly request_count: number }) => row.request_count);
    const total = await totalOf(page, 'Calls');
    expect(total).toContain(formatAmount(calls[1]));
    expect(total).toContain(`${calls[1] < calls[0] ? '−' : '+'}`);
    expect(total).toMatch(/[+−][\d.]+% vs\. v1$/);
    expect(await comparison.getByRole('row', { name: 'Input tokens' }).innerText()).toMatch(
      /(Same|[+−]\d+ \([+−][\d.]+%\))$/,
    );
    expect(await page.getByRole('list', { name: 'Groups' }).getByRole('listitem').allInnerTexts()).toEqual([
      'Version 1',
      'Version 2',
    ]);
    const errorRate = comparison.getByRole('row', { name: 'Error rate' }).getByRole('cell');
    expect(await errorRate.allInnerTexts()).toHaveLength(3);
    await page.setViewportSize({ width: 390, height: 800 });
    const [, newer, ...others] = await errorRate.allInnerTexts();
    expect(newer).toMatch(/%\s+(Same|[+−][\d.]+ points( \(.+\))?)$/);
    expect(others).toEqual([]);
    const box = page.getByRole('region', { name: 'Numbers of both versions' });
    expect(await box.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await page.setViewportSize({ width: 1_280, height: 800 });
    // Version 2 was made live by the first test above.
    await chart(page, 'Spend').getByText('2 versions went live').waitFor();
    const table = await tableOf(page, 'Spend');
    await table.getByRole('cell', { name: 'Version 1, Version 2' }).waitFor();
  });

  test('moves nothing when the numbers arrive', async () => {
    const page = await dashboard.open('/w/default/presets', { key: managementKey });
    await page.getByRole('heading', { level: 1, name: 'Presets' }).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/analytics/query*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('status', { name: 'Loading usage' }).waitFor();
    await expectAccessible(page);
    const places = () =>
      Promise.all(
        ['Spend', 'Latency'].map((name) => page.getByRole('region', { name, exact: true }).boundingBox()),
      );
    const before = await places();
    held.resolve();
    await chart(page, 'Spend').waitFor();
    expect(await places()).toEqual(before);
  });

  test('hides series, or all but one, by the legend, with the pointer and the keyboard', async () => {
    const page = await openUsage('?group=model');
    const entry = (name: string) =>
      page.getByRole('list', { name: 'Groups' }).getByRole('button', { name, exact: true });
    const entries = page.getByRole('list', { name: 'Groups' }).getByRole('button');
    await entry('openai/gpt-5').waitFor();
    const names = await entries.allInnerTexts();
    expect(names).toContain('local/llama');
    const shown = () => page.getByRole('list').getByRole('button', { pressed: true }).allInnerTexts();
    const colors = () =>
      chart(page, 'Calls')
        .locator('rect')
        .evaluateAll((bars) => new Set(bars.map(({ style }) => style.fill)).size);
    const all = names.length;
    expect([await shown(), await colors()]).toEqual([names, all]);

    await entry('openai/gpt-5').click();
    const others = names.filter((name) => name !== 'openai/gpt-5');
    expect([await shown(), await colors()]).toEqual([others, all - 1]);
    const table = await tableOf(page, 'Spend');
    expect(await table.getByRole('columnheader', { name: 'openai/gpt-5' }).count()).toBe(0);
    await table.getByRole('rowheader', { name: 'Whole range, all groups' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'usage-hidden-series');

    // The address has it.
    await page.reload();
    await entry('openai/gpt-5').waitFor();
    expect(await shown()).toEqual(others);
    await entry('openai/gpt-5').press('Space');
    expect(await shown()).toEqual(names);
    await entry('local/llama').press('Shift+Enter');
    expect([await shown(), await colors()]).toEqual([['local/llama'], 1]);
    await page.getByRole('button', { name: 'Show all' }).click();
    expect([await shown(), await colors()]).toEqual([names, all]);
    await entry('local/llama').click({ modifiers: ['Shift'] });
    await entry('local/llama').click();
    expect(await shown()).toEqual(names);

    // Without groups, only the quantiles have different colors.
    await go(page, '?preset=support-bot&group=none');
    const quantiles = page.getByRole('list', { name: 'Quantiles' }).getByRole('button');
    await quantiles.first().waitFor();
    expect(await quantiles.allInnerTexts()).toEqual(['p50', 'p95', 'p99']);
    const lines = () => chart(page, 'Latency').locator('g[style*="stroke"]').count();
    expect(await lines()).toBe(3);
    await quantiles.last().click();
    expect(await lines()).toBe(2);
  });

  test('shows the whole organization to admins, and their own workspaces to others', async () => {
    const page = await openUsage('?scope=all&group=workspace');
    await expect.poll(() => totalOf(page, 'Calls')).toContain(formatAmount(callCount + 1));
    await page.getByRole('link', { name: 'search' }).click();
    await page.getByRole('button', { name: 'Remove filter Workspace: search' }).waitFor();
    await expect.poll(() => totalOf(page, 'Calls')).toMatch(/^1\b/);
    const own = await dashboard.open(`${path}?scope=all`, { key: apiKey });
    await expect.poll(() => totalOf(own, 'Calls')).toContain(formatAmount(callCount));
    expect(await own.getByRole('combobox', { name: 'Workspace' }).count()).toBe(0);
  });

  test('is linked from keys, presets and versions', async () => {
    const page = await dashboard.open('/organization/keys', { key: managementKey });
    await chooseInRowMenu(page, 'Shop', 'View usage');
    await page.getByRole('button', { name: 'Remove filter API key: Shop' }).waitFor();
    await page.goto(`${dashboard.server.url}/w/default/presets/support-bot/history/1`);
    await page.getByRole('button', { name: 'Actions for version 1' }).first().click();
    await page.getByRole('menuitem', { name: 'View usage' }).click();
    await expect.poll(() => searchOf(page)).toBe('?preset=support-bot&version=1');
    await page.goto(`${dashboard.server.url}/w/default/presets/support-bot`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'View usage' }).click();
    await expect.poll(() => searchOf(page)).toBe('?preset=support-bot');
  });

  test('explains how to make the first call, with the key of the person', async () => {
    const { secret } = await makeKey(dashboard.server, { name: 'Empty', workspace_id: emptyWorkspace });
    const page = await dashboard.open('/w/empty/usage?range=90d', { key: secret });
    await page.getByRole('heading', { name: 'No calls yet' }).waitFor();
    await page.getByText(`curl ${dashboard.server.url}/api/v1/chat/completions`).waitFor();
    await page.getByText(`export PRESETD_API_KEY=${secret.slice(0, 8)}`).waitFor();
    await expectGoodInEveryAppearance(page, 'usage-empty');
  });

  test('says why it cannot show anything, and tries again', async () => {
    const page = await dashboard.open(path, { key: managementKey, isFailing: true });
    await chart(page, 'Spend').waitFor();
    await page.route('**/analytics/query**', (route) =>
      route.fulfill({ status: 500, json: { error: { code: 500, message: 'The disk is full.' } } }),
    );
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('By label');
    await page.getByRole('alert').getByText('The disk is full.').waitFor();
    await page.unroute('**/analytics/query**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('rowheader', { name: 'No label' }).or(page.getByText('No label')).first().waitFor();
  });
});

async function go(page: Page, query: string): Promise<void> {
  await page.goto(new URL(page.url()).origin + path + query);
}

function chart(page: Page, title: string): Locator {
  return page.getByRole('img', { name: new RegExp(`^${title}: `) });
}

function option(page: Page, name: string): Locator {
  return page.getByRole('listbox').getByRole('option', { name });
}

/** Shows the table of a chart. */
async function tableOf(page: Page, title: string): Promise<Locator> {
  await page.getByRole('button', { name: `Table of ${title}`, exact: true }).click();
  return page.getByRole('table', { name: title, exact: true });
}

/** The text of a total, and of the note below it. */
function totalOf(page: Page, title: string): Promise<string> {
  return page
    .locator('dt', { hasText: new RegExp(`^${title}$`) })
    .locator('xpath=following-sibling::dd')
    .innerText();
}

function searchOf(page: Page): string {
  return new URL(page.url()).search;
}

function rowsAsNumbers(rows: readonly { readonly cells: Iterable<{ readonly innerText: string }> }[]) {
  return rows.map((row) =>
    [...row.cells].slice(1).map(({ innerText }) => Number(innerText.replaceAll(',', ''))),
  );
}

/** The range of the page, in whole days. */
function rangeOf(days: number) {
  const end = (Math.floor(Date.now() / day) + 1) * day;
  const start = end - days * day;
  return { time_range: { start: new Date(start).toISOString(), end: new Date(end).toISOString() } };
}

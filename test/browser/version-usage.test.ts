import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import type { CallGroup } from '../../src/core/ledger/call-group.ts';
import type { CallRecord } from '../../src/core/ledger/call-record.ts';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { callIdAt, callRecord } from '../support/call-records.ts';
import { useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';
import { withStorage } from '../support/storage-access.ts';

const dayMs = 86_400_000;

describeInBrowser('how versions behave', () => {
  const dashboard = useDashboard();
  const preset = '/api/v1/presets';

  beforeAll(async () => {
    const { server } = dashboard;
    for (const slug of ['letters', 'silent'])
      for (const content of ['Write a letter.', 'Write a long letter.', 'Write a short letter.'])
        await server.post(`${preset}/${slug}/chat/completions`, {
          model: 'a/b',
          messages: [{ role: 'system', content }],
        });
    await server.send('PUT', `${preset}/letters/labels/qa`, { version: 2 });
    await withStorage(server.database, async ({ storage, organization }) => {
      const { id: presetId } = (await server.get(`${preset}/letters`)).body.data;
      const [key] = (await server.get('/api/v1/keys')).body.data;
      const address = { organizationId: organization.id, workspaceId: organization.defaultWorkspaceId };
      const calls = (
        count: number,
        group: Partial<CallGroup>,
        record: Partial<CallRecord> = {},
        daysAgo = 0,
      ) =>
        Array.from({ length: count }, () => {
          const id = callIdAt(Date.now() - daysAgo * dayMs);
          const shared = { presetId, presetSlug: 'letters', keyId: key.hash, selection: 'live' } as const;
          return callRecord(address, { id, ...record, group: { ...shared, ...group } });
        });
      const free = { nanos: 0, source: 'free', price: null } as const;
      const unknownCost = { cost: { nanos: null, source: null, price: null }, totalMs: 2_000 };
      const list = [
        ...calls(9, { version: 3 }, { cost: { nanos: 2_000_000, source: 'upstream', price: null } }),
        ...calls(
          1,
          { version: 3, status: 502 },
          { cost: { nanos: 2_000_000, source: 'upstream', price: null } },
        ),
        // Of an earlier preset with this id: versions are counted since their preset exists.
        ...calls(4, { version: 3 }, {}, 12),
        ...calls(4, { version: 2, selection: 'label', label: 'qa' }, unknownCost),
        // Failed, so free of charge.
        ...calls(1, { version: 2, selection: 'label', label: 'qa', status: 502 }, { cost: free }),
        // Neither production traffic.
        ...calls(7, { version: 3, purpose: 'workbench' }),
      ];
      await storage.ledger.write({ id: newId(), calls: list }, true);
    });
  });

  const open = (path: string, options: object = {}) =>
    dashboard.open(path, { key: apiKey, width: 1_440, ...options });

  const recordShifts = (page: Page) =>
    page.evaluate(`
      window.shifts = [];
      new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value)))
        .observe({ type: 'layout-shift' });
    `);

  test('the list counts the calls of 30 days, sorts by them, and nothing moves when they arrive', async () => {
    const page = await open('/workspaces');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/analytics/query*', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Presets', exact: true }).click();
    const row = (name: string) => page.getByRole('row', { name });
    await row('letters').waitFor();
    await recordShifts(page);
    release();
    await row('letters').getByTitle('19 calls in the last 30 days').waitFor();
    expect(await page.evaluate('shifts')).toEqual([]);
    await expect.poll(() => row('silent').getByRole('cell').allInnerTexts()).toContain('0\nNever called');
    const cells = page.getByRole('row').locator('[data-row-link]');
    await page.getByRole('button', { name: 'Calls, 30 days' }).click();
    await expect.poll(() => cells.allInnerTexts()).toEqual(['letters', 'silent']);
    await page.getByRole('button', { name: 'Calls, 30 days' }).click();
    await expect.poll(() => cells.allInnerTexts()).toEqual(['silent', 'letters']);
    await expectGoodInEveryAppearance(page, 'presets-with-calls');
  });

  test('the history has calls, cost, errors and latency of each version, and what it does not know', async () => {
    const page = await open('/presets/letters/history');
    const versions = page.getByRole('list', { name: 'Versions, newest first' }).getByRole('listitem');
    await versions.getByText('10 calls').waitFor();
    expect(await versions.nth(0).innerText()).toMatch(
      /10 calls.*\$0\.00200 per call.*10\.0% errors.*p95 \d+ ms/s,
    );
    expect(await versions.nth(1).innerText()).toMatch(/5 calls.*cost unknown.*20\.0% errors.*p95 2\.0 s/s);
    expect(await versions.filter({ hasText: 'Version 1' }).innerText()).toContain('No calls');
    await expectGoodInEveryAppearance(page, 'history-with-calls');
    await page.getByTitle('Show usage').click();
    await page.waitForURL('**/usage?preset=letters&version=3&purpose=call&**');
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor();
    await page.getByText('$0.02').first().waitFor();
  });

  test('a comparison has the numbers of both versions', async () => {
    const page = await open('/presets/letters/history/2..3');
    const table = page.getByRole('table', { name: 'How the versions behave' });
    await table.getByText('unknown').waitFor();
    expect(await table.getByRole('row').allInnerTexts()).toEqual([
      expect.stringContaining('Cost per call'),
      expect.stringMatching(/^Version 2\s+5\s+unknown\s+20\.0%\s+2\.0 s$/),
      expect.stringMatching(/^Version 3\s+10\s+\$0\.00200\s+10\.0%\s+\d+ ms$/),
      expect.stringMatching(
        /^Difference\s+\+5 \(\+100%\)\s+–\s+Too few calls to compare\s+−[\d.]+ m?s \(−\d+%\)$/,
      ),
    ]);
    await expectGoodInEveryAppearance(page, 'compare-with-calls');
    // On a phone, a version is a column.
    await page.setViewportSize({ width: 360, height: 800 });
    const [second, third] = await Promise.all(
      ['Version 2', 'Version 3'].map((name) => table.getByRole('rowheader', { name }).boundingBox()),
    );
    expect(second?.y).toBe(third?.y);
  });

  test('j and k move between versions, and the list of keys says so', async () => {
    const page = await open('/presets/letters/history');
    await page.getByRole('heading', { name: 'Version 3', exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.waitForURL('**/presets/letters/history/2');
    await page.keyboard.press('j');
    await page.waitForURL('**/presets/letters/history/1');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.waitForURL('**/presets/letters/history/2');
    await page.getByRole('heading', { name: 'Version 2', exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Older version').waitFor();
  });

  test('the date of a version stays beside its number, whatever labels it has', async () => {
    const { server } = dashboard;
    for (const label of ['production', 'staging'])
      await server.send('PUT', `${preset}/letters/labels/${label}`, { version: 2 });
    const page = await open('/presets/letters/history');
    const row = page.getByRole('listitem').filter({ hasText: 'Version 2' });
    await row.getByText('staging').waitFor();
    const top = async (text: string) => (await row.getByText(text).first().boundingBox())?.y ?? 0;
    expect(Math.abs((await top('just now').catch(() => top('ago'))) - (await top('Version 2')))).toBeLessThan(
      8,
    );
  });

  test('a preset without calls has no numbers, and says how to get them', async () => {
    const page = await open('/presets/silent/history/1..2');
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    await expect.poll(() => page.getByRole('table', { name: 'How the versions behave' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Version 3', exact: true }).click();
    await page.getByText('Never called.').waitFor();
    expect(await page.getByText('No calls').count()).toBe(0);
    await page.getByRole('link', { name: 'Call it' }).click();
    await page.waitForURL('**/presets/silent/use');
    await page.getByRole('link', { name: 'Workbench', exact: true }).click();
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Usage of versions' }).count()).toBe(0);
  });

  test('the workbench shows the live version and the one that a draft is based on', async () => {
    const page = await open('/presets/letters?from=2');
    await page.getByRole('button', { name: 'Usage of versions' }).click();
    const items = page.getByRole('menuitem');
    await expect
      .poll(() => items.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Version 3 \(live\)\n10 calls · \$0\.00200 per call · 10\.0% errors · p95/),
        expect.stringMatching(/^Version 2\n5 calls · cost unknown/),
      ]);
    await expectGoodInEveryAppearance(page, 'workbench-usage');
  });

  test('dialogs that move calls say who makes them, and how often', async () => {
    const page = await open('/presets/letters/history/1');
    await page.getByRole('button', { name: 'Make live…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Called 10 times in the last 7 days by 1 key: .+\.$/).waitFor();
    await expectGoodInEveryAppearance(page, 'make-live-with-calls');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'qa: move or remove label' }).first().click();
    await dialog.getByText(/^Called 5 times with label qa in the last 7 days by 1 key: .+\.$/).waitFor();
  });

  test('saving a draft and making it live says so as well, also if nobody calls the preset', async () => {
    const release = async (slug: string, text: string | RegExp) => {
      const page = await open(`/presets/${slug}`);
      await page.getByRole('textbox', { name: 'System prompt', exact: true }).pressSequentially('Kindly. ');
      await page.getByRole('button', { name: 'Save and make live…' }).click();
      await page.getByRole('dialog').getByText(text).waitFor();
    };
    await release('letters', /^Called 10 times in the last 7 days/);
    await release('silent', 'Never called.');
  });
});

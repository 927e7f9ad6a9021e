import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { formatGenerationId } from '../../src/core/ledger/call-record.ts';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { callIdAt, recordCalls } from '../support/call-records.ts';
import { useDashboard } from '../support/dashboard.ts';
import { chooseInRowMenu } from '../support/menu.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';

const path = '/w/default/calls';
const hour = 3_600_000;

describeInBrowser('the Calls page', () => {
  const dashboard = useDashboard();
  const openCalls = (query = '', key = managementKey) => dashboard.open(path + query, { key });
  const detailed = callIdAt(Date.now() - hour);
  const detailedId = formatGenerationId(detailed);
  let emptyWorkspace: string;

  beforeAll(async () => {
    const { server } = dashboard;
    const preset = async (model: string) =>
      (await server.post('/api/v1/presets/support-bot/responses', { model, input: 'Hi' })).body.data.id;
    await preset('openai/gpt-5');
    const presetId = await preset('openai/gpt-5-mini');
    const { id: keyId } = await makeKey(server, { name: 'Shop' });
    const grace = await makeMember(server, 'grace@example.com');
    const search = await makeWorkspace(server, 'search');
    emptyWorkspace = await makeWorkspace(server, 'empty');
    const now = Date.now();
    const ofPreset = { presetId, presetSlug: 'support-bot', model: 'openai/gpt-5-mini', keyId };
    await recordCalls(server, [
      {
        id: detailed,
        group: { ...ofPreset, version: 2, selection: 'label', label: 'production', userId: grace },
        requestedModel: 'openai/gpt-5',
        respondingModel: 'gpt-5-mini-2026',
        upstreamId: 'chatcmpl-123',
        tokens: { input: 1_200, cached: 800, cacheWrite: null, output: 300, reasoning: 100 },
        cost: { nanos: 4_250_000, source: 'library', price: { inputPerMillion: 1.25, outputPerMillion: 10 } },
        firstTokenMs: 400,
        totalMs: 2_400,
        presetdMs: 1.4,
        isStreamed: true,
        fallbacks: ['openai/gpt-5;rate_limited'],
        sessionId: 'session-1',
        endUser: 'customer-7',
        appTitle: 'Shop',
      },
      {
        id: callIdAt(now - 2 * hour),
        group: { ...ofPreset, version: 1, selection: 'version' },
        cost: { nanos: null, source: null, price: null },
        isEstimated: true,
        firstTokenMs: null,
      },
      {
        id: callIdAt(now - 3 * hour),
        group: { ...ofPreset, version: 2, selection: 'live', status: 502 },
        errorCode: 'upstream_interrupted',
        errorMessage: 'The upstream "main" ended its response before it was complete.',
      },
      {
        id: callIdAt(now - 3.5 * hour),
        group: { model: null, upstream: null, status: 404 },
        requestedPreset: 'support-bott',
        errorCode: 'preset_not_found',
        errorMessage: 'There is no preset "support-bott" in this workspace. It has support-bot.',
      },
      ...Array.from({ length: 150 }, (_, index) => ({
        id: callIdAt(now - (4 + index) * hour),
        group: { model: 'm', purpose: index % 10 === 0 ? ('workbench' as const) : ('call' as const) },
      })),
      { id: callIdAt(now - hour), group: { workspaceId: search, model: 'search/model' } },
    ]);
  });

  test('has accessible layouts, also of a call', async () => {
    const page = await openCalls('?preset=support-bot');
    await rows(page).nth(2).waitFor();
    await expectGoodInEveryAppearance(page, 'calls');
    // Where there is little room, only the choice of another version than the live one is shown.
    for (const [width, isShown] of [
      [1_440, true],
      [1_024, false],
      [360, true],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await rows(page).first().getByText('production').waitFor();
      const live = rows(page).nth(2).getByText('Live', { exact: true });
      await expect.poll(() => live.isVisible()).toBe(isShown);
    }
    // On a phone, a card begins with time and status, and leaves out what a call does not have.
    const tops = await Promise.all(
      ['time', 'td:nth-child(2)'].map((part) => rows(page).first().locator(part).boundingBox()),
    );
    expect(Math.abs((tops[0]?.y ?? 0) - (tops[1]?.y ?? 99))).toBeLessThan(8);
    const firstTokens = rows(page).locator('td[data-title="First token"]');
    const areVisible = await Promise.all((await firstTokens.all()).map((cell) => cell.isVisible()));
    expect(areVisible).toEqual((await firstTokens.allInnerTexts()).map((text) => !text.includes('–')));
    expect(areVisible).toContain(true);
    expect(areVisible).toContain(false);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await rows(page).first().click();
    await panel(page).getByText('chatcmpl-123').waitFor();
    await expectGoodInEveryAppearance(page, 'calls-call');
  });

  test('says why a call failed, and lists others that failed for the same reason', async () => {
    const page = await openCalls('?status=error');
    await rows(page).nth(1).waitFor();
    expect(await rows(page).count()).toBe(2);
    await rows(page).filter({ hasText: '502' }).getByText('Response cut off').waitFor();
    await rows(page).filter({ hasText: 'support-bott' }).click();
    expect(await fact(page, 'Reason')).toBe('Preset not found preset_not_found');
    expect(await fact(page, 'Message')).toContain('There is no preset "support-bott"');
    await expectGoodInEveryAppearance(page, 'calls-failed');
    await panel(page).getByRole('link', { name: 'Preset not found' }).click();
    await page.getByRole('button', { name: 'Remove filter Error: Preset not found' }).waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
  });

  test('marks runs of the workbench', async () => {
    const page = await openCalls('?model=m');
    await rows(page).nth(10).waitFor();
    const marked = rows(page).getByText('Workbench', { exact: true });
    expect(await marked.count()).toBeGreaterThan(0);
    expect(await marked.count()).toBeLessThan((await rows(page).count()) / 5);
    await page.goto(`${dashboard.server.url}${path}?purpose=call`);
    await rows(page).nth(10).waitFor();
    expect(await marked.count()).toBe(0);
  });

  test('shows a call with its time, tokens, cost, price, version and who made it', async () => {
    const page = await openCalls(`/${detailedId}`);
    await panel(page).getByText('chatcmpl-123').waitFor();
    expect(await fact(page, 'Preset')).toBe('support-bot v2 production The label production was on it');
    expect(await fact(page, 'Model')).toBe(
      'openai/gpt-5-mini Requested: openai/gpt-5 The response names gpt-5-mini-2026',
    );
    expect(await fact(page, 'Fallbacks')).toBe('openai/gpt-5 rate limited');
    expect(await fact(page, 'Input')).toBe('1,200 800 from the cache');
    expect(await fact(page, 'Output')).toBe('300 100 for reasoning');
    expect(await fact(page, 'Cost')).toBe('$0.00425 List price of the provider');
    expect(await fact(page, 'Price used')).toBe(
      '$1.25 per million input tokens $10.00 per million output tokens',
    );
    // Nobody knows which part of the reasoning came before the first token.
    expect(await panel(page).getByText('Output speed').count()).toBe(0);
    expect(await panel(page).locator('header').innerText()).toMatch(
      /ago\s+\w+, \w+ \d+, \d{4}, [\d:]+ \S+$/m,
    );
    expect(await fact(page, 'Key')).toMatch(/^Shop sk-pst/);
    expect(await panel(page).getByText('grace@example.com').count()).toBe(1);
    const timing = panel(page).getByRole('region', { name: 'Timing' });
    expect(await timing.getByRole('listitem').allInnerTexts()).toEqual([
      'presetd 1.4 ms',
      'First token after 400 ms',
      'Complete after 2.4 s',
    ]);
    await panel(page).getByRole('link', { name: 'v2' }).click();
    await page.waitForURL('**/presets/support-bot/history/2');
    // A call is also found by the id of its response.
    await page.goto(`${dashboard.server.url}${path}/chatcmpl-123`);
    await panel(page).getByText(detailedId).waitFor();
  });

  test('shows an unknown cost as unknown, and estimated tokens as estimated', async () => {
    const page = await openCalls('?preset=support-bot&version=1');
    await rows(page).getByText('unknown', { exact: true }).waitFor();
    await rows(page).first().click();
    await panel(page).getByText('No price is known.').waitFor();
    expect(await fact(page, 'Cost')).toContain('Unknown');
    expect(await panel(page).innerText()).not.toContain('$0');
    await panel(page).getByText('Estimated', { exact: true }).waitFor();
  });

  test('opens and closes calls with the keyboard, without losing the filters', async () => {
    const page = await openCalls('?preset=support-bot');
    await rows(page).nth(2).waitFor();
    await page.keyboard.press('j');
    await panel(page).getByText('chatcmpl-123').waitFor();
    expect(new URL(page.url()).pathname).toBe(`${path}/${detailedId}`);
    await page.keyboard.press('j');
    await panel(page).getByText('No price is known.').waitFor();
    await page.keyboard.press('k');
    await panel(page).getByText('chatcmpl-123').waitFor();
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`${path}?preset=support-bot`);
    await expect.poll(() => page.evaluate('document.activeElement.dataset.call')).toBe(detailedId);
    await page.keyboard.press('Enter');
    await panel(page).getByRole('link', { name: 'session-1' }).click();
    await page.getByRole('button', { name: 'Remove filter Session: session-1' }).waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
  });

  test('filters in the URL, and loads older calls on the way down', async () => {
    const page = await openCalls('?live=off');
    await page.getByText(/^100 /).waitFor();
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    await page.getByText('154 calls').waitFor();
    await page.goto(`${dashboard.server.url}${path}?status=error`);
    await expect.poll(() => rows(page).count()).toBe(2);
    await rows(page).getByText('502').waitFor();
    await page.goto(`${dashboard.server.url}${path}?selection=label`);
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.goto(`${dashboard.server.url}${path}?model=none`);
    await page.getByText('No matching calls').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText(/^100 /).waitFor();
  });

  test('inserts new calls at the top, and lets them wait where they would move what somebody reads', async () => {
    const page = await openCalls();
    await page.getByText(/^100 /).waitFor();
    const record = (model: string, at = Date.now()) =>
      recordCalls(dashboard.server, [{ id: callIdAt(at), group: { model } }]);
    await record('new/first');
    await expect.poll(() => rows(page).first().innerText()).toContain('new/first');
    // One that took longer belongs below it.
    await record('new/slow', Date.now() - hour / 12);
    await expect.poll(() => rows(page).nth(1).innerText()).toContain('new/slow');

    await page.evaluate('window.scrollTo(0, 600)');
    const read = rows(page).nth(20);
    const before = await read.boundingBox();
    await record('new/second');
    await record('new/third');
    await page.getByRole('button', { name: '2 new calls' }).waitFor();
    expect(await page.getByText('new/third').count()).toBe(0);
    expect(await read.boundingBox()).toEqual(before);
    await page.getByRole('button', { name: '2 new calls' }).click();
    await expect.poll(() => rows(page).first().innerText()).toContain('new/third');
    expect(await page.evaluate('window.scrollY')).toBe(0);

    const toggle = page.getByRole('button', { name: 'Live' });
    expect(await toggle.getAttribute('aria-pressed')).toBe('true');
    await toggle.click();
    await expect.poll(() => toggle.getAttribute('aria-pressed')).toBe('false');
    let requests = 0;
    await page.route('**/generations?**', async (route) => {
      requests += 1;
      await route.continue();
    });
    await record('new/fourth');
    await toggle.click();
    await expect.poll(() => rows(page).first().innerText()).toContain('new/fourth');
    expect(requests).toBeGreaterThan(0);
  });

  test('inserts a call that took so long that a page of others arrived meanwhile', async () => {
    const now = Date.now();
    const group = { model: 'burst/model' };
    const burst = Array.from({ length: 120 }, (_, index) => ({ id: callIdAt(now - index * 1_000), group }));
    await recordCalls(dashboard.server, burst);
    const page = await openCalls('?model=burst/model');
    await page.clock.install();
    await page.getByText(/^100 /).waitFor();
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await page.getByText('120 calls', { exact: true }).waitFor();
    await page.evaluate('window.scrollTo(0, 0)');
    await recordCalls(dashboard.server, [{ id: callIdAt(now - hour / 12), group }]);
    await expect
      .poll(async () => {
        await page.clock.fastForward(2_000);
        return page.getByText('121 calls', { exact: true }).count();
      })
      .toBe(1);
  });

  test('shows admins the calls of all workspaces, with links to each workspace', async () => {
    const page = await openCalls('?scope=all&model=search/model');
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).getByText('search', { exact: true }).waitFor();
    await rows(page).first().click();
    await panel(page).getByText('Workspace', { exact: true }).waitFor();
    const own = await dashboard.open(`${path}?scope=all&model=search/model`, { key: apiKey });
    await own.getByText('No matching calls').waitFor();
  });

  test('is where a group of the usage leads', async () => {
    const page = await dashboard.open('/w/default/usage?group=model&range=7d', { key: managementKey });
    await chooseInRowMenu(page, 'openai/gpt-5-mini', 'List its calls');
    await expect.poll(() => rows(page).count()).toBe(3);
    expect(new URL(page.url()).search).toBe('?purpose=call&model=openai%2Fgpt-5-mini&range=7d');
    expect(await page.getByRole('combobox', { name: 'Range' }).inputValue()).toBe('7d');
  });

  test('explains how to make the first call, and says why it cannot show one', async () => {
    const { secret } = await makeKey(dashboard.server, { name: 'Empty', workspace_id: emptyWorkspace });
    const page = await dashboard.open('/w/empty/calls', { key: secret });
    await page.getByRole('heading', { name: 'No calls yet' }).waitFor();
    await page.getByText(`curl ${dashboard.server.url}/api/v1/chat/completions`).waitFor();
    await expectGoodInEveryAppearance(page, 'calls-empty');
    await page.goto(`${dashboard.server.url}/w/empty/calls/gen-nothing`);
    await page.getByRole('alert').getByText('There is no call').waitFor();
  });
});

function rows(page: Page): Locator {
  return page.getByRole('table', { name: 'Calls' }).locator('tbody tr:has([data-call])');
}

function panel(page: Page): Locator {
  return page.getByRole('region', { name: 'Call', exact: true });
}

/** What the panel says of something, in one line. */
async function fact(page: Page, name: string): Promise<string> {
  const value = panel(page)
    .locator('dt', { hasText: new RegExp(`^${name}$`) })
    .locator('xpath=following-sibling::dd')
    .first();
  return (await value.innerText()).replaceAll(/\s+/g, ' ').trim();
}

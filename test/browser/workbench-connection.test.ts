import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sidewaysOverflow } from '../support/appearances.ts';
import { describeInBrowser, sharedBrowser } from '../support/browser.ts';
import { expectAccessible } from '../support/dashboard.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { upstreamKey } from '../support/gateway-server.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, startServerOn, type TestServer } from '../support/server.ts';
import {
  type Exchange,
  respondInDialect,
  stallAfter,
  stallAfterHeaders,
} from '../support/upstream-scripts.ts';

const request = {
  model: 'openai/gpt-5',
  messages: [{ role: 'system', content: 'You support Acme customers.\n' }],
};

/** With a server of its own, which a test can restart, and a browser that can be offline. */
describeInBrowser('text typed into the workbench', () => {
  const chromium = sharedBrowser();
  /** One browser for all tests: it loads the dashboard again in half of the processor time. */
  let mine: BrowserContext;
  let database: TestDatabase;
  let upstream: ScriptedUpstream;
  let server: TestServer;

  async function start(port = '0'): Promise<void> {
    const settings = { PRESETD_UPSTREAM_URL: upstream.url, OPENROUTER_API_KEY: upstreamKey, PORT: port };
    server = await startServerOn(database, settings);
  }

  beforeAll(async () => {
    database = await createDatabase('sqlite');
    upstream = await startScriptedUpstream();
    await start();
    for (const slug of ['two', 'offline', 'restart', 'left', 'tabs'])
      expect((await server.post(`/api/v1/presets/${slug}/chat/completions`, request)).status).toBe(200);
    mine = await newContext();
  });
  afterEach(async () => {
    await mine.setOffline(false);
    await Promise.all(mine.pages().map((page) => page.close()));
  });
  afterAll(async () => {
    await mine.close();
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  const promptEditor = (page: Page) => page.getByRole('textbox', { name: 'System prompt', exact: true });

  async function newContext(): Promise<BrowserContext> {
    const context = await chromium.browser.newContext({ viewport: { width: 1_440, height: 900 } });
    context.setDefaultTimeout(60_000);
    return context;
  }

  async function open(slug: string, context = mine, key = apiKey): Promise<Page> {
    const page = await context.newPage();
    await page.addInitScript({ content: `sessionStorage.setItem('presetd.key', ${JSON.stringify(key)})` });
    await page.goto(`${server.url}/presets/${slug}/workbench`);
    await promptEditor(page).waitFor();
    return page;
  }

  async function addAtEnd(page: Page, text: string): Promise<void> {
    await promptEditor(page).click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText(text);
  }

  async function storedDraft(slug: string, key = apiKey): Promise<string> {
    return (await server.get(`/api/v1/presets/${slug}/draft`, { key })).text;
  }

  test('two people editing one preset see each other and overwrite nothing', async () => {
    const creator_user_id = await makeMember(server, 'ann@example.com');
    const { secret } = await makeKey(server, { creator_user_id });
    const another = await newContext();
    // Her page asks every 15 seconds.
    await another.clock.install();
    const hers = await open('two', another, secret);
    await addAtEnd(hers, 'Hers.');
    await hers.getByText('Draft saved').waitFor();
    const page = await open('two');
    await page.getByText('ann@example.com is editing too').waitFor();
    await addAtEnd(page, 'Mine.');
    await page.getByText('Draft saved').waitFor();
    await expectAccessible(page);
    await another.clock.fastForward(15_000);
    await hers.getByText(/is editing too/).waitFor();

    await page.getByRole('button', { name: 'Save and make live…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save and make live' }).click();
    await page.getByText('Version 2 is live').waitFor();
    await another.clock.fastForward(15_000);
    await hers.getByText('Version 2 is live now').waitFor();
    await hers.getByRole('button', { name: 'Save…' }).click();
    await hers.getByText('Version 2 was saved after you started').waitFor();
    expect(await promptEditor(hers).innerText()).toContain('Hers.');
    expect(await storedDraft('two', secret)).toContain('Hers.');
    await another.close();
  });

  const openTab = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Preset' }).getByRole('link', { name }).click();

  test('the page of a preset stays when another tab is opened without a connection, and recovers', async () => {
    // A new context has none of the code of the other tabs.
    const another = await newContext();
    const page = await open('tabs', another);
    await another.setOffline(true);
    await openTab(page, 'History');
    await page.getByText('Cannot reach the server. Retrying…').waitFor();
    await page.getByRole('heading', { level: 1, name: 'tabs' }).waitFor();
    await page.getByRole('navigation', { name: 'Preset' }).waitFor();
    await expectAccessible(page);
    // In the bar, which it does not make higher.
    for (const [width, text] of [
      [1_280, 'Cannot reach the server. Retrying…'],
      [900, 'Offline'],
      [360, 'Offline'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole('banner').getByText(text).waitFor();
      expect((await page.getByRole('main').boundingBox())?.y).toBeLessThanOrEqual(50);
      expect(await sidewaysOverflow(page)).toBe(0);
    }
    await expectAccessible(page);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await openTab(page, 'Events');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('tabs');
    await openTab(page, 'History');
    await another.setOffline(false);
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    await page.getByText('Retrying…').waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
    await another.close();
  });

  test('a draft survives a lost connection, leaving the page, and a colleague archiving the preset', async () => {
    const page = await open('offline');
    await addAtEnd(page, 'Before. ');
    await page.getByText('Draft saved').waitFor();
    await mine.setOffline(true);
    await page.keyboard.insertText('During. ');
    await page.getByText('Offline. Draft kept in this tab').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('Cannot reach the server').first().waitFor();
    await expectAccessible(page);
    await addAtEnd(page, 'Still. ');
    await mine.setOffline(false);
    await page.getByText('Draft saved').waitFor();
    expect(await storedDraft('offline')).toContain('Before. During. Still.');
    expect(await page.getByRole('textbox', { name: 'User, turn 1' }).inputValue()).toBe('Hello');

    await mine.setOffline(true);
    await addAtEnd(page, 'Left. ');
    await page.getByText('Offline. Draft kept in this tab').waitFor();
    await openTab(page, 'Events');
    await promptEditor(page).waitFor({ state: 'detached' });
    const asks = async () => page.evaluate(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
    expect(await asks()).toBe(true);
    await mine.setOffline(false);
    await expect.poll(() => storedDraft('offline')).toContain('Still. Left.');
    await expect.poll(asks).toBe(false);
    await openTab(page, 'Workbench');
    await addAtEnd(page, 'Back. ');
    await page.getByText('Draft saved').waitFor();
    expect(await storedDraft('offline')).toContain('Left. Back.');

    await mine.setOffline(true);
    await addAtEnd(page, 'Not sent yet.');
    await page.getByText('Offline. Draft kept in this tab').waitFor();
    expect((await server.send('DELETE', '/api/v1/presets/offline')).status).toBe(200);
    await mine.setOffline(false);
    await expect.poll(() => storedDraft('offline')).toContain('Back. Not sent yet.');
  });

  test('typed text survives a reload during a run and leaving during a save', async () => {
    const page = await open('left');
    const chunk = {
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { content: 'It is on' } }],
    };
    upstream.respondAlways((exchange) =>
      exchange.request.method === 'GET'
        ? respondInDialect(exchange)
        : stallAfter(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`))(exchange),
    );
    await page.getByRole('textbox', { name: 'Message' }).fill('Where is it?');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('It is on').waitFor();
    await page.reload();
    // A run that was interrupted counts as stopped.
    await page.getByText('Stopped.').waitFor();
    await page.getByText('It is on').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    expect(await page.getByText('Outdated').count()).toBe(0);
    upstream.clear();

    await addAtEnd(page, 'Saved.');
    await page.getByText('Draft saved').waitFor();
    const held = Promise.withResolvers<void>();
    const isSave = ({ pathname, search }: URL) =>
      pathname.endsWith('/chat/completions') && !search.includes('dry_run');
    await page.route(isSave, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    // The dialog makes the links inert, but not the history of the browser.
    await page.evaluate(`history.pushState(null, '', '/presets/left/use')`);
    await promptEditor(page).waitFor({ state: 'detached' });
    held.resolve();
    // The version has the text, so that no draft remains.
    await expect.poll(() => storedDraft('left')).toContain('404');
    await openTab(page, 'Workbench');
    await page.getByText('Version 2 saved, not live').waitFor();
  });

  test('typed text survives a server restart during a run', async () => {
    const page = await open('restart');
    await addAtEnd(page, 'Be kind. ');
    const calls: Exchange[] = [];
    upstream.respondAlways((exchange) => {
      if (exchange.request.method === 'GET') return respondInDialect(exchange);
      calls.push(exchange);
      stallAfterHeaders(exchange);
    });
    await page.getByRole('textbox', { name: 'Message' }).fill('Where is it?');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect.poll(() => calls.length).toBe(1);
    const { port } = new URL(server.url);
    const stopped = server.stop();
    // As after the time that a restart leaves to calls in flight.
    calls[0]?.socket.destroy();
    await stopped;
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    await addAtEnd(page, 'Be brief.');
    await page.getByText('Offline. Draft kept in this tab').waitFor();
    await start(port);
    await page.getByText('Draft saved').waitFor();
    // The changes could not be compared during the outage.
    await page.getByRole('button', { name: 'line of prompt' }).waitFor();
    expect(await storedDraft('restart')).toContain('Be kind. Be brief.');
    expect(await page.getByRole('textbox', { name: 'User, turn 1' }).inputValue()).toBe('Where is it?');
    upstream.clear();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Finish reason').waitFor();
  });
});

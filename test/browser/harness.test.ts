import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { describeInBrowser, sharedBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';
import { type StubServer, startStubServer } from '../support/stub-server.ts';
import { watchContext } from '../support/watched-context.ts';

const secret = 'a key/with signs';

describeInBrowser('watchContext', () => {
  const chromium = sharedBrowser();
  let server: StubServer;
  let markup = '';
  let headers: Readonly<Record<string, string>> = {};
  let context: BrowserContext;

  beforeAll(async () => {
    server = await startStubServer(({ url }, response) => {
      const status = /^\/status\/(\d+)/.exec(url ?? '')?.[1];
      response.writeHead(Number(status ?? 200), { 'content-type': 'text/html; charset=utf-8', ...headers });
      response.end(url === '/' ? markup : '');
    });
  });
  afterAll(() => server.stop());
  afterEach(() => context.close());

  async function open(body: string, responseHeaders: Readonly<Record<string, string>> = {}) {
    markup = `<!doctype html><html lang="en"><title>Page</title><main><h1>Page</h1>${body}</main></html>`;
    headers = responseHeaders;
    context = await chromium.browser.newContext();
    const watched = await watchContext(context, { origin: server.url, secrets: [secret] });
    const page = await context.newPage();
    await page.goto(server.url);
    return { page, problems: () => watched.takeProblems() };
  }

  test('reports nothing about requests to the own origin, even if they return 4xx', async () => {
    const { page, problems } = await open(
      '<img alt="" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><script>console.log("fine")</script>',
    );
    await page.evaluate("Promise.all(['/', '/status/404', '/status/401'].map((path) => fetch(path)))");
    expect(await problems()).toEqual([]);
  });

  /** A script, and the problem that is reported. */
  const violations = [
    ['console.error("broken")', /^console error: broken$/],
    ['console.warn("doubtful")', /^console warning: doubtful$/],
    ['setTimeout(() => { throw new Error("thrown") })', /^uncaught exception: Error: thrown/],
    ['Promise.reject(new Error("rejected"))', /^uncaught exception: Error: rejected/],
    ['fetch("/status/500")', /^console error: Failed to load resource: .* 500 /],
    ['fetch("http://other.test/").catch(() => 0)', /^request to another origin: http:\/\/other\.test\/$/],
    ['new WebSocket("ws://other.test/live")', /^connection to another origin: http:\/\/other\.test\/live$/],
    [`fetch("/?" + encodeURIComponent(${JSON.stringify(secret)}))`, /^request with a key/],
    [`history.pushState(0, "", "#" + encodeURIComponent("${secret}"))`, /^page with a key/],
    ['window.open("/").eval("console.error(\'from a popup\')")', /^console error: from a popup$/],
  ] as const;

  test('reports errors, warnings, exceptions, other hosts and keys in addresses', async () => {
    const { problems } = await open(violations.map(([script]) => `<script>${script}</script>`).join(''));
    const seen: string[] = [];
    const seeMore = async () => {
      seen.push(...(await problems()));
      return seen;
    };
    const all = violations.map(([, expected]) => expect.stringMatching(expected));
    await expect.poll(seeMore).toEqual(expect.arrayContaining(all));
  });

  test('reports a violation of the content security policy', async () => {
    const { problems } = await open('<script>document.title = "changed"</script>', strictPolicy);
    expect(await problems()).toContainEqual(
      'violation of the content security policy: script-src-elem forbids inline',
    );
  });

  test('expectAccessible passes an accessible page, even under a strict content security policy', async () => {
    const { page, problems } = await open('<p>Text</p>', strictPolicy);
    await expectAccessible(page);
    expect(await problems()).toEqual([]);
  });

  test('expectAccessible reports low contrast and missing alt text with their elements', async () => {
    const { page } = await open('<p id="pale" style="color: #aaa">Text</p><img src="data:,">');
    const failure = await expectAccessible(page).catch((error: Error) => error.message);
    expect(failure).toMatch(/color-contrast: .*\n +#pale\n.*\n.*contrast of 2\.32 /);
    expect(failure).toMatch(/image-alt: .*\n +img\n/);
  });

  test('expectAccessible checks only the modal dialog while one makes the rest of the page inert', async () => {
    const { page } = await open(
      '<p id="pale" style="color: #aaa">Text</p><dialog><p id="faint" style="color: #aaa">Text</p></dialog>',
    );
    await page.evaluate("document.querySelector('dialog').showModal()");
    const failure = await expectAccessible(page).catch((error: Error) => error.message);
    expect(failure).toContain('#faint');
    expect(failure).not.toContain('#pale');
  });

  test('screenshot writes a file only if PRESETD_TEST_SCREENSHOTS is set', async () => {
    const { page } = await open('<p>Text</p>');
    const folder = temporaryFolder();
    vi.stubEnv('PRESETD_TEST_SCREENSHOTS', undefined);
    await screenshot(page, 'unseen');
    vi.stubEnv('PRESETD_TEST_SCREENSHOTS', folder);
    await screenshot(page, 'seen');
    vi.unstubAllEnvs();
    expect(readdirSync(folder)).toEqual(['seen.png']);
  });
});

describeInBrowser('useDashboard with an upstream', () => {
  const dashboard = useDashboard({ upstream: true });
  const storedKey = (page: Page) => page.evaluate("sessionStorage.getItem('presetd.key')");

  test('opens a page with or without a stored key', async () => {
    expect(await storedKey(await dashboard.open('/healthz', { key: apiKey }))).toBe(apiKey);
    expect(await storedKey(await dashboard.open('/healthz'))).toBe(null);
  });

  test('does not restore a deleted key on reload', async () => {
    const page = await dashboard.open('/healthz', { key: apiKey });
    await page.evaluate("sessionStorage.removeItem('presetd.key')");
    await page.reload();
    expect(await storedKey(page)).toBe(null);
  });

  test('opens a page with the given size and color scheme', async () => {
    const page = await dashboard.open('/healthz', { colorScheme: 'dark', width: 375, height: 600 });
    const seen = "[innerWidth, innerHeight, matchMedia('(prefers-color-scheme: dark)').matches]";
    expect(await page.evaluate(seen)).toEqual([375, 600, true]);
  });

  test('a page can call the upstream', async () => {
    const page = await dashboard.open('/healthz');
    const call = { model: 'some/model', messages: [{ role: 'user', content: 'Hello' }] };
    const request = { method: 'POST', headers: bearer(apiKey), body: JSON.stringify(call) };
    const status = `fetch('/api/v1/chat/completions', ${JSON.stringify(request)}).then(({ status }) => status)`;
    expect(await page.evaluate(status)).toBe(200);
    expect(dashboard.upstream.requests).toHaveLength(1);
  });

  test.fails('a console error fails the test that opened the page', async () => {
    const page = await dashboard.open('/healthz');
    await page.evaluate("console.error('broken')");
  });

  test.fails('a key in a URL fails the test that opened the page', async () => {
    const page = await dashboard.open('/healthz', { key: apiKey });
    await page.evaluate(`history.pushState(0, '', '#${apiKey}')`);
  });
});

const strictPolicy = { 'content-security-policy': "default-src 'none'" };

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-screenshots-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

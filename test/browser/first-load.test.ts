import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, sharedBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';

const bytesMax = 200_000;

describeInBrowser('the first load', () => {
  const dashboard = useDashboard();
  const chromium = sharedBrowser();

  test.each([
    ['sign-in page', undefined, []],
    ['empty preset list', apiKey, []],
    ['preset list', apiKey, ['support-bot', 'refunds']],
    ['preset list with a management key', managementKey, ['support-bot', 'refunds']],
  ])('the first load of the %s transfers little, fonts and icons included', async (_page, key, slugs) => {
    const { server } = dashboard;
    for (const slug of slugs)
      await server.post(`/api/v1/presets/${slug}/responses`, { model: 'openai/gpt-5', input: 'Hello' });
    const files = await loadWithoutCache(chromium.browser, server.url, key);
    expect(files.some(({ path }) => path === '/')).toBe(true);
    expect(files.some(({ path }) => path.endsWith('.woff2'))).toBe(true);
    // Nothing came from a cache.
    expect(files.filter(({ path, bytes }) => path.startsWith('/assets/') && bytes <= 0)).toEqual([]);
    expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(bytesMax);
    // And not by chance: everything compressible was compressed.
    expect(files.filter(({ path, encoding }) => /\.(js|css)$/.test(path) && encoding === undefined)).toEqual(
      [],
    );
  });

  test('shows slugs in the font of code, of which it loads the letters of slugs only', async () => {
    const { server } = dashboard;
    await server.post('/api/v1/presets/order-status/responses', { model: 'm', input: 'Hi' }, { key: apiKey });
    const files = await loadWithoutCache(chromium.browser, server.url, apiKey);
    const fonts = files.filter(({ path }) => path.includes('jetbrains-mono'));
    expect(fonts.map(({ path }) => path)).toEqual([expect.stringContaining('jetbrains-mono-ascii')]);
    expect(fonts[0]?.bytes).toBeLessThan(10_000);
    const page = await dashboard.open('/', { key: apiKey });
    await page.locator('main .mono', { hasText: /^order-status$/ }).waitFor();
    const family = 'getComputedStyle(document.querySelector("main .mono")).fontFamily';
    expect(await page.evaluate(family)).toContain('JetBrains Mono Variable');
    await expect.poll(() => page.evaluate('document.fonts.check("12px JetBrains Mono Variable")')).toBe(true);
  });

  test('shows the chosen theme before the scripts of the page have loaded', async () => {
    const page = await dashboard.open('/', { colorScheme: 'light' });
    await page.evaluate(`localStorage.setItem('presetd.theme', 'dark')`);
    const held = Promise.withResolvers<void>();
    await page.route(/\/assets\/index-.*\.js$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
    await expect.poll(scheme).toBe('dark');
    expect(await page.getByRole('heading').count()).toBe(0);
    held.resolve();
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  test('a second visit downloads no assets', async () => {
    const page = await dashboard.open('/', { key: apiKey });
    await page.waitForLoadState('networkidle');
    await page.reload();
    await page.waitForLoadState('networkidle');
    const fetched: string[] = await page.evaluate(`performance.getEntriesByType('resource')
      .filter(({ name, transferSize }) => name.includes('/assets/') && transferSize > 0).map(({ name }) => name)`);
    expect(fetched).toEqual([]);
  });
});

interface LoadedFile {
  readonly path: string;
  readonly bytes: number;
  readonly encoding: string | undefined;
}

/**
 * Everything transferred to a browser with an empty cache, on the way to the address of the page. A
 * context of its own has one; tests of a file share theirs.
 */
async function loadWithoutCache(
  browser: Browser,
  url: string,
  key: string | undefined,
): Promise<readonly LoadedFile[]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const files: Promise<LoadedFile>[] = [];
  page.on('requestfinished', (request) => {
    files.push(
      (async () => {
        const { responseBodySize } = await request.sizes();
        const response = await request.response();
        return {
          path: new URL(request.url()).pathname,
          bytes: responseBodySize,
          encoding: response?.headers()['content-encoding'],
        };
      })(),
    );
  });
  if (key !== undefined)
    await page.addInitScript({ content: `sessionStorage.setItem('presetd.key', ${JSON.stringify(key)})` });
  await page.goto(new URL('/', url).href);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  // A request that ends from now on would be measured after the context is closed.
  page.removeAllListeners('requestfinished');
  const loaded = await Promise.all(files);
  await context.close();
  return loaded;
}

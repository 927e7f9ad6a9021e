import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';

const bytesMax = 200_000;

describeInBrowser('the first load', () => {
  const dashboard = useDashboard();

  test.each([
    ['sign-in page', undefined],
    ['preset list', apiKey],
    ['preset list with a management key', managementKey],
  ])('of the %s transfers little, fonts and icons included', async (_page, key) => {
    const page = await dashboard.open('/', key === undefined ? {} : { key });
    const files = await loadWithoutCache(page);
    // The page may have moved on to the address of the workspace, without another request.
    const { pathname } = new URL(page.url());
    expect(files.some(({ path }) => path === '/' || path === pathname)).toBe(true);
    expect(files.some(({ path }) => path.endsWith('.woff2'))).toBe(true);
    expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(bytesMax);
    // Assets from the cache would count as nothing.
    expect(files.filter(({ path, bytes }) => path.startsWith('/assets/') && bytes <= 0)).toEqual([]);
    // And not by chance: everything compressible was compressed.
    expect(files.filter(({ path, encoding }) => /\.(js|css)$/.test(path) && encoding === undefined)).toEqual(
      [],
    );
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

/** Everything transferred to a browser with an empty cache. */
async function loadWithoutCache(page: Page): Promise<readonly LoadedFile[]> {
  const session = await page.context().newCDPSession(page);
  // Without it, the next command has no effect.
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
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
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  return Promise.all(files);
}

import { expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { screenshot, useDashboard } from '../support/dashboard.ts';

describeInBrowser('the pages at /docs', () => {
  const dashboard = useDashboard();

  test('the operations of the API are shown without a request to anybody else', async () => {
    const page = await dashboard.open('/docs');
    await page.locator('#operations-tag-Presets').waitFor();
    await screenshot(page, 'api-pages');
    expect(await page.locator('.opblock').count()).toBeGreaterThan(10);
    const { headers } = await dashboard.server.get('/docs');
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self';.*frame-ancestors 'none'/);
  });
});

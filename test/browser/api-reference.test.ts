import { expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { screenshot, useDashboard } from '../support/dashboard.ts';

describeInBrowser('the API reference', () => {
  const dashboard = useDashboard();

  test('lists the operations of the API without a request to another origin', async () => {
    const page = await dashboard.open('/docs');
    await page.locator('#operations-tag-Presets').waitFor();
    await screenshot(page, 'api-reference');
    expect(await page.locator('.opblock').count()).toBeGreaterThan(10);
    const { headers } = await dashboard.server.get('/docs');
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self';.*frame-ancestors 'none'/);
  });
});

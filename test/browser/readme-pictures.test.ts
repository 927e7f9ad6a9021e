import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { fillDemo } from '../../src/cli/demo/fill-demo.ts';
import { type OfflineUpstream, startOfflineUpstream } from '../../src/cli/demo/offline-upstream.ts';
import { describeInBrowser } from '../support/browser.ts';
import { createWorkingDirectory } from '../support/command.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { managementKey } from '../support/server.ts';

/** PRESETD_TEST_SCREENSHOTS=docs/images makes the pictures anew, from the data of `presetd demo`. */
describeInBrowser('the pages that the README shows', () => {
  const directory = createWorkingDirectory();
  const upstreams = join(directory.path, 'upstreams.json');
  let upstream: OfflineUpstream;
  // Before the server, which reads the file.
  beforeAll(async () => {
    upstream = await startOfflineUpstream();
    const offline = {
      name: 'offline',
      kind: 'openrouter',
      base_url: upstream.url,
      dialects: ['chat-completions'],
    };
    writeFileSync(upstreams, JSON.stringify({ upstreams: [offline] }));
  });
  const dashboard = useDashboard({
    environment: { PRESETD_CONFIG: upstreams, OPENROUTER_API_KEY: 'offline' },
  });
  beforeAll(() => fillDemo(dashboard.server.url, managementKey));
  afterAll(() => upstream.stop());

  const preset = '/w/support/presets/refund-assistant';
  const open = (path: string, colorScheme: 'light' | 'dark') =>
    dashboard.open(preset + path, { as: 'owner@localhost', colorScheme, width: 1440, height: 900 });

  test('the light picture shows the workbench with a run', async () => {
    const page = await open('/workbench', 'light');
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'customer_name' }).fill('Ana');
    await page.getByRole('textbox', { name: 'Message' }).fill('I want my money back.');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('Finish reason').first().waitFor();
    await expectAccessible(page);
    await page.getByText('Finish reason').first().scrollIntoViewIfNeeded();
    await screenshot(page, 'dashboard-light', false);
  });

  test('the dark picture compares two versions', async () => {
    const page = await open('/history/4..6', 'dark');
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-dark', false);
  });
});

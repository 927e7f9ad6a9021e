import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { fillDemo } from '../../src/cli/demo/fill-demo.ts';
import { type OfflineUpstream, startOfflineUpstream } from '../../src/cli/demo/offline-upstream.ts';
import { createStoryClock } from '../../src/cli/demo/story-clock.ts';
import { offlineUpstreams } from '../../src/demo/offline-models.ts';
import { describeInBrowser } from '../support/browser.ts';
import { createWorkingDirectory } from '../support/command.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { managementKey } from '../support/server.ts';
import { withStorage } from '../support/storage-access.ts';

/** PRESETD_TEST_SCREENSHOTS=docs/images makes the pictures again, from the `presetd demo` data. */
describeInBrowser('the pages that the README shows', () => {
  const directory = createWorkingDirectory();
  const upstreams = join(directory.path, 'upstreams.json');
  let upstream: OfflineUpstream;
  // Before the server, which reads the file.
  beforeAll(async () => {
    upstream = await startOfflineUpstream();
    const listed = offlineUpstreams.map((each) => ({ ...each, base_url: upstream.url }));
    writeFileSync(upstreams, JSON.stringify({ upstreams: listed }));
  });
  const clock = createStoryClock();
  const dashboard = useDashboard({
    clock: clock.now,
    environment: { PRESETD_CONFIG: upstreams, OPENROUTER_API_KEY: 'offline' },
  });
  beforeAll(() =>
    withStorage(dashboard.server.database, ({ storage }) =>
      fillDemo({ url: dashboard.server.url, managementKey, storage, clock }),
    ),
  );
  afterAll(() => upstream.stop());

  const workspace = '/w/support';
  const preset = `${workspace}/presets/refund-assistant`;
  const open = (path: string, colorScheme: 'light' | 'dark') =>
    dashboard.open(path, { as: 'owner@localhost', colorScheme, width: 1440, height: 900 });

  test('the light picture shows the workbench with a run', async () => {
    const page = await open(`${preset}/workbench`, 'light');
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
    const page = await open(`${preset}/history/4..6`, 'dark');
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-dark', false);
  });

  test('the picture of usage shows spend and calls by version', async () => {
    const page = await open(`${workspace}/usage?preset=refund-assistant&group=version`, 'light');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await page.getByRole('table').first().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'usage', false);
  });
});

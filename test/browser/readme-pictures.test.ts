import { beforeAll, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';

const findParcel = {
  type: 'function',
  function: {
    name: 'find_parcel',
    description: 'Where a parcel is, by its number',
    parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
  },
};
const promptOf = (manner: string, ending: string) =>
  `You answer for Acme.\nBe ${manner}.\n\nNever promise a delivery date. If a parcel is late, ${ending}.`;

const versions = [
  {
    model: 'openai/gpt-5',
    temperature: 0.7,
    messages: [{ role: 'system', content: promptOf('brief and kind', 'say that we are looking into it') }],
  },
  {
    model: 'openai/gpt-5',
    temperature: 0.2,
    max_tokens: 600,
    provider: { order: ['openai', 'azure'] },
    tools: [findParcel],
    messages: [
      {
        role: 'system',
        content: promptOf('brief, kind and exact', 'say that we are looking into it and offer to call back'),
      },
    ],
  },
  {
    model: 'anthropic/claude-opus-5',
    temperature: 0.2,
    max_tokens: 1024,
    provider: { order: ['anthropic'] },
    tools: [findParcel],
    messages: [
      {
        role: 'system',
        content: promptOf('brief, kind and exact', 'say so and offer to call back within the hour'),
      },
    ],
  },
];

/** PRESETD_TEST_SCREENSHOTS=docs/images makes the pictures anew. */
describeInBrowser('the pages that the README shows', () => {
  const dashboard = useDashboard();

  beforeAll(async () => {
    const { server } = dashboard;
    const path = '/api/v1/presets/support-bot';
    for (const version of versions) await server.post(`${path}/chat/completions`, version);
    const description = 'Answers customers in the shop and by e-mail';
    const tags = ['customers', 'team:shop'];
    await server.send('PATCH', path, { name: 'Support bot', description, tags, designated_version: 2 });
    await server.send('PUT', `${path}/labels/production`, { version: 2 });
    await server.send('PUT', `${path}/labels/staging`, { version: 3 });
  });

  test('a preset, light', async () => {
    const page = await dashboard.open('/presets/support-bot', { key: apiKey });
    await page.getByText('Never promise').first().waitFor();
    await page.getByRole('link', { name: 'team:shop' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-light');
  });

  test('two versions, dark', async () => {
    const address = '/presets/support-bot/history/2..3';
    const page = await dashboard.open(address, { key: apiKey, colorScheme: 'dark' });
    await page.getByRole('table', { name: 'System prompt' }).waitFor();
    await page.getByRole('link', { name: 'team:shop' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-dark');
  });
});

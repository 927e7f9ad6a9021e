import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { dialects } from '../../src/core/presets/preset.ts';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';
import { completionText } from '../support/wire/recordings.ts';

const variables = {
  customer: { type: 'string', maxLength: 20, description: 'The name of the customer.' },
  tone: { type: 'string', enum: ['formal', 'casual'], default: 'casual' },
  urgent: { type: 'boolean', default: false, description: 'Whether the customer has called before.' },
  stars: { type: 'integer', minimum: 1, maximum: 5 },
  orders: {
    type: 'array',
    items: { type: 'object', properties: { id: { type: 'string' } } },
    default: [],
  },
};
const prompt =
  'Answer {{customer}} ({{stars}} stars) in a {{tone}} tone.{{#urgent}} Hurry!{{/urgent}}{{#orders}}\n- {{id}}{{/orders}}';
const request = (content: string, presetd?: object) => ({
  model: 'vendor/model',
  max_tokens: 300,
  messages: [{ role: 'system', content }],
  ...(presetd && { presetd }),
});

describeInBrowser('the playground of a preset with variables', () => {
  const dashboard = useDashboard({ upstream: true });
  const path = '/presets/bot/use';
  beforeAll(async () => {
    await dashboard.server.capture('bot', request('Plain.'));
    await dashboard.server.capture(
      'bot',
      request('Hello {{customer}}.', { variables: { customer: { type: 'string' } } }),
    );
    await dashboard.server.capture('bot', request(prompt, { variables }));
  });

  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();
  const response = (page: Page) => page.getByRole('region', { name: 'Response' });
  const effective = (page: Page) => page.getByRole('region', { name: 'Effective request' });
  async function fill(page: Page) {
    await field(page, 'customer').fill('Ada {{x}}');
    await page.getByRole('combobox', { name: 'urgent' }).selectOption('true');
    await field(page, 'stars').fill('4');
    await field(page, 'orders').fill('[{"id": "A7"}]');
    await field(page, 'Message').fill('Is it late?');
  }

  test.each(dialects)('sends the values in %s', async (dialect) => {
    const page = await dashboard.open(path, { key: apiKey });
    await fill(page);
    await page.getByRole('combobox', { name: 'Format' }).selectOption(dialect);
    await send(page);
    await response(page).getByText(completionText).waitFor();
    expect(JSON.stringify(dashboard.upstream.requests[0]?.body)).toContain(
      'Answer Ada {{x}} (4 stars) in a casual tone. Hurry!\\n- A7',
    );
    expect(dashboard.upstream.requests[0]?.body).not.toHaveProperty('prompt');
    await effective(page).getByText('Variables with their default value: tone').waitFor();
    if (dialect === 'responses') await expectGoodInEveryAppearance(page, 'use-variables');
  });

  test.each(['chat-completions', 'responses'] as const)('sends the values alone in %s', async (dialect) => {
    const page = await dashboard.open(path, { key: apiKey });
    await fill(page);
    await field(page, 'Message').fill(' ');
    await page.getByRole('combobox', { name: 'Format' }).selectOption(dialect);
    await send(page);
    await response(page).getByText(completionText).waitFor();
    const { messages, input, instructions } = dashboard.upstream.requests[0]?.body ?? {};
    const text = 'Answer Ada {{x}} (4 stars) in a casual tone. Hurry!\n- A7';
    expect({ messages, input, instructions }).toEqual(
      dialect === 'responses' ? { instructions: text } : { messages: [{ role: 'system', content: text }] },
    );
  });

  test('requires a message in messages, unless the preset has few-shot messages', async () => {
    const examples = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
    ];
    await dashboard.server.capture('examples', request('Plain.', { messages: examples }));
    const page = await dashboard.open(path, { key: apiKey });
    await fill(page);
    await field(page, 'Message').fill('');
    await page.getByRole('combobox', { name: 'Format' }).selectOption('messages');
    await send(page);
    await page.getByText('Enter a message.').waitFor();
    expect(dashboard.upstream.requests).toEqual([]);
    const other = await dashboard.open('/presets/examples/use', { key: apiKey });
    await other.getByRole('combobox', { name: 'Format' }).selectOption('messages');
    await other.getByText('Without it, the call sends the preset alone.').waitFor();
    await send(other);
    await response(other).getByText(completionText).waitFor();
    expect(dashboard.upstream.requests[0]?.body.messages).toEqual(examples);
  });

  test('reports what is missing or not readable, and moves the focus there', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await field(page, 'customer').fill('Ada');
    await field(page, 'stars').fill('four');
    await field(page, 'orders').fill('[{"id": "A7"');
    await send(page);
    await page.getByText('Enter a whole number, such as 3.').waitFor();
    await page.getByText('Enter a list in JSON').waitFor();
    await page.locator('input:focus').and(field(page, 'stars')).waitFor();
    await expectGoodInEveryAppearance(page, 'use-variables-errors');
    expect(dashboard.upstream.requests).toEqual([]);
  });

  test.each(dialects)('shows the errors of the server at the fields, in %s', async (dialect) => {
    const page = await dashboard.open(path, { key: apiKey });
    await fill(page);
    await field(page, 'customer').fill('A name of more than 20 characters');
    await field(page, 'stars').fill('6');
    await field(page, 'orders').fill('[{"id": 7}]');
    await page.getByRole('combobox', { name: 'Format' }).selectOption(dialect);
    await send(page);
    await page.getByRole('alert').getByText('Check the values of customer, stars, orders.').waitFor();
    for (const name of ['customer', 'stars', 'orders'])
      expect(await field(page, name).getAttribute('aria-invalid')).toBe('true');
    await page.getByText('0.id must be a string').waitFor();
    if (dialect === 'messages') await expectGoodInEveryAppearance(page, 'use-variables-rejected');
    await field(page, 'stars').fill('5');
    expect(await field(page, 'stars').getAttribute('aria-invalid')).toBeNull();
    expect(await field(page, 'customer').getAttribute('aria-invalid')).toBe('true');
    expect(dashboard.upstream.requests).toEqual([]);
  });

  test('values survive switching versions, as far as the variables have the same names', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await fill(page);
    const version = page.getByRole('combobox', { name: 'Version', exact: true });
    await version.selectOption('Version 2');
    await field(page, 'stars').waitFor({ state: 'detached' });
    expect(await field(page, 'customer').inputValue()).toBe('Ada {{x}}');
    await version.selectOption('Version 1');
    await field(page, 'customer').waitFor({ state: 'detached' });
    await send(page);
    await response(page).getByText(completionText).waitFor();
    await version.selectOption('Live version');
    expect(await field(page, 'orders').inputValue()).toBe('[{"id": "A7"}]');
    expect(await page.getByRole('combobox', { name: 'urgent' }).inputValue()).toBe('0');
  });

  test('code examples pass the required variables, with the clients that can', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    const example = page.getByRole('region', { name: /example$/ });
    await example.getByText('"prompt": {"variables": {"customer": "<customer>", "stars": 1}},').waitFor();
    expect(await page.getByRole('radio', { name: /OpenRouter/ }).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Version', exact: true }).selectOption('Version 2');
    await page.getByRole('radio', { name: 'OpenRouter Python' }).check();
    await example.getByText('"variables": {"customer": "<customer>"},').waitFor();
    await page.getByRole('combobox', { name: 'Version', exact: true }).selectOption('Live version');
    await vi.waitFor(async () =>
      expect(await page.getByRole('radio', { name: 'curl' }).isChecked()).toBe(true),
    );
  });
});

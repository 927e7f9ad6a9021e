import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { accepted, panel, paste, showRequest } from '../support/capture-page.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';

const variables = {
  customer: { type: 'string', maxLength: 80, description: 'The name of the customer, as in the shop.' },
  tone: { type: 'string', enum: ['formal', 'casual'], default: 'casual' },
  orders: {
    type: 'array',
    items: { type: 'object', properties: { id: { type: 'string' }, late: { type: 'boolean' } } },
    maxItems: 20,
    default: [],
  },
};
const examples = [
  { role: 'user', content: 'Where is my parcel?' },
  { role: 'assistant', content: 'Hello {{customer}}!\n\nWhich order do you mean?' },
];
const policy = {
  system_prompt: 'prepend',
  locked: ['model', 'provider'],
  limits: { max_tokens: 2000, temperature: 0.5 },
};
const request = (prompt: string, presetd?: object) => ({
  model: 'openai/gpt-5',
  temperature: 0.2,
  messages: [{ role: 'system', content: prompt }],
  ...(presetd && { presetd }),
});
const template = 'You answer {{customer}} of Acme in a {{tone}} tone.{{#orders}}\n- Order {{id}}{{/orders}}';

describeInBrowser('versions with notes, variables, messages and a policy', () => {
  const dashboard = useDashboard();
  const create = async (slug: string, body: object) => {
    const { status, text } = await dashboard.server.post(`/api/v1/presets/${slug}/chat/completions`, body);
    expect([status, text]).toEqual([200, expect.anything()]);
  };
  const get = async (path: string) => (await dashboard.server.get(`/api/v1/presets/${path}`)).body.data;
  const open = (path: string, options = {}) =>
    dashboard.open(`/presets/${path}`, { key: apiKey, ...options });
  const note = (page: Page) => page.getByRole('textbox', { name: 'Note' });

  beforeAll(async () => {
    await create('bot', request('You answer for Acme.'));
    await create(
      'bot',
      request(template, {
        note: 'Greets customers by name and lists their orders.\nAsked for by the support team.',
        variables,
        messages: examples,
        policy,
      }),
    );
    await create(
      'bot',
      request(`${template}\nNever promise a date.`, {
        note: 'No promises',
        designate: false,
        variables: {
          ...variables,
          customer: { type: 'string', maxLength: 120 },
          shop: { type: 'string', default: 'Acme' },
        },
        messages: [
          ...examples,
          { role: 'user', content: 'A7, please.' },
          { role: 'assistant', content: 'It is late.' },
        ],
        policy: { ...policy, system_prompt: 'lock' },
      }),
    );
  });

  test('the first version is live, with a note that is not too long', async () => {
    const page = await dashboard.open('/new', { key: apiKey });
    await page.getByLabel('Slug').fill('first');
    await paste(page, request('Hello {{name}}.', { variables: { name: { type: 'string' } } }));
    await accepted(page);
    await page.getByRole('button', { name: 'Add note' }).click();
    await note(page).fill('x'.repeat(449));
    expect(await page.getByText('of 500 characters').count()).toBe(0);
    await note(page).fill('x'.repeat(480));
    await page.getByText('480 of 500 characters').waitFor();
    await note(page).fill('x'.repeat(501));
    await page.getByText('501 of 500 characters. Shorten the note.').waitFor();
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.locator('textarea:focus').and(note(page)).waitFor();
    await expectAccessible(page);
    await note(page).fill('For the shop');
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByText('Preset created. Version 1 is live').waitFor();
    expect((await get('first/versions/1')).presetd).toEqual({
      variables: { name: { type: 'string' } },
      note: 'For the shop',
    });
  });

  test('problems with variables are shown at their lines, and a note in the request wins over the field', async () => {
    const page = await dashboard.open('/new', { key: apiKey });
    const presetd = { variables: { name: { type: 'string' }, unused: { type: 'string' } } };
    await paste(page, { ...request('Hello {{name}}.'), presetd, temprature: 1 });
    await showRequest(page);
    const warnings = panel(page, '2 warnings').getByRole('button');
    await warnings.first().waitFor();
    expect(await warnings.allInnerTexts()).toEqual([
      expect.stringMatching(/presetd.variables.unused is declared, but no text uses it/),
      expect.stringMatching(/temprature Unknown field/),
    ]);
    expect(await page.locator('.cm-lintRange-warning').first().innerText()).toBe('"unused"');
    await paste(page, { ...request('Hello {{nobody}}.'), presetd: { variables: {} } });
    await panel(page, '1 problem').getByText('{{nobody}}').waitFor();

    await page.getByLabel('Slug').fill('own');
    await page.getByRole('button', { name: 'Add note' }).click();
    await note(page).fill('From the field');
    await paste(page, request('Second.', { note: 'From the request' }));
    await page.getByText('Set by presetd.note in the request.').waitFor();
    expect(await note(page).inputValue()).toBe('From the request');
    expect(await note(page).isEditable()).toBe(false);
    await accepted(page);
    await expectGoodInEveryAppearance(page, 'new-preset-own-note');
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.waitForURL('**/presets/own');
    expect((await get('own/versions/1')).presetd).toEqual({ note: 'From the request' });
  });

  test('history, comparison and events show everything that presetd adds to a request', async () => {
    await create('noted', request('Same.'));
    await create('noted', request('Same.', { note: 'Nothing new' }));
    const page = await open('bot/history');
    await panel(page, 'Variables').waitFor();
    const text = await page.locator('main').innerText();
    for (const expected of [
      ...['Greets customers by name and lists their orders.', 'Asked for by the support team.'],
      ...['The name of the customer, as in the shop.', 'Up to 80 characters', 'Required'],
      ...['default casual', 'One of formal, casual', 'list of objects', 'Up to 20 items, each with id, late'],
      ...['Where is my parcel?', 'Which order do you mean?'],
      ...['This one comes first, then the system prompt of the request.', 'provider', 'max_tokens ≤ 2000'],
    ])
      expect(text).toContain(expected);
    await page.getByText('JSON Schema').click();
    await page.getByRole('region', { name: 'JSON Schema of orders' }).getByText('"late"').waitFor();
    await expectGoodInEveryAppearance(page, 'preset-extension');
    await page.getByRole('link', { name: 'Version 1', exact: true }).click();
    await page.getByRole('heading', { name: 'Version 1', exact: true }).waitFor();
    expect(await panel(page, 'Variables').count()).toBe(0);

    const go = (path: string) => page.evaluate(`history.pushState(null, '', '/presets/${path}')`);
    await go('bot/history/2..3');
    await page.getByText('No promises').last().waitFor();
    await page.getByRole('table', { name: 'Variables changes' }).getByText('customer.maxLength').waitFor();
    await page.getByRole('table', { name: 'Policy changes' }).getByText('"lock"').waitFor();
    await page.getByText('A7, please.').filter({ visible: true }).first().waitFor();
    await expectGoodInEveryAppearance(page, 'compare-extension');
    await go('noted/history/1..2');
    await page.getByText('These versions differ only in their notes.').waitFor();

    await go('bot/events');
    await page.getByText('without making it live: “No promises”').waitFor();
    await page.getByRole('link', { name: 'Compare versions 2 → 3' }).waitFor();
  });

  test('the audit log says that a version did not go live, and quotes its note', async () => {
    const page = await dashboard.open('/organization/audit', { key: managementKey });
    await page.getByText('with the note “No promises”, without making it live').waitFor();
  });
});

import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { accepted, panel, paste, requestBody } from '../support/capture-page.ts';
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
  const goLive = (page: Page) => page.getByRole('checkbox', { name: 'Go live now' });

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

  test('a version saved without going live is shown next, with its note and a way to make it live', async () => {
    await create('tried', request('First.'));
    const page = await open('tried/new');
    await accepted(page);
    await page.getByText('Starts from live version 1 and replaces it when saved.').waitFor();
    await paste(page, request('Second.'));
    await accepted(page);
    await note(page).fill('Shorter, for mobile');
    await goLive(page).uncheck();
    await page.getByText('Starts from version 1, which stays live.').waitFor();
    await page.getByText('Version 1 stays live. Try the new one as @preset/tried@2.').waitFor();
    await expectGoodInEveryAppearance(page, 'new-version-not-live');
    await page.getByRole('button', { name: 'Save version 2 without going live' }).click();
    await page.waitForURL('**/presets/tried?version=2');
    await page.getByText('Version 2 saved. Version 1 is still live').waitFor();
    await page.getByText('This is version 2. Version 1 is live.').waitFor();
    // Next to the version and in the list.
    await expect.poll(() => page.getByText('Shorter, for mobile').count()).toBe(2);
    expect((await get('tried')).designated_version.version).toBe(1);
    expect(await get('tried/versions/2')).toMatchObject({
      system_prompt: 'Second.',
      presetd: { note: 'Shorter, for mobile' },
    });
    await expectGoodInEveryAppearance(page, 'preset-not-live');
    await page.getByRole('button', { name: 'Make live…' }).click();
    await page.getByRole('dialog').getByText('Shorter, for mobile').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: /^Make/ }).click();
    await expect.poll(async () => (await get('tried')).designated_version.version).toBe(2);
  });

  test('a note and the choice survive a reload, and go with the draft', async () => {
    await create('drafted', request('First.'));
    const page = await open('drafted/new?from=1');
    await accepted(page);
    await note(page).fill('Not saved yet');
    await goLive(page).uncheck();
    await page.reload();
    await page.getByText('Unsaved draft restored.').waitFor();
    expect(await note(page).inputValue()).toBe('Not saved yet');
    expect(await goLive(page).isChecked()).toBe(false);
    await page.getByText('Identical to live version 1.').waitFor();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    expect(await note(page).inputValue()).toBe('');
    expect(await goLive(page).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await note(page).inputValue()).toBe('Not saved yet');
    await page.getByRole('button', { name: 'Save version 2 without going live' }).click();
    await page.waitForURL('**/presets/drafted?version=2');
    expect((await get('drafted/versions/2')).presetd).toEqual({ note: 'Not saved yet' });
  });

  test('the first version is always live, with a note', async () => {
    const page = await dashboard.open('/new', { key: apiKey });
    await page.getByLabel('Slug').fill('first');
    await paste(page, request('Hello {{name}}.', { variables: { name: { type: 'string' } } }));
    await note(page).fill('For the shop');
    await accepted(page);
    expect(await goLive(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByText('Version 1 is live').waitFor();
    expect((await get('first/versions/1')).presetd).toEqual({
      variables: { name: { type: 'string' } },
      note: 'For the shop',
    });
  });

  test('what the request itself says wins over the fields, which then cannot be changed', async () => {
    await create('own', request('First.'));
    const page = await open('own/new');
    await accepted(page);
    await note(page).fill('From the field');
    await paste(page, request('Second.', { note: 'From the request', designate: false }));
    await page.getByText('Set by presetd.note in the request.').waitFor();
    expect(await note(page).inputValue()).toBe('From the request');
    expect(await note(page).isEditable()).toBe(false);
    expect(await goLive(page).isDisabled()).toBe(true);
    expect(await goLive(page).isChecked()).toBe(false);
    await accepted(page);
    await expectGoodInEveryAppearance(page, 'new-version-own-options');
    await page.getByRole('button', { name: 'Save version 2 without going live' }).click();
    await page.waitForURL('**/presets/own?version=2');
    expect((await get('own/versions/2')).presetd).toEqual({ note: 'From the request' });
    expect((await get('own')).designated_version.version).toBe(1);
  });

  test('counts the characters of a note near the limit, and does not save one that is too long', async () => {
    await create('long-note', request('First.'));
    const page = await open('long-note/new');
    await accepted(page);
    await note(page).fill('x'.repeat(449));
    expect(await page.getByText('of 500 characters').count()).toBe(0);
    await note(page).fill('x'.repeat(480));
    await page.getByText('480 of 500 characters').waitFor();
    await note(page).fill('x'.repeat(501));
    await page.getByText('501 of 500 characters. Shorten the note.').waitFor();
    await page.getByRole('button', { name: 'Save version 2' }).click();
    await page.locator('textarea:focus').and(note(page)).waitFor();
    await expectAccessible(page);
    expect((await get('long-note')).designated_version.version).toBe(1);
  });

  test('problems and warnings about variables are shown at their lines', async () => {
    const page = await dashboard.open('/new', { key: apiKey });
    const presetd = { variables: { name: { type: 'string' }, unused: { type: 'string' } } };
    await paste(page, { ...request('Hello {{name}}.'), presetd, temprature: 1 });
    const warnings = panel(page, '2 warnings').getByRole('button');
    await warnings.first().waitFor();
    expect(await warnings.allInnerTexts()).toEqual([
      expect.stringMatching(/presetd.variables.unused is declared, but no text uses it/),
      expect.stringMatching(/temprature Unknown field/),
    ]);
    expect(await page.locator('.cm-lintRange-warning').first().innerText()).toBe('"unused"');
    await expectGoodInEveryAppearance(page, 'new-preset-unused-variable');
    await paste(page, { ...request('Hello {{nobody}}.'), presetd: { variables: {} } });
    await panel(page, '1 problem').getByText('{{nobody}}').waitFor();
  });

  test('the overview shows everything that presetd adds to a request', async () => {
    const page = await open('bot');
    await panel(page, 'Variables').waitFor();
    const text = await page.locator('main').innerText();
    for (const expected of [
      ...['Greets customers by name and lists their orders.', 'Asked for by the support team.'],
      ...['The name of the customer, as in the shop.', 'Up to 80 characters', 'Required'],
      ...['default casual', 'One of formal, casual', 'list of objects', 'Up to 20 items, each with id, late'],
      ...['Where is my parcel?', 'Which order do you mean?'],
      ...['The preset’s comes first, then the request’s own.', 'provider', 'max_tokens ≤ 2000'],
    ])
      expect(text).toContain(expected);
    await page.getByText('JSON Schema').click();
    await page.getByRole('region', { name: 'JSON Schema of orders' }).getByText('"late"').waitFor();
    await expectGoodInEveryAppearance(page, 'preset-extension');
    await page.getByRole('link', { name: 'Version 1', exact: true }).click();
    await page.getByText('This is version 1.').waitFor();
    expect(await panel(page, 'Variables').count()).toBe(0);
  });

  test('the comparison shows notes and what changed in each part', async () => {
    const page = await open('bot/compare?from=2&to=3');
    await page.getByText('No promises').waitFor();
    await page.getByRole('table', { name: 'Variables changes' }).getByText('customer.maxLength').waitFor();
    await page.getByRole('table', { name: 'Policy changes' }).getByText('"lock"').waitFor();
    await page.getByText('A7, please.').waitFor();
    await expectGoodInEveryAppearance(page, 'compare-extension');
    await create('noted', request('Same.'));
    await create('noted', request('Same.', { note: 'Nothing new' }));
    const noted = await open('noted/compare');
    await noted.getByText('These versions differ only in their notes.').waitFor();
  });

  test('a new version starts from everything but the note', async () => {
    const page = await open('bot/new?from=2');
    await accepted(page);
    await page.getByText('Identical to live version 2.').waitFor();
    for (const title of ['Variables', 'Few-shot messages', 'Policy'])
      await panel(page, 'Saved').getByRole('heading', { name: title }).waitFor();
    expect(await requestBody(page).innerText()).toContain('"presetd": {');
    expect(await note(page).inputValue()).toBe('');
    await expectGoodInEveryAppearance(page, 'new-version-extension');
    const changed = { ...variables, customer: { type: 'string', maxLength: 90 } };
    await paste(page, request(template, { variables: changed, messages: examples, policy }));
    await panel(page, 'Saved').getByText('Up to 90 characters').waitFor();
    expect(await page.getByText('Identical to').count()).toBe(0);
  });

  test('events and audit log say that a version did not go live, and quote its note', async () => {
    const page = await open('bot/events');
    await page.getByText('without making it live: “No promises”').waitFor();
    await page.getByRole('link', { name: 'Compare versions 2 → 3' }).waitFor();
    await expectGoodInEveryAppearance(page, 'events-extension');
    const audit = await dashboard.open('/organization/audit', { key: managementKey });
    await audit.getByText('with the note “No promises”, without making it live').waitFor();
    await expectGoodInEveryAppearance(audit, 'audit-extension');
  });
});

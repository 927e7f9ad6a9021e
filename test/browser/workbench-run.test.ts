import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { formatDollars } from '../../dashboard/src/components/text.ts';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { choose, chooseCase } from '../support/menu.ts';
import { makeKey, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey } from '../support/server.ts';
import {
  beginStream,
  type Exchange,
  recorded,
  respondInDialect,
  type Script,
  stream,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { completionText, recordings } from '../support/wire/recordings.ts';

const request = {
  model: 'vendor/model',
  temperature: 0.2,
  seed: 7,
  messages: [{ role: 'system', content: 'You are terse.' }],
};

const variables = {
  customer: { type: 'string', maxLength: 20 },
  tone: { type: 'string', enum: ['formal', 'casual'], default: 'casual' },
  urgent: { type: 'boolean', default: false },
  stars: { type: 'integer', minimum: 1, maximum: 5 },
  orders: {
    type: 'array',
    items: { type: 'object', properties: { id: { type: 'string' } } },
    default: [],
  },
};
const template =
  'Answer {{customer}} ({{stars}} stars) in a {{tone}} tone.{{#urgent}} Hurry!{{/urgent}}{{#orders}}\n- {{id}}{{/orders}}';

/** The recorded stream, cut after its first words. */
const [firstWords = '', ...otherWords] = recordings['openai-chat'].stream
  .toString()
  .split(/(?<=Zürich"}[^\n]*\n\n)/);

describeInBrowser('running in the workbench', () => {
  const dashboard = useDashboard({ upstream: true });

  beforeAll(async () => {
    const { server } = dashboard;
    for (const slug of ['stream', 'stream', 'turns', 'tools', 'keys', 'no-upstream'])
      await server.capture(slug, request);
    const presetd = { variables: { customer: { type: 'string' } } };
    const greeting = {
      model: 'vendor/model',
      messages: [{ role: 'system', content: 'Hello {{customer}}.' }],
    };
    await server.capture('variables', { ...greeting, presetd });
    await server.post('/api/v1/presets/variables/messages', {
      model: 'vendor/model',
      max_tokens: 300,
      system: template,
      messages: [],
      presetd: { variables },
    });
  });

  const response = (page: Page) => page.getByRole('region', { name: 'Response' });
  const preview = (page: Page) => page.getByRole('dialog', { name: /^Request of/ });
  const message = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
  const calls = () => dashboard.upstream.requests.filter(({ method }) => method === 'POST');

  /** The list of models is requested, too, at any time. */
  const respondToCalls = (script: Script) =>
    dashboard.upstream.respondAlways((exchange) =>
      exchange.request.method === 'POST' ? script(exchange) : respondInDialect(exchange),
    );
  /** The next call, which the test responds to. */
  const nextCall = () => new Promise<Exchange>((resolve) => respondToCalls(resolve));

  async function open(slug: string, { key = apiKey, search = '', isFailing = false } = {}): Promise<Page> {
    const options = { key, width: 1_440, height: 900, isFailing };
    const page = await dashboard.open(`/presets/${slug}${search}`, options);
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).waitFor();
    return page;
  }

  async function send(page: Page) {
    await message(page).fill('Will it rain?');
    await run(page);
  }

  test('streams a response, and previews the request in every format', async () => {
    const page = await open('stream', { search: '?run=1' });
    await page.getByRole('region', { name: 'Version 1' }).waitFor();
    const call = nextCall();
    await send(page);
    const { response: reply, request: received } = await call;
    await response(page).getByText('Waiting for the model…').waitFor();
    beginStream(reply).write(firstWords);
    await response(page).getByText('Regen in Zürich', { exact: true }).waitFor();
    reply.end(otherWords.join(''));
    await response(page).getByText(completionText).waitFor();
    const metadata = (await response(page).innerText()).replaceAll(/\s+/g, ' ');
    for (const entry of [
      'Preset stream@1',
      'Model gpt-5.2-2025-12-11',
      'Upstream openrouter',
      'Finish reason stop',
    ])
      expect(metadata).toContain(entry);
    expect(metadata).toMatch(
      /Input tokens 14 Output tokens 9 Cost \S+ Time to first token .*s Total time .*s/,
    );

    await choose(page, 'Actions for Version 1', 'Preview request…');
    const body = preview(page).getByRole('region', { name: 'request body' });
    await body.waitFor();
    expect(JSON.parse(await body.innerText())).toEqual(received.body);
    // What most people look for comes first.
    const [first] = await preview(page).getByRole('heading', { level: 3 }).allInnerTexts();
    expect(first).toBe('Rendered prompt');
    const prompt = preview(page).getByRole('region', { name: 'rendered prompt' });
    expect(await prompt.innerText()).toBe('You are terse.');
    expect(await preview(page).innerText()).toContain(`${dashboard.upstream.url}/chat/completions`);
    await preview(page).getByText('Headers').click();
    expect(await preview(page).innerText()).toContain('authorization: Bearer $OPENROUTER_API_KEY');
    for (const [format, path] of [
      ['OpenAI Responses', '/responses'],
      ['Anthropic Messages', '/messages'],
    ] as const) {
      await preview(page).getByRole('combobox', { name: 'Format of the call' }).selectOption(format);
      await preview(page).getByText(`${dashboard.upstream.url}${path}`).waitFor();
      expect(await preview(page).getByText('Dropped because').count()).toBe(1);
    }
    await expectGoodInEveryAppearance(page, 'run-preview');
    await page.keyboard.press('Escape');
    expect(calls()).toHaveLength(1);
  });

  test('shows what a run costs by list prices, as its record says, and names the upstream of one that failed', async () => {
    await dashboard.server.capture('priced', { ...request, model: 'openai/gpt-4o' });
    const page = await open('priced');
    const missing: string[] = [];
    page.on('response', (received) => received.status() === 404 && missing.push(received.url()));
    await page.reload();
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).waitFor();
    respondToCalls(recorded(recordings['openai-chat']));
    await send(page);
    await response(page).getByText(completionText).waitFor();
    // Before the cost is known, which must not be lost.
    await page.reload();
    const link = response(page).getByRole('link', { name: 'Open in Calls' });
    const id = (await link.getAttribute('href'))?.split('/').at(-1);
    const record = () => dashboard.server.get(`/api/v1/generation?id=${id}`);
    await expect.poll(async () => (await record()).status, { timeout: 5_000 }).toBe(200);
    const { cost, cost_source: source } = (await record()).body.data.presetd;
    expect([source, cost > 0]).toEqual(['library', true]);
    const shown = response(page).getByText(/^Cost/);
    await expect
      .poll(async () => (await shown.locator('..').innerText()).replace(/\s+/g, ' '), { timeout: 10_000 })
      .toBe(`Cost ${formatDollars(cost)}`);

    // Without a draft, the page does not ask for one, which the browser would log as an error.
    expect(missing).toEqual([]);
    // The badge is beside the heading, and the state of the draft beside the tabs, also at 1024 px.
    const heading = response(page).getByRole('heading', { name: 'Response' });
    const before = await heading.boundingBox();
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).pressSequentially('Hi. ');
    await page.getByText('Outdated').waitFor();
    expect(await heading.boundingBox()).toEqual(before);
    await page.getByText('Draft saved').waitFor();
    for (const width of [1_440, 1_024]) {
      await page.setViewportSize({ width, height: 900 });
      const tab = await page.getByRole('link', { name: 'History' }).boundingBox();
      const save = await page.getByRole('button', { name: 'Save…' }).boundingBox();
      expect(Math.abs((save?.y ?? 0) - (tab?.y ?? 0))).toBeLessThan(12);
      await screenshot(page, `run-outdated-${width}`);
    }
    await page.setViewportSize({ width: 1_440, height: 900 });

    respondToCalls(upstreamError(400, 'boom'));
    await field(page, 'Message').fill('And tomorrow?');
    await page.keyboard.press('ControlOrMeta+Enter');
    const failure = page.getByRole('alert').filter({ hasText: 'boom' });
    expect(await failure.innerText()).toContain('The run failed at the upstream openrouter');
    await expectGoodInEveryAppearance(page, 'run-failed');
    await page.getByRole('link', { name: 'Open in Calls' }).click();
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
    await page.getByText('boom').or(page.getByText('400')).first().waitFor();
  });

  test('keeps the text of a stopped or interrupted response, shows tool calls, and continues from any turn', async () => {
    await dashboard.server.send('PUT', '/api/v1/presets/turns/cases/Trip', {
      messages: [
        { role: 'user', content: 'Will it rain?' },
        { role: 'assistant', content: 'Where?' },
        { role: 'user', content: 'In Bern.' },
      ],
    });
    const page = await open('turns');
    const call = nextCall();
    await send(page);
    const { response: reply, ended } = await call;
    beginStream(reply).write(firstWords);
    await response(page).getByText('Regen in Zürich', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    expect(await ended).toBe('disconnected');
    await response(page).getByText('Stopped.').waitFor();
    expect(await response(page).innerText()).toContain('Regen in Zürich');
    // Focus stays on the button, and nothing was sent again.
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Run');
    expect(calls()).toHaveLength(1);

    const content = '- one\n  - two\n\n<b>three</b>';
    const chunk = { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] };
    respondToCalls(stream(`data: ${JSON.stringify(chunk)}\r\n\r\ndata: [DONE]\r\n\r\n`));
    await run(page);
    await response(page).getByText('three').waitFor();
    expect(await response(page).innerText()).toContain(content);

    const bytes = recordings['openai-chat'].stream;
    respondToCalls(stream(bytes.subarray(0, bytes.length / 2)));
    await run(page);
    await response(page).getByText('The response was interrupted').waitFor();
    expect(await response(page).innerText()).toContain('Regen in Zürich');
    expect(await response(page).getByRole('alert').innerText()).toContain('openrouter');

    respondToCalls(recorded(recordings['openai-chat-tool']));
    await run(page);
    const toolCall = response(page).getByRole('region', { name: 'arguments of get_weather' });
    await toolCall.waitFor();
    expect(JSON.parse(await toolCall.innerText())).toEqual({ city: 'Zürich' });

    dashboard.upstream.clear();
    await chooseCase(page, 'Trip');
    await field(page, 'User, turn 1').fill('Will it snow?');
    respondToCalls(recorded(recordings['openai-chat']));
    await page.getByRole('button', { name: 'Run from here turn 1' }).click();
    await response(page).getByText(completionText).waitFor();
    expect(calls()[0]?.body.messages.slice(1)).toEqual([{ role: 'user', content: 'Will it snow?' }]);
    expect(await field(page, 'User, turn 3').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await field(page, 'User, turn 3').waitFor();
  });

  test('sends a file with one message, answers tool calls by hand, and continues with the response of a column', async () => {
    await dashboard.server.send('PUT', '/api/v1/presets/tools/cases/Trip', {
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
      ],
    });
    const page = await open('tools');
    await chooseCase(page, 'Trip');
    const file = { name: 'map.png', mimeType: 'image/png', buffer: Buffer.from('map') };
    await page.locator('input[type=file]').setInputFiles(file);
    const attached = page.getByRole('button', { name: 'Remove map.png' });
    await attached.waitFor();
    respondToCalls(recorded(recordings['openai-chat-tool']));
    await send(page);
    const result = field(page, 'Result of get_weather');
    await result.waitFor();
    expect(JSON.stringify(calls()[0]?.body.messages)).toContain('data:image/png;base64,bWFw');
    expect(await attached.count()).toBe(0);

    // A result that was typed belongs to this run.
    await result.fill('Sunny');
    await page.getByRole('button', { name: 'Run from here turn 1' }).click();
    await expect.poll(() => result.inputValue()).toBe('');
    await result.fill('Rain');
    respondToCalls(recorded(recordings['openai-chat']));
    await page.getByRole('button', { name: 'Send result' }).click();
    await response(page).getByText(completionText).waitFor();
    expect(calls()).toHaveLength(3);
    expect(calls()[2]?.body.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Rain' });

    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Continue with this response' }).click();
    await field(page, 'Assistant, turn 4').waitFor();
    expect(await field(page, 'Assistant, turn 4').inputValue()).toContain(completionText);
    // The conversation has it now, so its column does not show it again.
    expect(await page.getByText('Finish reason').count()).toBe(0);
  });

  test('checks variables and the message, shows the errors of the server at the fields, and sends the values', async () => {
    const page = await open('variables');
    await page.getByRole('button', { name: /^Variables/ }).click();
    await field(page, 'stars').fill('four');
    await field(page, 'orders').fill('[{"id": "A7"');
    await run(page);
    await page.getByText('Enter a whole number, such as 3.').waitFor();
    await page.getByText('Enter a list in JSON').waitFor();
    await page.getByText('Enter a message.').waitFor();
    await page.locator('textarea:focus').and(field(page, 'customer')).waitFor();

    // A preview would leave out values of the wrong type, so it needs the same corrections.
    await choose(page, 'Actions for Draft', 'Preview request…');
    await page.locator('textarea:focus').and(field(page, 'customer')).waitFor();
    expect(await page.getByText('Enter a message.').count()).toBe(0);
    // Closing the menu without a choice leaves the focus on its button.
    const menu = page.getByRole('button', { name: 'Actions for Draft' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Preview request…' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus').and(menu).waitFor({ timeout: 5_000 });

    await field(page, 'customer').fill('A name of more than 20 characters');
    await field(page, 'stars').fill('6');
    await field(page, 'orders').fill('[{"id": 7}]');
    await send(page);
    await page.getByRole('alert').getByText('Check the values of customer, stars, orders.').waitFor();
    await page.getByText('0.id must be a string').waitFor();
    await expectAccessible(page);
    await field(page, 'stars').fill('4');
    expect(await field(page, 'stars').getAttribute('aria-invalid')).toBeNull();
    expect(await field(page, 'customer').getAttribute('aria-invalid')).toBe('true');
    expect(calls()).toEqual([]);
    // What the draft rejects says nothing about another version.
    await page.getByRole('combobox', { name: 'Version' }).selectOption('Version 1');
    await field(page, 'stars').waitFor({ state: 'detached' });
    expect(await field(page, 'customer').getAttribute('aria-invalid')).toBeNull();
    await page.getByRole('combobox', { name: 'Version' }).selectOption('Draft');
    await field(page, 'stars').waitFor();

    await field(page, 'customer').fill('Ada {{x}}');
    const urgent = page.getByRole('combobox', { name: 'urgent', exact: true });
    await urgent.selectOption('true');
    await field(page, 'orders').fill('[{"id": "A7"}]');
    await run(page);
    await response(page).getByText(completionText).waitFor();
    expect(calls()[0]?.body.system).toBe('Answer Ada {{x}} (4 stars) in a casual tone. Hurry!\n- A7');
    expect(calls()[0]?.body).not.toHaveProperty('prompt');
    await choose(page, 'Actions for Draft', 'Preview request…');
    await preview(page).getByText('Variables with their default value: tone').waitFor();
    await page.keyboard.press('Escape');

    // Values stay as far as another version has variables of these names.
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('combobox', { name: 'Version' }).selectOption('Version 1');
    await field(page, 'stars').waitFor({ state: 'detached' });
    await run(page);
    await response(page).getByText('variables@1').waitFor();
    expect(calls()[1]?.body.messages).toEqual([{ role: 'system', content: 'Hello Ada {{x}}.' }]);
    await page.getByRole('combobox', { name: 'Version' }).selectOption('Draft');
    expect(await field(page, 'orders').inputValue()).toBe('[{"id": "A7"}]');
    expect(await urgent.locator('option:checked').innerText()).toBe('true');

    // One column runs without what only another one needs.
    await field(page, 'orders').fill('[{');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('combobox', { name: 'Version' }).last().selectOption('Version 1');
    await page.getByRole('button', { name: 'Run Version 1' }).click();
    await expect.poll(() => calls().length).toBe(3);
    expect(await field(page, 'orders').getAttribute('aria-invalid')).toBeNull();
  });

  test('asks for missing variables only, shows input and response together, and steps through cases by arrow keys', async () => {
    for (const [name, customer] of [
      ['First', 'Ada'],
      ['Second', 'Grace'],
    ] as const)
      await dashboard.server.send('PUT', `/api/v1/presets/variables/cases/${name}`, {
        variables: { customer, stars: 4 },
        messages: [{ role: 'user', content: `I am ${customer}.` }],
      });
    const page = await open('variables');
    const line = page.getByRole('button', { name: /^Variables/ });
    await field(page, 'stars').fill('4');
    await field(page, 'customer').fill('Ada');
    expect(await line.innerText()).toMatch(/tone casual\s+urgent false\s+orders \[\]/);
    // Filled fields stay until the user leaves them.
    expect(await field(page, 'stars').inputValue()).toBe('4');
    await message(page).click();
    await field(page, 'stars').waitFor({ state: 'detached' });
    expect(await line.innerText()).toMatch(/customer Ada.*stars 4/);
    await send(page);
    await response(page).getByText('Total time').waitFor();
    const between = {
      top: (await page.getByRole('tab', { name: 'Conversation' }).boundingBox())?.y ?? 0,
      bottom: (await message(page).boundingBox())?.y ?? 0,
    };
    for (const shown of [line, field(page, 'User, turn 1'), response(page)]) {
      const { y, height } = (await shown.boundingBox()) ?? { y: 0, height: 0 };
      expect(y).toBeGreaterThan(between.top);
      expect(y + height).toBeLessThan(between.bottom);
    }
    await screenshot(page, 'run-input-and-response', false);
    await page.getByRole('button', { name: 'Run Draft' }).click();
    await expect.poll(() => calls().length).toBe(2);

    const cases = page.getByRole('combobox', { name: 'Test case' });
    await cases.focus();
    for (const [key, name] of [
      ['ArrowDown', 'First'],
      ['ArrowDown', 'Second'],
      ['ArrowDown', 'Second'],
      ['ArrowUp', 'First'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => cases.inputValue()).toBe(name);
    }
    // Leaving the list or the text is not choosing.
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Tab');
    await expect.poll(() => cases.inputValue()).toBe('First');
    expect(await field(page, 'User, turn 1').inputValue()).toBe('I am Ada.');
  });

  test('says what to set if no upstream has a key, and previews the draft', async () => {
    dashboard.server.useConfigFile({ upstreams: [{ name: 'openrouter', kind: 'openrouter' }] });
    const page = await open('no-upstream', { isFailing: true });
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText(' Rhyme.');
    await send(page);
    await page.getByText('No model is available yet').waitFor();
    await page.getByText("Set OPENROUTER_API_KEY in presetd's environment").waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Preview request', exact: true }).click();
    await preview(page).getByText('"You are terse. Rhyme."').waitFor();
    await preview(page).getByText('"Will it rain?"').waitFor();
  });

  test('asks users of a management key for an API key of the workspace, and does not store it', async () => {
    const elsewhere = await makeWorkspace(dashboard.server, 'elsewhere');
    const { secret: other } = await makeKey(dashboard.server, { workspace_id: elsewhere });
    const page = await open('keys', { key: managementKey });
    const key = page.getByLabel('API key of this workspace');
    const use = page.getByRole('button', { name: 'Use key' });
    await expectGoodInEveryAppearance(page, 'run-key');
    for (const [text, problem] of [
      ['wröng', 'Keys contain only ASCII characters'],
      [managementKey, 'This is a management key. Enter an API key.'],
      [other, 'This key belongs to the workspace elsewhere.'],
    ] as const) {
      await key.fill(text);
      await use.click();
      await page.getByText(problem).waitFor();
    }
    await key.fill(apiKey);
    await use.click();
    await send(page);
    await response(page).getByText(completionText).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'run-with-key');
    expect(JSON.stringify(await page.evaluate('[{ ...sessionStorage }, { ...localStorage }]'))).not.toContain(
      apiKey,
    );
    const tabs = page.getByRole('navigation', { name: 'Preset' });
    await tabs.getByRole('link', { name: 'Events' }).click();
    await tabs.getByRole('link', { name: 'Workbench' }).click();
    await response(page).getByText(completionText).waitFor();
    await page.reload();
    await key.waitFor();
  });
});

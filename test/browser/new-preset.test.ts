import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import {
  accepted,
  panel,
  paste,
  pasteFromClipboard,
  requestBody,
  showRequest,
} from '../support/capture-page.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';

const chat = {
  model: 'openai/gpt-5',
  temperature: 0.2,
  tempereture: 1,
  stream: true,
  messages: [
    { role: 'system', content: 'You answer for Acme.' },
    { role: 'user', content: 'Where is my parcel?' },
  ],
};
const curlLine = `curl https://example.com/v1/chat/completions -d '${JSON.stringify(chat)}'`;
const messages = { model: 'anthropic/claude', max_tokens: 99, system: 'Be brief.', messages: [] };
const responses = { model: 'openai/gpt-5', instructions: 'Be brief.', input: 'Hello' };

describeInBrowser('the New preset page', () => {
  const dashboard = useDashboard({ upstream: true });
  const open = (options = {}) => dashboard.open('/new', { key: apiKey, ...options });
  const preset = async (slug: string) => (await dashboard.server.get(`/api/v1/presets/${slug}`)).body.data;

  test('a pasted request opens in the workbench, which says what is ignored and why, and asks for a slug', async () => {
    const page = await open();
    await page.getByRole('heading', { name: 'New preset' }).waitFor();
    await expectGoodInEveryAppearance(page, 'new-preset-start');
    await paste(page, chat);
    // The next step.
    await page.locator('input:focus').and(page.getByLabel('Slug')).waitFor();
    expect(await prompt(page).innerText()).toBe('You answer for Acme.');
    expect(await page.getByRole('combobox', { name: 'Model', exact: true }).first().inputValue()).toBe(
      'openai/gpt-5',
    );
    await accepted(page);
    const ignored = panel(page, 'Ignored').getByRole('listitem');
    expect(await ignored.filter({ hasText: 'stream' }).innerText()).toContain('which each call sets itself');
    expect(await ignored.filter({ hasText: 'tempereture' }).innerText()).toContain(
      'Unknown field, ignored. Did you mean temperature?',
    );
    const place = await panel(page, 'Prompt').boundingBox();
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByText('Enter a slug.').waitFor();
    await page.locator('input:focus').waitFor();
    await page.keyboard.insertText('not a slug');
    await page.getByText('Use only letters A to Z').waitFor();
    expect(await panel(page, 'Prompt').boundingBox()).toEqual(place);
    await expectGoodInEveryAppearance(page, 'new-preset');

    // Typed over in the request editor, where nothing is imported.
    await showRequest(page);
    await paste(page, chat);
    await page.getByRole('tab', { name: 'Form' }).click();
    expect(await ignored.filter({ hasText: 'messages' }).innerText()).toContain('saved as the system prompt');
  });

  test('recognizes the format of a request, and takes another one that is chosen', async () => {
    const page = await open();
    const format = page.getByLabel('Format', { exact: true });
    const shown = () => format.locator('option:checked').textContent();
    await openRequest(page);
    for (const [name, request] of [
      ['Anthropic Messages', messages],
      ['OpenAI Responses', responses],
      ['Chat Completions', chat],
      // Looks like none.
      ['Chat Completions', { model: 'm', temperature: 1 }],
    ] as const) {
      await paste(page, request);
      await expect.poll(shown).toBe(name);
    }
    await panel(page, '1 problem').getByText('messages').waitFor();
    await format.selectOption('OpenAI Responses');
    await page.getByRole('button', { name: 'Convert' }).click();
    await page.getByLabel('Slug').fill('chosen');
    await accepted(page);

    const line = '{"model":"m","temperature":0.50,"max_tokens":5}';
    await paste(page, line);
    await page.getByRole('button', { name: 'Prettify' }).click();
    expect(await requestBody(page).innerText()).toContain('{\n  "model": "m",\n  "temperature": 0.50,\n');
    await page.keyboard.press('ControlOrMeta+z');
    expect(await requestBody(page).innerText()).toBe(line);
    await accepted(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.waitForURL('**/presets/chosen');
    const { body } = await dashboard.server.get('/api/v1/presets/chosen/versions/1');
    expect(body.data.dialect).toBe('responses');
  });

  test('runs a request before the preset exists, and takes the conversation and its results along', async () => {
    const page = await open();
    await paste(page, chat);
    await accepted(page);
    expect(await page.getByRole('tab', { name: 'All cases' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Finish reason').waitFor();
    const [call] = dashboard.upstream.requests.filter(({ method }) => method === 'POST');
    expect(call?.body).toMatchObject({ model: 'openai/gpt-5', temperature: 0.2 });
    expect((await dashboard.server.get('/api/v1/presets/tried')).status).toBe(404);
    // A column for another model; there is no version to compare with yet.
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    expect(await page.getByLabel('Version').last().locator('option').allTextContents()).toEqual(['Draft']);
    await page.getByLabel('Slug').fill('tried');
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.waitForURL('**/presets/tried');
    expect(await page.getByRole('textbox', { name: 'User, turn 1' }).inputValue()).toBe(
      'Where is my parcel?',
    );
    await page.getByText('Finish reason').waitFor();
    expect(await page.getByText('Outdated').count()).toBe(0);
  });

  test('an unknown field is a warning at its line, and the rest is saved with exactly the same numbers', async () => {
    const page = await open();
    await page.getByLabel('Slug').fill('warned');
    await openRequest(page);
    await paste(
      page,
      '{\n  "model": "m",\n  "temprature": 1,\n  "messages": [{"role": "user", "content": ""}]\n}',
    );
    const message = 'Unknown field, ignored. Did you mean temperature?';
    const status = page.getByRole('status').getByText('1 warning', { exact: true });
    await status.waitFor();
    expect(await page.getByText('No problems').count()).toBe(0);
    const warning = panel(page, '1 warning').getByRole('button');
    expect(await warning.innerText()).toMatch(/^Line 3, column 3\s+temprature Unknown field, ignored\./);
    expect(await warnedLines(page)).toEqual([3]);
    expect(await page.locator('.cm-lintRange-warning').innerText()).toBe('"temprature"');
    await page.locator('.cm-lintRange-warning').hover();
    await page.locator('.cm-tooltip').getByText(message).waitFor();
    await expectGoodInEveryAppearance(page, 'new-preset-warning');

    // It disappears once the field is spelled correctly.
    await paste(page, { model: 'm', temperature: 1, messages: [{ role: 'user', content: '' }] });
    await page.getByRole('status').getByText('No problems', { exact: true }).waitFor();
    expect(await warnedLines(page)).toEqual([]);
    expect(await panel(page, '1 warning').count()).toBe(0);

    // A problem elsewhere is reported next to it.
    await paste(
      page,
      '{\n  "temprature": 1,\n  "model": 3,\n  "messages": [{"role": "user", "content": ""}]\n}',
    );
    await panel(page, '1 problem, 1 warning').waitFor();
    expect(await warnedLines(page)).toEqual([2]);
    expect(await page.locator('.cm-lint-marker-error').count()).toBe(1);

    await paste(
      page,
      '{"model":"m","temprature":1,"seed":12345678901234567890,"messages":[{"role":"system","content":"Hi"}]}',
    );
    await status.waitFor();
    await panel(page, '1 warning').getByRole('button').click();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('F8');
    await page.locator('.cm-tooltip').getByText(message).waitFor();
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.waitForURL('**/presets/warned');
    await page.getByText('Preset created. Version 1 is live').waitFor();
    const { text } = await dashboard.server.get('/api/v1/presets/warned');
    expect(text).toContain('"config":{"model":"m","seed":12345678901234567890},"system_prompt":"Hi"');
  });

  test('marks syntax errors, which it does not send, and problems that the server reports', async () => {
    const page = await open();
    const methods: string[] = [];
    page.on('request', (request) => methods.push(request.method()));
    await page.getByLabel('Slug').fill('broken');
    await paste(page, chat);
    await accepted(page);
    await showRequest(page);
    await paste(page, '{\n  "model": "m",\n  temperature: 1\n}');
    const problem = panel(page, '1 problem').getByRole('button');
    await problem.waitFor();
    expect(await problem.innerText()).toMatch(/^Line 3, column 3\s+Unexpected text\./);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await problem.click();
    await page.keyboard.press('Shift+End');
    await page.keyboard.insertText('"messages": [{"role": "user", "content": ""}]');
    await accepted(page);
    expect(methods.filter((method) => method === 'POST')).toHaveLength(2);

    await paste(
      page,
      '{\n  "model": "m",\n  "temperature": 3,\n  "messages": [\n    { "role": "usr" }\n  ]\n}',
    );
    const problems = panel(page, '2 problems').getByRole('button');
    await problems.first().waitFor();
    expect(await problems.allInnerTexts()).toEqual([
      expect.stringMatching(/^Line 3, column 18\s+temperature must be at most 2$/),
      expect.stringMatching(/^Line 5, column 15\s+messages\.0\.role must be one of/),
    ]);
    expect(await page.locator('.cm-lint-marker-error').count()).toBe(2);
    await expectGoodInEveryAppearance(page, 'new-preset-problems');
    await problems.first().click();
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('1');
    await panel(page, '1 problem').waitFor();
    await page.getByRole('button', { name: 'Create preset' }).click();
    expect(await page.locator('.cm-activeLineGutter').allInnerTexts()).toContain('5');
    expect((await dashboard.server.get('/api/v1/presets/broken')).status).toBe(404);
  });

  test('asks before it creates a preset that upstreams are likely to reject, and refuses an empty name', async () => {
    const page = await open();
    await page.getByLabel('Slug').fill('doubts');
    await openRequest(page);
    const withTool = (name: string) => ({ ...chat, tools: [{ type: 'function', function: { name } }] });
    await paste(page, withTool(''));
    await panel(page, '1 problem, 1 warning').getByText('tools.0.function.name must not be empty').waitFor();
    await page.getByRole('button', { name: 'Create preset' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await paste(page, withTool('get order!'));
    await panel(page, '2 warnings').getByText('not "get order!"').waitFor();
    await page.getByRole('button', { name: 'Create preset' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create the preset anyway?' });
    await dialog.getByText('Function "get order!": name must be at most 64 letters').waitFor();
    await expectGoodInEveryAppearance(page, 'new-preset-doubts');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await dashboard.server.get('/api/v1/presets/doubts')).status).toBe(404);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await dialog.getByRole('button', { name: 'Create anyway' }).click();
    await page.getByRole('heading', { name: 'doubts', level: 1 }).waitFor();
  });

  test('offers to declare names in braces as variables, or keeps them as text', async () => {
    const page = await open();
    await page.getByLabel('Slug').fill('with-variable');
    const withPrompt = (content: string) => ({
      model: 'openai/gpt-5',
      messages: [{ role: 'system', content }],
    });
    await paste(page, withPrompt('Answer {{customer}}.'));
    const declare = page.getByRole('button', { name: 'Declare customer', exact: true });
    await declare.waitFor();
    await page.getByRole('button', { name: '1 warning' }).click();
    await panel(page, '1 warning').getByText('has {{customer}}, which calls send as it is').waitFor();
    await expectGoodInEveryAppearance(page, 'new-preset-undeclared');
    // It would go live with the braces as text.
    await page.getByRole('button', { name: 'Create preset' }).click();
    const question = page.getByRole('dialog', { name: 'Create the preset anyway?' });
    await question.getByText('{{customer}} is not declared as a variable').waitFor();
    await expectGoodInEveryAppearance(page, 'new-preset-asks-undeclared');
    await question.getByRole('button', { name: 'Declare customer' }).click();
    await page.getByRole('row', { name: 'customer' }).waitFor();
    expect((await dashboard.server.get('/api/v1/presets/with-variable')).status).toBe(404);
    await page.getByRole('button', { name: 'Remove customer' }).click();
    await page.getByRole('button', { name: 'Keep as text' }).click();
    await declare.waitFor({ state: 'detached' });
    await page.getByRole('status').getByText('No problems').waitFor();
    // The choice survives a reload, and a request that is imported has its own.
    await page.reload();
    await page.getByRole('status').getByText('No problems').waitFor();
    expect(await declare.count()).toBe(0);
    await page.locator('h1').click();
    await pasteFromClipboard(page, JSON.stringify(withPrompt('Answer {{customer}} of {{city}}.')));
    await page.getByRole('button', { name: 'Declare all 2' }).click();
    await page.getByRole('row', { name: 'city' }).waitFor();
    await accepted(page);
    // One more is an error until it is declared.
    await prompt(page).click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText(' Be {{tone}}.');
    await page.getByRole('button', { name: /does not declare tone/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Keep as text' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Declare tone', exact: true }).click();
    await accepted(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByRole('heading', { name: 'with-variable', level: 1 }).waitFor();
    const { presetd } = (await dashboard.server.get('/api/v1/presets/with-variable/versions/1')).body.data;
    const text = { type: 'string' };
    expect(presetd).toEqual({ variables: { customer: text, city: text, tone: text } });
  });

  test('starts from a model and a prompt, without any JSON', async () => {
    const page = await open();
    await page.getByLabel('Slug').fill('written');
    await page.getByRole('button', { name: 'Write a prompt' }).click();
    // Nothing moves once there is a text.
    await page.getByRole('button', { name: 'Create preset' }).waitFor();
    const before = await prompt(page).boundingBox();
    await prompt(page).click();
    await page.keyboard.insertText('You');
    await accepted(page);
    expect((await prompt(page).boundingBox())?.y).toBe(before?.y);
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByLabel('Slug').fill('written');
    await page.getByRole('combobox', { name: 'Model' }).fill('openai/gpt-5');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Write a prompt' }).click();
    // The editor has the focus.
    await prompt(page).waitFor();
    await page.keyboard.insertText('You answer for "Acme".');
    await accepted(page);
    await expectGoodInEveryAppearance(page, 'new-preset-prompt');
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.waitForURL('**/presets/written');
    expect((await preset('written')).designated_version).toMatchObject({
      config: { model: 'openai/gpt-5' },
      system_prompt: 'You answer for "Acme".',
    });
  });

  test('takes a pasted request, gives back the draft that it replaces, and opens the workbench', async () => {
    const page = await open();
    await paste(page, '{"input":"My draft"}');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Presets', exact: true }).waitFor();
    await pasteFromClipboard(page, curlLine);
    await prompt(page).getByText('You answer for Acme.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await showRequest(page);
    await expect.poll(() => requestBody(page).innerText()).toBe('{"input":"My draft"}');
    await page.reload();
    await showRequest(page);
    await expect.poll(() => requestBody(page).innerText()).toBe('{"input":"My draft"}');

    await page.getByLabel('Slug').focus();
    await pasteFromClipboard(page, curlLine);
    await expect.poll(() => requestBody(page).innerText()).toContain('"temperature": 0.2');
    expect(await page.getByLabel('Slug').inputValue()).toBe('');
    await page.getByLabel('Slug').fill('ready');
    await accepted(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.waitForURL('**/presets/ready');
    // The conversation is ready to run.
    await prompt(page).getByText('You answer for Acme.').waitFor();
    expect(await page.getByRole('textbox', { name: 'User, turn 1' }).inputValue()).toBe(
      'Where is my parcel?',
    );
  });

  test('a text that cannot be read is shown with its problem, and what is typed while saving is not lost', async () => {
    const page = await open();
    await page.getByLabel('Slug').fill('typed-on');
    await paste(page, '{ "model": "m", "messages": [{ "role": "system", "content": "Hi" }], }');
    await panel(page, '1 problem').getByText('Trailing comma').waitFor();
    expect(await page.evaluate('document.activeElement.shadowRoot !== null')).toBe(true);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await accepted(page);
    const released = Promise.withResolvers<void>();
    const isSave = ({ pathname, search }: URL) =>
      pathname.endsWith('/typed-on/chat/completions') && !search.includes('dry_run');
    await page.route(isSave, async (route) => {
      await released.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByRole('button', { name: 'Saving…' }).waitFor();
    await prompt(page).click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText(' there');
    released.resolve();
    await page.waitForURL('**/presets/typed-on');
    await page.getByText('from version 1').waitFor();
    expect(await prompt(page).innerText()).toBe('Hi there');
    expect((await preset('typed-on')).designated_version.system_prompt).toBe('Hi');
  });

  test('refuses a taken slug, and hands the request to the workbench of that preset', async () => {
    await dashboard.server.post('/api/v1/presets/taken/chat/completions', chat);
    const page = await open();
    await page.getByLabel('Slug').fill('taken');
    await paste(page, { ...chat, temperature: 1 });
    await page.getByText('taken already exists').waitFor();
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByLabel('Note').fill('Warmer');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByRole('alert').getByText('taken already exists').waitFor();
    expect((await preset('taken')).designated_version.version).toBe(1);
    await screenshot(page, 'new-preset-taken');
    await page.getByRole('button', { name: 'Continue in its workbench' }).click();
    await page.waitForURL('**/presets/taken');
    await page.getByText('temperature 0.2 → 1').waitFor();
    expect(await page.getByRole('textbox', { name: 'User, turn 1' }).inputValue()).toBe(
      'Where is my parcel?',
    );
    await page.getByRole('button', { name: 'Save…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save version' });
    expect(await dialog.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('Warmer');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2 saved, not live').waitFor();
  });

  test('asks for a request, offers a working example, and can be saved by keyboard alone', async () => {
    const page = await open();
    await page.getByLabel('Slug').waitFor();
    await page.keyboard.insertText('by-keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('Paste a request or write a prompt first').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await accepted(page);
    await page.locator('input:focus').and(page.getByLabel('Slug')).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByLabel('Note').focus();
    await page.keyboard.insertText('Typed');
    await page.keyboard.press('ControlOrMeta+s');
    await page.waitForURL('**/presets/by-keyboard');
    expect((await preset('by-keyboard')).designated_version.system_prompt).toContain('Acme');
  });

  test('stays responsive with a request of two megabytes', async () => {
    const page = await open();
    await page.getByLabel('Slug').fill('large');
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(2_000_000)}` } };
    await requestBody(page).focus();
    await pasteFromClipboard(page, {
      ...chat,
      messages: [...chat.messages, { role: 'user', content: [image] }],
    });
    await accepted(page);
    await showRequest(page);
    await requestBody(page).focus();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('ArrowDown');
    const busySeconds = await processorTime(page);
    await page.keyboard.type('  "seed": 7,', { delay: 0 });
    await accepted(page);
    // A page that blocks at every keystroke would need several times as much.
    expect(await busySeconds()).toBeLessThan(10);
    await page.keyboard.press('ControlOrMeta+s');
    await page.waitForURL('**/presets/large');
    expect((await preset('large')).designated_version.config.seed).toBe(7);
  });

  test('explains that a read-only key cannot capture', async () => {
    const body = { name: 'Reader', kind: 'read_only' };
    const made = await dashboard.server.post('/api/v1/keys', body, { key: managementKey });
    const page = await open({ key: made.body.key });
    await page.getByText('This key is read-only').waitFor();
    expect(await requestBody(page).count()).toBe(0);
    await expectAccessible(page);
  });
});

/** Shows the panes without a request, and the request editor in them. */
async function openRequest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Write a prompt' }).click();
  await showRequest(page);
}

function prompt(page: Page): Locator {
  return page.getByRole('textbox', { name: 'System prompt', exact: true });
}

/** The lines with a warning marker in the gutter. */
async function warnedLines(page: Page): Promise<readonly number[]> {
  const signs = await page.locator('.cm-lint-marker-warning').all();
  const numbers = await page.locator('.cm-lineNumbers .cm-gutterElement:visible').all();
  const boxes = await Promise.all(numbers.map((number) => number.boundingBox()));
  const tops = await Promise.all(signs.map(async (sign) => (await sign.boundingBox())?.y ?? -1));
  return tops.map((top) => boxes.findIndex((box) => box !== null && Math.abs(box.y - top) < 2) + 1);
}

/** Returns a function that returns the CPU seconds that the page has used since this call. */
async function processorTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taskSeconds = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const before = await taskSeconds();
  return async () => (await taskSeconds()) - before;
}

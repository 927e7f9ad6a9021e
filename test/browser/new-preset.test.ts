import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { accepted, panel, paste, pasteFromClipboard, requestBody } from '../support/capture-page.ts';
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
  const dashboard = useDashboard();
  const open = (options = {}) => dashboard.open('/new', { key: apiKey, ...options });
  const preset = async (slug: string) => (await dashboard.server.get(`/api/v1/presets/${slug}`)).body.data;

  test('shows what is saved and why, asks for a slug, and detects the format unless one is chosen', async () => {
    const page = await open();
    await page.getByRole('heading', { name: 'New preset' }).waitFor();
    await expectGoodInEveryAppearance(page, 'new-preset-empty');
    await paste(page, chat);
    const saved = panel(page, 'What is saved');
    await saved.getByText('openai/gpt-5').waitFor();
    await saved.getByText('You answer for Acme.').waitFor();
    expect(await saved.getByText('stream').count()).toBe(0);
    const ignored = panel(page, 'Ignored').getByRole('listitem');
    expect(await ignored.filter({ hasText: 'stream' }).innerText()).toContain('which each call sets itself');
    expect(await ignored.filter({ hasText: 'tempereture' }).innerText()).toContain(
      'Unknown field, ignored. Did you mean temperature?',
    );
    expect(await ignored.filter({ hasText: 'messages' }).innerText()).toContain('saved as the system prompt');
    await accepted(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByText('Enter a slug.').waitFor();
    await page.locator('input:focus').waitFor();
    await page.keyboard.insertText('not a slug');
    await page.getByText('Use only letters A to Z').waitFor();
    await expectGoodInEveryAppearance(page, 'new-preset');

    for (const [name, request] of [
      ['Anthropic Messages', messages],
      ['OpenAI Responses', responses],
      ['Chat Completions', chat],
    ] as const) {
      await paste(page, request);
      await expect.poll(() => page.getByLabel('Format').locator('option:checked').textContent()).toBe(name);
      await page.getByText('Detected from the request.').waitFor();
    }

    await page.getByLabel('Slug').fill('chosen');
    await accepted(page);
    await paste(page, { model: 'm', temperature: 1 });
    await page.getByText('Could not detect the format. Choose one.').waitFor();
    expect(await panel(page, 'What is saved').innerText()).not.toContain('You answer for Acme.');
    expect(await page.getByText('No problems').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.locator('select:focus').waitFor();
    await page.getByLabel('Format').selectOption('OpenAI Responses');
    await accepted(page);

    const line =
      '{"model":"m","temperature":0.50,"max_tokens":5,"messages":[{"role":"user","content":"Hi"}]}';
    await paste(page, line);
    await page.getByLabel('Format').selectOption('Anthropic Messages');
    await page.getByText('Selected by you. The request looks like Chat Completions.').waitFor();
    await page.getByRole('button', { name: 'Prettify' }).click();
    expect(await requestBody(page).innerText()).toContain('{\n  "model": "m",\n  "temperature": 0.50,\n');
    await page.keyboard.press('ControlOrMeta+z');
    expect(await requestBody(page).innerText()).toBe(line);
    await accepted(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.waitForURL('**/presets/chosen');
    const { body } = await dashboard.server.get('/api/v1/presets/chosen/versions/1');
    expect(body.data.dialect).toBe('messages');
  });

  test('an unknown field is a warning at its line, and the rest is saved with exactly the same numbers', async () => {
    const page = await open();
    await page.getByLabel('Slug').fill('warned');
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
    await page.getByRole('status').getByText('1 problem, 1 warning', { exact: true }).waitFor();
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
    await paste(page, '{\n  "model": "m",\n  temperature: 1\n}');
    const problem = panel(page, '1 problem').getByRole('button');
    await problem.waitFor();
    expect(await panel(page, 'What is saved').count()).toBe(0);
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
    const withTool = (name: string) => ({ ...chat, tools: [{ type: 'function', function: { name } }] });
    await paste(page, withTool(''));
    await panel(page, '1 problem, 1 warning').getByText('tools.0.function.name must not be empty').waitFor();
    await page.getByRole('button', { name: 'Create preset' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await paste(page, withTool('get order!'));
    await panel(page, '2 warnings').getByText('not "get order!"').waitFor();
    await page.getByRole('button', { name: 'Create preset' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create the preset anyway?' });
    await dialog.getByText('tools[0].function.name must be at most 64 letters').waitFor();
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
    const notice = page.getByRole('status').filter({ hasText: '{{customer}} is not declared' });
    await notice.waitFor();
    await panel(page, '1 warning').getByText('has {{customer}}, which calls send as it is').waitFor();
    await expectGoodInEveryAppearance(page, 'new-preset-undeclared');
    await notice.getByRole('button', { name: 'Keep as text' }).click();
    await notice.waitFor({ state: 'detached' });
    await accepted(page);
    // The choice survives a reload, and a request that is imported has its own.
    await page.reload();
    await accepted(page);
    expect(await page.getByText('is not declared').count()).toBe(0);
    await page.locator('h1').click();
    await pasteFromClipboard(page, JSON.stringify(withPrompt('Answer {{customer}} of {{city}}.')));
    await page.getByText('{{customer}}, {{city}} are not declared').waitFor();
    await page.getByRole('button', { name: 'Declare all' }).click();
    await panel(page, 'What is saved').getByRole('region', { name: 'Variables' }).getByText('city').waitFor();
    await accepted(page);
    // In the other form, where one more is an error until it is declared.
    await page.getByRole('tab', { name: 'Write a prompt' }).click();
    await page.getByRole('textbox', { name: 'System prompt' }).click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText(' Be {{tone}}.');
    await panel(page, '1 problem').getByText('does not declare tone').waitFor();
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
    await page.getByRole('tab', { name: 'Write a prompt' }).click();
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByText('Choose a model and write a prompt.').waitFor();
    await page.getByRole('textbox', { name: 'System prompt' }).click();
    await page.keyboard.insertText('You answer for "Acme".');
    await page.getByRole('combobox', { name: 'Model' }).fill('openai/gpt-5');
    await page.keyboard.press('Tab');
    await panel(page, 'What is saved').getByText('openai/gpt-5').waitFor();
    await accepted(page);
    await expectGoodInEveryAppearance(page, 'new-preset-prompt');
    await page.getByRole('tab', { name: 'Paste a request' }).click();
    expect(await requestBody(page).innerText()).toContain('"content": "You answer for \\"Acme\\"."');
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
    await expect.poll(() => requestBody(page).innerText()).toContain('"temperature": 0.2');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => requestBody(page).innerText()).toBe('{"input":"My draft"}');
    await page.reload();
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
    const prompt = page.getByRole('textbox', { name: 'System prompt', exact: true });
    await prompt.getByText('You answer for Acme.').waitFor();
    expect(await page.getByRole('textbox', { name: 'User, turn 1' }).inputValue()).toBe(
      'Where is my parcel?',
    );
  });

  test('refuses a taken slug, and hands the request to the workbench of that preset', async () => {
    await dashboard.server.post('/api/v1/presets/taken/chat/completions', chat);
    const page = await open();
    await page.getByLabel('Slug').fill('taken');
    await paste(page, { ...chat, temperature: 1 });
    await page.getByText('taken already exists').waitFor();
    await page.getByLabel('Note').fill('Warmer');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByRole('alert').getByText('taken already exists').waitFor();
    expect((await preset('taken')).designated_version.version).toBe(1);
    await screenshot(page, 'new-preset-taken');
    await page.getByRole('button', { name: 'Continue in its workbench' }).click();
    await page.waitForURL('**/presets/taken');
    await page.getByText('temperature 0.2 → 1').waitFor();
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
    await page.getByText('Paste a request body or insert the example.').waitFor();
    await page.getByLabel('Slug').focus();
    // Past the format and the tabs.
    for (let fields = 0; fields < 3; fields++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await accepted(page);
    await page.keyboard.press('Tab');
    await page.keyboard.insertText('Typed');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Create preset');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ControlOrMeta+Enter');
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
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('ArrowDown');
    const busySeconds = await processorTime(page);
    await page.keyboard.type('  "seed": 7,', { delay: 0 });
    await panel(page, 'What is saved').getByText('seed').waitFor();
    // A page that blocks at every keystroke would need several times as much.
    expect(await busySeconds()).toBeLessThan(10);
    await page.keyboard.press('ControlOrMeta+Enter');
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

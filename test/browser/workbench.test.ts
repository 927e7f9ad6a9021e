import type { ServerResponse } from 'node:http';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance, sidewaysOverflow } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { caseNames, choose, chooseCase } from '../support/menu.ts';
import { makeKey, makeMember } from '../support/organizations.ts';
import { apiKey } from '../support/server.ts';
import { signOut } from '../support/sign-in-page.ts';
import {
  beginStream,
  recorded,
  respondInDialect,
  type Script,
  stall,
  stream,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { recordings } from '../support/wire/recordings.ts';

const prompt = 'You support Acme customers.\n\n# Manner\n- Be **brief** and kind.\n- Never promise a date.\n';

const request = {
  model: 'openai/gpt-5',
  temperature: 0.2,
  messages: [{ role: 'system', content: prompt }],
  presetd: {
    variables: { customer: { type: 'string', default: 'Ada' } },
    messages: [
      { role: 'user', content: 'Where is my parcel?' },
      { role: 'assistant', content: 'On its way.' },
    ],
  },
};

/** Answers with another word and twice the cost for another model, which does not fail. */
const parcelAnswer: Script = (exchange) => {
  // The list of models.
  if (exchange.request.method === 'GET') return respondInDialect(exchange);
  const { model, messages } = exchange.request.body;
  const [, asked = ''] = /parcel (\d+)/.exec(JSON.stringify(messages)) ?? [];
  const isOther = model === 'other/model';
  if (JSON.stringify(messages).includes('Please fail.') && !isOther)
    return upstreamError(400, 'overloaded')(exchange);
  const content = `Parcel ${asked} arrives ${isOther ? 'tomorrow' : 'today'}, says the depot.`;
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', model, ...fields })}\n\n`;
  return stream(
    [
      chunk({ choices: [{ index: 0, delta: { role: 'assistant', content } }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
      chunk({
        choices: [],
        usage: { prompt_tokens: 30, completion_tokens: 9, total_tokens: 39, cost: isOther ? 0.0004 : 0.0002 },
      }),
      'data: [DONE]\n\n',
    ].join(''),
  )(exchange);
};

describeInBrowser('the workbench', () => {
  const dashboard = useDashboard({ upstream: true });

  beforeAll(async () => {
    const slugs = ['layouts', 'request', 'save', 'drafts', 'cases', 'import', 'colleague', 'survives'];
    slugs.push('words', 'problems', 'failed-save', 'left', 'followed', 'turns');
    await Promise.all(slugs.map((slug) => dashboard.server.capture(slug, request)));
    const stars = { type: 'integer', default: 3 };
    const presetd = { ...request.presetd, variables: { ...request.presetd.variables, stars } };
    await dashboard.server.capture('all-cases', { ...request, presetd });
    const parameters = { type: 'object', anyOf: [{ required: ['id'] }] };
    const tools = [{ type: 'function', function: { name: 'find_order', parameters } }];
    await dashboard.server.capture('doubts', { ...request, tools });
    await dashboard.server.capture('incomplete', {
      ...request,
      logit_bias: { '5': 1 },
      tools,
    });
    const lines = Array.from({ length: 20_000 }, (_, index) => `Line ${index + 1}`);
    await dashboard.server.capture('long', {
      ...request,
      messages: [{ role: 'system', content: lines.join('\n') }],
    });
  });

  const promptEditor = (page: Page) => page.getByRole('textbox', { name: 'System prompt', exact: true });
  const requestEditor = (page: Page) => page.getByRole('textbox', { name: 'Request', exact: true });

  async function open(slug: string, width = 1_440, isFailing = false): Promise<Page> {
    const page = await dashboard.open(`/presets/${slug}/workbench`, {
      key: apiKey,
      width,
      height: 900,
      isFailing,
    });
    await promptEditor(page).waitFor();
    return page;
  }

  /** Into the prompt. The clipboard of a test browser needs a permission, so make the event. */
  async function paste(page: Page, text: string): Promise<void> {
    await promptEditor(page).click();
    // As text: these tests have no types of the browser.
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${JSON.stringify(text)});
      const target = document.activeElement.shadowRoot?.activeElement ?? document.activeElement;
      target.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true, cancelable: true }),
      );
    })()`);
  }

  const isSave = ({ pathname, search }: URL) =>
    pathname.endsWith('/chat/completions') && !search.includes('dry_run');

  /** As when the user comes back to the tab; the page ignores that for two seconds. */
  async function returnToTab(page: Page, isUpToDate: () => boolean | Promise<boolean>): Promise<void> {
    const returnOnce = async () => {
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
      return isUpToDate();
    };
    await expect.poll(returnOnce, { interval: 500 }).toBe(true);
  }

  async function addAtEnd(page: Page, text: string): Promise<void> {
    await promptEditor(page).click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText(text);
  }

  test('keeps prompt, forms and request in sync, in all formats, and saves as the dialog says', async () => {
    const page = await open('request');
    await addAtEnd(page, '- Greet ');
    await page.keyboard.type('{{customer');
    await page.getByRole('option', { name: 'customer' }).waitFor();
    // The list ignores keys for a moment, so that typing on does not choose by accident.
    await page.waitForTimeout(200);
    await page.keyboard.press('Enter');
    await page.getByRole('spinbutton', { name: 'Temperature', exact: true }).fill('0.7');
    await page.getByRole('tab', { name: 'Request' }).click();
    await requestEditor(page).getByText('- Greet {{customer}}').waitFor();
    await requestEditor(page).getByText('0.7').waitFor();
    await page.getByText('temperature 0.2 → 0.7, 1 line of prompt').waitFor();

    await requestEditor(page).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(
      JSON.stringify({ model: 'a', messages: [{ role: 'system', content: 'Short.' }] }),
    );
    await expect.poll(() => promptEditor(page).innerText()).toBe('Short.');
    await page.getByRole('tab', { name: 'Form' }).click();
    expect(await page.getByRole('combobox', { name: 'Model' }).first().inputValue()).toBe('a');

    await page.getByRole('tab', { name: 'Request' }).click();
    const format = page.getByRole('combobox', { name: 'Format' });
    await format.selectOption('Anthropic Messages');
    await page.getByRole('button', { name: 'Convert' }).click();
    // The toast stays as long as the mouse is on it.
    await page.getByText('Converted to Anthropic Messages').hover();
    await expectAccessible(page);
    await requestEditor(page).getByText('"system"').waitFor();
    expect(await promptEditor(page).innerText()).toBe('Short.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await requestEditor(page).getByText('"system"', { exact: true }).waitFor({ state: 'detached' });
    expect(await format.inputValue()).toBe('chat-completions');

    const pasted = { model: 'a', max_tokens: 9, system: 'From Anthropic.', messages: [] };
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(JSON.stringify(pasted))})`);
    await requestEditor(page).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('ControlOrMeta+V');
    await expect.poll(() => promptEditor(page).innerText()).toBe('From Anthropic.');
    expect(await format.inputValue()).toBe('messages');

    // Typed, such as by Undo of the editor, and not pasted.
    await requestEditor(page).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(
      JSON.stringify({
        model: 'a',
        messages: [{ role: 'system', content: 'Chat.' }],
        presetd: { designate: true, note: 'From the request' },
      }),
    );
    await page.getByRole('button', { name: 'Read as Chat Completions' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Read as Chat Completions' }).click();
    await expect.poll(() => promptEditor(page).innerText()).toBe('Chat.');
    expect(await format.inputValue()).toBe('chat-completions');

    // Whatever the request says about going live.
    await page.getByRole('button', { name: 'Save…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save version' });
    expect(await dialog.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('From the request');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2 saved, not live').waitFor();
  });

  test('imports a curl line that is pasted anywhere, and undoes it', async () => {
    const page = await open('import');
    const pasted = { model: 'vendor/other', messages: [{ role: 'user', content: 'Is it late?' }] };
    await paste(page, `curl https://example.com/v1/chat/completions -d '${JSON.stringify(pasted)}'`);
    await page.getByText('Imported the request').waitFor();
    expect(await page.getByRole('combobox', { name: 'Model' }).first().inputValue()).toBe('vendor/other');
    expect(await page.getByRole('textbox', { name: 'User, turn 1' }).inputValue()).toBe('Is it late?');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => promptEditor(page).innerText()).toContain('Acme');

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(JSON.stringify(pasted))})`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('import a request');
    await page.locator('[role=option][data-highlighted]', { hasText: 'Import a request' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Imported the request').waitFor();
    expect(await page.getByRole('textbox', { name: 'User, turn 1' }).inputValue()).toBe('Is it late?');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => promptEditor(page).innerText()).toContain('Acme');

    // Nothing has the focus. The draft that the import replaces can be restored for ten minutes.
    await addAtEnd(page, '- Mine.');
    await page.getByRole('heading', { name: 'import', level: 1 }).click();
    await page.keyboard.press('ControlOrMeta+V');
    await expect
      .poll(() => page.getByRole('textbox', { name: 'User, turn 1' }).inputValue())
      .toBe('Is it late?');
    const restore = page.getByRole('button', { name: 'Restore earlier draft' });
    await restore.click();
    await promptEditor(page).getByText('- Mine.').waitFor();
    // Restoring again brings back the import, and then the draft.
    await restore.click();
    await promptEditor(page).getByText('- Mine.').waitFor({ state: 'detached' });
    await restore.click();
    await promptEditor(page).getByText('- Mine.').waitFor();

    await page.evaluate(`navigator.clipboard.writeText('curl https://example.com -d @request.json')`);
    await page.getByRole('heading', { name: 'import', level: 1 }).click();
    await page.keyboard.press('ControlOrMeta+V');
    await page.getByText('This curl command has no JSON body to read').waitFor();
  });

  test('makes a variable of selected words, with the words as its default, and renames one', async () => {
    const caseAt = (name: string) => `/api/v1/presets/words/cases/${name}`;
    await dashboard.server.send('PUT', caseAt('Signed'), { variables: { agent: 'Ada' } });
    const both = { agent: 'Ada', signature: 'Ada Lovelace' };
    await dashboard.server.send('PUT', caseAt('Both'), { variables: both });
    const page = await open('words');
    await promptEditor(page).getByText('Acme').first().dblclick();
    await page.getByRole('button', { name: 'Make variable' }).click();
    await expect.poll(() => promptEditor(page).innerText()).toContain('{{');

    await addAtEnd(page, '- Sign as {{agent}} of {{team}} on {{day}}.');
    const undeclared = page.getByText('Used, but not declared');
    await page.getByRole('button', { name: 'Declare day' }).click();
    await page.getByRole('button', { name: 'Declare all 2' }).click();
    await undeclared.waitFor({ state: 'detached' });
    const table = page.getByRole('table', { name: 'Variables' });
    for (const name of ['customer', 'day', 'agent', 'team']) await table.getByRole('row', { name }).waitFor();
    await table.getByRole('button', { name: 'Details of team' }).click();
    await table.getByRole('textbox', { name: 'Description' }).fill('Who answers');
    await expectAccessible(page);
    await screenshot(page, 'workbench-variables', false);
    const schema = table.getByRole('textbox', { name: 'JSON Schema of team' });
    expect(JSON.parse(await schema.inputValue())).toEqual({ type: 'string', description: 'Who answers' });
    // The fields beside an incomplete text would discard it.
    await schema.fill('{"type": "string", "description": "Who');
    const row = table.getByRole('row', { name: 'team', exact: true });
    for (const field of await row.getByRole('textbox').all()) expect(await field.isEditable()).toBe(false);
    expect(await row.getByRole('combobox').isEnabled()).toBe(false);
    expect(await table.getByRole('textbox', { name: 'Description' }).isEditable()).toBe(false);
    await expectAccessible(page);
    await schema.fill('{"type": "string", "description": "Who answers"}');
    await table.getByRole('textbox', { name: 'Description' }).fill('The team');
    await expect.poll(() => schema.inputValue()).toContain('The team');
    await table.getByRole('button', { name: 'Details of team' }).click();
    const turn = page.getByRole('textbox', { name: 'Text of turn 1' });
    await turn.fill('Where is it, {{team}}? {{nobody}}');
    await expect.poll(() => turn.locator('.variable').allInnerTexts()).toEqual(['{{team}}']);
    expect(await turn.locator('.variable-unknown').allInnerTexts()).toEqual(['{{nobody}}']);
    await page.getByRole('button', { name: 'Declare nobody', exact: true }).click();
    await table.getByRole('button', { name: 'Remove nobody' }).click();
    // Enter adds no line to a default, which would make the variable optional.
    const fallback = row.getByRole('textbox', { name: 'Default' });
    await fallback.press('Enter');
    expect(await fallback.inputValue()).toBe('');
    await fallback.press('Shift+Enter');
    await expect.poll(() => fallback.inputValue()).toBe('\n');
    await fallback.pressSequentially('Ada');
    await table.getByRole('button', { name: 'Details of team' }).click();
    await expect.poll(() => schema.inputValue()).toContain('"default": "\\nAda"');
    await table.getByRole('button', { name: 'Details of team' }).click();
    await fallback.fill('');
    // A field of the table is one line high.
    const { height = 0 } = (await table.boundingBox()) ?? {};
    expect(height / (await table.getByRole('row').count())).toBeLessThan(37);

    // A rename follows to the run, and discarding the draft brings the name back.
    const name = page.getByRole('row', { name: 'agent' }).getByRole('textbox', { name: 'Name' });
    await page.getByRole('button', { name: /^Variables/ }).click();
    await page.getByRole('textbox', { name: 'agent', exact: true }).fill('Ada');
    await name.fill('signature');
    await page.keyboard.press('Tab');
    await expect.poll(() => promptEditor(page).innerText()).toContain('{{signature}}');
    expect(await page.getByRole('textbox', { name: 'signature', exact: true }).inputValue()).toBe('Ada');
    await page.getByText('1 test case has a value for agent, and none for signature.').waitFor();
    await page.getByRole('button', { name: 'Copy it' }).click();
    await page.getByText('Copied the value of agent to signature in 1 test case').waitFor();
    const saved = await dashboard.server.get(caseAt('Signed'));
    expect(saved.body.data.variables).toEqual({ agent: 'Ada', signature: 'Ada' });
    expect((await dashboard.server.get(caseAt('Both'))).body.data.variables).toEqual(both);
    const first = page
      .getByRole('region', { name: 'Variables' })
      .getByRole('textbox', { name: 'Name' })
      .first();
    await first.fill('client');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await expect.poll(() => first.inputValue()).toBe('customer');
  });

  test('keeps the undo history of each example turn, and open details, when others move or go', async () => {
    const page = await open('turns');
    const turn = (number: number) => page.getByRole('textbox', { name: `Text of turn ${number}` });
    const texts = () => page.getByRole('textbox', { name: /^Text of turn/ }).allInnerTexts();
    const undo = async (number: number) => {
      await turn(number).click();
      await page.keyboard.press('ControlOrMeta+Z');
    };
    await turn(1).fill('First.');
    await page.getByRole('button', { name: 'Move down turn 1' }).click();
    await expect.poll(texts).toEqual(['On its way.', 'First.']);
    // The turn cannot move down any further.
    const focused = 'document.activeElement.getAttribute("aria-label")';
    expect(await page.evaluate(focused)).toBe('Move up turn 2');
    await undo(1);
    expect(await texts()).toEqual(['On its way.', 'First.']);
    await undo(2);
    await expect.poll(texts).toEqual(['On its way.', 'Where is my parcel?']);
    await page.getByRole('button', { name: 'Remove turn 1' }).click();
    await expect.poll(texts).toEqual(['Where is my parcel?']);
    await undo(1);
    expect(await texts()).toEqual(['Where is my parcel?']);

    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByRole('button', { name: 'Details of customer' }).click();
    await page.getByRole('button', { name: 'Remove customer' }).click();
    await page.getByRole('button', { name: 'Details of variable', expanded: false }).waitFor();
  });

  test('shows a response as it streams in, until the user scrolls up', async () => {
    await dashboard.server.send('PUT', '/api/v1/presets/followed/cases/Long', {
      messages: [{ role: 'user', content: 'One line.\n'.repeat(30) }],
    });
    const page = await open('followed');
    await chooseCase(page, 'Long');
    const streaming = Promise.withResolvers<ServerResponse>();
    dashboard.upstream.respondWith(({ response }) => streaming.resolve(beginStream(response)));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const upstream = await streaming.promise;
    const chunk = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const lines = (count: number) => chunk({ content: 'A line of the answer.\n'.repeat(count) });

    const response = page.getByRole('region', { name: 'Response' });
    /** Whether both ends of an element are between the tabs and the next message. */
    const isInView = async (locator: Locator) => {
      const top = await page.getByRole('tab', { name: 'Conversation' }).boundingBox();
      const bottom = await page.getByRole('textbox', { name: 'Message' }).boundingBox();
      const { y, height } = (await locator.boundingBox()) ?? { y: 0, height: 0 };
      return { start: y > (top?.y ?? 0), end: y + height < (bottom?.y ?? 0) };
    };
    upstream.write(lines(3));
    await response.getByText('A line').waitFor();
    await expect.poll(() => isInView(response)).toEqual({ start: true, end: true });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Stop');
    upstream.write(lines(60));
    await expect.poll(() => isInView(response)).toEqual({ start: false, end: true });

    await response.getByText('A line').hover();
    await page.mouse.wheel(0, -3_000);
    await expect.poll(() => isInView(response)).toMatchObject({ end: false });
    upstream.end(`${lines(1)}${chunk({}, 'stop')}data: [DONE]\n\n`);
    await response.getByText('Total time').waitFor();
    expect(await isInView(response)).toMatchObject({ end: false });

    dashboard.upstream.respondWith(recorded(recordings['openai-chat']));
    await page.keyboard.press('ControlOrMeta+Enter');
    await response.getByText('Total time').waitFor();
    await expect.poll(() => isInView(response)).toEqual({ start: true, end: true });
    await page.getByRole('button', { name: 'Compare' }).click();
    const column = page.getByRole('region', { name: /^Live/ });
    expect(await isInView(column)).toEqual({ start: true, end: true });
    expect(await page.evaluate('document.activeElement.selectedOptions[0].text')).toContain('Live');
  });

  test('runs the draft, and keeps results and inputs across layouts, pages, another slug and a reload', async () => {
    const page = await open('survives');
    await page.getByRole('button', { name: /^Variables/ }).click();
    await addAtEnd(page, '- Be quick.');
    await page.getByRole('textbox', { name: 'customer' }).fill('Grace');
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    dashboard.upstream.respondWith(recorded(recordings['openai-chat']));
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('Finish reason').waitFor();
    const sent = dashboard.upstream.requests.find(({ method }) => method === 'POST');
    expect(JSON.stringify(sent?.body)).toContain('- Be quick.');
    await screenshot(page, 'workbench-run');
    await page.getByRole('textbox', { name: 'Message' }).fill('And this one?');
    await page.getByLabel('Images and files').setInputFiles({
      name: 'label.png',
      mimeType: 'image/png',
      buffer: Buffer.from('iVBORw0KGgo=', 'base64'),
    });
    const expectAll = async () => {
      await page.getByRole('button', { name: 'Remove label.png' }).waitFor();
      expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('And this one?');
      expect(await page.getByRole('textbox', { name: 'customer' }).inputValue()).toBe('Grace');
      expect(await page.getByText('Finish reason').count()).toBe(1);
      expect(await page.getByText('Outdated').count()).toBe(0);
    };
    await expectAll();
    for (const width of [1_024, 390, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      if (width === 390) await page.getByRole('tab', { name: 'Run' }).click();
      await expectAll();
    }
    // A removal can be undone from another page.
    await page.getByRole('button', { name: 'Remove turn 2' }).click();
    await page.getByText('Removed turn 2').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Preset' });
    await tabs.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('heading', { name: 'Run' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await tabs.getByRole('link', { name: 'Workbench' }).click();
    const turn = page.getByRole('textbox', { name: 'Text of turn 2' });
    await turn.waitFor();
    expect(await turn.innerText()).toBe('On its way.');
    await expectAll();

    await page.getByText('Draft saved').waitFor();
    await dashboard.server.send('PATCH', '/api/v1/presets/survives', { slug: 'survives-renamed' });
    await returnToTab(page, () => page.url().includes('survives-renamed'));
    await expectAll();
    expect(await promptEditor(page).innerText()).toContain('- Be quick.');
    await page.reload();
    await expectAll();
    expect(
      await page.evaluate('Object.keys(sessionStorage).filter((key) => key.endsWith("survives"))'),
    ).toEqual([]);

    await addAtEnd(page, ' Always.');
    await page.getByText('Outdated').waitFor();
  });

  test('is accessible in all layouts, and keeps focus, cursor and undo history when they change', async () => {
    const page = await open('layouts');
    for (const [width, name] of [
      [1_440, 'wide'],
      [1_024, 'medium'],
      [390, 'narrow'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page
        .getByRole(width === 390 ? 'tab' : 'heading', { name: 'Run', exact: true })
        .waitFor({ state: 'attached' });
      await expectAccessible(page);
      await screenshot(page, `workbench-${name}`);
      // The header and the bar leave the screen to the parts.
      const top = (await (width === 390 ? page.getByRole('tablist') : promptEditor(page)).boundingBox())?.y;
      expect(top).toBeLessThan(width === 390 ? 140 : width === 1_024 ? 300 : 230);
      // The bar covers nothing. On a phone it is below the parts, and all of it is on the screen.
      const save = page.getByRole('button', { name: 'Save…' });
      if (width !== 390) expect(await bottomOf(save)).toBeLessThan(top ?? 0);
      else {
        const bottom = await bottomOf(page.getByRole('tabpanel'));
        expect(
          (await page.getByRole('button', { name: 'Usage of versions' }).or(save).first().boundingBox())?.y,
        ).toBeGreaterThan(bottom);
        expect(await bottomOf(save)).toBeLessThan(900);
      }
    }
    await page.setViewportSize({ width: 1_440, height: 900 });

    const focused = () =>
      page.evaluate(`(() => {
        const field = document.activeElement.shadowRoot?.activeElement ?? document.activeElement;
        return field.getAttribute('aria-label') ?? field.labels?.[0]?.textContent;
      })()`);
    const text = () => promptEditor(page).innerText();
    await promptEditor(page).click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.insertText('Dear model. ');
    // What is typed at once must not go elsewhere.
    await page.evaluate(`window.caretsAtFocus = [];
      document.addEventListener('focusin', () => queueMicrotask(() => {
        const selection = document.activeElement.shadowRoot?.getSelection();
        caretsAtFocus.push(selection?.anchorNode?.textContent.slice(0, selection.anchorOffset));
      }))`);
    for (const width of [1_024, 390, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      await page
        .getByRole(width === 390 ? 'tab' : 'heading', { name: 'Run', exact: true })
        .waitFor({ state: 'attached' });
      await expect.poll(() => focused()).toBe('System prompt');
      await page.keyboard.insertText(`${width}. `);
    }
    await expect.poll(() => text()).toMatch(/^Dear model. 1024. 390. 1440. You support/);
    const carets = await page.evaluate('caretsAtFocus');
    expect(carets).toEqual(['Dear model. ', 'Dear model. 1024. ', 'Dear model. 1024. 390. ']);
    for (let count = 0; count < 10 && !(await text()).startsWith('You'); count += 1)
      await page.keyboard.press('ControlOrMeta+Z');
    expect(await text()).toMatch(/^You support/);

    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.setViewportSize({ width: 390, height: 900 });
    await expect.poll(() => focused()).toBe('Message');
    await page.keyboard.type('!');
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Hello!');

    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.getByRole('button', { name: 'Maximize run' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused()).toBe('Restore run');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Maximize prompt' }).click();
    await page.getByRole('region', { name: 'Settings' }).waitFor({ state: 'detached' });
    await promptEditor(page).click();
    await page.keyboard.insertText('Focused. ');
    await expect.poll(text).toContain('Focused.');
    const beside = await page.getByRole('region', { name: 'Variables' }).boundingBox();
    const editor = await promptEditor(page).boundingBox();
    expect(beside?.x).toBeGreaterThan((editor?.x ?? 0) + (editor?.width ?? 0));
    await expectAccessible(page);
    await screenshot(page, 'workbench-focus', false);
    await page.getByRole('button', { name: 'Restore prompt' }).click();
    await page.getByRole('region', { name: 'Settings' }).waitFor();
    // A run must be in sight.
    await page.getByRole('button', { name: 'Maximize prompt' }).click();
    dashboard.upstream.respondWith(recorded(recordings['openai-chat']));
    await promptEditor(page).press('ControlOrMeta+Enter');
    await page.getByText('Finish reason').waitFor({ timeout: 10_000 });
    // On a phone, too, where the prompt starts in the first third of the screen.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('tab', { name: 'Prompt', exact: true }).click();
    expect((await promptEditor(page).boundingBox())?.y).toBeLessThan(844 / 3);
    await promptEditor(page).press('ControlOrMeta+Enter');
    await page.getByRole('tab', { name: 'Run', exact: true, selected: true }).waitFor();
  });

  test('explains mistakes in JSON, keeps it, and neither saves nor runs the draft without it', async () => {
    const page = await open('incomplete');
    const schema = page.getByRole('textbox', { name: 'Parameters of find_order, as JSON Schema' });
    await page.locator('summary', { hasText: 'find_order' }).click();
    await schema.fill('{"type": "objects", "anyOf": [{}]}');
    await page.getByText(/^type must be string, .*, not "objects"\.$/).waitFor();
    await expectAccessible(page);
    const field = page.getByRole('textbox', { name: 'logit_bias' });
    await field.fill('{"5": 2');
    const problem = page.getByText('logit_bias is incomplete', { exact: true });
    await problem.waitFor();
    await expectAccessible(page);
    await schema.fill('{"type": "object", "anyOf": [{}]}');
    await page.getByText(/^type must be/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add function' }).click();
    const focused = 'document.activeElement';
    expect(
      await page.evaluate(`${focused}.value?.slice(${focused}.selectionStart, ${focused}.selectionEnd)`),
    ).toMatch(/^function_\d$/);
    await page.getByRole('textbox', { name: 'Name', exact: true }).last().fill('cancel_order');
    await page.locator('summary', { hasText: 'cancel_order' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('Cannot run: logit_bias is incomplete').waitFor();
    expect(dashboard.upstream.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByText('Cannot save: logit_bias is incomplete').waitFor();
    await paste(page, `curl https://example.com/v1/chat/completions -d '{"model":"a","messages":[]}'`);
    await page.getByText('Cannot import: logit_bias is incomplete').waitFor();
    expect(await promptEditor(page).innerText()).toContain('Acme');
    await addAtEnd(page, '- Be quick.');

    // Another version runs without it.
    await page.getByRole('button', { name: 'Compare' }).click();
    dashboard.upstream.respondWith(recorded(recordings['openai-chat']));
    await page.getByRole('button', { name: 'Run Live · version 1' }).click();
    await page.getByText('Finish reason').waitFor();

    // The form disappears while the request is not valid.
    await page.getByRole('tab', { name: 'Request' }).click();
    await requestEditor(page).click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('Delete');
    await page.getByText('Fix it in Settings → Request, then continue here.').waitFor();
    expect(await promptEditor(page).getAttribute('aria-readonly')).toBe('true');
    // Not even the version that could be tried runs without the other.
    expect(await page.getByRole('button', { name: 'Run all', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.type('{');
    await choose(page, 'Actions for Live · version 1', 'Remove column');
    await promptEditor(page).click();
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(() => promptEditor(page).innerText()).not.toContain('Be quick.');
    await page.getByRole('tab', { name: 'Form' }).click();
    expect(await field.inputValue()).toBe('{"5": 2');

    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe('{"5": 2');
    await field.fill('{"5": 2}');
    await problem.waitFor({ state: 'detached' });
    dashboard.upstream.respondWith(recorded(recordings['openai-chat']));
    await page.getByRole('textbox', { name: 'Message' }).press('ControlOrMeta+Enter');
    await page.getByText('Finish reason').waitFor();
    const sent = dashboard.upstream.requests.findLast(({ method }) => method === 'POST');
    expect(sent?.body.logit_bias).toEqual({ '5': 2 });

    // It goes with the draft that is discarded.
    await field.fill('{"5": 1}');
    await field.fill('{"5": 3');
    await problem.waitFor();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await problem.waitFor({ state: 'detached' });

    // And undoing a save keeps it.
    await addAtEnd(page, '- Be quick.');
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2 saved, not live').waitFor();
    await page
      .getByRole('region', { name: 'Notifications' })
      .getByRole('button')
      .first()
      .waitFor({ state: 'detached' });
    await field.fill('{"5": 3');
    await problem.waitFor();
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.click();
    await page.getByText('Your newer draft was kept').waitFor();
    expect(await field.inputValue()).toBe('{"5": 3');
    await undo.waitFor({ state: 'detached' });
  });

  test('asks before it saves what upstreams are likely to reject, and saves no name that is empty or invalid', async () => {
    const page = await open('doubts');
    await page.locator('summary', { hasText: 'find_order' }).click();
    const name = page
      .locator('details', { hasText: 'find_order' })
      .getByRole('textbox', { name: 'Name' })
      .last();
    await name.fill('');
    await page.getByText('tools[0].function.name must not be empty').waitFor();
    expect(await page.getByRole('button', { name: 'Save…' }).isDisabled()).toBe(true);
    const toolName = page.locator('main input:invalid, main [aria-invalid="true"]').first();
    await toolName.fill('get order!');
    await page.getByText('The name must be at most 64 letters, digits, _ and -, not "get order!".').waitFor();
    const schema = page.getByRole('textbox', { name: 'Parameters of get order!, as JSON Schema' });
    await schema.fill('{"type": "map"}');
    await page.getByRole('button', { name: 'Add function' }).click();
    const added = page.locator('details', { hasText: 'function_1' });
    await added.getByRole('button', { name: 'Edit as JSON' }).last().click();
    await added
      .getByRole('textbox', { name: 'Tool function_1' })
      .fill('{"type": "functional", "name": "it"}');
    await page.getByText('The type must be function or another type of tool that upstreams know').waitFor();

    const variable = page.getByRole('region', { name: 'Variables' }).getByRole('textbox', { name: 'Name' });
    await variable.fill('the customer');
    await page.getByText('The new name of customer is incomplete', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Save…' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Discard text' }).click();
    expect(await variable.inputValue()).toBe('customer');

    await page.getByRole('button', { name: 'Save and make live…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save and make live' });
    await dialog.getByText('Upstreams are likely to reject this').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(
      expect.arrayContaining([
        'Function "get order!": name must be at most 64 letters, digits, _ and -, not "get order!"',
        expect.stringMatching(/^Function "get order!": parameters\.type must be string, .*, not "map"$/),
        'Function "it": type must be function or another type of tool that upstreams know, not "functional"',
      ]),
    );
    await dialog.getByText('Version 1, live').first().or(dialog.getByRole('table')).first().waitFor();
    await expectGoodInEveryAppearance(page, 'save-doubts');
    await dialog.getByRole('button', { name: 'Save and make live anyway' }).click();
    await page.getByText('Version 2 is live').first().waitFor();
  });

  test('keeps the draft on the server, where another tab finds, changes and discards it', async () => {
    const page = await open('drafts');
    await addAtEnd(page, '- Use emoji.');
    await page.getByText('Draft saved').waitFor();
    const other = await open('drafts');
    await expect.poll(() => promptEditor(other).innerText()).toContain('- Use emoji.');
    await addAtEnd(other, ' Many.');
    await other.getByText('Draft saved').waitFor();
    await addAtEnd(page, ' Few.');
    const { y: top } = (await promptEditor(page).boundingBox()) ?? {};
    const title = 'Not saved: you changed this draft in another tab';
    await page.getByText(title).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workbench-conflict', false);
    // Nothing moves below the cursor.
    expect((await promptEditor(page).boundingBox())?.y).toBe(top);
    await page.getByRole('button', { name: 'Compare…' }).click();
    const conflict = page.getByRole('dialog', { name: title });
    const changes = conflict.getByRole('table', { name: 'System prompt' });
    expect(await changes.locator('ins').allInnerTexts()).toEqual(['Many']);
    expect(await changes.locator('del').allInnerTexts()).toEqual(['Few']);
    // What is typed in the other tab meanwhile is part of the choice.
    await addAtEnd(other, ' Many more.');
    await other.getByText('Draft saved').waitFor();
    await returnToTab(page, async () => (await changes.innerText()).includes('Many. Many more.'));
    await expectAccessible(page);
    await screenshot(page, 'workbench-conflict-changes', false);
    // What was typed here is not behind the primary button that discards it.
    const [, last] = await conflict.locator('footer').getByRole('button').allInnerTexts();
    expect(last).toBe('Keep this text');
    await conflict.getByRole('button', { name: 'Use the other draft' }).click();
    await expect.poll(() => promptEditor(page).innerText()).toContain('Many. Many more.');

    // Once the other tab has saved a version, what was typed here is another draft.
    await addAtEnd(page, ' Always.');
    await page.getByText('Draft saved').waitFor();
    // The tab in which nobody types learns that its text was replaced.
    const replaced = other.getByText(title);
    await returnToTab(other, () => replaced.isVisible());
    await other.getByRole('button', { name: 'Save…' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByText('You have another draft of this preset').waitFor();
    await screenshot(other, 'workbench-another-draft');
    await other.getByRole('button', { name: 'Compare…' }).click();
    await other.getByText('You changed it in another tab or on another device.').waitFor();
    await other.getByRole('button', { name: 'Discard other draft' }).click();
    await other.getByText('Draft discarded').waitFor();
    const toast = other.getByRole('region', { name: 'Notifications' });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => promptEditor(other).innerText()).toContain('Many more. Always.');
    await other.getByText('Draft saved').waitFor();
    await other.getByRole('button', { name: 'Discard draft' }).click();
    // Sent after a pause.
    await expect
      .poll(async () => (await dashboard.server.get('/api/v1/presets/drafts/draft')).status)
      .toBe(404);
  });

  test('saves the inputs of a run as a case, loads them again, and asks before replacing a change', async () => {
    const creator_user_id = await makeMember(dashboard.server, 'ann@example.com');
    const { secret: key } = await makeKey(dashboard.server, { creator_user_id });
    const page = await open('cases');
    await page.getByRole('button', { name: /^Variables/ }).click();
    await page.getByRole('textbox', { name: 'customer' }).fill('Grace');
    await page.getByRole('textbox', { name: 'Message' }).fill('Where is it?');
    await page.getByRole('button', { name: 'Case actions' }).click();
    await page.getByRole('menuitem', { name: 'Save as case…' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Impatient');
    const lists: string[] = [];
    page.on('request', (sent) => {
      if (/\/cases\?/.test(sent.url())) lists.push(sent.url());
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Save case' }).click();
    await page.getByText('Saved the case Impatient').waitFor();
    const cases = page.getByRole('combobox', { name: 'Test case' });
    await chooseCase(page, 'None');
    expect(await page.getByRole('textbox', { name: 'customer' }).inputValue()).toBe('');
    await chooseCase(page, 'Impatient');
    expect(await page.getByRole('textbox', { name: 'customer' }).inputValue()).toBe('Grace');
    expect(await page.getByRole('textbox', { name: 'User, turn 1' }).inputValue()).toBe('Where is it?');
    // The page knew all cases, and what became of this one.
    expect(lists).toEqual([]);
    await dashboard.server.send('PUT', '/api/v1/presets/cases/cases/Polite', {});
    await returnToTab(page, async () => (await caseNames(page)).includes('Polite'));
    expect(lists.length).toBe(1);

    for (const [item, name, button] of [
      ['Edit name and note…', 'Patient', 'Save'],
      ['Duplicate case…', 'Patient (copy)', 'Duplicate case'],
    ] as const) {
      await choose(page, 'Case actions', item);
      const field = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
      if (item === 'Edit name and note…') {
        await field.fill(name);
        await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill('Stays calm');
      }
      expect(await field.inputValue()).toBe(name);
      await page.getByRole('dialog').getByRole('button', { name: button }).click();
      await expect.poll(() => cases.inputValue()).toBe(name);
    }
    await page.getByText('Stays calm', { exact: true }).waitFor();
    expect(await caseNames(page)).toEqual(['Patient', 'Patient (copy)', 'Polite']);
    expect(await page.getByRole('textbox', { name: 'customer' }).inputValue()).toBe('Grace');

    // Restoring a case does not choose it if the user has chosen another one since.
    await choose(page, 'Case actions', 'Remove case…');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove case' }).click();
    await page.getByText('Removed the case Patient (copy)').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/\/cases\/Patient%20\(copy\)/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await chooseCase(page, 'Polite');
    held.resolve();
    await expect.poll(() => caseNames(page)).toContain('Patient (copy)');
    expect(await cases.inputValue()).toBe('Polite');

    const path = '/api/v1/presets/cases/cases/Patient';
    await chooseCase(page, 'Patient');
    await page.getByRole('textbox', { name: 'User, turn 1' }).fill('Where?');
    await page.getByRole('button', { name: 'Save case' }).click();
    await expect.poll(async () => (await dashboard.server.get(path)).text).toContain('Where?');
    expect((await dashboard.server.get(path)).body.data.note).toBe('Stays calm');
    await page.getByRole('button', { name: 'Save case' }).waitFor({ state: 'detached' });

    await page.getByRole('textbox', { name: 'User, turn 1' }).fill('Where is my parcel?');
    const messages = [{ role: 'user', content: 'By Ann' }];
    expect((await dashboard.server.send('PUT', path, { messages }, { key })).status).toBe(200);
    await page.getByRole('button', { name: 'Save case' }).click();
    const dialog = page.getByRole('dialog', { name: 'ann@example.com changed Patient after you opened it' });
    await dialog.waitFor();
    await expectAccessible(page);
    expect((await dashboard.server.get(path)).text).toContain('By Ann');
    await dialog.getByRole('button', { name: 'Replace case' }).click();
    await expect.poll(async () => (await dashboard.server.get(path)).text).toContain('Where is my parcel?');
    await page.getByText('Saved the case Patient').waitFor();
  });

  test('runs all cases on two columns, shows the differences and marks what is outdated', async () => {
    const numbers = Array.from({ length: 24 }, (_, index) => index + 1);
    await Promise.all(
      numbers.map((number) =>
        dashboard.server.send('PUT', `/api/v1/presets/all-cases/cases/Case%20${100 + number}`, {
          variables: { customer: `Customer ${number}`, ...(number === 4 && { stars: 'four' }) },
          messages: [{ role: 'user', content: number === 3 ? 'Please fail.' : `Where is parcel ${number}?` }],
        }),
      ),
    );
    dashboard.upstream.respondAlways(parcelAnswer);
    const page = await open('all-cases');
    await page.getByRole('tab', { name: 'All cases' }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page
      .getByRole('region', { name: /^Live/ })
      .getByRole('combobox', { name: 'Model' })
      .fill('other/model');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Run all cases' }).click();
    await page.getByRole('button', { name: 'Run 48 calls' }).click();
    await page.getByText('48 of 48 runs finished, 3 failed').waitFor({ state: 'attached' });
    await screenshot(page, 'workbench-all-cases');
    const table = page.getByRole('table', { name: 'All cases' });
    const total = /24 results, 2 errors.*\$0.0044.*24 results, 1 error.*\$0.0092\s*\+100%.*on 22 cases/s;
    const row = (name: string) => table.getByRole('row', { name });
    expect(await row('Case 103').innerText()).toContain('overloaded');
    // There is nothing to compare with.
    expect(await row('Case 103').locator('ins').count()).toBe(0);
    // Calls without the value would have been sent with its default.
    expect(await row('Case 104').innerText()).toContain('Variable stars: Enter a whole number');
    const calls = () => dashboard.upstream.requests.filter(({ method }) => method === 'POST');
    expect(calls()).toHaveLength(46);
    expect(await row('Case 101').locator('ins').allInnerTexts()).toEqual(['tomorrow']);
    expect(await row('Total').innerText()).toMatch(total);
    // Only what is on screen is rendered.
    expect(await table.getByRole('row').count()).toBeLessThan(20);
    await page.getByRole('button', { name: 'Retry 3 failed' }).click();
    await page.getByText('3 of 3 runs finished, 3 failed').waitFor({ state: 'attached' });
    expect(calls()).toHaveLength(47);

    await row('Case 101').getByRole('button').first().click();
    const dialog = page.getByRole('dialog', { name: 'Case 101' });
    await dialog.getByText('1 word differs from Draft').waitFor();
    expect(await dialog.getByRole('region', { name: 'Input' }).innerText()).toMatch(
      /customer\s*Customer 1\s*User\s*Where is parcel 1\?/,
    );
    await dialog.getByRole('table', { name: /^Differences/ }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workbench-case');
    // The dialog stays modal when the layout changes around it.
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await sidewaysOverflow(page)).toBe(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1_440, height: 900 });

    await addAtEnd(page, '- Never apologize.');
    await expect.poll(() => row('Case 101').getByText('Outdated').count()).toBe(1);
    await page.getByText('Draft saved').waitFor();
    await page.reload();
    await row('Case 101').getByText('Outdated').waitFor();
    expect(await row('Total').innerText()).toMatch(total);
    expect(await row('Case 101').locator('ins').allInnerTexts()).toEqual(['tomorrow']);
    await page.getByRole('button', { name: 'Maximize run' }).click();
    await screenshot(page, 'workbench-all-cases-maximized');
    await expectAccessible(page);

    // All calls of a run send the draft as it was when the run started.
    const held = Promise.withResolvers<void>();
    dashboard.upstream.clear();
    dashboard.upstream.respondAlways(async (exchange) => {
      if (exchange.request.method === 'POST') await held.promise;
      await parcelAnswer(exchange);
    });
    await page.getByRole('button', { name: 'Run all cases' }).click();
    await page.getByRole('button', { name: 'Run 48 calls' }).click();
    await page.getByText('0 of 48').waitFor();
    await expect.poll(() => calls().length).toBe(4);
    await page.getByRole('button', { name: 'Restore run' }).click();
    await addAtEnd(page, ' Later.');
    await page.getByText('Draft saved').waitFor();
    held.resolve();
    await page.getByText('48 of 48 runs finished, 3 failed').waitFor({ state: 'attached' });
    expect(JSON.stringify(calls().map(({ body }) => body))).not.toContain('Later.');

    await page.getByRole('tab', { name: 'Conversation' }).click();
    await chooseCase(page, 'Case 102');
    await choose(page, 'Case actions', 'Edit name and note…');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Case 102 renamed');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('tab', { name: 'All cases' }).click();
    await row('Case 102 renamed').getByText('Parcel 2 arrives').first().waitFor();

    dashboard.upstream.clear();
    dashboard.upstream.respondAlways(stall);
    await page.getByRole('button', { name: 'Run all cases' }).click();
    await page.getByRole('button', { name: 'Run 48 calls' }).click();
    await page.getByText('0 of 48').waitFor();
    await expect.poll(() => calls().length).toBe(4);
    await page.reload();
    await table.getByText('Stopped').first().waitFor();
    expect(await table.getByText('Stopped').count()).toBe(4);
    await page.getByRole('button', { name: 'Run all cases' }).click();
    await page.getByRole('button', { name: 'Run 48 calls' }).click();
    await expect.poll(() => calls().length).toBe(4 + 4);
    await signOut(page);
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
  });

  test('saves a draft as a version, makes it live and undoes it, and results stay fresh', async () => {
    await dashboard.server.send('PUT', '/api/v1/presets/save/labels/staging', { version: 1 });
    const page = await open('save');
    await addAtEnd(page, '- Sign with your name.');
    dashboard.upstream.respondWith(recorded(recordings['openai-chat']));
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('Finish reason').waitFor();
    await page.getByText('1 line of prompt').waitFor();
    await page.keyboard.press('ControlOrMeta+S');
    const dialog = page.getByRole('dialog', { name: 'Save version' });
    await dialog.getByRole('textbox', { name: 'Note' }).fill('Sign replies');
    await dialog.getByText('Sign with your name').first().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workbench-save');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('Version 2 saved, not live').waitFor();
    expect(await page.getByText('Finish reason').count()).toBe(1);
    expect(await page.getByText('Outdated').count()).toBe(0);
    await page.getByRole('button', { name: 'Make live…' }).click();
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Move staging to version 2' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Make version 2 live' }).click();
    await page.getByText('Version 2 is live').waitFor();
    expect((await dashboard.server.get('/api/v1/presets/save/labels')).text).toContain('"version":2');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Version 1 is live again').waitFor();
    expect((await dashboard.server.get('/api/v1/presets/save/labels')).text).toContain('"version":1');

    await addAtEnd(page, ' Really.');
    await page.getByText('1 line of prompt').waitFor();
    await page.getByRole('button', { name: 'Save and make live…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save and make live' }).click();
    await page.getByText('Version 3 is live').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    const live = async () =>
      (await dashboard.server.get('/api/v1/presets/save')).body.data.designated_version.version;
    await expect.poll(live).toBe(1);
  });

  test('moves labels only with the release for which they were chosen, and keeps the note', async () => {
    await dashboard.server.send('PUT', '/api/v1/presets/failed-save/labels/staging', { version: 1 });
    const page = await open('failed-save', 1_440, true);
    await addAtEnd(page, '- Sign with your name.');
    await page.route(isSave, (route) => route.abort());
    await page.getByRole('button', { name: 'Save and make live…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Note' }).fill('Sign replies');
    await dialog.getByRole('checkbox', { name: 'Move staging to the new version' }).check();
    await dialog.getByRole('button', { name: 'Save and make live' }).click();
    await dialog.getByText('Could not confirm that it was saved').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.unroute(isSave);

    await page.getByRole('button', { name: 'Save and make live…' }).click();
    const staging = dialog.getByRole('checkbox', { name: 'Move staging to the new version' });
    expect(await staging.isChecked()).toBe(false);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Save…' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('Sign replies');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2 saved, not live').waitFor();
    const labelVersion = async () => {
      const { body } = await dashboard.server.get('/api/v1/presets/failed-save/labels');
      return (body as { data: { version: number }[] }).data.map(({ version }) => version);
    };
    expect(await labelVersion()).toEqual([1]);

    await addAtEnd(page, ' Really.');
    await page.getByRole('button', { name: 'Save and make live…' }).click();
    await dialog.getByRole('checkbox', { name: 'Move staging to the new version' }).check();
    await dashboard.server.capture('failed-save', { ...request, temperature: 0.9 });
    await dialog.getByRole('button', { name: 'Save and make live' }).click();
    await page.getByRole('button', { name: 'Apply anyway' }).click();
    await page.getByText('Version 4 is live').waitFor();
    expect(await labelVersion()).toEqual([4]);
    await dashboard.server.send('PATCH', '/api/v1/presets/failed-save', { tags: ['new'] });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Version 3 is live again').waitFor();
    expect(await labelVersion()).toEqual([1]);
  });

  test('undoes and repeats a save as the user saw it, although its response was late or lost', async () => {
    await dashboard.server.capture('late', request);
    const page = await open('late', 1_440, true);
    const dialog = page.getByRole('dialog');
    const says = (text: string) => async () => (await dialog.innerText()).includes(text);
    await addAtEnd(page, '- Sign with your name.');
    const held = Promise.withResolvers<void>();
    await page.route(isSave, async (route) => {
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Save and make live…' }).click();
    await dialog.getByRole('button', { name: 'Save and make live' }).click();
    // By now the page knows that the new version is live, but not that this one was saved.
    await returnToTab(page, says('instead of version 2'));
    held.resolve();
    await page.getByText('Version 2 is live').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Version 1 is live again').waitFor();

    await page.unroute(isSave);
    await page.route(isSave, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await addAtEnd(page, ' Always.');
    await page.getByRole('button', { name: 'Save and make live…' }).click();
    await dialog.getByRole('button', { name: 'Save and make live' }).click();
    await dialog.getByText('Could not confirm that it was saved').waitFor();
    await page.unroute(isSave);
    await returnToTab(page, says('Version 3 was saved after you started'));
    await dialog.getByRole('button', { name: 'Save and make live' }).click();
    // The same request, which the server recognizes: no other version is saved.
    await page.getByText('Version 3 is live').waitFor();
    const { body } = await dashboard.server.get('/api/v1/presets/late/versions');
    expect(body.total_count).toBe(3);
    // The version before the first attempt, not the one that was live when it was repeated.
    await page.getByRole('button', { name: 'Undo' }).click();
    const live = async () =>
      (await dashboard.server.get('/api/v1/presets/late')).body.data.designated_version.version;
    await expect.poll(live).toBe(1);
  });

  test('makes nothing live that could not be compared, unless the live version cannot be loaded', async () => {
    await dashboard.server.capture('compared', request);
    await dashboard.server.capture('compared', { ...request, temperature: 0.9 });
    const page = await dashboard.open('/presets/compared?from=1', { key: apiKey, width: 1_440 });
    await promptEditor(page).waitFor();
    await addAtEnd(page, '- Ask first.');
    await page.getByText('Draft saved').waitFor();
    const [live, checks] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const liveVersion = /\/presets\/compared\/versions\/2\b/;
    await page.route(liveVersion, async (route) => {
      await live.promise;
      await route.fulfill({ status: 404, json: { error: { message: 'Not now.' } } });
    });
    await page.reload();
    const saves: string[] = [];
    page.on('request', (sent) => {
      if (isSave(new URL(sent.url()))) saves.push(sent.url());
    });
    const dialog = page.getByRole('dialog');
    const save = dialog.getByRole('button', { name: 'Save', exact: true });
    const release = dialog.getByRole('button', { name: 'Save and make live' });
    await page.getByRole('button', { name: 'Save…' }).click();
    await dialog.getByRole('status', { name: 'Comparing with the live version' }).waitFor();
    expect(await save.isEnabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Save and make live…' }).click();
    expect(await release.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Note' }).press('ControlOrMeta+Enter');
    live.resolve();
    await dialog.getByText('Could not compare with the live version').waitFor();
    expect(await release.isEnabled()).toBe(true);
    await page.unroute(liveVersion);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('table', { name: 'Config changes' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.route(/dry_run/, async (route) => {
      await checks.promise;
      await route.continue();
    });
    await addAtEnd(page, ' Always.');
    await page.getByRole('button', { name: 'Save and make live…' }).click();
    expect(await release.isDisabled()).toBe(true);
    const note = dialog.getByRole('textbox', { name: 'Note' });
    await note.press('ControlOrMeta+Enter');
    checks.resolve();
    await dialog.getByText('Ask first. Always.').first().waitFor();
    await note.fill('x'.repeat(2_000));
    await release.click();
    await note.fill('Ask first');
    await release.click();
    await page.getByText('Version 3 is live').waitFor();
    // Neither the shortcuts nor the note that was too long have sent anything.
    expect(saves).toHaveLength(1);
  });

  test('keeps what is typed while a draft is discarded, and undoes that from another page', async () => {
    await dashboard.server.capture('left', { ...request, temperature: 0.9 });
    const page = await dashboard.open('/presets/left?from=1', { key: apiKey, width: 1_440, height: 900 });
    await promptEditor(page).waitFor();
    await addAtEnd(page, '- Ask first.');
    await page.getByText('Draft saved').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/\/presets\/left\/versions\/2\b/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Discard draft' }).click();
    expect(await page.getByRole('button', { name: 'Save…' }).isDisabled()).toBe(true);
    await addAtEnd(page, ' Always.');
    held.resolve();
    await page.getByText('Kept your newer text').waitFor();
    expect(await promptEditor(page).innerText()).toContain('- Ask first. Always.');

    await page.getByText('Draft saved').waitFor();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByText('Draft discarded').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Preset' });
    await tabs.getByRole('link', { name: 'Events' }).click();
    await promptEditor(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await tabs.getByRole('link', { name: 'Workbench' }).click();
    const expectDraft = () =>
      expect.poll(() => promptEditor(page).innerText()).toContain('- Ask first. Always.');
    await expectDraft();
    await page.getByText('Draft saved').waitFor();
    expect(await page.getByRole('button', { name: 'Restore earlier draft' }).count()).toBe(0);

    // Without the toast, too.
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Restore earlier draft' }).click();
    await expectDraft();
    expect(await page.getByRole('button', { name: 'Restore earlier draft' }).count()).toBe(0);
  });

  test('returns to discarded drafts one after the other, and keeps what was typed since', async () => {
    await dashboard.server.capture('discarded', request);
    const page = await open('discarded');
    const expectText = (text: string) =>
      expect.poll(() => promptEditor(page).innerText()).toContain(`- Never promise a date.\n${text}`);
    const toasts = page.getByRole('region', { name: 'Notifications' });
    for (const text of ['One.', 'Two.']) {
      await addAtEnd(page, text);
      await page.getByRole('button', { name: 'Discard draft' }).click();
      await toasts.getByText('Draft discarded').waitFor();
      // It covers nothing of the page, whatever its width.
      for (const width of [390, 1_024, 1_440]) {
        await page.setViewportSize({ width, height: 900 });
        const top = (await page.getByRole('main').boundingBox())?.y;
        await expect.poll(() => bottomOf(toasts)).toBeLessThanOrEqual(top ?? 0);
      }
      if (text === 'One.') await toasts.getByRole('button', { name: 'Dismiss' }).click();
    }
    await addAtEnd(page, 'Three.');
    await toasts.getByRole('button', { name: 'Undo' }).click();
    await toasts.getByText('Returned to the earlier draft').waitFor();
    await expectText('Two.');
    const restore = page.getByRole('button', { name: 'Restore earlier draft' });
    for (const text of ['One.', 'Three.', 'Two.']) {
      await restore.click();
      await expectText(text);
    }
  });

  test('discards a draft although the user leaves before the live version has loaded', async () => {
    await dashboard.server.capture('left-early', request);
    await dashboard.server.capture('left-early', { ...request, temperature: 0.9 });
    const page = await dashboard.open('/presets/left-early?from=1', { key: apiKey, width: 1_440 });
    await promptEditor(page).waitFor();
    await addAtEnd(page, '- Ask first.');
    await page.getByText('Draft saved').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/\/presets\/left-early\/versions\/2\b/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByRole('navigation', { name: 'Preset' }).getByRole('link', { name: 'Events' }).click();
    await promptEditor(page).waitFor({ state: 'detached' });
    held.resolve();
    await page.getByText('Draft discarded').waitFor();
    const draft = () => dashboard.server.get('/api/v1/presets/left-early/draft');
    await expect.poll(async () => (await draft()).status).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await draft()).text).toContain('- Ask first.');
  });

  test('keeps what is typed when a colleague renames and releases, and warns before saving', async () => {
    const page = await open('colleague');
    await addAtEnd(page, '- Offer a refund.');
    await page.getByText('Draft saved').waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    const note = page.getByRole('dialog').getByRole('textbox', { name: 'Note' });
    await note.fill('Refund');
    await dashboard.server.send('PATCH', '/api/v1/presets/colleague', { slug: 'renamed', name: 'New name' });
    const heading = page.getByRole('heading', { name: 'New name', includeHidden: true });
    await returnToTab(page, async () => (await heading.count()) === 1);
    expect(await note.inputValue()).toBe('Refund');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL('**/presets/renamed');

    await dashboard.server.capture('renamed', { ...request, temperature: 0.9 });
    await returnToTab(page, () => page.getByText('Version 2 is live now').isVisible());
    await page.getByRole('button', { name: 'temperature 0.9 → 0.2' }).click();
    const changes = page.getByRole('dialog', { name: 'Draft compared with version 2 (live)' });
    await changes.getByRole('table', { name: 'Config changes' }).waitFor();
    await changes.getByRole('button', { name: 'Close', exact: true }).last().click();
    expect(await promptEditor(page).innerText()).toContain('- Offer a refund.');
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByText('Version 2 was saved after you started from version 1').waitFor();
    expect(await note.inputValue()).toBe('Refund');
  });

  test('says on Ctrl+S what is wrong with the request, and goes there', async () => {
    const page = await open('problems', 390);
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByText('No changes since version 1').waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Request' }).click();
    await requestEditor(page).click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('Delete');
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByRole('tab', { name: 'Prompt' }).click();
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByText(/^Cannot save: /).waitFor();
    await requestEditor(page).waitFor();
    await expect
      .poll(() =>
        page.evaluate('document.activeElement.shadowRoot?.activeElement?.getAttribute("aria-label")'),
      )
      .toBe('Request');
    await expectAccessible(page);
  });

  test('brings back a long prompt that was cleared', async () => {
    const page = await open('long');
    await promptEditor(page).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.getByText('no system prompt').waitFor();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await promptEditor(page).getByText('Line 1', { exact: true }).waitFor();
  });
});

async function bottomOf(part: Locator): Promise<number> {
  const { y, height } = (await part.boundingBox()) ?? { y: Number.NaN, height: 0 };
  return y + height;
}

import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { expectGoodInEveryAppearance, sidewaysOverflow } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { beginStream, json, recorded, stall, stream, upstreamError } from '../support/upstream-scripts.ts';
import { completionText, recordings } from '../support/wire/recordings.ts';

const request = {
  model: 'vendor/model',
  temperature: 0.2,
  seed: 7,
  messages: [{ role: 'system', content: 'You are terse.' }],
};

describeInBrowser('the Use tab', () => {
  const dashboard = useDashboard({ upstream: true });
  const path = '/presets/support-bot/use';

  beforeAll(async () => {
    for (const slug of ['support-bot', 'support-bot', 'disabled', 'archived'])
      await dashboard.server.capture(slug, request);
    await dashboard.server.send('PUT', '/api/v1/presets/support-bot/labels/production', { version: 1 });
    await dashboard.server.send('PATCH', '/api/v1/presets/disabled', { status: 'disabled' });
    await dashboard.server.send('DELETE', '/api/v1/presets/archived');
  });

  const example = (page: Page) => page.getByRole('region', { name: /example$/ });
  const response = (page: Page) => page.getByRole('region', { name: 'Response' });
  const effective = (page: Page) => page.getByRole('region', { name: 'Effective request' });

  async function send(page: Page, message = 'Will it rain?') {
    await page.getByRole('textbox', { name: 'Message' }).fill(message);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  test("code examples contain this server's URL and the selected pin, which is kept in the URL", async () => {
    const page = await dashboard.open(path, { key: apiKey });
    const { origin } = new URL(dashboard.server.url);
    await example(page).waitFor();
    expect(await example(page).innerText()).toContain(`${origin}/api/v1/chat/completions`);
    const version = page.getByRole('combobox', { name: 'Version' });
    for (const [choice, reference, search] of [
      ['Label production · version 1', '@preset/support-bot:production', '?pin=production'],
      ['Version 1 · production', '@preset/support-bot@1', '?pin=1'],
      ['Latest version', '@preset/support-bot:latest', '?pin=latest'],
      ['Live version', '@preset/support-bot', ''],
    ] as const) {
      await version.selectOption(choice);
      await vi.waitFor(async () => expect(await example(page).innerText()).toContain(`"${reference}"`));
      expect(new URL(page.url()).search).toBe(search);
    }
    await page.getByRole('radio', { name: 'Anthropic Python' }).check();
    expect(await example(page).innerText()).toContain(`base_url="${origin}/api"`);
    expect(await page.locator('main').innerText()).not.toContain(apiKey);
  });

  test('copies a code example as shown', async () => {
    const page = await dashboard.open(`${path}?pin=1`, { key: apiKey });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('radio', { name: 'OpenAI TypeScript' }).check();
    await page.getByRole('button', { name: 'Copy OpenAI TypeScript example' }).click();
    await page.getByText('Copied').first().waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toContain("model: '@preset/support-bot@1',");
    expect(copied.trim()).toBe((await example(page).innerText()).trim());
  });

  test('reports a pin that does not exist', async () => {
    const page = await dashboard.open(`${path}?pin=staging`, { key: apiKey });
    await page.getByText('This preset has no version or label “staging”').waitFor();
  });

  test('an invalid pin in the URL does not reach the code examples', async () => {
    const page = await dashboard.open(`${path}?pin=${encodeURIComponent("x'; touch pwned; echo '")}`, {
      key: apiKey,
    });
    await example(page).waitFor();
    expect(await example(page).innerText()).toContain('"model": "@preset/support-bot",');
    expect(await page.locator('main').innerText()).not.toContain('pwned');
  });

  test('streams a response and shows the effective request', async () => {
    const page = await dashboard.open(`${path}?pin=1`, { key: apiKey });
    dashboard.upstream.respondWith(stall);
    await send(page);
    const { response: reply, request: received } = await dashboard.upstream.nextExchange();
    await response(page).getByText('Waiting for the model…').waitFor();
    const [first = '', ...others] = recordings['openai-chat'].stream
      .toString()
      .split(/(?<=Zürich"}[^\n]*\n\n)/);
    beginStream(reply).write(first);
    await response(page).getByText('Regen in Zürich', { exact: true }).waitFor();
    reply.end(others.join(''));
    await response(page).getByText(completionText).waitFor();
    const metadata = (await response(page).innerText()).replaceAll(/\s+/g, ' ');
    for (const entry of [
      'Preset support-bot@1',
      'Model gpt-5.2-2025-12-11',
      'Upstream openrouter',
      'Finish reason stop',
    ])
      expect(metadata).toContain(entry);
    expect(metadata).toMatch(/Input tokens 14 Output tokens 9 Time to first token .*s Total time .*s/);

    expect(dashboard.upstream.requests).toHaveLength(1);
    const shown = await effective(page).getByRole('region', { name: 'request body' }).innerText();
    expect(JSON.parse(shown)).toEqual(received.body);
    expect(await effective(page).innerText()).toContain(`${dashboard.upstream.url}/chat/completions`);
  });

  test.each([
    ['Anthropic Messages', 'messages', 'anthropic-messages'],
    ['OpenAI Responses', 'responses', 'openai-responses'],
  ] as const)('sends a message as %s and shows the fields it drops', async (format, dialect, name) => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('combobox', { name: 'Format' }).selectOption(format);
    dashboard.upstream.respondWith(recorded(recordings[name]));
    await send(page);
    await response(page).getByText(completionText).waitFor();
    const [sent] = dashboard.upstream.requests;
    expect(sent?.path).toMatch(new RegExp(`/${dialect}$`));
    const shown = await effective(page).getByRole('region', { name: 'request body' }).innerText();
    expect(JSON.parse(shown)).toEqual(sent?.body);
    // Only messages need a limit, and the preset has none.
    expect(sent?.body.max_tokens).toBe(dialect === 'messages' ? 1_024 : undefined);
    expect(await effective(page).getByText('Dropped because').count()).toBe(1);
  });

  test('previews the effective request without sending it', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('textbox', { name: 'Message' }).fill('Will it rain?');
    await page.getByRole('button', { name: 'Preview request' }).click();
    await effective(page).getByText('"Will it rain?"').waitFor();
    await effective(page).getByText('Headers').click();
    expect(await effective(page).innerText()).toContain('authorization: Bearer $OPENROUTER_API_KEY');
    expect(await response(page).count()).toBe(0);
    expect(dashboard.upstream.requests).toEqual([]);
  });

  test('stopping a response disconnects the upstream and keeps the text so far', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    dashboard.upstream.respondWith(stall);
    await send(page);
    const { response: reply, ended } = await dashboard.upstream.nextExchange();
    const [first = ''] = recordings['openai-chat'].stream.toString().split(/(?<=Zürich"}[^\n]*\n\n)/);
    beginStream(reply).write(first);
    await response(page).getByText('Regen in Zürich', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await ended).toBe('disconnected');
    await response(page).getByText('Stopped.').waitFor();
    expect(await response(page).innerText()).toContain('Regen in Zürich');
    // Focus stays on the button, and nothing was sent again.
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Send');
    expect(dashboard.upstream.requests).toHaveLength(1);
  });

  test('marks a response from another version than the selected one', async () => {
    const page = await dashboard.open(`${path}?pin=1`, { key: apiKey });
    await send(page);
    await response(page).getByText(completionText).waitFor();
    const mark = page.getByRole('status').filter({ hasText: 'From version 1' });
    expect(await mark.count()).toBe(0);
    const version = page.getByRole('combobox', { name: 'Version' });
    await version.selectOption('Version 2 · live');
    await mark.waitFor();
    expect(await mark.innerText()).toContain('Selected now: version 2.');
    await response(page).getByText(completionText).waitFor();
    await expectGoodInEveryAppearance(page, 'use-outdated');
    // A label on the same version is the same version.
    await version.selectOption('Label production · version 1');
    await mark.waitFor({ state: 'detached' });
    await version.selectOption('Live version');
    await mark.waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await mark.waitFor({ state: 'detached' });
    await response(page).getByText('support-bot@2').waitFor();
  });

  test('marks a streaming response when the version changes, and completes it', async () => {
    const page = await dashboard.open(`${path}?pin=1`, { key: apiKey });
    dashboard.upstream.respondWith(stall);
    await send(page);
    const { response: reply } = await dashboard.upstream.nextExchange();
    await response(page).getByText('Waiting for the model…').waitFor();
    await page.getByRole('combobox', { name: 'Version' }).selectOption('Latest version');
    const mark = page.getByRole('status').filter({ hasText: 'From version 1' });
    await mark.waitFor();
    const [first = '', ...others] = recordings['openai-chat'].stream
      .toString()
      .split(/(?<=Zürich"}[^\n]*\n\n)/);
    beginStream(reply).write(first);
    await response(page).getByText('Regen in Zürich', { exact: true }).waitFor();
    await mark.waitFor();
    reply.end(others.join(''));
    await response(page).getByText('support-bot@1').waitFor();
    await mark.waitFor();
  });

  test('marks a response once someone makes another version live', async () => {
    await dashboard.server.capture('moving', request);
    const page = await dashboard.open('/presets/moving/use', { key: apiKey });
    await send(page);
    await response(page).getByText('moving@1').waitFor();
    await dashboard.server.capture('moving', { ...request, temperature: 1 });
    const mark = page.getByRole('status').filter({ hasText: 'From version 1' });
    // Returning to the page refetches, at most every two seconds.
    await expect
      .poll(async () => {
        await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
        return mark.count();
      })
      .toBe(1);
    expect(await mark.innerText()).toContain('Selected now: version 2.');
  });

  test('marks a preview in another format than the selected one', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('textbox', { name: 'Message' }).fill('Will it rain?');
    await page.getByRole('button', { name: 'Preview request' }).click();
    await effective(page).getByText('"Will it rain?"').waitFor();
    const format = page.getByRole('combobox', { name: 'Format' });
    await format.selectOption('Anthropic Messages');
    const mark = page.getByRole('status').filter({ hasText: 'Sent as Chat Completions' });
    expect(await mark.innerText()).toContain('Selected now: Anthropic Messages.');
    await format.selectOption('Chat Completions');
    await mark.waitFor({ state: 'detached' });
  });

  test('leaving the page stops the response', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    dashboard.upstream.respondWith(stall);
    await send(page);
    const { ended } = await dashboard.upstream.nextExchange();
    await page.getByRole('link', { name: 'presetd' }).click();
    expect(await ended).toBe('disconnected');
  });

  test('shows an error inside a stream together with the text so far', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    const bytes = recordings['openai-chat'].stream;
    dashboard.upstream.respondWith(stream(bytes.subarray(0, bytes.length / 2)));
    await send(page);
    await response(page).getByText('The response was interrupted').waitFor();
    expect(await response(page).innerText()).toContain('Regen in Zürich');
    expect(await response(page).getByRole('alert').innerText()).toContain('openrouter');
  });

  test('shows tool calls', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    dashboard.upstream.respondWith(recorded(recordings['openai-chat-tool']));
    await send(page);
    const call = response(page).getByRole('region', { name: 'arguments of get_weather' });
    await call.waitFor();
    expect(JSON.parse(await call.innerText())).toEqual({ city: 'Zürich' });
  });

  test('preserves whitespace and line breaks of a response', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    const content = '- one\n  - two\n\n<b>three</b>';
    const chunk = { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] };
    dashboard.upstream.respondWith(stream(`data: ${JSON.stringify(chunk)}\r\n\r\ndata: [DONE]\r\n\r\n`));
    await send(page);
    await response(page).getByText('three').waitFor();
    expect(await response(page).innerText()).toContain(content);
  });

  test('reports an upstream error and a response that is not a stream', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    dashboard.upstream.respondWith(upstreamError(429, 'Slow down'), json({ choices: [] }));
    await send(page);
    await page.getByRole('alert').getByText('Slow down').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').getByText('did not return a stream').waitFor();
  });

  test('does not send an empty message', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Enter a message.').waitFor();
    expect(dashboard.upstream.requests).toEqual([]);
  });

  test('asks users of a management key for an API key and does not store it', async () => {
    const page = await dashboard.open(path, { key: managementKey });
    await page.getByRole('textbox', { name: 'Message' }).fill('Will it rain?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Enter an API key of this workspace.').waitFor();
    const field = page.getByLabel('API key for the playground');
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').waitFor();
    await field.fill(apiKey);
    await page.getByRole('button', { name: 'Send' }).click();
    await response(page).getByText(completionText).waitFor();
    expect(JSON.stringify(await page.evaluate('[{ ...sessionStorage }, { ...localStorage }]'))).not.toContain(
      apiKey,
    );
    await page.reload();
    expect(await field.inputValue()).toBe('');
  });

  test('says what to set if no upstream has a key, and shows the effective request', async () => {
    const upstreams = [{ name: 'openrouter', kind: 'openrouter' }];
    dashboard.server.useConfigFile({ upstreams });
    const page = await dashboard.open(path, { key: apiKey, isFailing: true });
    await send(page);
    await page.getByText('No model is available yet').waitFor();
    await page.getByText("Set OPENROUTER_API_KEY in presetd's environment").waitFor();
    await effective(page).getByText('"Will it rain?"').waitFor();
    await expectGoodInEveryAppearance(page, 'use-no-upstream');
  });

  test('explains why a preset that is not active cannot be called', async () => {
    for (const [slug, text] of [
      ['disabled', 'Calls to this preset fail with status 403.'],
      ['archived', 'Calls to this preset fail with status 404.'],
    ]) {
      const page = await dashboard.open(`/presets/${slug}/use`, { key: apiKey });
      await page.getByText(String(text)).waitFor();
      expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
      await expectAccessible(page);
    }
  });

  test('has accessible layouts with every code example', async () => {
    const page = await dashboard.open(`${path}?pin=production`, { key: apiKey, width: 360 });
    await send(page);
    await response(page).getByText(completionText).waitFor();
    await effective(page).getByText('Headers').click();
    for (const radio of await page.getByRole('radio').all()) {
      await radio.check();
      expect(await sidewaysOverflow(page)).toBe(0);
    }
    await expectGoodInEveryAppearance(page, 'use');
  });

  test('can be used by keyboard alone', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('radio', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await vi.waitFor(async () => expect(await example(page).innerText()).toContain('pip install openai'));
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await page.keyboard.type('Will it rain?');
    await page.keyboard.press('Control+Enter');
    await response(page).getByText(completionText).waitFor();
    expect(dashboard.upstream.requests[0]?.body.messages.at(-1)).toEqual({
      role: 'user',
      content: 'Will it rain?',
    });
  });
});

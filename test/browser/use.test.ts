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

describeInBrowser('how a preset is used', () => {
  const dashboard = useDashboard({ upstream: true });
  const path = '/presets/support-bot/use';

  beforeAll(async () => {
    for (const slug of ['support-bot', 'support-bot', 'disabled', 'archived'])
      await dashboard.server.capture(slug, request);
    await dashboard.server.send('PUT', '/api/v1/presets/support-bot/labels/production', { version: 1 });
    await dashboard.server.send('PATCH', '/api/v1/presets/disabled', { status: 'disabled' });
    await dashboard.server.send('DELETE', '/api/v1/presets/archived');
  });

  const program = (page: Page) => page.getByRole('region', { name: /^the program for/ });
  const answer = (page: Page) => page.getByRole('region', { name: 'Answer' });
  const effective = (page: Page) => page.getByRole('region', { name: 'Effective request' });

  async function send(page: Page, message = 'Will it rain?') {
    await page.getByRole('textbox', { name: 'Message' }).fill(message);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  test('programs have the address of this server and the pin that is chosen, which the address keeps', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    const { origin } = new URL(dashboard.server.url);
    await program(page).waitFor();
    expect(await program(page).innerText()).toContain(`${origin}/api/v1/chat/completions`);
    const version = page.getByRole('combobox', { name: 'Version' });
    for (const [choice, reference, search] of [
      ['Label production · version 1', '@preset/support-bot:production', '?pin=production'],
      ['Only version 1 · production', '@preset/support-bot@1', '?pin=1'],
      ['Always the newest version', '@preset/support-bot:latest', '?pin=latest'],
      ['Always the live version', '@preset/support-bot', ''],
    ] as const) {
      await version.selectOption(choice);
      await vi.waitFor(async () => expect(await program(page).innerText()).toContain(`"${reference}"`));
      expect(new URL(page.url()).search).toBe(search);
    }
    await page.getByRole('radio', { name: 'Anthropic, Python' }).check();
    expect(await program(page).innerText()).toContain(`base_url="${origin}/api"`);
    expect(await page.locator('main').innerText()).not.toContain(apiKey);
  });

  test('a program is copied as it is shown', async () => {
    const page = await dashboard.open(`${path}?pin=1`, { key: apiKey });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('radio', { name: 'OpenAI, TypeScript' }).check();
    await page.getByRole('button', { name: 'Copy the program for OpenAI, TypeScript' }).click();
    await page.getByText('Copied').first().waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toContain("model: '@preset/support-bot@1',");
    expect(copied.trim()).toBe((await program(page).innerText()).trim());
  });

  test('a pin that leads nowhere is told', async () => {
    const page = await dashboard.open(`${path}?pin=staging`, { key: apiKey });
    await page.getByText('This preset has no version or label “staging”').waitFor();
  });

  test('what cannot be a pin does not get from the address into a program', async () => {
    const page = await dashboard.open(`${path}?pin=${encodeURIComponent("x'; touch pwned; echo '")}`, {
      key: apiKey,
    });
    await program(page).waitFor();
    expect(await program(page).innerText()).toContain('"model": "@preset/support-bot",');
    expect(await page.locator('main').innerText()).not.toContain('pwned');
  });

  test('an answer is shown as it comes, with what was sent for it', async () => {
    const page = await dashboard.open(`${path}?pin=1`, { key: apiKey });
    dashboard.upstream.respondWith(stall);
    await send(page);
    const { response, request: received } = await dashboard.upstream.nextExchange();
    await answer(page).getByText('Waiting for the model…').waitFor();
    const [first = '', ...others] = recordings['openai-chat'].stream
      .toString()
      .split(/(?<=Zürich"}[^\n]*\n\n)/);
    beginStream(response).write(first);
    await answer(page).getByText('Regen in Zürich', { exact: true }).waitFor();
    response.end(others.join(''));
    await answer(page).getByText(completionText).waitFor();
    const facts = (await answer(page).innerText()).replaceAll(/\s+/g, ' ');
    for (const fact of [
      'Preset support-bot@1',
      'Model gpt-5.2-2025-12-11',
      'Upstream openrouter',
      'Ended with stop',
    ])
      expect(facts).toContain(fact);
    expect(facts).toMatch(/Tokens in 14 Tokens out 9 First piece after .*s Time .*s/);

    expect(dashboard.upstream.requests).toHaveLength(1);
    const shown = await effective(page).getByRole('region', { name: 'the body' }).innerText();
    expect(JSON.parse(shown)).toEqual(received.body);
    expect(await effective(page).innerText()).toContain(`${dashboard.upstream.url}/chat/completions`);
  });

  test.each([
    ['Anthropic messages', 'messages', 'anthropic-messages'],
    ['OpenAI responses', 'responses', 'openai-responses'],
  ] as const)(
    'a message can be sent as %s, which leaves out what that has no place for',
    async (choice, dialect, name) => {
      const page = await dashboard.open(path, { key: apiKey });
      await page.getByRole('combobox', { name: 'Sent as' }).selectOption(choice);
      dashboard.upstream.respondWith(recorded(recordings[name]));
      await send(page);
      await answer(page).getByText(completionText).waitFor();
      const [sent] = dashboard.upstream.requests;
      expect(sent?.path).toMatch(new RegExp(`/${dialect}$`));
      const shown = await effective(page).getByRole('region', { name: 'the body' }).innerText();
      expect(JSON.parse(shown)).toEqual(sent?.body);
      // Only messages need a limit, and the preset has none.
      expect(sent?.body.max_tokens).toBe(dialect === 'messages' ? 1_024 : undefined);
      const left = effective(page).getByText('Left out');
      expect(await left.count()).toBe(1);
    },
  );

  test('what would be sent is shown without sending it', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('textbox', { name: 'Message' }).fill('Will it rain?');
    await page.getByRole('button', { name: 'Show request' }).click();
    await effective(page).getByText('"Will it rain?"').waitFor();
    await effective(page).getByText('Headers').click();
    expect(await effective(page).innerText()).toContain('authorization: Bearer $OPENROUTER_API_KEY');
    expect(await answer(page).count()).toBe(0);
    expect(dashboard.upstream.requests).toEqual([]);
  });

  test('an answer can be stopped; the upstream is told, and what has come stays', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    dashboard.upstream.respondWith(stall);
    await send(page);
    const { response, ended } = await dashboard.upstream.nextExchange();
    const [first = ''] = recordings['openai-chat'].stream.toString().split(/(?<=Zürich"}[^\n]*\n\n)/);
    beginStream(response).write(first);
    await answer(page).getByText('Regen in Zürich', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await ended).toBe('disconnected');
    await answer(page).getByText('Stopped.').waitFor();
    expect(await answer(page).innerText()).toContain('Regen in Zürich');
    // Whoever pressed it by keyboard is still there, and nothing was sent again.
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Send');
    expect(dashboard.upstream.requests).toHaveLength(1);
  });

  test('an answer from another version than the selected one is marked, and the next one is not', async () => {
    const page = await dashboard.open(`${path}?pin=1`, { key: apiKey });
    await send(page);
    await answer(page).getByText(completionText).waitFor();
    const mark = page.getByRole('status').filter({ hasText: 'From version 1' });
    expect(await mark.count()).toBe(0);
    const version = page.getByRole('combobox', { name: 'Version' });
    await version.selectOption('Only version 2 · live');
    await mark.waitFor();
    expect(await mark.innerText()).toContain('Selected now: version 2.');
    await answer(page).getByText(completionText).waitFor();
    await expectGoodInEveryAppearance(page, 'use-outdated');
    // Another way to the same version is the same version.
    await version.selectOption('Label production · version 1');
    await mark.waitFor({ state: 'detached' });
    await version.selectOption('Always the live version');
    await mark.waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await mark.waitFor({ state: 'detached' });
    await answer(page).getByText('support-bot@2').waitFor();
  });

  test('an answer that is still coming is marked when the version changes, and comes to its end', async () => {
    const page = await dashboard.open(`${path}?pin=1`, { key: apiKey });
    dashboard.upstream.respondWith(stall);
    await send(page);
    const { response } = await dashboard.upstream.nextExchange();
    await answer(page).getByText('Waiting for the model…').waitFor();
    await page.getByRole('combobox', { name: 'Version' }).selectOption('Always the newest version');
    const mark = page.getByRole('status').filter({ hasText: 'From version 1' });
    await mark.waitFor();
    const [first = '', ...others] = recordings['openai-chat'].stream
      .toString()
      .split(/(?<=Zürich"}[^\n]*\n\n)/);
    beginStream(response).write(first);
    await answer(page).getByText('Regen in Zürich', { exact: true }).waitFor();
    await mark.waitFor();
    response.end(others.join(''));
    await answer(page).getByText('support-bot@1').waitFor();
    await mark.waitFor();
  });

  test('an answer is marked once somebody makes another version live', async () => {
    await dashboard.server.capture('moving', request);
    const page = await dashboard.open('/presets/moving/use', { key: apiKey });
    await send(page);
    await answer(page).getByText('moving@1').waitFor();
    await dashboard.server.capture('moving', { ...request, temperature: 1 });
    const mark = page.getByRole('status').filter({ hasText: 'From version 1' });
    // The page looks again when one comes back to it, but not more often than every two seconds.
    await expect
      .poll(async () => {
        await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
        return mark.count();
      })
      .toBe(1);
    expect(await mark.innerText()).toContain('Selected now: version 2.');
  });

  test('an answer or a request in another format than the selected one is marked', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('textbox', { name: 'Message' }).fill('Will it rain?');
    await page.getByRole('button', { name: 'Show request' }).click();
    await effective(page).getByText('"Will it rain?"').waitFor();
    const format = page.getByRole('combobox', { name: 'Sent as' });
    await format.selectOption('Anthropic messages');
    const mark = page.getByRole('status').filter({ hasText: 'Sent as Chat completions' });
    expect(await mark.innerText()).toContain('Selected now: Anthropic messages.');
    await format.selectOption('Chat completions');
    await mark.waitFor({ state: 'detached' });
  });

  test('whoever leaves the page stops the answer', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    dashboard.upstream.respondWith(stall);
    await send(page);
    const { ended } = await dashboard.upstream.nextExchange();
    await page.getByRole('link', { name: 'presetd' }).click();
    expect(await ended).toBe('disconnected');
  });

  test('an error in the middle of an answer is told beside what has come', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    const bytes = recordings['openai-chat'].stream;
    dashboard.upstream.respondWith(stream(bytes.subarray(0, bytes.length / 2)));
    await send(page);
    await answer(page).getByText('The answer broke off.').waitFor();
    expect(await answer(page).innerText()).toContain('Regen in Zürich');
    expect(await answer(page).getByRole('alert').innerText()).toContain('openrouter');
  });

  test('calls of tools are shown', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    dashboard.upstream.respondWith(recorded(recordings['openai-chat-tool']));
    await send(page);
    const call = answer(page).getByRole('region', { name: 'the arguments of get_weather' });
    await call.waitFor();
    expect(JSON.parse(await call.innerText())).toEqual({ city: 'Zürich' });
  });

  test('spaces and line ends of an answer stay', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    const content = '- one\n  - two\n\n<b>three</b>';
    const chunk = { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] };
    dashboard.upstream.respondWith(stream(`data: ${JSON.stringify(chunk)}\r\n\r\ndata: [DONE]\r\n\r\n`));
    await send(page);
    await answer(page).getByText('three').waitFor();
    expect(await answer(page).innerText()).toContain(content);
  });

  test('a refusal of the upstream, and an answer that is no stream, are told', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    dashboard.upstream.respondWith(upstreamError(429, 'Slow down'), json({ choices: [] }));
    await send(page);
    await page.getByRole('alert').getByText('Slow down').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').getByText('did not answer with a stream').waitFor();
  });

  test('an empty message is not sent', async () => {
    const page = await dashboard.open(path, { key: apiKey });
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Write a message.').waitFor();
    expect(dashboard.upstream.requests).toEqual([]);
  });

  test('with a management key an API key is asked for, and forgotten with the page', async () => {
    const page = await dashboard.open(path, { key: managementKey });
    await page.getByRole('textbox', { name: 'Message' }).fill('Will it rain?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Paste an API key of this workspace.').waitFor();
    const field = page.getByLabel('API key for the playground');
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').waitFor();
    await field.fill(apiKey);
    await page.getByRole('button', { name: 'Send' }).click();
    await answer(page).getByText(completionText).waitFor();
    expect(JSON.stringify(await page.evaluate('[{ ...sessionStorage }, { ...localStorage }]'))).not.toContain(
      apiKey,
    );
    await page.reload();
    expect(await field.inputValue()).toBe('');
  });

  test('where no model can be reached yet it says what to set, and shows the request all the same', async () => {
    const upstreams = [{ name: 'openrouter', kind: 'openrouter' }];
    dashboard.server.useConfigFile({ upstreams });
    const page = await dashboard.open(path, { key: apiKey, isFailing: true });
    await send(page);
    await page.getByText('No model can be reached yet.').waitFor();
    await page.getByText('Set OPENROUTER_API_KEY in the environment of presetd').waitFor();
    await effective(page).getByText('"Will it rain?"').waitFor();
    await expectGoodInEveryAppearance(page, 'use-no-upstream');
  });

  test('a preset that cannot be called says so', async () => {
    for (const [slug, title] of [
      ['disabled', 'This preset is disabled.'],
      ['archived', 'This preset is archived.'],
    ]) {
      const page = await dashboard.open(`/presets/${slug}/use`, { key: apiKey });
      await page.getByText(String(title)).waitFor();
      expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
      await expectAccessible(page);
    }
  });

  test('everything is accessible and fits', async () => {
    const page = await dashboard.open(`${path}?pin=production`, { key: apiKey, width: 360 });
    await send(page);
    await answer(page).getByText(completionText).waitFor();
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
    await vi.waitFor(async () => expect(await program(page).innerText()).toContain('pip install openai'));
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await page.keyboard.type('Will it rain?');
    await page.keyboard.press('Control+Enter');
    await answer(page).getByText(completionText).waitFor();
    expect(dashboard.upstream.requests[0]?.body.messages.at(-1)).toEqual({
      role: 'user',
      content: 'Will it rain?',
    });
  });
});

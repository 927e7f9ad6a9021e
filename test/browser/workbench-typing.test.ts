import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { mainThreadTasks } from '../support/main-thread-tasks.ts';
import { apiKey } from '../support/server.ts';
import { type Script, stream } from '../support/upstream-scripts.ts';

/** No task of the main thread may take longer while somebody types. */
const taskMsMax = 100;
const keystrokes = 24;

const line = 'Answer the question of {{customer}} about *their* parcel, and never promise a date.\n';
const prompt = line.repeat(Math.ceil(100_000 / line.length));

const answer: Script = (exchange) => {
  const model = exchange.request.body?.model ?? '';
  const content = `According to ${model}, the parcel arrives soon.\n`.repeat(80);
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', content } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ].map((chunk) => `data: ${JSON.stringify({ object: 'chat.completion.chunk', model, ...chunk })}\n\n`);
  return stream(`${chunks.join('')}data: [DONE]\n\n`)(exchange);
};

describeInBrowser('typing into a prompt of 100 kB', () => {
  const dashboard = useDashboard({ upstream: true, isMeasured: true });

  beforeAll(async () => {
    await dashboard.server.capture('long', {
      model: 'openai/gpt-5',
      messages: [{ role: 'system', content: prompt }],
      presetd: { variables: { customer: { type: 'string', default: 'Ada' } } },
    });
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        dashboard.server.send('PUT', `/api/v1/presets/long/cases/Case%20${index + 1}`, {
          variables: { customer: `Customer ${index + 1}` },
          messages: [{ role: 'user', content: `Where is parcel ${index + 1}?` }],
        }),
      ),
    );
  });

  /** Four columns, each with a result. */
  async function openWithResults(): Promise<Page> {
    dashboard.upstream.respondAlways(answer);
    const page = await dashboard.open('/presets/long/workbench', { key: apiKey, width: 1_440, height: 900 });
    for (let count = 0; count < 3; count += 1) await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Where is it?');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect.poll(() => page.getByText('Finish reason').count()).toBe(4);
    return page;
  }

  /** Types in the middle of the prompt. Returns the processor time of each task of the page. */
  async function tasksWhileTyping(page: Page): Promise<readonly number[]> {
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).click();
    await page.keyboard.press('ControlOrMeta+End');
    // What follows the first key, such as the check by the server, happens once.
    await page.keyboard.type('\nBe ');
    await page.getByText('Draft saved').waitFor();
    return mainThreadTasks(page, async () => {
      await page.keyboard.type('kind. '.repeat(keystrokes / 6), { delay: 60 });
      await page.getByText('Draft saved').waitFor();
    });
  }

  test('keeps every task of the main thread short, with four columns and a table of 500 cases', async () => {
    const page = await openWithResults();
    report('four columns', await tasksWhileTyping(page));
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.getByRole('textbox', { name: 'Request', exact: true }).waitFor();
    report('request', await tasksWhileTyping(page));
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByRole('tab', { name: 'All cases' }).click();
    await page.getByRole('button', { name: 'Run all cases' }).click();
    await page.getByRole('button', { name: 'Run 2,000 calls' }).click();
    // As many as fit on the screen.
    await page.getByText(/^[1-9]\d of 2,000$/).waitFor();
    // The server shares a process with this test: typing while it works would take minutes.
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    report('table of cases', await tasksWhileTyping(page));
  });

  function report(name: string, tasks: readonly number[]) {
    // Each key takes a task at least; without any, the trace has not been read.
    expect(tasks.filter((ms) => ms > 0).length).toBeGreaterThan(keystrokes);
    const longest = Math.max(...tasks);
    const perKey = tasks.reduce((sum, ms) => sum + ms, 0) / keystrokes;
    // For docs/performance.md.
    console.log(`${name}: longest task ${longest.toFixed(1)} ms, ${perKey.toFixed(1)} ms per keystroke`);
    expect(longest).toBeLessThan(taskMsMax);
  }
});

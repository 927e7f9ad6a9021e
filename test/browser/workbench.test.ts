import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';

const prompt = 'You support Acme customers.\n\n# Manner\n- Be **brief** and kind.\n- Never promise a date.\n';

describeInBrowser('the workbench', () => {
  const dashboard = useDashboard({ upstream: true });

  beforeAll(async () => {
    await dashboard.server.post('/api/v1/presets/support-bot/chat/completions', {
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
    });
  });

  for (const [width, name] of [
    [1_440, 'wide'],
    [1_024, 'medium'],
    [390, 'narrow'],
  ] as const)
    test(`is accessible on a ${name} screen`, async () => {
      const page = await dashboard.open('/presets/support-bot/workbench', { key: apiKey, width });
      await page.getByRole('textbox', { name: 'System prompt' }).waitFor();
      await expectAccessible(page);
      await screenshot(page, `workbench-${name}`);
    });

  test('keeps prompt and request in sync in both directions', async () => {
    const page = await dashboard.open('/presets/support-bot/workbench', { key: apiKey, width: 1_440 });
    const editor = page.getByRole('textbox', { name: 'System prompt' });
    const request = page.getByRole('textbox', { name: 'Request', exact: true });
    await editor.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('- Greet {{cust');
    await page.keyboard.press('Enter');
    await page.keyboard.type('!');
    await request.getByText('- Greet {{customer}}!').waitFor();
    await page.getByText('Draft from version 1').waitFor();
    await request.click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('ControlOrMeta+F').catch(() => undefined);
    expect(await editor.innerText()).toContain('{{customer}}');
  });
});

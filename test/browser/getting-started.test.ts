import { expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { accepted } from '../support/capture-page.ts';
import { useDashboard } from '../support/dashboard.ts';
import { choose } from '../support/menu.ts';
import { apiKey } from '../support/server.ts';
import { signInWithKey } from '../support/sign-in-page.ts';

describeInBrowser('getting started', () => {
  const dashboard = useDashboard({ upstream: true });

  test('a request can be captured, changed, compared, rolled back and called on a phone', async () => {
    const slug = 'support-bot';
    const page = await dashboard.open('/', { colorScheme: 'dark', width: 360 });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signInWithKey(page, apiKey);

    await page
      .getByRole('link', { name: /Paste a request|New preset/ })
      .first()
      .click();
    await page.getByLabel('Slug').fill(slug);
    await page.getByRole('button', { name: 'Insert example' }).click();
    await accepted(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByRole('heading', { name: slug }).waitFor();

    await page.getByRole('textbox', { name: 'System prompt', exact: true }).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText('You answer for Acme. Be rude.');
    await page.getByText('Draft saved').waitFor();
    await page.getByRole('button', { name: 'Save and make live…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save and make live' }).click();
    await page.getByText('Version 2 is live').waitFor();

    await page.getByRole('link', { name: 'History' }).click();
    await choose(page, 'Actions for version 2', 'Compare with previous');
    const prompt = page.getByRole('table', { name: 'System prompt' });
    await prompt.locator('ins').getByText('rude').waitFor();

    await page.getByRole('link', { name: 'History' }).click();
    await choose(page, 'Actions for version 1', 'Make live…');
    const question = page.getByRole('dialog', { name: 'Make version 1 live?' });
    await question.getByRole('table', { name: 'System prompt' }).waitFor();
    await question.getByRole('button', { name: 'Make version 1 live' }).click();
    await question.waitFor({ state: 'detached' });
    const { body } = await dashboard.server.get(`/api/v1/presets/${slug}`);
    expect(body.data.designated_version.version).toBe(1);

    await page.getByRole('link', { name: 'Use', exact: true }).click();
    await page.getByRole('button', { name: 'Copy curl example' }).click();
    const command: string = await page.evaluate('navigator.clipboard.readText()');
    expect(command).toContain(`curl ${dashboard.server.url}/api/v1/chat/completions`);
    expect(command).toContain(`"model": "@preset/${slug}"`);

    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByText(/made version 1 live/).waitFor();
  });
});

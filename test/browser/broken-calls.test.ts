import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';

describeInBrowser('calls that break', () => {
  const dashboard = useDashboard();
  const preset = '/api/v1/presets/letters';
  const variables = { customer: { type: 'string' } };

  beforeAll(async () => {
    const { server } = dashboard;
    await server.post(`${preset}/responses`, { model: 'a/b', instructions: 'Write a letter.' });
    await server.post(`${preset}/responses`, {
      model: 'a/b',
      instructions: 'Write a letter to {{customer}}.',
      presetd: { variables, designate: false },
    });
    await server.send('PUT', `${preset}/labels/qa`, { version: 1 });
  });

  const expectWarning = async (dialog: Locator) => {
    await dialog.getByText('Never called.', { exact: true }).waitFor();
    expect(await dialog.getByText(/called/i).count()).toBe(1);
    expect(await dialog.getByRole('list', { name: 'Calls that will fail' }).innerText()).toBe(
      'customer is a new variable without a default: calls without customer fail',
    );
  };

  test('are named before a version goes live', async () => {
    const page = await dashboard.open('/presets/letters/history/1..2', { key: apiKey });
    await page.getByRole('button', { name: 'Make version 2 live…' }).click();
    await expectWarning(page.getByRole('dialog'));
    await page.getByRole('button', { name: 'Make version 2 live anyway' }).waitFor();
    await expectGoodInEveryAppearance(page, 'make-live-breaks-calls');
  });

  test('are named before a label moves', async () => {
    const page = await dashboard.open('/presets/letters/history', { key: apiKey });
    await page.getByRole('button', { name: 'qa: move or remove label' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Never called.').waitFor();
    await dialog.getByRole('spinbutton', { name: 'Move to version' }).fill('2');
    await expectWarning(dialog);
    await dialog.getByRole('button', { name: 'Move anyway' }).waitFor();
  });

  test('are named before a draft is saved and goes live', async () => {
    const page = await dashboard.open('/presets/letters?from=2', { key: apiKey });
    await page.getByRole('textbox', { name: 'System prompt', exact: true }).pressSequentially('Kindly. ');
    await page.getByRole('button', { name: 'Save and make live…' }).click();
    await expectWarning(page.getByRole('dialog'));
    await page.getByRole('button', { name: 'Save and make live anyway' }).waitFor();
  });
});

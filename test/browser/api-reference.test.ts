import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { expectAccessible, screenshot, useDashboard } from '../support/dashboard.ts';
import { apiKey } from '../support/server.ts';
import { signInWithKey } from '../support/sign-in-page.ts';

describeInBrowser('the API reference', () => {
  const dashboard = useDashboard();
  const capture = (slug: string) =>
    dashboard.server.post(`/api/v1/presets/${slug}/responses`, { model: 'm' });
  const lastEvent = async (slug: string) =>
    (await dashboard.server.get(`/api/v1/presets/${slug}/events?limit=1`)).body.data[0];

  test('people who are not signed in find every operation of the document, and can sign in', async () => {
    const page = await dashboard.open('/docs');
    await page.getByRole('heading', { name: 'API reference' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'api-reference');
    await page.getByLabel('Find an operation').fill('delete alias');
    await page.getByRole('navigation').getByRole('link', { name: 'Remove an alias' }).click();
    await page.getByRole('heading', { name: 'Remove an alias' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/Presets/removePresetAlias');
    await page.goBack();
    await page.getByRole('heading', { name: 'API reference' }).waitFor();

    const { paths } = (await dashboard.server.get('/openapi.json')).body;
    const operations = Object.values<
      Record<string, { summary: string; operationId: string; tags: string[] }>
    >(paths).flatMap((methods) => Object.values(methods));
    expect(operations.length).toBeGreaterThan(100);
    const titles = await page.evaluate<string[]>(`(async () => {
      const titles = [];
      for (const hash of ${JSON.stringify(operations.map(({ operationId, tags }) => `#/${tags[0]}/${operationId}`))}) {
        location.hash = hash;
        await new Promise((resolve) => addEventListener('hashchange', () => setTimeout(resolve), { once: true }));
        titles.push(document.querySelector('h1').textContent);
      }
      return titles;
    })()`);
    expect(titles).toEqual(operations.map(({ summary }) => summary));

    await page.evaluate(`location.hash = '#/Keys/listKeys'`);
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await signInWithKey(page, apiKey);
    await page.getByText('Requests use the API key').waitFor();
    await page.getByRole('heading', { name: 'List keys' }).waitFor();
  });

  test('requests of a signed-in person are sent with their session, or with a pasted key', async () => {
    await capture('by-session');
    const page = await dashboard.open('/docs#/Presets/updatePreset', { as: 'owner@localhost' });
    await page.getByText('Requests run as Preset Owner').waitFor();
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('Enter a value for slug.').waitFor();
    await page.getByLabel('slug').fill('by-session');
    await page.getByRole('textbox', { name: 'Body' }).fill('{"name": "It\'s new"}');
    await page.getByText('curl', { exact: true }).click();
    expect(await page.getByRole('region', { name: 'curl command' }).textContent()).toContain(
      String.raw`--data-raw '{"name": "It'\''s new"}'`,
    );
    await page.getByRole('button', { name: 'Send request' }).click();
    await page
      .getByRole('region', { name: 'response', exact: true })
      .getByText(`"name": "It's new"`)
      .waitFor();
    expect(await lastEvent('by-session')).toMatchObject({
      kind: 'preset.renamed',
      actor_email: 'owner@localhost',
      key_label: expect.stringMatching(/^session /),
    });

    /** Renames the preset and returns who did it. */
    const rename = async (name: string) => {
      await page.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify({ name }));
      await page.getByRole('button', { name: 'Send request' }).click();
      await page
        .getByRole('region', { name: 'response', exact: true })
        .getByText(`"name": "${name}"`)
        .waitFor();
      return (await lastEvent('by-session')).key_label;
    };
    await page.getByRole('button', { name: 'Use another key…' }).click();
    const field = page.getByLabel('API key or management key');
    await field.fill('sk-pst-wrong');
    await page.getByRole('button', { name: 'Use key' }).click();
    await page.locator('[aria-invalid]').waitFor();
    await expectGoodInEveryAppearance(page, 'api-reference-operation');
    await field.fill(apiKey);
    await page.getByRole('button', { name: 'Use key' }).click();
    await page.getByText('Requests use the API key').waitFor();
    expect(await rename('two')).not.toMatch(/^session /);
    await page.getByRole('button', { name: 'Stop using this key' }).click();
    expect(await rename('three')).toMatch(/^session /);
  });
});

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { accepted, paste, requestBody, showRequest } from '../support/capture-page.ts';
import { useDashboard } from '../support/dashboard.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { signInWithKey, signOut } from '../support/sign-in-page.ts';

const chat = (system: string) => ({ model: 'm', messages: [{ role: 'system', content: system }] });

describeInBrowser('the draft of a new preset', () => {
  const dashboard = useDashboard();

  test('survives leaving and a reload until the user discards it, which can be undone', async () => {
    const page = await dashboard.open('/new', { key: apiKey });
    await page.getByLabel('Slug').fill('kept');
    await paste(page, chat('Left at once.'));
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page
      .getByRole('link', { name: /Paste a request|New preset/ })
      .first()
      .click();
    await page.getByText('Unsaved draft restored.').waitFor();
    await expectRequest(page, 'Left at once.');
    await paste(page, chat('Not saved.'));
    await accepted(page);
    await page.reload();
    await page.getByText('Unsaved draft restored.').waitFor();
    await expectRequest(page, 'Not saved.');
    expect(await page.getByLabel('Slug').inputValue()).toBe('kept');
    await expectGoodInEveryAppearance(page, 'capture-draft');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByRole('heading', { name: 'Paste a request' }).waitFor();
    await expect.poll(() => drafts(page)).toEqual([]);
    // Also in another form than the one that was discarded.
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page
      .getByRole('link', { name: /Paste a request|New preset/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Paste a request' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectRequest(page, 'Not saved.');
    expect(await page.getByLabel('Slug').inputValue()).toBe('kept');
  });

  test('survives a deleted key and is restored for the next key', async () => {
    const made = await dashboard.server.post('/api/v1/keys', { name: 'Short' }, { key: managementKey });
    const page = await dashboard.open('/new', { key: made.body.key });
    await paste(page, chat('Before the end.'));
    await accepted(page);
    await dashboard.server.send('DELETE', `/api/v1/keys/${made.body.data.hash}`, undefined, {
      key: managementKey,
    });
    await paste(page, chat('At the end.'));
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    await signInWithKey(page, apiKey);
    await page.getByText('Unsaved draft restored.').waitFor();
    await expectRequest(page, 'At the end.');
  });

  test('is deleted on sign-out', async () => {
    const page = await dashboard.open('/new', { key: apiKey });
    await paste(page, chat('Secret.'));
    await accepted(page);
    expect(await drafts(page)).toHaveLength(1);
    await paste(page, chat('More secret.'));
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in to presetd' }).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
  });

  test('is deleted once it is saved, even if the user has left the page, unless it was changed', async () => {
    const page = await dashboard.open('/new', { key: apiKey });
    await page.getByLabel('Slug').fill('left');
    await paste(page, chat('Saved later.'));
    await accepted(page);
    const saving = await hold(page);
    await page.getByRole('button', { name: 'Create preset' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'New preset' }).waitFor();
    expect(await drafts(page)).toHaveLength(1);
    saving.resolve();
    await page.getByText('Preset created.').waitFor();
    expect(await drafts(page)).toEqual([]);
    // Without moving the user.
    expect(new URL(page.url()).pathname).toBe('/w/default/presets');

    await page.getByRole('link', { name: 'New preset' }).click();
    await page.getByLabel('Slug').fill('typed-on');
    await paste(page, chat('Saved.'));
    await accepted(page);
    const savingAgain = await hold(page);
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'New preset' }).click();
    await page.getByText('Unsaved draft restored.').waitFor();
    await paste(page, chat('Typed on.'));
    await page.getByRole('link', { name: 'Cancel' }).click();
    savingAgain.resolve();
    await expect.poll(async () => (await dashboard.server.get('/api/v1/presets/typed-on')).status).toBe(200);
    await page.getByRole('link', { name: 'New preset' }).click();
    await expectRequest(page, 'Typed on.');

    await page.getByLabel('Slug').fill('saved');
    await accepted(page);
    await page.keyboard.press('ControlOrMeta+s');
    await page.waitForURL('**/presets/saved');
    expect((await drafts(page)).filter((name) => !name.includes('/saved'))).toEqual([]);
  });

  test('a draft that does not fit in the storage quota survives navigation', async () => {
    const page = await dashboard.open('/new', { key: apiKey });
    await fillStorage(page);
    await paste(page, chat('x'.repeat(10_000)));
    await accepted(page);
    expect(await drafts(page)).toEqual([]);
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.goBack();
    await page.getByText('Unsaved draft restored.').waitFor();
  });
});

async function expectRequest(page: Page, text: string): Promise<void> {
  await showRequest(page);
  await expect.poll(() => requestBody(page).innerText()).toContain(text);
}

/** Holds back saves until released; dry runs continue. */
async function hold(page: Page): Promise<PromiseWithResolvers<void>> {
  const released = Promise.withResolvers<void>();
  await page.route(
    ({ pathname, search }) => pathname.endsWith('/chat/completions') && !search.includes('dry_run'),
    async (route) => {
      await released.promise;
      await route.continue();
    },
  );
  return released;
}

/** Leaves room for less than 10,000 characters. */
async function fillStorage(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    for (let length = 5_000_000, index = 0; length > 5_000; index += 1)
      try {
        sessionStorage.setItem('filler ' + index, 'x'.repeat(length));
      } catch {
        length /= 2;
      }
  })()`);
}

/** Without what is set up to run, and offers to undo. */
function drafts(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    'Object.keys(sessionStorage).filter((name) => /^presetd\\.draft\\.(?!run|undo|results)/.test(name))',
  );
}

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { choose } from '../support/menu.ts';
import { apiKey } from '../support/server.ts';

describeInBrowser('a concurrent change of a preset', () => {
  const dashboard = useDashboard();
  const send = (method: string, path: string, body?: unknown) =>
    dashboard.server.send(method, `/api/v1/presets/${path}`, body);
  const capture = (slug: string, instructions: string) =>
    dashboard.server.post(`/api/v1/presets/${slug}/responses`, {
      model: 'a/b',
      instructions,
      input: 'Hello',
    });
  const read = async (slug: string) => (await send('GET', slug)).body.data;

  async function open(slug: string, options: object = {}): Promise<Page> {
    await capture(slug, 'First.');
    await capture(slug, 'Second.');
    await send('PUT', `${slug}/labels/qa`, { version: 1 });
    await send('PATCH', slug, { name: 'Mine', description: 'As it was.' });
    const page = await dashboard.open(`/presets/${slug}/history`, { key: apiKey, ...options });
    await page.getByRole('button', { name: /^qa/ }).waitFor();
    return page;
  }

  test('is shown with its author and the difference, and does not prevent disabling the preset', async () => {
    const slug = 'shown';
    const page = await open(slug);
    await choose(page, 'More actions', 'Disable…');
    await capture(slug, 'Third.');
    await send('PATCH', slug, { name: 'Theirs', description: null });
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' });
    await dialog.getByText('renamed the preset from “Mine” to “Theirs”').waitFor();
    await dialog.getByText('added version 3 and made it live (was 2)').waitFor();
    expect(await dialog.getByRole('listitem').filter({ hasText: 'added label' }).count()).toBe(0);
    await dialog.getByRole('row', { name: 'Name Mine Theirs' }).waitFor();
    await dialog.getByRole('row', { name: 'Description As it was. none' }).waitFor();
    await dialog.getByRole('heading', { name: 'Live version 2 → 3' }).waitFor();
    await expectGoodInEveryAppearance(page, 'preset-conflict');
    await dialog.getByRole('button', { name: 'Show latest' }).click();
    await page.getByRole('heading', { name: 'Theirs', level: 1 }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await read(slug)).status).toBe('active');

    await choose(page, 'More actions', 'Disable…');
    await send('PATCH', slug, { name: 'Theirs again' });
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByRole('button', { name: 'Apply anyway' }).click();
    await page.getByText('Preset disabled').waitFor();
    expect(await read(slug)).toMatchObject({ name: 'Theirs again', status: 'disabled' });
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  });

  test('keeps what was typed, which can be saved on top of it, even if the page behind has refetched', async () => {
    const page = await open('edited');
    await choose(page, 'More actions', 'Rename and edit…');
    await page.getByRole('textbox', { name: 'Description' }).fill('As I want it.');
    await send('PATCH', 'edited', { name: 'Theirs' });
    await page.route('**/events?*', () => undefined);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog', { name: 'Changed by someone else' }).waitFor();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('As I want it.');
    await page.unroute('**/events?*');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('to “Theirs”').waitFor();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('As I want it.');
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Theirs');
    expect(await read('edited')).toMatchObject({ name: 'Theirs', description: 'As it was.' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Changes saved').waitFor();
    expect(await read('edited')).toMatchObject({ name: 'Theirs', description: 'As I want it.' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await choose(page, 'More actions', 'Rename and edit…');
    await page.getByRole('textbox', { name: 'Name' }).fill('Still mine');
    await send('PATCH', 'edited', { name: 'Theirs again' });
    await expect
      .poll(async () => {
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        return page.locator('h1').innerText();
      })
      .toBe('Theirs again');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog', { name: 'Changed by someone else' }).waitFor();
    expect((await read('edited')).name).toBe('Theirs again');
  });

  test('a label that someone else moved is not overwritten, not even by dragging', async () => {
    const page = await open('labeled');
    await page.getByRole('button', { name: /^qa/ }).click();
    await page.getByRole('spinbutton', { name: 'Move to version' }).fill('2');
    await capture('labeled', 'Third.');
    await send('PUT', 'labeled/labels/qa', { version: 3 });
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText('moved label qa from version 1 to 3').waitFor();
    expect((await send('GET', 'labeled/labels')).body.data).toMatchObject([{ label: 'qa', version: 3 }]);
    // Another change, while the dialog shows the first one.
    await send('PATCH', 'labeled', { name: 'Theirs' });
    await page.getByRole('button', { name: 'Apply anyway' }).click();
    await page.getByText('renamed the preset from “Mine” to “Theirs”').waitFor();
    await page.getByRole('button', { name: 'Apply anyway' }).click();
    await page.getByText('Moved label qa').waitFor();
    expect((await send('GET', 'labeled/labels')).body.data).toMatchObject([{ label: 'qa', version: 2 }]);

    // Sent with the move: a page that has loaded the change before would not be in conflict.
    await page.route(
      '**/labels/qa',
      async (route) => {
        await send('PATCH', 'labeled', { name: 'Theirs again' });
        await route.continue();
      },
      { times: 1 },
    );
    // Until it is loaded again, the list of versions also shows the label at its old place.
    await expect.poll(() => page.locator('[draggable]').count()).toBe(1);
    await page
      .locator('[draggable]')
      .dragTo(
        page
          .getByRole('listitem')
          .filter({ has: page.getByRole('link', { name: 'Version 1', exact: true }) }),
      );
    await page.getByText('renamed the preset from “Theirs” to “Theirs again”').waitFor();
    expect((await send('GET', 'labeled/labels')).body.data).toMatchObject([{ label: 'qa', version: 2 }]);
    await page.getByRole('button', { name: 'Apply anyway' }).click();
    await page.getByText('Moved label qa from version 2 to version 1').waitFor();
  });

  test('a concurrent change prevents undo', async () => {
    const page = await open('undone');
    await choose(page, 'More actions', 'Disable…');
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await send('PATCH', 'undone', { name: 'Theirs' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Could not undo: someone else changed the preset').waitFor();
    const dialog = page.getByRole('dialog', { name: 'Changed by someone else' });
    await dialog.getByText('renamed the preset').waitFor();
    expect(await dialog.getByText('disabled the preset').count()).toBe(0);
    expect((await read('undone')).status).toBe('disabled');
  });
});

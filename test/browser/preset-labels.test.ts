import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectGoodInEveryAppearance } from '../support/appearances.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useDashboard } from '../support/dashboard.ts';
import { choose } from '../support/menu.ts';
import { apiKey } from '../support/server.ts';

describeInBrowser('labels', () => {
  const dashboard = useDashboard();
  const send = (method: string, path: string, body?: unknown) =>
    dashboard.server.send(method, `/api/v1/presets/${path}`, body);

  /** Three versions, with the label qa on the second. */
  async function capture(slug: string): Promise<void> {
    for (let version = 1; version <= 3; version += 1)
      await dashboard.server.post(`/api/v1/presets/${slug}/responses`, { model: 'a/b', input: 'Hello' });
    await send('PUT', `${slug}/labels/qa`, { version: 2 });
  }

  async function open(slug: string): Promise<Page> {
    await capture(slug);
    return show(slug);
  }

  async function show(slug: string): Promise<Page> {
    const page = await dashboard.open(`/presets/${slug}/history`, { key: apiKey });
    await chip(page, 2, 'qa').waitFor();
    return page;
  }

  const versionOf = async (slug: string, label: string): Promise<number | undefined> =>
    (await send('GET', `${slug}/labels`)).body.data.find((found: { label: string }) => found.label === label)
      ?.version;

  test('can be moved by keyboard alone, or in a dialog, and removed, which can be undone', async () => {
    const slug = 'moved';
    const page = await open(slug);
    await tabTo(page, 'qa');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.insertText('3');
    await page.keyboard.press('Enter');
    await chip(page, 3, 'qa').waitFor();
    expect(await versionOf(slug, 'qa')).toBe(3);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('qa');
    await tabTo(page, 'Undo');
    await page.keyboard.press('Enter');
    await chip(page, 2, 'qa').waitFor();

    await chip(page, 2, 'qa').click();
    const target = page.getByRole('spinbutton', { name: 'Move to version' });
    await page.getByText('1 to 3. Version 3 is live.').waitFor();
    for (const [invalid, message] of [
      ['9', 'Enter a version from 1 to 3.'],
      ['2', 'The label is already on version 2.'],
      ['-1', 'Enter a version number.'],
    ] as const) {
      await target.fill(invalid);
      await page.getByText(message).waitFor();
      expect(await page.getByRole('button', { name: 'Move', exact: true }).isDisabled()).toBe(true);
    }
    await expectGoodInEveryAppearance(page, 'preset-label');
    await target.fill('1');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await chip(page, 1, 'qa').waitFor();
    expect(await versionOf(slug, 'qa')).toBe(1);
    await undo(page);
    await chip(page, 2, 'qa').waitFor();
    expect(await versionOf(slug, 'qa')).toBe(2);

    await chip(page, 2, 'qa').click();
    await page.getByRole('button', { name: 'Remove label', exact: true }).click();
    await page.getByText('Removed label qa').waitFor();
    await chip(page, 2, 'qa').waitFor({ state: 'detached' });
    expect(await versionOf(slug, 'qa')).toBe(undefined);
    await undo(page);
    await chip(page, 2, 'qa').waitFor();
  });

  test('can be added if their name is valid, and are moved if they are on another version', async () => {
    const slug = 'added';
    const page = await open(slug);
    await choose(page, 'Actions for version 1', 'Add label…');
    const name = page.getByRole('textbox', { name: 'Label' });
    for (const [invalid, message] of [
      ['Über', 'must be 1 to 63 characters from a-z 0-9 - and begin with a letter'],
      ['2nd', 'must be 1 to 63 characters from a-z 0-9 - and begin with a letter'],
      ['latest', 'always means the latest version'],
      ['designated', 'always means the live version'],
    ] as const) {
      await name.fill(invalid);
      await page.getByText(message).waitFor();
      expect(await page.getByRole('button', { name: 'Add label', exact: true }).isDisabled()).toBe(true);
    }
    await expectGoodInEveryAppearance(page, 'preset-add-label');
    await name.fill('stable');
    await name.press('Enter');
    await chip(page, 1, 'stable').waitFor();
    expect(await versionOf(slug, 'stable')).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await chip(page, 1, 'stable').waitFor({ state: 'detached' });
    expect(await versionOf(slug, 'stable')).toBe(undefined);

    await choose(page, 'Actions for version 1', 'Add label…');
    await name.fill('qa');
    await page.getByText('Moves from version 2 to version 1.').waitFor();
    await page.getByRole('button', { name: 'Move label here' }).click();
    await chip(page, 1, 'qa').waitFor();
  });

  test('can be dragged to another version, which can be undone, but not from another window', async () => {
    await capture('dragged');
    await send('PUT', 'dragged/labels/live', { version: 2 });
    const page = await show('dragged');
    await chip(page, 2, 'live').waitFor();
    const drag = (label: string, version: number) =>
      page
        .getByRole('list', { name: 'Versions, newest first' })
        .locator('[draggable]')
        .filter({ hasText: label })
        .dragTo(item(page, version));
    await drag('qa', 3);
    await chip(page, 3, 'qa').waitFor();
    await drag('live', 1);
    await chip(page, 1, 'live').waitFor();
    expect([await versionOf('dragged', 'qa'), await versionOf('dragged', 'live')]).toEqual([3, 1]);
    await undo(page);
    await chip(page, 2, 'live').waitFor();

    const source = page
      .getByRole('list', { name: 'Versions, newest first' })
      .locator('[draggable]')
      .filter({ hasText: 'qa' });
    const carrying = (slug: string) =>
      page.evaluateHandle(`(() => {
        const data = new DataTransfer();
        data.setData('application/x-presetd-label', JSON.stringify(['${slug}', 'qa', 3]));
        return data;
      })()`);
    const fire = async (event: string, target: Locator, slug: string) =>
      target.dispatchEvent(event, { dataTransfer: await carrying(slug) });
    const changes: string[] = [];
    page.on('request', (request) => request.method() === 'PUT' && changes.push(request.url()));

    // During and after a drag in this window.
    await fire('dragstart', source, 'dragged');
    await fire('drop', item(page, 1), 'another');
    await fire('dragend', source, 'dragged');
    await fire('drop', item(page, 1), 'dragged');
    await source.dragTo(item(page, 2));
    await chip(page, 2, 'qa').waitFor();
    expect(changes).toHaveLength(1);
    expect(await versionOf('dragged', 'qa')).toBe(2);
  });

  test("the dialog shows the server's message about a label", async () => {
    const numbers = Array.from({ length: 99 }, (_, index) => index + 1);
    await capture('full');
    await Promise.all(numbers.map((number) => send('PUT', `full/labels/label-${number}`, { version: 1 })));
    const page = await show('full');
    await choose(page, 'Actions for version 3', 'Add label…');
    await page.getByRole('textbox', { name: 'Label' }).fill('one-more');
    await page.getByRole('button', { name: 'Add label', exact: true }).click();
    await page.getByRole('alert').getByText('has 100 labels').waitFor();
    expect(await page.getByRole('textbox', { name: 'Label' }).inputValue()).toBe('one-more');
  });
});

function item(page: Page, version: number) {
  return page
    .getByRole('list', { name: 'Versions, newest first' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: `Version ${version}`, exact: true }) });
}

/** Undoes the last change. */
function undo(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Undo' }).last().click();
}

function chip(page: Page, version: number, label: string) {
  return item(page, version).getByRole('button', { name: `${label}: move or remove label` });
}

async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement.textContent')) === text) return;
  }
  throw new Error(`"${text}" cannot be reached by keyboard.`);
}
